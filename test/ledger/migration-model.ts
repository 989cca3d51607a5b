import { expect } from "vitest";
import { packItems } from "../../src/ledger/packed/packed-items.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewRun } from "../../src/ledger/records/run.ts";
import type { PlannedItem } from "../../src/ledger/records/planned-item.ts";
import type { Decision, Intent } from "../../src/ledger/records/requests.ts";
import type { ExclusionResult } from "../../src/ledger/records/exclusions.ts";
import { contentHash, recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import { attemptOutcomeOf, intentOf, item, outcomesOf, planned, POLICY, PUSH } from "./ledger-input.ts";
import {
  type Destination,
  type Exclude,
  MOST_ROWS,
  type Push,
  type Reconcile,
  type Result,
  type Step,
} from "./migration-histories.ts";

export interface PlannedPush extends Push {
  readonly id: string;
  /** By row: the platform's content when the ledger skipped the row as done. Undefined for a duplicate row. */
  readonly skipped: Map<number, string | undefined>;
  readonly startedAt: string;
}

/** The migration as plain lists. Only the status of a row in its own push comes from the ledger. */
export interface MigrationModel {
  hour: number;
  readonly pushes: PlannedPush[];
  /** By record: the content that the platform has. */
  readonly platform: Map<string, string>;
  /** By record: the content of the last request. */
  readonly sent: Map<string, string>;
  /** By record: the content of the last request that the platform may have processed, or has refused. */
  readonly received: Map<string, string>;
  readonly unclear: Map<string, "ambiguous" | "existing">;
  /** By record: the push whose request is in flight. */
  readonly inFlight: Map<string, string>;
  /** Records whose last request was rejected, by the platform or by a manual decision. */
  readonly refused: Set<string>;
  readonly excluded: Set<string>;
  /** By record: the start of a push. The record has been open since then. */
  readonly since: Map<string, string>;
}

export function emptyModel(): MigrationModel {
  return {
    hour: 0,
    pushes: [],
    platform: new Map(),
    sent: new Map(),
    received: new Map(),
    unclear: new Map(),
    inFlight: new Map(),
    refused: new Set(),
    excluded: new Set(),
    since: new Map(),
  };
}

/** Returns a later time at each call. */
function nextTime(model: MigrationModel): string {
  model.hour += 1;
  return new Date(Date.UTC(2026, 10, 1, model.hour)).toISOString();
}

export const nameOf = ({ target, supplier }: Destination, key: number): string => `${target} ${supplier} K${key}`;

const runTo = ({ target, supplier }: Destination): Partial<NewRun> => ({
  target,
  supplier,
  endpoint: `POST ${target}data-import/accounts`,
});

const identityOf = (to: Destination, key: number): Uint8Array =>
  recordIdentity({ ...PUSH, ...runTo(to), key: `K${key}` });

function itemsOf({ rows, to, file }: Push): readonly PlannedItem[] {
  return rows.map(({ key, content, isInvalid }, index) => {
    const isSent = key !== undefined && content !== undefined && !isInvalid;
    const name = `K${key}`;
    return item(index + 1, name, content, {
      file,
      key: key === undefined ? undefined : name,
      identity: key === undefined ? undefined : identityOf(to, key),
      content: content === undefined ? undefined : contentHash({ content }),
      status: isSent ? "valid" : "invalid",
      rowHash: key === undefined && content === "a" ? 1 : undefined,
    });
  });
}

/** Performs a step on the ledger and on the model. */
export async function take(ledger: Ledger, step: Step, model: MigrationModel): Promise<void> {
  if (step.kind === "push") return pushRows(ledger, step, model);
  if (step.kind === "exclude") return exclude(ledger, step, model);
  const push = model.pushes[step.run];
  if (push === undefined) return;
  if (step.kind === "reconcile") return decide(ledger, push, step.decisions, model);
  await ledger.resumeRun(push.id, { ...POLICY, revise: push.revise });
  interrupt(model);
  await noteSkipped(ledger, push, model);
  await expectCompared(ledger, push, model);
  await send(ledger, push, step.results, model);
}

async function pushRows(ledger: Ledger, step: Push, model: MigrationModel): Promise<void> {
  const startedAt = nextTime(model);
  const started = { ...runTo(step.to), dryRun: step.end === "dry run", startedAt };
  if (step.end === "unfinished plan") {
    const { id } = await ledger.startRun({ ...PUSH, ...started });
    await ledger.plan(id, packItems(itemsOf(step)));
    return interrupt(model);
  }
  const id = await planned(ledger, itemsOf(step), { run: started, policy: { revise: step.revise } });
  interrupt(model);
  if (step.end === "dry run") return expectCompared(ledger, { ...step, id }, model);
  noteSince(model, step, startedAt);
  const push = { ...step, id, startedAt, skipped: new Map() };
  model.pushes.push(push);
  await noteSkipped(ledger, push, model);
  await expectCompared(ledger, push, model);
  await send(ledger, push, step.results, model);
}

/** Checks that the ledger compares the records left to send with the content that was sent before. */
async function expectCompared(
  ledger: Ledger,
  { id, to, rows, end }: Push & Pick<PlannedPush, "id">,
  { pushes, platform, received }: MigrationModel,
): Promise<void> {
  const isFirst = pushes.every((push) => push.to !== to || push.id === id);
  const counts = { new: 0, changed: 0, unchanged: 0 };
  for (const { record, status } of await outcomesOf(ledger, id)) {
    if (status !== (end === "dry run" ? "valid" : "pending")) continue;
    const { key = 0, content } = rows[record - 1] ?? {};
    const name = nameOf(to, key);
    const before = platform.get(name) ?? received.get(name);
    if (before === undefined) counts.new += 1;
    else counts[before === content ? "unchanged" : "changed"] += 1;
  }
  expect(await ledger.compareToSend(id)).toEqual(isFirst ? undefined : counts);
}

async function exclude(ledger: Ledger, { to, keys, ends }: Exclude, model: MigrationModel): Promise<void> {
  const { excluded, unclear, inFlight, platform } = model;
  const at = nextTime(model);
  if (ends) {
    const ended = await ledger.endExclusions(
      keys.map((key) => identityOf(to, key)),
      { at, who: "tester" },
    );
    expect(ended).toEqual(keys.map((key) => excluded.has(nameOf(to, key))));
    for (const key of keys) excluded.delete(nameOf(to, key));
    return;
  }
  const given = keys.map((key) => ({
    identity: identityOf(to, key),
    key: `K${key}`,
    at,
    who: "tester",
    reason: "test",
  }));
  const results = await ledger.excludeRecords(given);
  const expected = keys.map((key): ExclusionResult => {
    const name = nameOf(to, key);
    if (excluded.has(name)) return "excluded before";
    if (platform.has(name)) return "accepted";
    if (unclear.get(name) === "ambiguous" || inFlight.has(name)) return "unsettled";
    excluded.add(name);
    return "excluded";
  });
  expect(results).toEqual(expected);
}

function noteSince(model: MigrationModel, { to, rows }: Push, startedAt: string): void {
  for (const { key } of rows) {
    if (key === undefined) continue;
    const name = nameOf(to, key);
    const latest = model.pushes.findLast((push) => push.to === to && push.rows.some((other) => other.key === key));
    if (latest === undefined || isDone(latest, key, model)) model.since.set(name, startedAt);
  }
}

/** Makes the records in flight ambiguous, as the ledger does before it starts another run. */
function interrupt({ inFlight, unclear }: MigrationModel): void {
  for (const name of inFlight.keys()) unclear.set(name, "ambiguous");
  inFlight.clear();
}

async function send(ledger: Ledger, push: PlannedPush, given: readonly Result[], model: MigrationModel): Promise<void> {
  const found = await ledger.sendable(push.id, 1, MOST_ROWS);
  const at = nextTime(model);
  const chosen = found.flatMap((sendable, index): readonly { intent: Intent; status: Result }[] => {
    const status = given[index] ?? "unsent";
    return status === "unsent" ? [] : [{ intent: { ...intentOf(sendable), at }, status }];
  });
  if (chosen.length === 0) return;
  const intents = chosen.map(({ intent }) => intent);
  await ledger.saveIntents(push.id, intents);
  const outcomes = chosen.flatMap(({ intent, status }) =>
    status === "unsent" || status === "interrupted" ? [] : attemptOutcomeOf(intent, status, { at }),
  );
  await ledger.saveOutcomes(push.id, outcomes);
  for (const { intent, status } of chosen) {
    const { key = 0, content = "" } = push.rows[intent.record - 1] ?? {};
    const name = nameOf(push.to, key);
    model.sent.set(name, content);
    if (status !== "pending") model.received.set(name, content);
    model.unclear.delete(name);
    model.refused.delete(name);
    if (status === "rejected") model.refused.add(name);
    if (status === "interrupted") model.inFlight.set(name, push.id);
    if (status === "accepted") model.platform.set(name, content);
    if (status === "ambiguous" || status === "existing") model.unclear.set(name, status);
  }
}

async function decide(
  ledger: Ledger,
  push: PlannedPush,
  given: Reconcile["decisions"],
  model: MigrationModel,
): Promise<void> {
  const policy = { ...POLICY, revise: push.revise };
  await ledger.refresh(push.id, policy);
  interrupt(model);
  const ambiguous = await ledger.ambiguous(push.id, 1, MOST_ROWS);
  const found = [...ambiguous, ...(await ledger.existing(push.id, 1, MOST_ROWS))];
  const at = nextTime(model);
  const decisions = found.flatMap(({ record, identity }, index): readonly Decision[] => {
    const decision = given[index] ?? "none";
    if (decision === "none" || (decision === "resend" && index >= ambiguous.length)) return [];
    return [{ record, identity, decision, by: "operator", who: "tester", reason: "test", at }];
  });
  await ledger.saveDecisions(push.id, decisions, policy);
  for (const { record, decision } of decisions) {
    const name = nameOf(push.to, push.rows[record - 1]?.key ?? 0);
    if (decision === "accepted") model.platform.set(name, model.sent.get(name) ?? "");
    if (decision === "rejected") model.refused.add(name);
    model.unclear.delete(name);
  }
  await noteSkipped(ledger, push, model);
}

async function noteSkipped(
  ledger: Ledger,
  { id, to, rows, skipped }: PlannedPush,
  model: MigrationModel,
): Promise<void> {
  for (const { record, status } of await outcomesOf(ledger, id)) {
    const { key } = rows[record - 1] ?? {};
    if (key === undefined || skipped.has(record - 1)) continue;
    if (status === "skipped") skipped.set(record - 1, model.platform.get(nameOf(to, key)));
    if (status === "duplicate") skipped.set(record - 1, undefined);
  }
}

/** Whether the platform has the latest content. */
export function isDone(latest: PlannedPush, key: number, { platform, unclear }: MigrationModel): boolean {
  const name = nameOf(latest.to, key);
  return !unclear.has(name) && platform.has(name) && platform.get(name) === latestContent(latest, key);
}

/** Returns the latest content of a key; undefined if the rows to send differ, or if a payload could not be built. */
function latestContent({ rows, skipped }: PlannedPush, key: number): string | undefined {
  const own = rows.flatMap((other, index) => (other.key === key ? [{ content: other.content, index }] : []));
  const sent = own.filter(({ index }) => !skipped.has(index));
  if (sent.length === 0) return own.map(({ index }) => skipped.get(index)).find((content) => content !== undefined);
  const contents = new Set(sent.map(({ content }) => content));
  return contents.size === 1 ? sent[0]?.content : undefined;
}
