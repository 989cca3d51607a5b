import type { LocalProblem } from "../../../model/problem.ts";
import { passOverCorrected } from "./corrected-since.ts";
import { appendPlanProblem } from "../tables/problem-table.ts";
import { requireOneDirection } from "../../records/circular-mappings.ts";
import { keyPlace, keyProblem } from "../../records/key-place.ts";
import type { PlanPolicy } from "../../ledger.ts";
import { hasUncertainRecovery } from "../tables/recovery-log.ts";
import type { RunRow } from "../ledger-schema.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/**
 * Compares the records of a run that are left to send with all runs, and sets their status:
 *
 * - `skipped`: accepted with this content, or with a corrected version of it
 * - `invalid`, code `unique`: accepted with other content, unless `revise`
 * - `ambiguous`: possibly processed, unless `resendAmbiguous`
 * - `blocked`, code `account_not_found`: belongs to a record that is not accepted yet
 *
 * All other records are sent: new, blocked and rejected records. Rejected records are sent even if they are unchanged,
 * because the cause may have been fixed on the platform, and a refusal creates nothing.
 */
export function applyKnownRecords(
  database: SqliteDatabase,
  run: RunRow,
  policy: PlanPolicy,
  { of = "all" }: { readonly of?: Compared } = {},
): void {
  if (policy.after !== undefined) blockWaiting(database, run, policy, policy.after);
  if (database.row({ sql: "select 1 from records limit 1" }) !== undefined) compareRecords(database, run, policy, of);
  if (!policy.resendAmbiguous && hasUncertainRecovery(database)) holdNew(database, run);
}

function compareRecords(database: SqliteDatabase, run: RunRow, policy: PlanPolicy, of: Compared): void {
  const isWhole = of === "all" || of === "left";
  if (isWhole) passOverCorrected(database, run, policy);
  if (!isWhole) database.execute(listed(of));
  const toSend = isWhole ? TO_SEND[of] : LISTED;
  database.run(skipAccepted(toSend), run.number);
  if (!policy.revise) refuseChanged(database, run, policy, toSend);
  if (!policy.resendAmbiguous) database.run(holdAmbiguous(toSend), run.number);
  if (!isWhole) database.execute(DROP_LISTED);
}

/** After an uncertain recovery, a record that is new to the ledger may have been sent. */
function holdNew(database: SqliteDatabase, run: RunRow): void {
  if (!run.sends) return;
  database.run(HOLD_NEW, run.number);
  database.run(INSERT_HELD, run.number);
}

const HOLD_NEW = `
  update items set status = 'ambiguous'
  where run = ? and status in ('valid', 'pending') and content is not null
    and identity not in (select identity from records)`;

/** A record that an earlier plan could not send is already counted in `coverage`. */
const INSERT_HELD = `
  insert or ignore into records (identity, content, state, attempts, resends)
  select identity, content, 'ambiguous', 0, iif(identity in (select identity from unsent), 0, -1)
  from items where run = ? and status = 'ambiguous' order by record`;

/**
 * Records that this run was the last one to be compared with all runs. Every other run is compared before it writes, so
 * the comparison stays valid until then.
 */
export function noteCompared(database: SqliteDatabase, { number }: RunRow): void {
  database.run("delete from compared");
  database.run("insert into compared (run) values (?)", number);
}

export function isComparedLast(database: SqliteDatabase, { number }: RunRow): boolean {
  return database.row(SELECT_COMPARED)?.run === number;
}

const SELECT_COMPARED: Query<{ run: number }> = { sql: "select run from compared" };

/**
 * The records of a run to compare: all records of a new plan, the remaining records of an old plan, or the records with
 * these numbers.
 */
type Compared = "all" | "left" | readonly number[];

/** SQL condition for records that may still be sent, and the index that finds them. */
interface ToSend {
  readonly index: "" | "indexed by items_open";
  readonly status: string;
}

const TO_SEND: Readonly<Record<"all" | "left", ToSend>> = {
  // Most records of a new plan are left to send, but an interrupted run may have few.
  all: { index: "", status: "items.status in ('valid', 'pending')" },
  left: { index: "indexed by items_open", status: "items.status = 'pending'" },
};

const LISTED: ToSend = {
  index: "",
  status: "items.record in (select record from temp.listed) and items.status = 'pending'",
};

const DROP_LISTED = "drop table if exists temp.listed;";

const listed = (records: readonly number[]): string => `${DROP_LISTED}
  create temp table listed (record integer primary key);
  insert into temp.listed select value from json_each('${JSON.stringify(records)}');`;

const knownToSend = ({ status }: ToSend): string =>
  `items.run = ?1 and ${status} and records.identity = items.identity`;

const skipAccepted = (toSend: ToSend): string => `
  update items ${toSend.index} set status = 'skipped', account = records.account from records
  where ${knownToSend(toSend)} and records.state <> 'ambiguous' and records.accepted_content = items.content`;

const holdAmbiguous = (toSend: ToSend): string => `
  update items ${toSend.index} set status = 'ambiguous' from records
  where ${knownToSend(toSend)} and records.state = 'ambiguous'`;

const BATCH = 500;

interface WaitingRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
}

const SELECT_WAITING: Query<WaitingRow> = {
  sql: `
  select items.record, items.line, files.name as file
  from items cross join files on files.id = items.file
  where items.run = ?1 and items.record > ?2 and items.status in ('valid', 'pending') and items.awaits is not null
    and not exists (select 1 from records where identity = items.awaits and accepted_content is not null)
    and not exists (select 1 from records where identity = items.identity and accepted_content = items.content)
  order by items.record limit ${BATCH}`,
};

/** Problems of an earlier comparison are removed first, because they may be outdated. */
function blockWaiting(database: SqliteDatabase, run: RunRow, policy: PlanPolicy, after: string): void {
  database.run("delete from problems where run = ? and attempt = 0 and code = 'account_not_found'", run.number);
  for (let last = 0; ;) {
    const waiting = database.rows(SELECT_WAITING, run.number, last);
    for (const { record, file, line } of waiting) {
      const place = keyPlace(policy, file, line);
      const problem: LocalProblem = {
        attr: policy.keyAttr,
        severity: "error",
        by: "local",
        place,
        code: "account_not_found",
        after,
      };
      database.run("update items set status = 'blocked' where run = ? and record = ?", run.number, record);
      appendPlanProblem(database, { run: run.number, record }, problem);
    }
    last = waiting.at(-1)?.record ?? last;
    if (waiting.length < BATCH) break;
  }
  refuseCircular(database, run, policy, after);
}

/** A record that waits for itself can never be sent. Records blocked by other runs also count. */
function refuseCircular(database: SqliteDatabase, run: RunRow, policy: PlanPolicy, after: string): void {
  const circular = database.rows(SELECT_CIRCULAR, run.number);
  requireOneDirection(circular.length, policy);
  for (const { record, file, line } of circular) {
    const problem: LocalProblem = {
      ...keyProblem("error", { file, line }, policy),
      code: "circular_dependency",
      after,
    };
    database.run(
      "delete from problems where run = ? and record = ? and attempt = 0 and code = 'account_not_found'",
      run.number,
      record,
    );
    database.run("update items set status = 'invalid' where run = ? and record = ?", run.number, record);
    appendPlanProblem(database, { run: run.number, record }, problem);
  }
}

const SELECT_CIRCULAR: Query<WaitingRow> = {
  sql: `
  with recursive waits as materialized (
    select run, record, identity, awaits from items
    where status = 'blocked' and awaits is not null
      and not exists (
        select 1 from records where records.identity = items.identity and accepted_content is not null)
  ), walk (record, start, at) as (
    select record, identity, awaits from waits where run = ?1 and identity in (select awaits from waits)
    union
    select walk.record, walk.start, waits.awaits from walk join waits on waits.identity = walk.at
    where walk.at <> walk.start
  )
  select items.record, items.line, files.name as file
  from items join files on files.id = items.file
  where items.run = ?1 and items.record in (select record from walk where at = start)
  order by items.record`,
};

interface ChangedRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
  readonly acceptedAt: string;
}

const selectChanged = (toSend: ToSend): Query<ChangedRow> => ({
  sql: `
  select items.record, items.line, files.name as file, records.accepted_at as acceptedAt
  from items ${toSend.index} cross join records cross join files on files.id = items.file
  where ${knownToSend(toSend)} and items.record > ?2 and records.accepted_content <> items.content
    and (?3 or records.state <> 'ambiguous')
  order by items.record limit ${BATCH}`,
});

function refuseChanged(database: SqliteDatabase, run: RunRow, policy: PlanPolicy, toSend: ToSend): void {
  const query = selectChanged(toSend);
  for (let last = 0; ;) {
    const changed = database.rows(query, run.number, last, policy.resendAmbiguous ? 1 : 0);
    for (const { record, file, line, acceptedAt } of changed) {
      const problem: LocalProblem = {
        ...keyProblem("error", { file, line }, policy),
        code: "unique",
        acceptedAt,
      };
      database.run("update items set status = 'invalid' where run = ? and record = ?", run.number, record);
      appendPlanProblem(database, { run: run.number, record }, problem);
    }
    last = changed.at(-1)?.record ?? last;
    if (changed.length < BATCH) return;
  }
}
