import { Failure } from "../../../model/failure.ts";
import type { RecordRange } from "../../runs/shared-run.ts";
import type { RangeJob } from "./range-queue.ts";
import type { Fence } from "../postgres-database.ts";
import type { Queries, Transaction } from "../queries.ts";
import { closeInterruptedAttempts } from "../../tables/interruption.ts";
import { postgresTables } from "../postgres-tables.ts";
import { finish, statement } from "../../tables/tables.ts";

export interface HeldRange extends RecordRange {
  /** The fencing token, which is incremented each time the range is assigned or revoked. */
  readonly fence: number;
  /** The job in the queue through which the range was assigned. */
  readonly job: string;
}

/**
 * Divides the pending records into ranges. When these ranges are assigned, they get higher fencing tokens than in any
 * earlier assignment, so that earlier holders cannot write. Returns the jobs of the ranges, in order.
 */
export async function cutRanges(transaction: Transaction, run: number, size: number): Promise<readonly RangeJob[]> {
  const { fence = 0 } = (await transaction.row(SELECT_LAST_FENCE, run)) ?? {};
  await transaction.run("delete from migrate.ranges where run = $1", run);
  const cut = await transaction.rows(INSERT_RANGES, run, size, fence);
  return cut.toSorted((one, other) => one.first - other.first);
}

const SELECT_LAST_FENCE = statement<{ fence: number }>(
  "select coalesce(max(fence), 0) as fence from migrate.ranges where run = $1",
);

const INSERT_RANGES = statement<RangeJob>(`
  insert into migrate.ranges (run, first, last, fence, marked, state, job)
  select $1, min(record), max(record), $3, 0, 'waiting', gen_random_uuid()
  from migrate.items where run = $1 and status = 'pending'
  group by (record - 1) / $2 returning first, job as id`);

export interface ClaimingWorker {
  readonly run: number;
  readonly worker: string;
  readonly leaseMs: number;
}

/** Resolves to undefined for an obsolete job: its range is no longer waiting, was divided again, or has another job. */
export function claimRangeOfJob(
  transaction: Transaction,
  { run, worker, leaseMs }: ClaimingWorker,
  job: RangeJob,
): Promise<HeldRange | undefined> {
  return transaction.row(TAKE_RANGE, run, worker, leaseMs / 1000, job.first, job.id);
}

const TAKEN = `
  fence = fence + 1, marked = 0, holder = $2, state = 'taken',
  taken_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => $3)`;

const TAKE_RANGE = statement<HeldRange>(`
  update migrate.ranges set ${TAKEN} where run = $1 and first = $4 and job = $5 and state = 'waiting'
  returning first, last, fence, job`);

/**
 * Claims a range that was already assigned to the worker without its knowledge, because the reply to the commit was
 * lost. Resolves to undefined if there is no such range.
 * @param known the first records of the ranges that the worker knows
 */
export function claimUnknownRange(
  transaction: Transaction,
  { run, worker, leaseMs }: ClaimingWorker,
  known: readonly number[],
): Promise<HeldRange | undefined> {
  return transaction.row(CLAIM_UNKNOWN, run, worker, leaseMs / 1000, known);
}

const CLAIM_UNKNOWN = statement<HeldRange>(`
  update migrate.ranges set ${TAKEN}
  where run = $1 and first = (
    select min(first) from migrate.ranges
    where run = $1 and holder = $2 and state = 'taken' and not first = any ($4::int[])
  )
  returning first, last, fence, job`);

/** Gives a new job to a waiting range that no worker is claiming, because its old job may have been lost. */
export function renewJob(transaction: Transaction, run: number): Promise<RangeJob | undefined> {
  return transaction.row(RENEW_JOB, run);
}

const RENEW_JOB = statement<RangeJob>(`
  update migrate.ranges set job = gen_random_uuid()
  where run = $1 and first = (
    select first from migrate.ranges where run = $1 and state = 'waiting' order by first limit 1 for update skip locked
  )
  returning first, job as id`);

/** Renews the leases of a worker's ranges. Returns the number of renewed ranges. */
export function renewRanges(
  transaction: Transaction,
  { run, worker, leaseMs }: ClaimingWorker,
  firsts: readonly number[],
): Promise<number> {
  return transaction.run(
    `update migrate.ranges set lease_until = clock_timestamp() + make_interval(secs => $3)
     where run = $1 and holder = $2 and state = 'taken' and first = any ($4::int[])`,
    run,
    worker,
    leaseMs / 1000,
    firsts,
  );
}

export function finishRange(transaction: Transaction, run: number, first: number): Promise<number> {
  return transaction.run(
    "update migrate.ranges set state = 'done', lease_until = null where run = $1 and first = $2",
    run,
    first,
  );
}

/** Which ranges to revoke: ranges with an expired lease, the ranges of one worker, or all ranges. */
export type RevokedFrom = "dead workers" | { readonly worker: string } | "all workers";

export interface Revocation {
  readonly run: number;
  readonly from: RevokedFrom;
  /** Whether requests in flight may be sent again. */
  readonly resends: boolean;
  /** Timestamp for the attempts that are closed. */
  readonly at: string;
  /** The new state of the ranges. */
  readonly state: "waiting" | "closed";
}

/**
 * Increments the fencing tokens of the ranges, so that their holders can no longer write. Closes requests in flight, as
 * for a dead process. Returns the ids of the ranges' jobs.
 */
export async function revokeRanges(transaction: Transaction, revocation: Revocation): Promise<readonly string[]> {
  const { run, at, resends, state } = revocation;
  const revoked = await rangesOf(transaction, revocation);
  for (const { first, last } of revoked) {
    const sending = await transaction.rows(SELECT_SENDING, run, first, last);
    await finish(closeInterruptedAttempts(postgresTables(transaction), at, { run, first, last }));
    const records = sending.map(({ record }) => record);
    if (resends && records.length > 0) await transaction.run(SEND_AGAIN, run, records);
    await transaction.run(
      `update migrate.ranges set state = $3, fence = fence + 1, holder = null, lease_until = null
       where run = $1 and first = $2`,
      run,
      first,
      state,
    );
  }
  return revoked.flatMap(({ job }) => job ?? []);
}

const SELECT_SENDING = statement<{ record: number }>(
  "select record from migrate.items where run = $1 and record between $2 and $3 and status = 'sending'",
);

const SEND_AGAIN = `
  update migrate.items set status = 'pending' where run = $1 and record = any ($2::int[]) and status = 'ambiguous'`;

type RevokedRow = RecordRange & { readonly job: string | null };

function rangesOf(queries: Queries, { run, from, state }: Revocation): Promise<readonly RevokedRow[]> {
  const select = "select first, last, job from migrate.ranges where run = $1 and ";
  if (from === "dead workers") {
    const sql = `${select} state = 'taken' and lease_until < clock_timestamp() for update skip locked`;
    return queries.rows<RevokedRow>({ sql }, run);
  }
  if (from === "all workers") {
    const sql = `${select} state ${state === "closed" ? "in ('taken', 'waiting')" : "= 'taken'"} for update`;
    return queries.rows<RevokedRow>({ sql }, run);
  }
  return queries.rows<RevokedRow>({ sql: `${select} state = 'taken' and holder = $2 for update` }, run, from.worker);
}

/**
 * Returns the fence that allows the holder of all these ranges to write the state of their records. The condition
 * includes the holder, so that a token of an earlier assignment never matches a later assignment.
 */
export function rangesFence(run: number, holder: string, ranges: readonly HeldRange[]): Fence {
  const each = ranges.map(({ first, fence }) => `(${first}, ${fence})`).join(", ");
  const rows = `run = ${run} and holder = '${holder}' and (first, fence) in (${each})`;
  return {
    mark: (transaction) => `update migrate.ranges set marked = ${transaction} where ${rows} and state = 'taken'`,
    rows: ranges.length,
    lastMark: `select min(marked) as marked from (select marked from migrate.ranges where ${rows} for update) as held`,
    lost: lostRange,
  };
}

export function lostRange(): Failure {
  return new Failure("ledger_in_use", "the lease of this worker expired, and its work was assigned to other workers", {
    hint: "its requests in flight count as ambiguous; find out why it stalled, or give workers more time with --lease",
  });
}
