import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import { settingsOf } from "../job/settings/recorded-settings.ts";
import type { Connection } from "../job/target-connection.ts";
import { parseAttr } from "../json/attr.ts";
import { type JsonObject, canonicalJson } from "../json/json-value.ts";
import type { PlanPolicy } from "../ledger/records/planned-item.ts";
import { contentHash } from "../ledger/records/record-hashes.ts";
import type { AmbiguousItem, Decision, UndecidedStatus } from "../ledger/records/requests.ts";
import { compileSentForm } from "../map/node/sent-form.ts";
import { Failure } from "../model/failure.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { InputRecord, Row } from "../model/record.ts";
import { readRecords } from "../pipeline/plan/check-records.ts";
import { type RunHandle, planPolicy } from "../pipeline/plan/plan-records.ts";
import type { OpenRun } from "../pipeline/run/with-run.ts";
import { inputChanged } from "../pipeline/send/records-to-send.ts";
import { comparedAttrs } from "../platform/reading/compare-content.ts";
import type { LookupResult } from "../platform/reading/lookup-result.ts";
import type { ReadClient } from "../platform/reading/read-client.ts";
import { lookUpRecords } from "../platform/reading/record-lookup.ts";
import { namesAccount } from "../platform/reply/names-account.ts";
import { counted, formatCount } from "../text/count.ts";
import { timestamp } from "../time/clock.ts";

export interface ReconcileContext {
  readonly job: Job;
  readonly handle: RunHandle;
  readonly client: ReadClient;
  readonly policy: PlanPolicy;
  /** The person who runs the command. */
  readonly who: string;
  readonly dependencies: Dependencies;
  /** Maximum milliseconds between two queries of the platform. */
  readonly readBackIntervalMs: number;
}

/**
 * Resolves the run's ambiguous and existing records by querying the platform. A record found as sent is accepted; one
 * found with different values is rejected. If the platform may have different content, equal keys are no proof. An
 * ambiguous record that two queries do not find may be sent again once, if the contract accepts absence as proof. All
 * others keep their status. Ends early, without an error, if the user stops it.
 * @throws Failure if the platform cannot be queried; decisions made until then are kept
 */
export async function reconcileRun(
  context: ReconcileContext,
  statuses: readonly UndecidedStatus[] = ["ambiguous", "existing"],
): Promise<void> {
  const { clock, drain, notice } = context.dependencies;
  const left: LeftRecords = new Map();
  for await (const group of undecidedRecords(context, statuses)) {
    const seen = await lookUpGroup(group, context);
    const again = group.filter((_, index) => isLookedUpAgain(seen[index]));
    if (again.length > 0) await clock.sleep(Math.min(context.readBackIntervalMs, MAX_READ_BACK_INTERVAL_MS), drain);
    if (drain.aborted) break;
    const second = again.length === 0 ? [] : await lookUpGroup(again, context);
    const results = new Map(again.map((record, index) => [record, second[index] ?? NOT_READ_BACK]));
    const lookups = group.map((record, index) => results.get(record) ?? seen[index] ?? NOT_READ_BACK);
    await saveDecisions(group, withoutSharedAccounts(group, lookups), context, left);
  }
  for (const [reason, records] of left) {
    const keep = records.length === 1 ? "keeps" : "keep";
    notice(`${counted(records.length, "record")} ${keep} the status ${reason} (${recordList(records)})`);
  }
}

/** Records that keep their status, by status and reason. */
type LeftRecords = Map<string, number[]>;

function leave(left: LeftRecords, { status, record }: Pick<UndecidedRecord, "status" | "record">, why: string): void {
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

/**
 * Whether the record is looked up again. Absence must be confirmed by a second query, and a record in progress may be
 * finished by then.
 */
function isLookedUpAgain(lookup: LookupResult | undefined): boolean {
  return lookup?.kind === "absent" || (lookup?.kind === "unknown" && lookup.isInProgress === true);
}

const MAX_READ_BACK_INTERVAL_MS = 5000;

interface UndecidedRecord extends AmbiguousItem {
  readonly status: UndecidedStatus;
  readonly payload: JsonObject;
  readonly row: Row;
}

/** Maximum number of records per query: one read of a list can resolve this many. */
const MAX_GROUP_SIZE = 5000;

async function* undecidedRecords(
  context: ReconcileContext,
  statuses: readonly UndecidedStatus[],
): AsyncGenerator<readonly UndecidedRecord[]> {
  const { job, dependencies } = context;
  let group: UndecidedRecord[] = [];
  for await (const batch of readRecords(job, dependencies.drain)) {
    group.push(...(await undecidedInBatch(batch, context, statuses)));
    if (group.length < MAX_GROUP_SIZE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0 && !dependencies.drain.aborted) yield group;
}

async function undecidedInBatch(
  batch: readonly InputRecord[],
  { job, handle }: ReconcileContext,
  statuses: readonly UndecidedStatus[],
): Promise<readonly UndecidedRecord[]> {
  const [first, last] = [batch[0], batch.at(-1)];
  if (first === undefined || last === undefined) return [];
  const items: (AmbiguousItem & Pick<UndecidedRecord, "status">)[] = [];
  for (const status of statuses) {
    const found = await handle.ledger[status](handle.run.id, first.number, last.number);
    items.push(...found.map((item) => ({ ...item, status })));
  }
  const toSentForm = compileSentForm(job.operation);
  const rows = new Map(items.length === 0 ? [] : batch.map(({ number, row }) => [number, row]));
  await job.mapping.prepare?.(items.flatMap((item) => rows.get(item.record) ?? []));
  const planned =
    items.length === 0 ? undefined : await handle.ledger.contents(handle.run.id, first.number, last.number);
  return items.flatMap((item) => {
    const row = rows.get(item.record);
    if (row === undefined) return [];
    const mapped = job.mapping.map(row);
    const content = planned?.get(item.record);
    const isPlanned = content !== undefined && isSameContent(content, contentHash(mapped.payload, mapped.parameters));
    if (!isPlanned) throw inputChanged(item);
    return [{ ...item, row, ...toSentForm(mapped) }];
  });
}

/**
 * Whether the content is still the planned content. The sources may have changed during the run, and only the content
 * that was sent may be compared.
 */
function isSameContent(planned: Uint8Array, content: Uint8Array): boolean {
  return Buffer.compare(planned, content) === 0;
}

async function lookUpGroup(
  records: readonly UndecidedRecord[],
  { job, client }: ReconcileContext,
): Promise<LookupResult[]> {
  const requested = records.map((record) => ({ ...record, needsContent: record.mayHoldOther }));
  return [...(await lookUpRecords(requested, job.operation.readBack, { client, key: job.mapping.keyAttr ?? [] }))];
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
    leave(left, record, decision);
    return [];
  });
  if (decisions.length === 0) return;
  const statuses = new Map(records.map(({ record, status }) => [record, status]));
  for (const { record, holder } of await handle.ledger.saveDecisions(handle.run.id, decisions, policy)) {
    const why = `the platform returns the account number of record ${holder.record} of run ${holder.run}`;
    leave(left, { record, status: statuses.get(record) ?? "ambiguous" }, why);
  }
}

/** Returns the reason as text if there is no decision. */
function decisionFor(record: UndecidedRecord, lookup: LookupResult, context: ReconcileContext): Decision | string {
  const { clock } = context.dependencies;
  const made = {
    record: record.record,
    identity: record.identity,
    by: "read-back",
    who: context.who,
    at: timestamp(clock),
  } as const;
  if (lookup.kind === "unknown") return lookup.reason;
  if (lookup.kind === "absent" && record.status === "existing") return NOT_FOUND;
  if (lookup.kind === "absent") {
    const reason = notResentReason(record, lookup, context);
    return reason ?? { ...made, decision: "resend", reason: "two queries did not find the record on the platform" };
  }
  const { account } = lookup;
  const found = {
    ...made,
    ...(account !== undefined && { account, isNewAccount: isNewAccount(record, account) }),
  };
  if (lookup.kind === "found") {
    const { compared } = lookup;
    if (compared.length === 0 && record.mayHoldOther) return NOT_COMPARED;
    const equal = compared.length === 0 ? "" : `, with equal values: ${compared.join(", ")}`;
    return { ...found, decision: "accepted", reason: `the platform has the record${equal}` };
  }
  return {
    ...found,
    decision: "rejected",
    reason: `the platform has the record with different values: ${lookup.attrs.join(", ")}`,
    problems: lookup.attrs.map((attr) => conflictAt(attr, record, context)),
  };
}

const NOT_FOUND = "the platform rejected the record as existing, but a query does not find it";
const NOT_COMPARED =
  "the platform has the record, perhaps with different content, and only its key could be compared " +
  "(`match` in x-migrate-read-back)";

function notResentReason(
  { resends, step }: UndecidedRecord,
  { unproven }: Extract<LookupResult, { readonly kind: "absent" }>,
  { job }: ReconcileContext,
): string | undefined {
  const last = job.operation.steps.at(-1);
  if (last?.poll !== undefined && step === last.name) {
    return "the platform scheduled the record, and does not have it yet (`migrate reconcile --resend` overrides this)";
  }
  if (unproven !== undefined) return unproven;
  if (!job.operation.readBack.some(({ provesAbsence }) => provesAbsence)) {
    return "the platform does not have the record, but the contract does not accept absence as proof (absent: resend)";
  }
  return resends === 0 ? undefined : "the platform does not have the record, and it was already sent again once";
}

function conflictAt(attr: string, { row }: UndecidedRecord, { job }: ReconcileContext): PlatformProblem {
  const place = job.mapping.locate(row, parseAttr(attr));
  const detail = "The platform already has this record with a different value here.";
  return { attr, code: "conflict", detail, severity: "error", by: "platform", ...(place !== undefined && { place }) };
}

interface FoundRecord {
  readonly record: number;
  readonly payload: JsonObject;
}

/**
 * Whether the account was created for the record. A record that names the account itself adds to an existing account,
 * as other records may.
 */
function isNewAccount({ payload }: FoundRecord, account: string): boolean {
  return !namesAccount({ json: Buffer.from(canonicalJson(payload)) }, account);
}

/** The results, with all records that share an account number set to unknown. */
function withoutSharedAccounts(
  records: readonly FoundRecord[],
  lookups: readonly LookupResult[],
): readonly LookupResult[] {
  const counts = new Map<string, number>();
  const accounts = records.map((record, index) => {
    const lookup = lookups[index];
    const account = lookup !== undefined && "account" in lookup ? lookup.account : undefined;
    return account !== undefined && isNewAccount(record, account) ? account : undefined;
  });
  for (const account of accounts) if (account !== undefined) counts.set(account, (counts.get(account) ?? 0) + 1);
  return lookups.map((lookup, index) => {
    const account = accounts[index];
    const isShared = account !== undefined && (counts.get(account) ?? 0) > 1;
    return isShared
      ? { kind: "unknown", reason: "the platform returned the same account number for several records" }
      : lookup;
  });
}

/**
 * Reads back the records of a run that were on the platform before, and decides those whose content can be compared.
 * The other records stay `existing`. If the platform cannot be queried, all of them stay `existing`.
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
    if (!(error instanceof Failure) || error.exitCode === 6) throw error;
    notice(`Not all existing records could be compared: ${error.message}`);
  }
}
