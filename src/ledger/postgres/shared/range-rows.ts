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

/** For whom ranges are taken. */
export interface Taking {
  readonly run: number;
  readonly worker: string;
  readonly leaseMs: number;
}

/**
 * The range that a job stands for. Undefined for a job that stands for nothing any more: its range is done, is closed, was cut
 * anew, or has been given another job.
 */
export function takeRange(
  transaction: Transaction,
  { run, worker, leaseMs }: Taking,
  job: RangeJob,
): Promise<HeldRange | undefined> {
  return transaction.row(TAKE_RANGE, run, worker, leaseMs / 1000, job.first, job.id);
}

const TAKEN = `
  fence = fence + 1, marked = 0, holder = $2, state = 'taken',
  taken_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => $3)`;

const TAKE_RANGE: Statement<HeldRange> = {
  sql: `
  update migrate.ranges set ${TAKEN} where run = $1 and first = $4 and job = $5 and state = 'waiting'
  returning first, last, fence, job`,
};

/** A range that the worker was given without knowing: the answer to the commit was lost. @param known those that it knows of */
export function takeUnknownRange(
  transaction: Transaction,
  { run, worker, leaseMs }: Taking,
  known: readonly number[],
): Promise<HeldRange | undefined> {
  return transaction.row(TAKE_UNKNOWN, run, worker, leaseMs / 1000, known);
}

const TAKE_UNKNOWN: Statement<HeldRange> = {
  sql: `
  update migrate.ranges set ${TAKEN}
  where run = $1 and first = (
    select min(first) from migrate.ranges
    where run = $1 and holder = $2 and state = 'taken' and not first = any ($4::int[])
  )
  returning first, last, fence, job`,
};

/** A range that waits, and whose job nobody is taking just now, gets a new job: the old one may have been lost. */
export function renewJob(transaction: Transaction, run: number): Promise<RangeJob | undefined> {
  return transaction.row(RENEW_JOB, run);
}

const RENEW_JOB: Statement<RangeJob> = {
  sql: `
  update migrate.ranges set job = gen_random_uuid()
  where run = $1 and first = (
    select first from migrate.ranges where run = $1 and state = 'waiting' order by first limit 1 for update skip locked
  )
  returning first, job as id`,
};

/** Keeps what a worker holds; gives how many ranges that are. */
export function renewRanges(
  transaction: Transaction,
  { run, worker, leaseMs }: Taking,
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

/**
 * What allows the holder of ranges to write about their records: it holds all of them. It is named as well, so that no fence of
 * an earlier hand-out is ever taken for one of a later.
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
  return new Failure(
    "ledger_in_use",
    "this worker was not heard of for longer than its lease, and its work was given to others",
    {
      hint: "what it had in flight counts as ambiguous; see why it stood still, or give workers more time with --lease",
    },
  );
}
