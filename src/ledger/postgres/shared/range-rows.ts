import { Failure } from "../../../model/failure.ts";
import type { RecordRange } from "../../runs/shared-run.ts";
import type { RangeJob } from "./range-queue.ts";
import type { Fence } from "../postgres-database.ts";
import type { Queries, Statement, Transaction } from "../queries.ts";
import { closeInterruptedAttempts } from "../tables/run-rows.ts";

/** A range that a worker holds. */
export interface HeldRange extends RecordRange {
  /** Raised each time that the range is given out. */
  readonly fence: number;
  /** The job of the queue that it came with. */
  readonly job: string;
}

/** Cuts what is pending into ranges, with fences that no worker of an earlier hand-out has. Gives their jobs, in order. */
export async function cutRanges(transaction: Transaction, run: number, size: number): Promise<readonly RangeJob[]> {
  const { fence = 0 } = (await transaction.row(SELECT_LAST_FENCE, run)) ?? {};
  await transaction.run("delete from migrate.ranges where run = $1", run);
  const cut = await transaction.rows(INSERT_RANGES, run, size, fence);
  return cut.toSorted((one, other) => one.first - other.first);
}

const SELECT_LAST_FENCE: Statement<{ fence: number }> = {
  sql: "select coalesce(max(fence), 0) as fence from migrate.ranges where run = $1",
};

const INSERT_RANGES: Statement<RangeJob> = {
  sql: `
  insert into migrate.ranges (run, first, last, fence, marked, state, job)
  select $1, min(record), max(record), $3, 0, 'waiting', gen_random_uuid()
  from migrate.items where run = $1 and status = 'pending'
  group by (record - 1) / $2 returning first, job as id`,
};

/** The jobs of all ranges of a run. */
export async function jobsOf(queries: Queries, run: number): Promise<readonly string[]> {
  const sql = "select job from migrate.ranges where run = $1 and job is not null";
  return (await queries.rows<{ job: string }>({ sql }, run)).map(({ job }) => job);
}

interface Taking {
  readonly run: number;
  readonly first: number;
  readonly worker: string;
  readonly leaseMs: number;
}

/** Undefined for a range that is not to be had. */
export async function takeRange(
  transaction: Transaction,
  { run, first, worker, leaseMs }: Taking,
): Promise<HeldRange | undefined> {
  return transaction.row(TAKE_RANGE, run, first, worker, leaseMs / 1000);
}

const TAKE_RANGE: Statement<HeldRange> = {
  sql: `
  update migrate.ranges set fence = fence + 1, marked = 0, holder = $3, state = 'taken',
    taken_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => $4)
  where run = $1 and first = $2 and state = 'waiting'
  returning first, last, fence, job`,
};

/** Keeps what a worker holds; gives how many ranges that are. */
export function renewRanges(
  transaction: Transaction,
  { run, worker, leaseMs, firsts }: Pick<Taking, "run" | "worker" | "leaseMs"> & { readonly firsts: readonly number[] },
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
    "update migrate.ranges set state = 'done', holder = null, lease_until = null where run = $1 and first = $2",
    run,
    first,
  );
}

/** Which ranges are to be taken from their holders: those whose lease is over, or those of one worker. */
export type TakenFrom = "the dead" | { readonly worker: string } | "everybody";

export interface TakeBack {
  readonly run: number;
  readonly from: TakenFrom;
  /** What was in flight may be sent again. */
  readonly resends: boolean;
  /** Stamp of the attempts that are closed. */
  readonly at: string;
  /** What becomes of the ranges. */
  readonly state: "waiting" | "closed";
}

/**
 * Takes ranges from their holders, who can write no more: their fences are raised. Requests in flight are closed, as those of a
 * dead process are. Gives the jobs of the ranges.
 */
export async function takeBack(transaction: Transaction, taking: TakeBack): Promise<readonly string[]> {
  const { run, at, resends, state } = taking;
  const taken = await rangesOf(transaction, taking);
  for (const { first, last } of taken) {
    const sending = await transaction.rows(SELECT_SENDING, run, first, last);
    await closeInterruptedAttempts(transaction, at, { run, first, last });
    if (resends && sending.length > 0)
      await transaction.run(
        SEND_AGAIN,
        run,
        sending.map(({ record }) => record),
      );
    await transaction.run(
      `update migrate.ranges set state = $3, fence = fence + 1, holder = null, lease_until = null
       where run = $1 and first = $2`,
      run,
      first,
      state,
    );
  }
  return taken.flatMap(({ job }) => job ?? []);
}

const SELECT_SENDING: Statement<{ record: number }> = {
  sql: "select record from migrate.items where run = $1 and record between $2 and $3 and status = 'sending'",
};

const SEND_AGAIN = `
  update migrate.items set status = 'pending' where run = $1 and record = any ($2::int[]) and status = 'ambiguous'`;

type Taken = RecordRange & { readonly job: string | null };

function rangesOf(queries: Queries, { run, from, state }: TakeBack): Promise<readonly Taken[]> {
  const select = "select first, last, job from migrate.ranges where run = $1 and ";
  if (from === "the dead") {
    const sql = `${select} state = 'taken' and lease_until < clock_timestamp() for update skip locked`;
    return queries.rows<Taken>({ sql }, run);
  }
  if (from === "everybody") {
    const sql = `${select} state ${state === "closed" ? "in ('taken', 'waiting')" : "= 'taken'"} for update`;
    return queries.rows<Taken>({ sql }, run);
  }
  return queries.rows<Taken>({ sql: `${select} state = 'taken' and holder = $2 for update` }, run, from.worker);
}

/** What allows the holder of a range to write about its records. */
export function rangeFence(run: number, { first, fence }: Pick<HeldRange, "first" | "fence">): Fence {
  const row = `run = ${run} and first = ${first} and fence = ${fence}`;
  return {
    mark: (transaction) => `update migrate.ranges set marked = ${transaction} where ${row} and state = 'taken'`,
    lastMark: `select marked from migrate.ranges where ${row} for update`,
    lost: lostRange,
  };
}

export function lostRange(): Failure {
  return new Failure(
    "ledger_in_use",
    "this worker was not heard of for longer than its lease, and its work was given to others",
    {
      hint: "what it had in flight counts as ambiguous; see why it stood still, or give workers more time with --lease",
    },
  );
}
