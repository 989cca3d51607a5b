import { settingsOf } from "../job/settings/recorded-settings.ts";
import type { Connection } from "../job/target-connection.ts";
import type { PlanPolicy } from "../ledger/records/planned-item.ts";
import type { UndecidedStatus } from "../ledger/records/requests.ts";
import { Failure, FAILURES } from "../model/failure.ts";
import { planPolicy } from "../pipeline/plan/plan-records.ts";
import type { OpenRun } from "../pipeline/run/with-run.ts";
import { comparedAttrs } from "../platform/reading/compare-content.ts";
import {
  isLookedUpAgain,
  type LookupResult,
  markConflictingAccounts,
  resultOfTwo,
  unknown,
} from "../platform/reading/lookup-result.ts";
import type { ReadClient } from "../platform/reading/read-client.ts";
import { lookUpRecords } from "../platform/reading/record-lookup.ts";
import { counted, formatCount } from "../text/count.ts";
import { type DecisionContext, decisionFor, OVERRIDE } from "./decide-record.ts";
import { type AcceptedRecord, type UndecidedRecord, undecidedRecords } from "./undecided-records.ts";

export interface ReconcileContext extends DecisionContext {
  readonly client: ReadClient;
  readonly policy: PlanPolicy;
  /** Time between two queries of the platform for a record, in milliseconds. Limited to `MAX_READ_BACK_INTERVAL_MS`. */
  readonly readBackIntervalMs: number;
}

/**
 * Resolves the run's ambiguous and existing records by querying the platform. A record that is found with the sent
 * values is accepted. A record that is found with different values is rejected. If the platform may have different
 * content, a matching key alone does not decide the outcome. An ambiguous record that two queries do not find may be
 * sent again once, if the contract accepts absence as proof and the platform returns accepted records. All other
 * records keep their status. Ends early, without an error, if the user stops the command.
 * @throws Failure if the platform cannot be queried; decisions made until then are kept
 */
export async function reconcileRun(
  context: ReconcileContext,
  statuses: readonly UndecidedStatus[] = ["ambiguous", "existing"],
): Promise<void> {
  const { clock, drain, notice } = context.dependencies;
  const left: LeftRecords = new Map();
  for await (const { undecided: group, accepted } of undecidedRecords(context, statuses)) {
    const seen = await lookUpGroup(group, context);
    const again = group.filter((_, index) => isLookedUpAgain(seen[index]));
    if (again.length > 0) await clock.sleep(Math.min(context.readBackIntervalMs, MAX_READ_BACK_INTERVAL_MS), drain);
    if (drain.aborted) break;
    const second = again.length === 0 ? [] : await lookUpAgain(again, accepted, context);
    const results = new Map(again.map((record, index) => [record, second[index] ?? NOT_READ_BACK]));
    const lookups = group.map((record, index) => {
      const result = results.get(record);
      return result === undefined ? (seen[index] ?? NOT_READ_BACK) : resultOfTwo(seen[index], result);
    });
    await saveDecisions(group, markConflictingAccounts(group, lookups, context.job.accountOwner), context, left);
  }
  for (const [reason, records] of left) {
    const keep = records.length === 1 ? "keeps" : "keep";
    notice(`${counted(records.length, "record")} ${keep} the status ${reason} (${recordList(records)})`);
  }
}

/** Numbers of the records that keep their status, by status and reason. */
type LeftRecords = Map<string, number[]>;

function leave(left: LeftRecords, status: UndecidedStatus, record: number, why: string): void {
  const reason = `${status}: ${why}`;
  const records = left.get(reason);
  if (records === undefined) left.set(reason, [record]);
  else records.push(record);
}

const MAX_LISTED = 10;

function recordList(records: readonly number[]): string {
  const listed = records.slice(0, MAX_LISTED).join(", ");
  const more = records.length - MAX_LISTED;
  return `${records.length === 1 ? "record" : "records"} ${listed}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}

const MAX_READ_BACK_INTERVAL_MS = 5000;

async function lookUpGroup(
  records: readonly (UndecidedRecord | AcceptedRecord)[],
  { job, client }: ReconcileContext,
): Promise<LookupResult[]> {
  const requested = records.map((record) => ({
    ...record,
    needsContent: "mayHoldOther" in record && record.mayHoldOther,
  }));
  return [...(await lookUpRecords(requested, job.operation.readBack, { client, key: job.mapping.keyAttr ?? [] }))];
}

/**
 * Looks up records together with accepted records. If an accepted record is also absent, absence proves nothing: the
 * contract may read back from the wrong place, or the platform may not show new records yet.
 */
async function lookUpAgain(
  records: readonly UndecidedRecord[],
  accepted: readonly AcceptedRecord[],
  context: ReconcileContext,
): Promise<LookupResult[]> {
  const results = await lookUpGroup([...records, ...accepted], context);
  const missing = accepted.find((_, index) => results[records.length + index]?.kind === "absent");
  const own = results.slice(0, records.length);
  if (missing === undefined) return own;
  const reason = `the platform does not return record ${missing.record} either, although it accepted that record (${OVERRIDE})`;
  return own.map((result) => (result.kind === "absent" ? unknown(reason) : result));
}

const NOT_READ_BACK: LookupResult = { kind: "unknown", reason: "the platform was not queried for this record" };

async function saveDecisions(
  records: readonly UndecidedRecord[],
  lookups: readonly LookupResult[],
  context: ReconcileContext,
  left: LeftRecords,
): Promise<void> {
  const { handle, policy } = context;
  const decisions = records.flatMap((record, index) => {
    const decision = decisionFor(record, lookups[index] ?? NOT_READ_BACK, context);
    if (typeof decision !== "string") return [decision];
    leave(left, record.status, record.record, decision);
    return [];
  });
  if (decisions.length === 0) return;
  const statuses = new Map(records.map(({ record, status }) => [record, status]));
  for (const { record, holder } of await handle.ledger.saveDecisions(handle.run.id, decisions, policy)) {
    const why = `the platform returns the account number of record ${holder.record} of run ${holder.run}`;
    leave(left, statuses.get(record) ?? "ambiguous", record, why);
  }
}

/**
 * Reads back the records of a run that the platform already had. Decides the outcome of each record whose content can
 * be compared. The other records stay `existing`. If the platform cannot be queried, the remaining records also stay
 * `existing`.
 */
export async function compareExisting(
  { ledger, run, job, dependencies }: OpenRun,
  { readClient, quietMs }: Connection,
): Promise<void> {
  const { operation, mapping } = job;
  const { drain, notice } = dependencies;
  const isComparable = comparedAttrs(operation.readBack, mapping.keyAttr ?? []).length > 0;
  if (!isComparable || drain.aborted) return;
  const { existing = 0 } = (await ledger.summary(run.id)).counts;
  if (existing === 0) return;
  notice(`Reading back ${counted(existing, "record")} that the platform already had`);
  const context = { job, handle: { ledger, run }, client: readClient(drain), who: "migrate", dependencies };
  const policy = planPolicy(job, settingsOf(run));
  try {
    await reconcileRun({ ...context, policy, readBackIntervalMs: quietMs }, ["existing"]);
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === FAILURES.storage) throw error;
    notice(`Not all existing records could be compared: ${error.message}`);
  }
}
