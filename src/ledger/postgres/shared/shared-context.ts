import { type Clock, timestamp } from "../../../time/clock.ts";
import type { PostgresDatabase } from "../postgres-database.ts";
import type { Queries, Transaction } from "../queries.ts";
import type { RangeQueue } from "./range-queue.ts";
import { takeBack, type TakenFrom } from "./range-rows.ts";
import { loseDeadWorkers, sharedRow } from "./worker-rows.ts";

/** What the parts of a shared run work with. */
export interface SharedContext {
  readonly database: PostgresDatabase;
  /** The run's number in its table. */
  readonly run: number;
  /** The run's id. */
  readonly id: string;
  readonly queue: RangeQueue;
  readonly clock: Pick<Clock, "now" | "monotonic">;
}

/** Gives what workers hold back to the queue. */
export async function giveBack(context: SharedContext, transaction: Transaction, from: TakenFrom): Promise<void> {
  const { run, queue, clock } = context;
  const { resends = false } = (await sharedRow(transaction, run)) ?? {};
  const jobs = await takeBack(transaction, { run, from, resends, at: timestamp(clock), state: "waiting" });
  await queue.giveBack(jobs, transaction);
}

/** Takes back what is held by workers that are not heard of. */
export interface Reaper {
  /** The server was reached just now. Takes back only after a whole lease without a gap: an outage silences everybody. */
  readonly look: () => Promise<void>;
}

export function createReaper(context: SharedContext): Reaper {
  const { database, run, clock } = context;
  let contactSince: number | undefined;
  let lastContact = Number.NEGATIVE_INFINITY;
  return {
    async look() {
      const { leaseMs = Number.POSITIVE_INFINITY } = (await sharedRow(database, run)) ?? {};
      const now = clock.monotonic();
      if (contactSince === undefined || now - lastContact > leaseMs / 2) contactSince = now;
      lastContact = now;
      if (now - contactSince < leaseMs || !(await isAnyDead(database, run))) return;
      await database.transaction(async (transaction) => {
        await loseDeadWorkers(transaction, run, leaseMs);
        await giveBack(context, transaction, "the dead");
      });
    },
  };
}

async function isAnyDead(queries: Queries, run: number): Promise<boolean> {
  const found = await queries.row<{ dead: boolean }>(
    {
      sql: `select exists (
        select from migrate.ranges where run = $1 and state = 'taken' and lease_until < clock_timestamp()
      ) as dead`,
      isQuick: true,
    },
    run,
  );
  return found?.dead === true;
}
