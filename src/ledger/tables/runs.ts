import { timestamp, type WallClock } from "../../time/clock.ts";
import type { LedgerHistory, NewRun, Run } from "../records/run.ts";
import type { PlanPolicy } from "../records/planned-item.ts";
import { applyKnownRecords } from "../plan/known-records.ts";
import { noteCompared, reopenOpen, reopenRejected, skipAccepted } from "../plan/compared-runs.ts";
import { type RunColumns, type RunRow, severalRuns, toRun, unknownRun } from "../runs/recorded-run.ts";
import { refuseNearKnownKeys } from "../plan/near-known-keys.ts";
import { newRunId } from "../runs/run-id.ts";
import { sinceAbandoned } from "./abandoned.ts";
import { closeInterruptedAttempts } from "./interruption.ts";
import { planUnsent } from "./planned-records.ts";
import { adoptUnsent } from "./recoveries.ts";
import { saveSetupFiles } from "./setup-files.ts";
import { quickStatement, type Selected, statement, type Tables, type TableValue, type Work } from "./tables.ts";

export function* startRun(tables: Tables, run: NewRun): Work<Run> {
  yield* closeInterruptedAttempts(tables, run.startedAt);
  for (;;) {
    const id = newRunId(run.startedAt);
    const started = toRun(yield* tables.row(INSERT_RUN, ...runValues(id, run)));
    if (started === undefined) continue;
    yield* saveSetupFiles(tables, run.setup ?? []);
    return started;
  }
}

const INSERT_RUN = statement<RunColumns>(`insert into migrate.runs
    (name, command, target, supplier, operation, endpoint, settings, dry_run, state, started_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, 'planning', $9) on conflict (name) do nothing returning *`);

function runValues(id: string, run: NewRun): readonly TableValue[] {
  const settings = JSON.stringify(run.settings ?? null);
  const { command, target, supplier, operation, endpoint, dryRun, startedAt } = run;
  return [id, command, target, supplier, operation, endpoint, settings, dryRun, startedAt];
}

/**
 * Finds the run whose id is, or begins with, `id`. Without an id, finds the latest run.
 * @throws Failure `run_unknown` if the ids of several runs begin with `id`
 */
export function* findRun(tables: Tables, id?: string): Work<Run | undefined> {
  if (id === undefined) return toRun(yield* tables.row(SELECT_LATEST));
  const found = yield* tables.rows(SELECT_BY_PREFIX, id);
  if (found.length < 2) return toRun(found[0]);
  throw severalRuns(id);
}

const SELECT_LATEST = statement<RunColumns>("select * from migrate.runs order by id desc limit 1");
const SELECT_BY_PREFIX = statement<RunColumns>(
  "select * from migrate.runs where substr(name, 1, length($1::text)) = $1::text limit 2",
);

/** Returns all runs, latest first. */
export function* listRuns(tables: Tables): Work<readonly Run[]> {
  return (yield* tables.rows(SELECT_ALL)).flatMap((row) => toRun(row) ?? []);
}

const SELECT_ALL = statement<RunColumns>("select * from migrate.runs order by id desc");

export function* historyOf(tables: Tables, clock: WallClock): Work<LedgerHistory> {
  const { id = null, requests = 0, at = null } = (yield* tables.row(SELECT_HISTORY)) ?? {};
  return { id: id ?? undefined, requests, msSinceAbandoned: yield* sinceAbandoned(tables, at, clock) };
}

const selectHistory = (uncertainRecoveries: string): string => `
  select (select name from migrate.runs order by id limit 1) as id,
    (select coalesce(sum(count), 0)::bigint from migrate.counts where kind = 'requests') as requests,
    (select max(at) from (
      select max(settled_at) as at from migrate.attempts where status = 'ambiguous'
      union all ${uncertainRecoveries}) as abandoned) as at`;

/** A request that is missing from the ledger may have been abandoned at any time before the recovery. */
const SELECT_HISTORY = statement<{ id: string | null; requests: number; at: string | null }>({
  sqlite: selectHistory(`
    select max(json_extract(value, '$.at')) from ledger_state cross join json_each(ledger_state.recoveries)
    where json_extract(value, '$.isUncertain')`),
  postgres: selectHistory("select max(at) from migrate.recoveries where uncertain"),
});

/** @throws Failure `run_unknown` if the ledger has no run with this id */
export function* requireRun(tables: Tables, id: string): Work<RunRow> {
  const row = yield* tables.row(SELECT_ROW, id);
  if (row !== undefined) return { ...row, sends: Boolean(row.sends) };
  throw unknownRun(`"${id}"`);
}

const SELECT_ROW = quickStatement<Selected<RunRow>>(
  "select id as number, state, command = 'push' and not dry_run as sends from migrate.runs where name = $1",
);

export function* resumeRun(tables: Tables, run: RunRow, policy: PlanPolicy, at: string): Work<Run> {
  yield* closeInterruptedAttempts(tables, at);
  if (run.state !== "planning") {
    const reopened = yield* reopenOpen(tables, run);
    yield* skipAccepted(tables, run);
    yield* applyKnownRecords(tables, run, policy, reopened);
    if (reopened === "left" && policy.newKeys !== true) yield* refuseNearKnownKeys(tables, run, policy);
    yield* adoptUnsent(tables);
    yield* planUnsent(tables, run.number);
    yield* noteCompared(tables, run);
    yield* tables.run(
      "update migrate.runs set state = 'sending', finished_at = null, exit_code = null where id = $1",
      run.number,
    );
  }
  const resumed = toRun(yield* tables.row(SELECT_BY_NUMBER, run.number));
  if (resumed === undefined) throw unknownRun(`number ${run.number}`);
  return resumed;
}

const SELECT_BY_NUMBER = statement<RunColumns>("select * from migrate.runs where id = $1");

/** Ambiguous records stay ambiguous, even if the platform deduplicates by business key. */
export function* refresh(tables: Tables, run: RunRow, policy: PlanPolicy, clock: WallClock): Work<number | undefined> {
  yield* closeInterruptedAttempts(tables, timestamp(clock));
  yield* tables.run(REOPEN_AMBIGUOUS, run.number);
  yield* reopenRejected(tables, run);
  yield* skipAccepted(tables, run);
  yield* applyKnownRecords(tables, run, { ...policy, resendAmbiguous: false }, "left");
  yield* noteCompared(tables, run);
  return (yield* historyOf(tables, clock)).msSinceAbandoned;
}

const REOPEN_AMBIGUOUS = `
  update migrate.items /*+ indexed by items_open */ set status = 'pending' where run = $1 and status = 'ambiguous'`;

/** A run with an unfinished plan stays `planning`, because its input must be read again to resume it. */
export function* finishRun(tables: Tables, run: RunRow, exitCode: number, at: string): Work<void> {
  yield* tables.run(FINISH, run.number, at, exitCode);
}

const FINISH = `
  update migrate.runs set state = case state when 'planning' then state else 'finished' end, finished_at = $2,
    exit_code = $3
  where id = $1`;
