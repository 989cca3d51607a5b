import { z } from "zod";
import { STATUSES } from "../../../model/outcome.ts";
import type {
  HeartbeatReply,
  RangeCounts,
  RangeProgress,
  SharedFailure,
  SharedPlan,
  SharedStatus,
  WorkerIdentity,
  WorkerPlace,
  WorkerReport,
  WorkerState,
  WorkerStatus,
} from "../../runs/shared-run.ts";
import { commonFindings, findingsSchema, type WorkerFindings } from "../../runs/platform-findings.ts";
import type { Queries } from "../queries.ts";
import { quickStatement, SERVER_TIME, STAMP, statement } from "../../tables/tables.ts";

export interface SharedRow {
  readonly state: HeartbeatReply["state"];
  readonly leaseMs: number;
  readonly concurrency: number;
  readonly rps: number | null;
  readonly resends: boolean;
  readonly holdMs: number;
  readonly holdReason: string | null;
  readonly failure: string | null;
  /**
   * `present`: the holder of the ledger has renewed its lease since the server started. `unknown`: the holder has not
   * renewed its lease since then, so the database may be an older copy that still shows the run as open. `gone`: no
   * process holds the ledger.
   */
  readonly planner: "present" | "unknown" | "gone";
  /** Server time, ISO 8601 UTC. */
  readonly at: string;
}

export async function openSharedRow(queries: Queries, run: number, plan: SharedPlan): Promise<void> {
  const { leaseMs, concurrency, rps = null, resendAmbiguous } = plan;
  await queries.run(UPSERT_SHARED, run, leaseMs, concurrency, rps, resendAmbiguous);
  await queries.run("delete from migrate.workers where run = $1", run);
}

const UPSERT_SHARED = `
  insert into migrate.shared_runs (run, state, lease_ms, concurrency, rps, resends) values ($1, 'open', $2, $3, $4, $5)
  on conflict (run) do update set state = 'open', lease_ms = $2, concurrency = $3, rps = $4, resends = $5,
    hold_until = null, hold_reason = null, failure = null`;

export function sharedRow(queries: Queries, run: number): Promise<SharedRow | undefined> {
  return queries.row(SELECT_SHARED, run);
}

const SELECT_SHARED = quickStatement<SharedRow>(`
  select state, lease_ms as "leaseMs", concurrency, rps, resends, hold_reason as "holdReason", failure,
    greatest(0, coalesce(extract(epoch from hold_until - clock_timestamp()) * 1000, 0))::float8 as "holdMs",
    case when holder is null or lease_until < clock_timestamp() then 'gone'
      when renewed_at < pg_postmaster_start_time() then 'unknown' else 'present' end as planner,
    ${SERVER_TIME} as at
  from migrate.shared_runs, migrate.writer where run = $1`);

export async function setState(queries: Queries, run: number, state: HeartbeatReply["state"]): Promise<void> {
  await queries.run(
    "update migrate.shared_runs set state = $2 where run = $1 and state <> 'ended' and state <> $2",
    run,
    state,
  );
}

/** Stores the failure of a run, unless the run already has a failure. */
export async function setFailure(queries: Queries, run: number, failure: SharedFailure): Promise<void> {
  const text = JSON.stringify(failure);
  await queries.run("update migrate.shared_runs set failure = coalesce(failure, $2) where run = $1", run, text);
}

export async function setHold(queries: Queries, run: number, forMs: number, reason: string): Promise<void> {
  await queries.run(SET_HOLD, run, forMs / 1000, reason);
}

const SET_HOLD = `
  update migrate.shared_runs set hold_until = clock_timestamp() + make_interval(secs => $2), hold_reason = $3
  where run = $1 and coalesce(hold_until, '-infinity') < clock_timestamp() + make_interval(secs => $2)`;

const INSERT_WORKER = `
  insert into migrate.workers (id, run, host, pid, started_at, seen_at, state)
  values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp(), $5) on conflict (id) do`;

/** Has no effect if the statement is repeated because the reply from the database was lost. */
const ADD_WORKER = `${INSERT_WORKER} nothing`;
const ANNOUNCE_WORKER = `${INSERT_WORKER} update set seen_at = clock_timestamp()`;

export async function addWorker(queries: Queries, run: number, id: string, worker: WorkerIdentity): Promise<void> {
  await queries.run(ADD_WORKER, id, run, worker.host, worker.pid, "working");
}

/** Adds a worker that has not joined yet. Renews its heartbeat if the worker was added earlier. */
export async function announceWorker(queries: Queries, run: number, id: string, worker: WorkerIdentity): Promise<void> {
  await queries.run(ANNOUNCE_WORKER, id, run, worker.host, worker.pid, "joining");
}

export async function removeAnnounced(queries: Queries, id: string): Promise<void> {
  await queries.run("delete from migrate.workers where id = $1 and state = 'joining'", id);
}

/** Whether a worker is still considered alive. If so, it cannot be declared dead before the end of the transaction. */
export async function isWorking(transaction: Queries, id: string): Promise<boolean> {
  return (await transaction.row(SELECT_WORKING, id)) !== undefined;
}

const SELECT_WORKING = quickStatement<{ id: string }>(
  "select id from migrate.workers where id = $1 and state = 'working' for share",
);

/** Stores the heartbeat and the report of a worker. Returns false if the worker is considered dead. */
export async function noteWorker(queries: Queries, id: string, report: WorkerReport): Promise<boolean> {
  const sql = `update migrate.workers set seen_at = clock_timestamp(), report = $2,
    shown_at = coalesce(shown_at, clock_timestamp()) where id = $1 and state = 'working'`;
  return (await queries.run(sql, id, JSON.stringify(report))) === 1;
}

export async function endWorker(queries: Queries, id: string): Promise<void> {
  await queries.run("update migrate.workers set state = 'left', seen_at = clock_timestamp() where id = $1", id);
}

/** Marks workers as lost if their last heartbeat is older than their lease. */
export async function expireDeadWorkers(queries: Queries, run: number, leaseMs: number): Promise<void> {
  await queries.run(
    `update migrate.workers set state = 'lost' where run = $1 and state = 'working'
       and seen_at < clock_timestamp() - make_interval(secs => $2)`,
    run,
    leaseMs / 1000,
  );
}

/** Marks the workers of a process as lost, and returns their ids. */
export async function markWorkersLost(
  queries: Queries,
  run: number,
  { host, pid }: WorkerIdentity,
): Promise<readonly string[]> {
  const lost = await queries.rows(MARK_WORKERS_LOST, run, host, pid);
  return lost.map(({ id }) => id);
}

const MARK_WORKERS_LOST = statement<{ id: string }>(`
  update migrate.workers set state = 'lost' where run = $1 and host = $2 and pid = $3 and state in ('joining', 'working')
  returning id`);

/** Returns the worker's position among the live workers. */
export async function placeOf(
  queries: Queries,
  { run, id, leaseMs }: { readonly run: number; readonly id: string; readonly leaseMs: number },
): Promise<WorkerPlace> {
  return (await queries.row(SELECT_PLACE, run, leaseMs / 1000, id)) ?? { workers: 1, position: 0, isKnown: true };
}

/**
 * `isKnown`: all other live workers have sent a report since this worker became visible, so they have all counted
 * this worker.
 */
const SELECT_PLACE = quickStatement<WorkerPlace>(`
  select count(*) as workers, count(*) filter (where each.rank < own.rank) as position,
    bool_and(each.id = own.id or each.seen_at > own.shown_at) as "isKnown"
  from migrate.workers as each, (select id, rank, shown_at from migrate.workers where id = $3) as own
  where run = $1 and state = 'working' and seen_at >= clock_timestamp() - make_interval(secs => $2)`);

/** Returns the findings of the live workers about the platform, in the order in which the workers joined. */
export async function findingsOf(queries: Queries, run: number, leaseMs: number): Promise<readonly WorkerFindings[]> {
  const reports = await queries.rows(SELECT_FINDINGS, run, leaseMs / 1000);
  return reports.map(({ findings, ...one }) => ({
    ...one,
    findings: findings === null ? undefined : findingsSchema.parse(JSON.parse(findings)),
  }));
}

const SELECT_FINDINGS = quickStatement<{ worker: string; seenAgoMs: number; findings: string | null }>(`
  select id as worker, (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as "seenAgoMs",
    (report::json -> 'findings')::text as findings
  from migrate.workers where run = $1 and state = 'working'
    and seen_at >= clock_timestamp() - make_interval(secs => $2) order by rank`);

export async function rangeCounts(queries: Queries, run: number): Promise<RangeProgress> {
  const { released = 0, ...ranges } = (await queries.row(SELECT_COUNTS, run)) ?? { waiting: 0, taken: 0, done: 0 };
  return { ranges, released };
}

const SELECT_COUNTS = quickStatement<RangeCounts & { readonly released: number }>(`
  select count(*) filter (where state in ('waiting', 'closed')) as waiting, count(*) filter (where state = 'taken') as taken,
    count(*) filter (where state = 'done') as done,
    count(*) filter (where state = 'waiting' and taken_at is not null) as "released"
  from migrate.ranges where run = $1`);

/** Resolves to undefined for a run that was never shared. */
export async function sharedStatus(queries: Queries, run: number, id: string): Promise<SharedStatus | undefined> {
  const row = await sharedRow(queries, run);
  if (row === undefined) return undefined;
  const { at, state, leaseMs, concurrency, rps, holdMs, holdReason, failure } = row;
  return {
    run: id,
    at,
    state,
    leaseMs,
    concurrency,
    ...(rps !== null && { rps }),
    ranges: (await rangeCounts(queries, run)).ranges,
    workers: await workersOf(queries, run),
    ...(holdMs > 0 && { hold: { forMs: Math.round(holdMs), reason: holdReason ?? "" } }),
    ...(failure !== null && { failure: failureSchema.parse(JSON.parse(failure)) }),
    findings: commonFindings(await findingsOf(queries, run, leaseMs)),
  };
}

const SELECT_WORKERS = statement<WorkerState & { readonly report: string | null }>(`
  select workers.id, host, pid, report,
    case when workers.state in ('joining', 'working') and seen_at < clock_timestamp() - make_interval(secs => lease_ms / 1000.0)
      then 'lost' else workers.state end as state,
    to_char(started_at at time zone 'UTC', ${STAMP}) as "startedAt",
    to_char(seen_at at time zone 'UTC', ${STAMP}) as "seenAt"
  from migrate.workers join migrate.shared_runs on shared_runs.run = workers.run
  where workers.run = $1 order by rank`);

const SELECT_HELD = statement<{ holder: string; first: number; last: number; since: string }>(`
  select holder, first, last, to_char(taken_at at time zone 'UTC', ${STAMP}) as since
  from migrate.ranges where run = $1 and state = 'taken' order by first`);

async function workersOf(queries: Queries, run: number): Promise<readonly WorkerStatus[]> {
  const held = await queries.rows(SELECT_HELD, run);
  const workers = (await queries.rows(SELECT_WORKERS, run)).map(({ report, ...worker }) => ({
    ...worker,
    ...reportOf(report),
    holds: held.filter(({ holder }) => holder === worker.id).map(({ first, last, since }) => ({ first, last, since })),
  }));
  return workers.toSorted((one, other) => Number(other.state === "working") - Number(one.state === "working"));
}

/** Returns a stored report without its findings about the platform, which are reported for all workers together. */
function reportOf(text: string | null): WorkerReport {
  const { findings: _findings, ...report } = text === null ? NOTHING_YET : reportSchema.parse(JSON.parse(text));
  return report;
}

const NOTHING_YET: WorkerReport = { counts: {}, inFlight: 0, perSecond: 0, replies: { count: 0, totalMs: 0 } };

const failureSchema: z.ZodType<SharedFailure> = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});

const reportSchema: z.ZodType<WorkerReport> = z.object({
  counts: z.partialRecord(z.enum(STATUSES), z.number()),
  inFlight: z.number(),
  perSecond: z.number(),
  limit: z.number().optional(),
  reason: z.string().optional(),
  replies: z.object({ count: z.number(), totalMs: z.number() }),
  findings: findingsSchema.optional(),
});
