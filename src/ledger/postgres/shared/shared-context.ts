import { type Clock, timestamp } from "../../../time/clock.ts";
import { createReaper, type Reap } from "../../runs/reaper.ts";
import type { PostgresDatabase } from "../postgres-database.ts";
import type { Transaction } from "../queries.ts";
import type { RangeQueue } from "./range-queue.ts";
import { revokeRanges, type RevokedFrom } from "./range-rows.ts";
import { expireDeadWorkers, sharedRow } from "./worker-rows.ts";
import { quickStatement } from "../../tables/tables.ts";

export interface SharedContext {
  readonly database: PostgresDatabase;
  /** Number of the run in the table `runs`. */
  readonly run: number;
  /** Id of the run. */
  readonly id: string;
  readonly queue: RangeQueue;
  readonly clock: Clock;
}

/** Returns ranges of workers to the queue. */
export async function releaseRanges(
  context: SharedContext,
  transaction: Transaction,
  from: RevokedFrom,
): Promise<void> {
  const { run, queue, clock } = context;
  const { resends = false } = (await sharedRow(transaction, run)) ?? {};
  const jobs = await revokeRanges(transaction, { run, from, resends, at: timestamp(clock), state: "waiting" });
  await queue.requeue(jobs, transaction);
}

export function reaperOf(context: SharedContext): Reap {
  const { database, run, clock } = context;
  return createReaper({
    clock,
    leaseMs: async () => (await sharedRow(database, run))?.leaseMs,
    async revokeRanges(leaseMs) {
      if ((await database.row(IS_ANY_DEAD, run))?.dead !== true) return;
      await database.transaction(
        async (transaction) => {
          await expireDeadWorkers(transaction, run, leaseMs);
          await releaseRanges(context, transaction, "dead workers");
        },
        { idleMs: leaseMs },
      );
    },
  });
}

const IS_ANY_DEAD = quickStatement<{ dead: boolean }>(`
  select exists (
    select from migrate.ranges where run = $1 and state = 'taken' and lease_until < clock_timestamp()
  ) as dead`);
