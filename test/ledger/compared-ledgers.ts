import { expect } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import type { AttemptOutcome, Intent } from "../../src/ledger/records/requests.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Run } from "../../src/ledger/records/run.ts";
import type { PlanPolicy } from "../../src/ledger/records/planned-item.ts";
import { comparable, comparableRows } from "./comparable.ts";
import { outcomesOf } from "./ledger-input.ts";
import { exportedRows, type StoredLedger } from "./stored-ledgers.ts";

/** One of several ledgers on which the same script is performed. */
export interface Member {
  readonly stored: StoredLedger;
  ledger: Ledger;
  /** Ids of its runs, oldest first. */
  readonly runs: string[];
}

export interface Scene {
  readonly members: readonly Member[];
  /** The folder for ledgers of runs that send nothing. */
  readonly folder: string;
  /** Index of the current run; -1 before the first plan. */
  current: number;
  /** By run: the values from the plan, which are used again when the run is resumed. */
  readonly recorded: Pick<PlanPolicy, "newKeys" | "resendAmbiguous">[];
  flying: Intent[];
  last: { intents: readonly Intent[]; outcomes: readonly AttemptOutcome[] };
  /** A counter from which times and account numbers are derived, so that each is different. */
  count: number;
}

export function moment(scene: Scene): string {
  scene.count += 1;
  return new Date(Date.UTC(2120, 0, 1, 0, 0, scene.count)).toISOString();
}

export type Answer<Result> = { readonly result: Result } | { readonly failure: string };

/**
 * Makes the same call on every ledger, with the current run. The results must be equal. Returns the result of the first
 * ledger.
 */
export function onRun<Result>(
  scene: Scene,
  call: (ledger: Ledger, run: string) => Promise<Result>,
): Promise<Answer<Result>> {
  return onAll(scene, ({ ledger, runs }) => call(ledger, runs[scene.current] ?? ""));
}

export async function onAll<Result>(
  { members }: Scene,
  call: (member: Member) => Promise<Result>,
): Promise<Answer<Result>> {
  const answers: Answer<Result>[] = [];
  for (const member of members) {
    const answer = await answerTo(() => call(member));
    answers.push(answer);
    const [first] = members;
    if (first === undefined || answers[0] === undefined) continue;
    expect(comparable(answer, member.runs), `${member.stored.kind} and ${first.stored.kind} differ`).toEqual(
      comparable(answers[0], first.runs),
    );
  }
  const [answer] = answers;
  if (answer === undefined) throw new Error("There is no ledger.");
  return answer;
}

async function answerTo<Result>(call: () => Promise<Result>): Promise<Answer<Result>> {
  try {
    return { result: await call() };
  } catch (error) {
    return { failure: error instanceof Failure ? error.code : "bug" };
  }
}

export async function compareRun(scene: Scene, index: number, compared: "outcomes" | "all" = "all"): Promise<void> {
  const ends = [1, 1_000] as const;
  await onAll(scene, async ({ ledger, runs }) => {
    const run = runs[index] ?? "";
    if (compared === "outcomes") return { outcomes: await outcomesOf(ledger, run), coverage: await ledger.coverage() };
    const history = await ledger.history();
    return {
      run: await ledger.findRun(run),
      summary: await ledger.summary(run),
      outcomes: await outcomesOf(ledger, run),
      sendable: await ledger.sendable(run, ...ends),
      next: await ledger.nextSendable(run, 3),
      compared: await ledger.compareToSend(run),
      ambiguous: await ledger.ambiguous(run, ...ends),
      existing: await ledger.existing(run, ...ends),
      coverage: await ledger.coverage(),
      history: { ...history, msSinceAbandoned: inDays(history.msSinceAbandoned) },
      migration: await ledger.migration(),
      unsettled: await ledger.unsettledRuns(),
      unplanned: await ledger.unplannedRecords(),
    };
  });
}

/** Rounds the time since a request to days, because the ledgers are queried one after the other. */
export function inDays(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms / 86_400_000) + 0;
}

/** Compares the runs of the ledgers, their histories of each key, and their exported rows. */
export async function compareWhole(scene: Scene): Promise<void> {
  const keys = new Set<string>();
  for (const { ledger, runs } of scene.members.slice(0, 1)) {
    for (const run of runs) for (const { key } of await outcomesOf(ledger, run)) if (key !== undefined) keys.add(key);
  }
  await onAll(scene, async ({ ledger }) => {
    const history = [];
    for (const key of keys) {
      history.push([key, await ledger.attempts(key), await ledger.decisions(key), await ledger.exclusions(key)]);
    }
    return [(await ledger.runs()).map(({ id }: Run) => id), history];
  });
  await onAll(scene, async ({ stored }) => comparableRows(await exportedRows(stored)));
}
