import { packItems } from "../../src/ledger/packed/packed-items.ts";
import type { Intent, AttemptOutcome } from "../../src/ledger/records/requests.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewRun } from "../../src/ledger/records/run.ts";
import type { PlannedItem, PlanPolicy } from "../../src/ledger/records/planned-item.ts";
import type { SendableItem } from "../../src/ledger/records/requests.ts";
import { contentHash, recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { PlatformProblem } from "../../src/model/problem.ts";

const AT = "2026-11-20T23:41:07.000Z";

export const PUSH: NewRun = {
  command: "push",
  target: "platform.example/v1/",
  supplier: "ACME",
  operation: "POST /data-import/accounts/",
  endpoint: "POST platform.example/v1/data-import/accounts",
  settings: { concurrency: 4 },
  dryRun: false,
  startedAt: AT,
};

export const POLICY: PlanPolicy = {
  revise: false,
  resendAmbiguous: false,
  keyAttr: "external_account_number",
  fileCells: new Map([["a.csv", { key: [{ column: "REF", columnNumber: 2 }], asOf: [] }]]),
};

/** Returns an item for this record number, on line `record` + 1 of `a.csv`. */
export function item(record: number, key: string, content = "same", more: Partial<PlannedItem> = {}): PlannedItem {
  return {
    record,
    key,
    identity: recordIdentity({ endpoint: PUSH.endpoint, supplier: PUSH.supplier, key }),
    content: contentHash({ content }),
    file: "a.csv",
    line: record + 1,
    status: "valid",
    problems: [],
    ...more,
  };
}

/** Plans a run with these items, as if their files had been read completely. Returns the id of the run. */
export async function planned(
  ledger: Ledger,
  items: readonly PlannedItem[],
  more: { readonly run?: Partial<NewRun>; readonly policy?: Partial<PlanPolicy> } = {},
): Promise<string> {
  const { id } = await ledger.startRun({ ...PUSH, ...more.run });
  await ledger.plan(id, packItems(items));
  const files = new Set(items.map(({ file }) => file));
  const superseded = (await ledger.earlierWithoutKey(id)).filter(({ file }) => files.has(file));
  await ledger.finishPlan(id, { ...POLICY, superseded, ...more.policy });
  return id;
}

export async function outcomesOf(ledger: Ledger, run: string, filter = {}): Promise<readonly Outcome[]> {
  const all: Outcome[] = [];
  for await (const batch of ledger.outcomes(run, filter)) all.push(...batch);
  return all;
}

export async function statusesOf(ledger: Ledger, run: string): Promise<readonly string[]> {
  return (await outcomesOf(ledger, run)).map(({ status }) => status);
}

export function intentOf(found: SendableItem): Intent {
  const { record, identity, content, attempts } = found;
  return { record, identity, content, attempt: attempts + 1, at: AT };
}

export function attemptOutcomeOf(
  intent: Intent,
  status: AttemptOutcome["status"],
  more: Partial<AttemptOutcome> = {},
): AttemptOutcome {
  const { record, identity, attempt } = intent;
  return { record, identity, attempt, status, problems: [], at: AT, ...more };
}

/** Saves intents for all pending records. */
export async function intendAll(ledger: Ledger, run: string): Promise<readonly Intent[]> {
  const intents = (await ledger.sendable(run, 1, 1_000_000)).map(intentOf);
  await ledger.saveIntents(run, intents);
  return intents;
}

/** Sends all pending records, with the same result for each. */
export async function sendAll(
  ledger: Ledger,
  run: string,
  status: AttemptOutcome["status"],
  more: Partial<AttemptOutcome> = {},
): Promise<void> {
  const intents = await intendAll(ledger, run);
  await ledger.saveOutcomes(
    run,
    intents.map((intent) => attemptOutcomeOf(intent, status, more)),
  );
}

/** Completes a step of all records that are left to send. */
export async function completeStep(
  ledger: Ledger,
  run: string,
  { step, idempotent }: { readonly step: string; readonly idempotent: boolean },
): Promise<void> {
  const sent = (await ledger.sendable(run, 1, 9)).map(({ record, identity, content, attempts }) => ({
    intent: { record, identity, content, attempt: attempts + 1, at: AT, step, idempotent },
    outcome: { record, identity, attempt: attempts + 1, at: AT, problems: [], status: "pending", step } as const,
  }));
  await ledger.saveIntents(
    run,
    sent.map(({ intent }) => intent),
  );
  await ledger.saveOutcomes(
    run,
    sent.map(({ outcome }) => outcome),
  );
}

/** A problem that the platform reports for one invalid field. */
export const REFUSED: PlatformProblem = {
  attr: "customers.0.mobile",
  severity: "error",
  by: "platform",
  code: "invalid_phone_number",
  detail: "Not a phone number.",
  place: { file: "a.csv", line: 2, column: "MOBILE", columnNumber: 5 },
};
