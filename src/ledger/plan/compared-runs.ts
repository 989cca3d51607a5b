import { PLAN_ATTEMPT } from "../records/stored-problem.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { countsOf } from "../tables/counts.ts";
import { HAS_RECOVERY } from "../tables/recoveries.ts";
import { exists, type Statement, statement, type Tables, type Work } from "../tables/tables.ts";

/**
 * The records of a run that are compared with all runs: all records of a new plan, the records of an old plan that are
 * left to send, or the records with these numbers.
 */
export type Compared = "all" | "left" | readonly number[];

/** Above this number of reopened records, it is faster to compare all records that are left to send. */
const MAX_LISTED = 50_000;

/**
 * Sets the blocked records, the ambiguous records and the records found by `reopenRejected` to `pending`. Returns the
 * records to compare. On SQLite, returns only the reopened records if no other run has written since the last
 * comparison (`noteCompared`) and at most `MAX_LISTED` records were reopened.
 */
export function* reopenOpen(tables: Tables, run: RunRow): Work<Compared> {
  yield* tables.run(DELETE_BLOCKING, run.number);
  if (tables.dialect === "postgres") {
    yield* tables.run(REOPEN, run.number);
    yield* reopenRejected(tables, run);
    return "left";
  }
  const reopened = [
    ...(yield* tables.rows(REOPEN_BLOCKED, run.number)),
    ...(yield* tables.rows(REOPEN_AMBIGUOUS, run.number)),
    ...(yield* reopenRejected(tables, run)),
  ];
  const isListed = reopened.length <= MAX_LISTED && (yield* tables.row(SELECT_COMPARED))?.run === run.number;
  return isListed ? reopened.map(({ record }) => record) : "left";
}

/** The refusal that blocked a record may be outdated, because another run may have sent the record since. */
const DELETE_BLOCKING = `
  delete from migrate.problems where run = $1 and attempt > ${PLAN_ATTEMPT} and record in (
    select record from migrate.items /*+ indexed by items_open */ where run = $1 and status = 'blocked')`;

interface Reopened {
  readonly record: number;
}

const REOPEN = "update migrate.items set status = 'pending' where run = $1 and status in ('blocked', 'ambiguous')";

const reopened = (status: "blocked" | "ambiguous"): Statement<Reopened> =>
  statement(
    `update items indexed by items_open set status = 'pending' where run = $1 and status = '${status}' returning record`,
  );
const REOPEN_BLOCKED = reopened("blocked");
const REOPEN_AMBIGUOUS = reopened("ambiguous");

/**
 * Makes rejected and existing records `pending` if a recovery shows that they may have been sent again. In this case,
 * their status may be outdated.
 */
export function* reopenRejected(tables: Tables, { number }: RunRow): Work<readonly Reopened[]> {
  return (yield* exists(tables, ANY_RECOVERY)) ? yield* tables.rows(REOPEN_REJECTED, number) : [];
}

const ANY_RECOVERY = {
  sqlite: "select 1 as found from ledger_state where json_array_length(recoveries) > 0",
  postgres: `select 1 as found where ${HAS_RECOVERY}`,
};

const REOPEN_REJECTED = statement<Reopened>(`
  update migrate.items set status = 'pending' from migrate.records
  where items.run = $1 and items.status in ('rejected', 'existing') and records.identity = items.identity
    and records.state = 'ambiguous' and records.content = items.content
  returning record`);

/** Marks the `existing` records of a run as `skipped` if their content has been accepted since. */
export function* skipAccepted(tables: Tables, { number }: RunRow): Work<void> {
  const { existing = 0 } = yield* countsOf(tables, number, "status");
  if (existing > 0) yield* tables.run(SKIP_ACCEPTED, number);
}

const SKIP_ACCEPTED = `
  update migrate.items set status = 'skipped', account = records.account from migrate.records
  where items.run = $1 and items.status = 'existing' and records.identity = items.identity
    and records.state = 'accepted' and records.accepted_content = items.content`;

/**
 * Notes that this run is the latest run that was compared with all runs. All other runs are compared before they write,
 * so the comparison remains valid until another run replaces the note. Only SQLite ledgers have this note, because only
 * they have a single writer for all tables.
 */
export function* noteCompared(tables: Tables, { number }: RunRow): Work<void> {
  if (tables.dialect === "postgres") return;
  yield* tables.run("delete from compared");
  yield* tables.run("insert into compared (run) values ($1)", number);
}

const SELECT_COMPARED = statement<{ run: number }>("select run from compared");
