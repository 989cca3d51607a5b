import type { AttemptOutcome } from "../../records/requests.ts";
import type { RunRow } from "../../runs/recorded-run.ts";
import type { SqliteDatabase, SqlValue } from "../sqlite-database.ts";
import { type Statement, statement } from "../../tables/tables.ts";

/**
 * Creates the view that `acceptInBatch` writes to, for this connection. A trigger of the view changes the three rows of
 * a record, which saves a call from JavaScript for each row.
 */
export function prepareAccepting(database: SqliteDatabase): void {
  database.execute(ACCEPTING);
}

const ACCEPTING = `
  create temp view accepting as
    select 0 as run, 0 as record, 0 as attempt, x'' as identity, '' as at, 0 as http, '' as account, 0 as duration_ms;
  create temp trigger accept instead of insert on accepting begin
    update records set state = 'accepted', accepted_content = content, accepted_at = new.at, account = new.account
    where identity = new.identity and attempts = new.attempt and state = 'sending'
      and coalesce(accepted_content, x'') = x'';
    update attempts set status = 'accepted', settled_at = new.at, http = new.http, account = new.account,
      duration_ms = new.duration_ms
    where run = new.run and record = new.record and attempt = new.attempt and identity = new.identity
      and status = 'sending';
    update items set status = 'accepted', http = new.http, account = new.account, duration_ms = new.duration_ms
    where run = new.run and record = new.record and attempt = new.attempt and status = 'sending';
  end;`;

interface AcceptedInBatch {
  /** The outcomes that were written, except to the rows counted in `missing`. */
  readonly written: readonly AttemptOutcome[];
  /**
   * The number of rows that did not change although their outcomes were written. Each outcome should change three rows.
   * If a record was accepted earlier, its row in `records` does not change. Any other missing change is due to another
   * writer.
   */
  readonly missing: number;
  /** The outcomes that were not written. Each must be handled individually. */
  readonly others: readonly AttemptOutcome[];
}

/**
 * Writes the outcomes that only state that a record was accepted with a new account. Nearly all outcomes of a run are
 * of this kind. Writes nothing if an account occurs twice. Writes outcomes in groups, and omits a group with an account
 * that is already in the ledger. Also omits the last outcomes if they are too few for a group.
 */
export function acceptInBatch(
  database: SqliteDatabase,
  run: RunRow,
  outcomes: readonly AttemptOutcome[],
): AcceptedInBatch {
  const accounts = outcomes.flatMap(({ account }) => account ?? []);
  const plain = new Set(accounts).size < accounts.length ? [] : outcomes.filter(isPlain);
  const written: AttemptOutcome[] = [];
  const before = totalChanges(database);
  let at = 0;
  for (const size of ROWS_AT_ONCE) {
    for (; plain.length - at >= size; at += size) {
      const chunk = plain.slice(at, at + size);
      if (database.row(FIND_ACCOUNTS[size], ...chunk.map(({ account = "" }) => account)) !== undefined) continue;
      database.run(ACCEPT[size], run.number, ...chunk.flatMap(valuesOf));
      written.push(...chunk);
    }
  }
  const missing = ROWS_OF_RECORD * written.length - (totalChanges(database) - before);
  if (written.length === outcomes.length) return { written, missing, others: [] };
  const done = new Set(written);
  return { written, missing, others: outcomes.filter((outcome) => !done.has(outcome)) };
}

const ROWS_OF_RECORD = 3;
const ROWS_AT_ONCE = [64, 16, 4] as const;

function isPlain({ status, account, isNewAccount, problems, reason, step }: AttemptOutcome): boolean {
  const isAlone = problems.length === 0 && reason === undefined && step === undefined;
  return status === "accepted" && account !== undefined && isNewAccount === true && isAlone;
}

function valuesOf({ record, attempt, identity, at, http, account, durationMs }: AttemptOutcome): readonly SqlValue[] {
  return [record, attempt, identity, at, http ?? null, account ?? null, durationMs ?? null];
}

const FIND_ACCOUNTS = { 64: findSql(64), 16: findSql(16), 4: findSql(4) } as const;

function findSql(accounts: number): Statement<{ found: 1 }, string> {
  const list = Array.from({ length: accounts }, (_, at) => `?${at + 1}`).join(", ");
  return statement(`
    select 1 as found from attempts indexed by attempts_by_account where account in (${list})
    union all select 1 from decisions indexed by decisions_by_account where account in (${list})
    limit 1`);
}

const ACCEPT = { 64: acceptSql(64), 16: acceptSql(16), 4: acceptSql(4) } as const;

/** Parameter 1 is the run of every row. */
function acceptSql(rows: number): string {
  const values = Array.from({ length: rows }, () => "(?1, ?, ?, ?, ?, ?, ?, ?)").join(", ");
  return `insert into accepting (run, record, attempt, identity, at, http, account, duration_ms) values ${values}`;
}

function totalChanges(database: SqliteDatabase): number {
  return database.row(TOTAL_CHANGES)?.total ?? 0;
}

const TOTAL_CHANGES = statement<{ total: number }>("select total_changes() as total");
