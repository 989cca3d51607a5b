import { requireChanged } from "../../ledger-failures.ts";
import { otherContentAfter } from "../../records/prior-content.ts";
import type { Intent, AttemptOutcome, PartialRecord } from "../../records/requests.ts";
import type { RunRow } from "../../runs/recorded-run.ts";
import { addAccepted } from "../../tables/counts.ts";
import { accountHolder } from "../../tables/reconciliation.ts";
import { finishNow } from "../../tables/tables.ts";
import type { SqliteDatabase, SqlValue } from "../sqlite-database.ts";
import { sqliteTables } from "../sqlite-tables.ts";
import { acceptInBatch } from "./accept-in-batch.ts";
import { addToCounts } from "./count-schema.ts";
import { insertProblems } from "./insert-problems.ts";

/** Call this in a transaction. */
export function saveIntents(
  database: SqliteDatabase,
  run: RunRow,
  intents: readonly Intent[],
  outcomes: readonly AttemptOutcome[],
): void {
  saveOutcomes(database, run, outcomes);
  addToCounts(database, run.number, "requests", new Map([["", intents.length]]));
  const moved = [["pending", -intents.length] as const, ["sending", intents.length] as const];
  addToCounts(database, run.number, "status", new Map(moved));
  for (const range of rangesOf(intents)) claimRange(database, run, range);
}

/** Intents for consecutive records, with the same attempt number, step, time and flags. */
interface IntentRange {
  readonly first: Intent;
  count: number;
}

function rangesOf(intents: readonly Intent[]): readonly IntentRange[] {
  const ranges: IntentRange[] = [];
  for (const intent of intents) {
    const last = ranges.at(-1);
    if (last !== undefined && continues(last, intent)) last.count += 1;
    else ranges.push({ first: intent, count: 1 });
  }
  return ranges;
}

function continues({ first, count }: IntentRange, { record, attempt, step, idempotent, isPoll, at }: Intent): boolean {
  return (
    record === first.record + count &&
    attempt === first.attempt &&
    step === first.step &&
    idempotent === first.idempotent &&
    isPoll === first.isPoll &&
    at === first.at
  );
}

/**
 * Claims a range of records. The statements read the identities and contents from the plan instead of from parameters.
 */
function claimRange(database: SqliteDatabase, run: RunRow, { first, count }: IntentRange): void {
  const { record, attempt, at, step = null, idempotent = false, isPoll = false } = first;
  const range = [attempt, run.number, record, record + count - 1];
  requireChanged(database.run(isPoll ? CLAIM_POLLED : CLAIM_RECORDS, ...range), count, database.path);
  requireChanged(database.run(CLAIM_ITEMS, ...range), count, database.path);
  requireChanged(database.run(INSERT_ATTEMPTS, ...range, at, step, idempotent ? 1 : 0), count, database.path);
}

/** Call this in a transaction. */
export function saveOutcomes(database: SqliteDatabase, run: RunRow, outcomes: readonly AttemptOutcome[]): void {
  if (outcomes.length === 0) return;
  const moved = new Map<string, number>([["sending", -outcomes.length]]);
  const count = (status: string, records: number): void => {
    moved.set(status, (moved.get(status) ?? 0) + records);
  };
  const { written, missing, others } = acceptInBatch(database, run, outcomes);
  const revised = missing === 0 ? 0 : acceptRevised(database, written, missing);
  let accepted = written.length - revised;
  count("accepted", written.length);
  for (const given of others) {
    const outcome = withoutSharedAccount(database, run, given);
    accepted += saveOutcome(database, run, outcome);
    count(outcome.status, 1);
  }
  addToCounts(database, run.number, "status", moved);
  finishNow(addAccepted(sqliteTables(database), run.number, accepted));
}

/**
 * Accepts the records that already had an accepted version, and returns their number. Fails unless this number is
 * `missing`.
 */
function acceptRevised(database: SqliteDatabase, outcomes: readonly AttemptOutcome[], missing: number): number {
  const revised = outcomes.reduce((sum, outcome) => sum + updateRecord(database, outcome), 0);
  requireChanged(revised, missing, database.path);
  return revised;
}

const CLAIM_RECORDS = `
  insert into records (identity, content, state, attempts)
  select identity, content, 'sending', ?1 from items
  where run = ?2 and record between ?3 and ?4 and +status = 'pending'
    and identity is not null and content is not null
  on conflict (identity) do update set
    content = excluded.content, state = 'sending', attempts = excluded.attempts,
    step = iif(content = excluded.content, step, null), other_content = ${otherContentAfter("records")},
    verified = null
  where state <> 'sending' and attempts = excluded.attempts - 1`;

/** Keeps the content of the last request. If that request is unknown, its content may differ from the known content. */
const CLAIM_POLLED = `
  update records set state = 'sending', attempts = ?1, verified = null,
    other_content = iif(attempts = 0, 1, other_content)
  where state <> 'sending' and attempts = ?1 - 1 and identity in (
    select identity from items where run = ?2 and record between ?3 and ?4 and +status = 'pending')`;

const CLAIM_ITEMS = `
  update items set status = 'sending', attempt = ?1, attempts = coalesce(attempts, 0) + 1
  where run = ?2 and record between ?3 and ?4 and +status = 'pending'`;

const INSERT_ATTEMPTS = `
  insert into attempts (run, record, attempt, identity, intended_at, step, harmless, status)
  select run, record, ?1, identity, ?5, ?6, ?7, 'sending' from items
  where run = ?2 and record between ?3 and ?4 and attempt = ?1`;

const UPDATE_ATTEMPT = `
  update attempts set status = ?1, settled_at = ?2, http = ?3, account = ?4, duration_ms = ?5, reason = ?6
  where run = ?7 and record = ?8 and attempt = ?9 and identity = ?10 and status = 'sending'`;

const ACCEPT_RECORD = `
  update records set state = 'accepted', accepted_content = content, accepted_at = ?3, account = ?4
  where identity = ?1 and attempts = ?2 and state = 'sending'`;

/** Updates only records that the platform was not known to have. */
const ACCEPT_NEW_RECORD = `${ACCEPT_RECORD} and coalesce(accepted_content, x'') = x''`;

/** Refused records, and records that the platform already had, restart at their first step. */
const UPDATE_RECORD = `
  update records set state = ?3, step = iif(?3 in ('rejected', 'existing'), null, coalesce(?4, step)),
    other_content = iif(?3 = 'existing' or ?5, 1, other_content)
  where identity = ?1 and attempts = ?2 and state = 'sending'`;

/**
 * Removes the accepted version, because the platform now has parts of other content. Without accepted content, a push
 * may send any content. With empty accepted content, which is not equal to any payload, it needs `revise`.
 */
const HOLD_IN_PART = `
  update records set state = 'rejected', step = null, other_content = 1, account = coalesce(?4, account),
    accepted_content = iif(?5 and accepted_content is null, null, x''), accepted_at = ?3
  where identity = ?1 and attempts = ?2 and state = 'sending'`;

/** Updates only records with an accepted version. */
const HOLD_ACCEPTED_IN_PART = `${HOLD_IN_PART} and accepted_content <> x''`;

const UPDATE_ITEM = `
  update items set status = ?1, http = ?2, account = ?3, duration_ms = ?4
  where run = ?5 and record = ?6 and attempt = ?7 and status = 'sending'`;

/**
 * Makes an accepted outcome `ambiguous` if its new account already belongs to another record of the same endpoint, in
 * any run. Such a reply does not prove that the platform created an account for this record.
 */
function withoutSharedAccount(database: SqliteDatabase, run: RunRow, outcome: AttemptOutcome): AttemptOutcome {
  const { status, account, isNewAccount = false, identity, http } = outcome;
  if (!isNewAccount || status !== "accepted" || account === undefined) return outcome;
  const other = finishNow(accountHolder(sqliteTables(database), run, { account, identity }));
  if (other === undefined) return outcome;
  const reason = `HTTP ${http ?? "reply"} with the account number of another record (record ${other.record} of run ${other.run})`;
  return { ...outcome, status: "ambiguous", reason };
}

/** Returns the change to the number of accepted records. */
function saveOutcome(database: SqliteDatabase, run: RunRow, outcome: AttemptOutcome): number {
  const { record, identity, attempt, status, at, problems, reason = null } = outcome;
  const { http = null, account = null, durationMs = null } = outcome;
  const reply = [http, account, durationMs];
  const change = changeOfAccepted(database, outcome);
  const changes = [
    database.run(UPDATE_ATTEMPT, status, at, ...reply, reason, run.number, record, attempt, identity),
    change === 0 ? updateRecord(database, outcome) : 1,
    database.run(UPDATE_ITEM, status, ...reply, run.number, record, attempt),
  ];
  for (const changed of changes) requireChanged(changed, 1, database.path);
  if (problems.length > 0) insertProblems(database, { run: run.number, attempt }, [{ record, problems }]);
  return change;
}

/**
 * Updates a record that becomes accepted, or loses its accepted version. Returns the change in the number of accepted
 * records. If this is 0, the record was not updated: call `updateRecord`.
 */
function changeOfAccepted(database: SqliteDatabase, outcome: AttemptOutcome): number {
  const { identity, attempt, status, at, account = null, partial } = outcome;
  if (status === "accepted") return database.run(ACCEPT_NEW_RECORD, identity, attempt, at, account);
  return partial === undefined ? 0 : -database.run(HOLD_ACCEPTED_IN_PART, ...partialValues(outcome, partial));
}

function updateRecord(database: SqliteDatabase, outcome: AttemptOutcome): number {
  const { identity, attempt, status, at, account = null, step = null, mayHoldOther = false, partial } = outcome;
  if (status === "accepted") return database.run(ACCEPT_RECORD, identity, attempt, at, account);
  return partial === undefined
    ? database.run(UPDATE_RECORD, identity, attempt, status, step, mayHoldOther ? 1 : 0)
    : database.run(HOLD_IN_PART, ...partialValues(outcome, partial));
}

function partialValues(
  { identity, attempt, at, account }: AttemptOutcome,
  { mayRepeat }: PartialRecord,
): readonly SqlValue[] {
  return [identity, attempt, at, account ?? null, mayRepeat ? 1 : 0];
}
