import { recoveriesOf } from "./recovery-log.ts";
import { applyKnownRecords, isComparedLast, noteCompared } from "../plan/known-records.ts";
import { addToCounts } from "./counts.ts";
import type { LedgerHistory, NewRun, PlanPolicy, Run } from "../../ledger.ts";
import { AFTER_INTERRUPTION, type RunColumns, severalRuns, toRun, unknownRun } from "../../runs/recorded-run.ts";
import { newRunId } from "../../runs/run-id.ts";
import type { RunRow } from "../ledger-schema.ts";
import type { Query, SqliteDatabase, SqlValue } from "../sqlite-database.ts";

export function startRun(database: SqliteDatabase, run: NewRun, toolVersion: string | undefined): Run {
  const id = newRunId(run.startedAt);
  return (
    database.transaction(() => {
      if (isTaken(database, id)) return undefined;
      closeInterruptedAttempts(database, run.startedAt);
      database.run(INSERT_RUN, ...runValues(id, run, toolVersion));
      return findRun(database, id);
    }) ?? startRun(database, run, toolVersion)
  );
}

/**
 * Finds a run by id, by a unique prefix of it, or the latest run.
 * @throws Failure `run_unknown` if several runs match
 */
export function findRun(database: SqliteDatabase, id?: string): Run | undefined {
  if (id === undefined) return toRun(database.row(SELECT_LATEST));
  const found = database.rows(SELECT_BY_PREFIX, id.length, id);
  if (found.length < 2) return toRun(found[0]);
  throw severalRuns(id);
}

/** Latest first. */
export function listRuns(database: SqliteDatabase): readonly Run[] {
  return database.rows(SELECT_ALL).flatMap((row) => toRun(row) ?? []);
}

export function historyOf(database: SqliteDatabase): LedgerHistory {
  const { id, requests, at } = database.row(SELECT_HISTORY) ?? { id: null, requests: 0, at: null };
  return { id: id ?? undefined, requests, lastGivenUpAt: at ?? undefined };
}

const SELECT_HISTORY: Query<{ id: string | null; requests: number; at: string | null }> = {
  sql: `
  select (select name from runs order by id limit 1) as id,
    (select coalesce(sum(count), 0) from counts where kind = 'requests') as requests,
    (select max(settled_at) from attempts where status = 'ambiguous') as at`,
};

/** @throws Failure `run_unknown` if the ledger has no run with this id */
export function requireRun(database: SqliteDatabase, id: string): RunRow {
  const row = database.row(SELECT_ROW, id);
  if (row !== undefined) return { number: row.id, state: row.state, sends: row.sends === 1 };
  throw unknownRun(`"${id}"`);
}

export function resumeRun(
  database: SqliteDatabase,
  { run, policy, at }: { readonly run: RunRow; readonly policy: PlanPolicy; readonly at: string },
): Run {
  database.transaction(() => {
    closeInterruptedAttempts(database, at);
    if (run.state === "planning") return;
    const reopened = [
      ...reopen(database, run, "blocked"),
      ...reopen(database, run, "ambiguous"),
      ...reopenRejected(database, run),
    ];
    const isListed = reopened.length <= MAX_LISTED && isComparedLast(database, run);
    applyKnownRecords(database, run, policy, { of: isListed ? reopened : "left" });
    noteCompared(database, run);
    database.run("update runs set state = 'sending', finished_at = null, exit_code = null where id = ?", run.number);
  });
  const resumed = toRun(database.row(SELECT_BY_NUMBER, run.number));
  if (resumed === undefined) throw unknownRun(`number ${run.number}`);
  return resumed;
}

/** With more records than this, comparing all remaining records is faster. */
const MAX_LISTED = 50_000;

/** Makes the run's records with this status `pending`. Returns their numbers. */
export function reopen(
  database: SqliteDatabase,
  { number }: RunRow,
  status: "blocked" | "ambiguous",
): readonly number[] {
  const query: Query<{ record: number }> = {
    sql: `update items indexed by items_open set status = 'pending' where run = ? and status = '${status}' returning record`,
  };
  return database.rows(query, number).map(({ record }) => record);
}

/**
 * Makes a rejected record `pending` if a recovery shows that it may have been sent again since. The rejection may then
 * be outdated. Returns the record numbers.
 */
export function reopenRejected(database: SqliteDatabase, { number }: RunRow): readonly number[] {
  if (recoveriesOf(database).length === 0) return [];
  return database.rows(REOPEN_REJECTED, number).map(({ record }) => record);
}

const REOPEN_REJECTED: Query<{ record: number }> = {
  sql: `
  update items set status = 'pending' from records
  where items.run = ? and items.status = 'rejected' and records.identity = items.identity
    and records.state = 'ambiguous' and records.content = items.content
  returning record`,
};

/** A run with an unfinished plan stays `planning`: to resume it, its input must be read again. */
export function finishRun(
  database: SqliteDatabase,
  run: RunRow,
  end: { readonly exitCode: number; readonly at: string },
): void {
  database.run(
    `update runs set state = iif(state = 'planning', state, 'finished'), finished_at = ?, exit_code = ?
     where id = ?`,
    end.at,
    end.exitCode,
    run.number,
  );
}

/**
 * Closes attempts in flight of a dead process. It is unknown whether the platform has processed them. Callers hold the
 * ledger's lock, so no live run is affected.
 */
export function closeInterruptedAttempts(database: SqliteDatabase, at: string): void {
  for (const { harmless, status, reason } of AFTER_INTERRUPTION) {
    const inFlight = `from attempts where status = 'sending' and harmless = ${harmless ? 1 : 0}`;
    const interrupted = `where status = 'sending' and (run, record) in (select run, record ${inFlight})`;
    const counts: Query<{ run: number; count: number }> = {
      sql: `select run, count(*) as count from items ${interrupted} group by run`,
    };
    for (const { run, count } of database.rows(counts)) {
      addToCounts(
        database,
        run,
        "status",
        new Map<string, number>([
          ["sending", -count],
          [status, count],
        ]),
      );
    }
    database.run(`update items set status = ? ${interrupted}`, status);
    database.run(
      `update records set state = ? where state = 'sending' and identity in (select identity ${inFlight})`,
      status,
    );
    database.run(
      "update attempts set status = ?, settled_at = ?, reason = ? where status = 'sending' and harmless = ?",
      status,
      at,
      reason,
      harmless ? 1 : 0,
    );
  }
}

const SELECT_LATEST: Query<RunColumns> = { sql: "select * from runs order by id desc limit 1" };
const SELECT_ALL: Query<RunColumns> = { sql: "select * from runs order by id desc" };
const SELECT_BY_NUMBER: Query<RunColumns> = { sql: "select * from runs where id = ?" };
const SELECT_BY_PREFIX: Query<RunColumns> = { sql: "select * from runs where substr(name, 1, ?) = ? limit 2" };
const SELECT_ROW: Query<{ id: number; state: Run["state"]; sends: number }> = {
  sql: "select id, state, command = 'push' and not dry_run as sends from runs where name = ?",
};

const INSERT_RUN = `insert into runs
  (name, command, target, supplier, operation, endpoint, settings, dry_run, tool_version, state, started_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'planning', ?)`;

function runValues(id: string, run: NewRun, toolVersion: string | undefined): readonly SqlValue[] {
  const settings = JSON.stringify(run.settings ?? null);
  const { command, target, supplier, operation, endpoint, dryRun, startedAt } = run;
  const values = [id, command, target, supplier, operation, endpoint, settings, dryRun ? 1 : 0];
  return [...values, toolVersion ?? null, startedAt];
}

function isTaken(database: SqliteDatabase, id: string): boolean {
  return database.row({ sql: "select 1 from runs where name = ?" }, id) !== undefined;
}
