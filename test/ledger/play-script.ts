import { expect } from "vitest";
import type { Outcome } from "../../src/model/outcome.ts";
import type { AmbiguousItem, AttemptOutcome, Decision } from "../../src/ledger/records/requests.ts";
import type { PlanPolicy } from "../../src/ledger/records/planned-item.ts";
import type { SendableItem } from "../../src/ledger/records/requests.ts";
import { openPackedLedger, type UnsentRun } from "../../src/ledger/packed/packed-ledger.ts";
import { packItems } from "../../src/ledger/packed/packed-items.ts";
import { compareRun, compareWhole, inDays, type Member, moment, onAll, onRun, type Scene } from "./compared-ledgers.ts";
import { intentOf, outcomesOf } from "./ledger-input.ts";
import { note, recover } from "./play-notes.ts";
import type { ProcessStep, ScriptedPlan, ScriptedReply, Step } from "./script-steps.ts";
import { exportedRows, type StoredLedger } from "./stored-ledgers.ts";

/**
 * Performs a script on all ledgers. Checks that they return the same results after each step, and that at the end they
 * have the same contents and pass the check.
 */
export async function playScript(
  stored: readonly StoredLedger[],
  script: readonly Step[],
  folder: string,
): Promise<void> {
  const members: Member[] = [];
  try {
    for (const each of stored) members.push({ stored: each, ledger: await each.open(), runs: [] });
    const scene: Scene = {
      members,
      folder,
      current: -1,
      recorded: [],
      flying: [],
      last: { intents: [], outcomes: [] },
      count: 0,
    };
    for (const step of script) {
      await perform(scene, step);
      await compareRun(scene, scene.current, step.does === "send" || step.does === "receive" ? "outcomes" : "all");
    }
    for (const [index] of members[0]?.runs.entries() ?? []) await compareRun(scene, index);
    await compareWhole(scene);
  } finally {
    for (const { stored: each } of members) await each.close();
  }
  for (const each of stored) expect([each.kind, (await each.store.check()).findings]).toEqual([each.kind, []]);
}

async function perform(scene: Scene, step: Step): Promise<void> {
  switch (step.does) {
    case "plan":
      return plan(scene, step.plan);
    case "send":
      return send(scene, step);
    case "receive":
      return receive(scene, step.replies);
    case "repeat the last intents or outcomes":
      return repeatLast(scene, step.what);
    case "resume":
    case "refresh":
      await resume(scene, step);
      return;
    case "decide":
      return decide(scene, step);
    case "recover":
      return recover(scene, step);
    case "note":
      return note(scene, step.what);
    case "process work":
      return performProcess(scene, step.what);
  }
}

async function performProcess(scene: Scene, step: ProcessStep): Promise<void> {
  switch (step.does) {
    case "finish":
      await onRun(scene, (ledger, run) => ledger.finishRun(run, 3));
      return;
    case "restart":
      scene.flying = [];
      for (const member of scene.members) {
        await member.stored.close();
        member.ledger = await member.stored.open();
      }
      return;
    case "open a second writer":
      for (const { stored } of scene.members) {
        await expect(stored.store.write("push", { create: true })).rejects.toMatchObject({
          code: "ledger_in_use",
        });
      }
      return;
    case "take over":
      return takeOver(scene, step);
  }
}

/** Selects the run to continue. The last requests of another run are never repeated in this run. */
function workOn(scene: Scene, run: number): void {
  if (run !== scene.current) scene.last = { intents: [], outcomes: [] };
  scene.current = run;
  scene.flying = [];
}

async function plan(scene: Scene, { run, batches, excluded, policy, isFinished }: ScriptedPlan): Promise<void> {
  const newRun = { ...run, startedAt: moment(scene) };
  for (const member of scene.members) member.runs.push((await member.ledger.startRun(newRun)).id);
  workOn(scene, (scene.members[0]?.runs.length ?? 0) - 1);
  const { newKeys, resendAmbiguous } = policy;
  scene.recorded.push({ newKeys, resendAmbiguous });
  for (const items of batches) await onRun(scene, (ledger, id) => ledger.plan(id, packItems(items)));
  await onRun(scene, (ledger, id) => ledger.exclude(id, excluded));
  if (isFinished) await onRun(scene, (ledger, id) => ledger.finishPlan(id, policy));
  const { command } = newRun;
  if (command === "push") return;
  const packed = openPackedLedger(scene.folder);
  const unsent: UnsentRun = { ...newRun, command };
  const { id } = await packed.startRun(unsent);
  for (const items of batches) await packed.plan(id, packItems(items));
  await packed.exclude(id, excluded);
  if (isFinished) await packed.finishPlan(id, policy);
  const outcomes: Outcome[] = [];
  for await (const some of packed.outcomes(id)) outcomes.push(...some);
  const stored = await onRun(scene, async (ledger, own) => [await ledger.summary(own), await outcomesOf(ledger, own)]);
  expect(stored, "a packed ledger differs").toEqual({ result: [await packed.summary(id), outcomes] });
  const items = outcomes.map(({ record, key = null, source, status }) => ({ record, key, ...source, status }));
  expect(await exportedItems(scene), "a packed ledger differs").toEqual(items);
  await packed.close();
}

/** Returns the records of the current run, as exported. */
async function exportedItems(scene: Scene): Promise<unknown> {
  const exported = await onAll(scene, async ({ stored }) => {
    const rows = await exportedRows(stored);
    const run = rows.filter(({ row }) => row === "run")[scene.current]?.["id"];
    return rows.flatMap(({ row, run: of, record, key, file, line, status }) =>
      row === "item" && of === run ? [{ record, key, file, line, status }] : [],
    );
  });
  return "result" in exported ? exported.result : exported;
}

async function send(scene: Scene, given: Extract<Step, { does: "send" }>): Promise<void> {
  if (!(await isSending(scene))) return;
  const { idempotent, polls, step, records } = given;
  const found = await onRun(scene, (ledger, run) => ledger.sendable(run, 1, 1_000));
  const sendable: readonly SendableItem[] = "result" in found ? found.result : [];
  const at = moment(scene);
  const intents = sendable.slice(0, records).map((item) => ({
    ...intentOf(item),
    at,
    idempotent,
    isPoll: polls && item.isAmbiguous,
    ...(step !== undefined && { step }),
  }));
  const outcomes = outcomesFor(scene, given.replies);
  await onRun(scene, (ledger, run) => ledger.saveIntents(run, intents, outcomes));
  scene.flying.push(...intents);
  scene.last = { intents, outcomes };
}

async function receive(scene: Scene, replies: readonly ScriptedReply[]): Promise<void> {
  const outcomes = outcomesFor(scene, replies);
  if (outcomes.length === 0) return;
  await onRun(scene, (ledger, run) => ledger.saveOutcomes(run, outcomes));
  scene.last = { intents: [], outcomes };
}

function outcomesFor(scene: Scene, replies: readonly ScriptedReply[]): readonly AttemptOutcome[] {
  const at = moment(scene);
  return scene.flying.splice(0, replies.length).flatMap(({ record, identity, attempt, step }, index) => {
    const found = replies[index];
    if (found === undefined) return [];
    const { account, ...reply } = found;
    const number = accountOf(scene, account);
    const isNewAccount = account !== "shared, known before";
    return [{ ...reply, ...(step !== undefined && { step }), record, identity, attempt, at, ...number, isNewAccount }];
  });
}

function accountOf(scene: Scene, account: ScriptedReply["account"]): { readonly account?: string } {
  scene.count += 1;
  if (account === "none") return {};
  return { account: account === "new" ? `A-${scene.count}` : `S-${scene.count % 2}` };
}

/** Repeats the last write. The ledgers refuse it, because its attempts have already been claimed, settled or closed. */
async function repeatLast(scene: Scene, what: "intents" | "outcomes"): Promise<void> {
  const { intents, outcomes } = scene.last;
  if (scene.last[what].length === 0) return;
  const repeated = await onRun(scene, (ledger, run) =>
    what === "intents" ? ledger.saveIntents(run, intents) : ledger.saveOutcomes(run, outcomes),
  );
  expect(repeated).toHaveProperty("failure");
}

/** Returns false if the ledgers refuse to resume the run. */
async function resume(
  scene: Scene,
  { does, run, policy: given }: Extract<Step | ProcessStep, { readonly policy: PlanPolicy; readonly run: number }>,
): Promise<boolean> {
  const runs = scene.members[0]?.runs.length ?? 0;
  workOn(scene, Math.max(0, runs - 1 - run));
  const policy = { ...given, ...scene.recorded[scene.current] };
  if (does === "refresh") {
    if (await isSending(scene)) await onRun(scene, async (ledger, id) => inDays(await ledger.refresh(id, policy)));
    return true;
  }
  const resumed = await onRun(scene, (ledger, id) => ledger.resumeRun(id, policy));
  if ("result" in resumed && resumed.result.state === "planning") {
    await onRun(scene, (ledger, id) => ledger.restartPlan(id));
    await onRun(scene, (ledger, id) => ledger.finishPlan(id, policy));
  }
  return "result" in resumed;
}

async function decide(scene: Scene, { decisions, policy }: Extract<Step, { does: "decide" }>): Promise<void> {
  if (!(await isSending(scene))) return;
  const found = await onRun(scene, async (ledger, run) => [
    ...(await ledger.ambiguous(run, 1, 1_000)),
    ...(await ledger.existing(run, 1, 1_000)),
    ...(await ledger.lost(run, 1, 1_000)).map((item) => ({ ...item, isLost: true })),
  ]);
  const at = moment(scene);
  const undecided: readonly (AmbiguousItem & { isLost?: boolean })[] = "result" in found ? found.result : [];
  const made = undecided.slice(0, decisions.length).flatMap((item, index): readonly Decision[] => {
    const given = decisions[index];
    if (given === undefined) return [];
    const { record, identity, isLost = false } = item;
    const { account, ...decision } = given;
    const by = { by: "read-back", who: "tester", reason: "found", at } as const;
    if (isLost) return [{ decision: "resend", record, identity, ...by }];
    return [{ ...decision, record, identity, ...by, ...accountOf(scene, account) }];
  });
  await onRun(scene, (ledger, run) => ledger.saveDecisions(run, made, policy));
}

/** Resumes a run in another process. The ledger then refuses each write of the first process. */
async function takeOver(scene: Scene, step: Extract<ProcessStep, { does: "take over" }>): Promise<void> {
  const { flying } = scene;
  scene.flying = [];
  const before = scene.members.map(({ ledger }) => ledger);
  for (const member of scene.members) {
    await member.stored.loseProcess();
    member.ledger = await member.stored.open();
  }
  const { current } = scene;
  // A process that cannot resume writes nothing to a ledger file, so the first process would remain its writer.
  if (!(await resume(scene, step))) await onRun(scene, (ledger, run) => ledger.finishRun(run, 3));
  const outcomes = flying.map(({ record, identity, attempt }) => ({
    record,
    identity,
    attempt,
    status: "accepted" as const,
    problems: [],
    at: "2120-01-01T00:00:00.000Z",
  }));
  for (const [index, first] of before.entries()) {
    const run = scene.members[index]?.runs[current] ?? "";
    const refused = { code: "ledger_in_use" };
    if (outcomes.length > 0) await expect(first.saveOutcomes(run, outcomes)).rejects.toMatchObject(refused);
    await expect(first.finishRun(run, 0)).rejects.toMatchObject(refused);
  }
  if (step.firstCloses === "at once") for (const { stored } of scene.members) await stored.closeLost();
}

/** Returns whether the current run sends records and has a complete plan. */
async function isSending({ members, current }: Scene): Promise<boolean> {
  const [first] = members;
  const id = first?.runs[current];
  const run = id === undefined ? undefined : await first?.ledger.findRun(id);
  return run?.command === "push" && !run.dryRun && run.state !== "planning";
}
