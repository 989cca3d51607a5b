import { Failure } from "../../../model/failure.ts";
import { timestamp } from "../../../time/clock.ts";
import { systemClock } from "../../../time/system-clock.ts";
import type { PostgresDatabase } from "../postgres-database.ts";
import type { Queries } from "../queries.ts";
import { openRangeQueue } from "./range-queue.ts";
import { jobsOf, takeBack } from "./range-rows.ts";
import type { SharedContext } from "./shared-context.ts";
import { setState, sharedRow, sharedStatus } from "./worker-rows.ts";

/** Nothing more is given out, and whoever still holds a range can write no more. */
export async function endShared({ database, run, queue, clock }: SharedContext): Promise<void> {
  await database.transaction(
    async (transaction) => {
      const { resends = false } = (await sharedRow(transaction, run)) ?? {};
      await setState(transaction, run, "ended");
      await takeBack(transaction, { run, from: "everybody", resends, at: timestamp(clock), state: "closed" });
    },
    { isLong: true },
  );
  await queue.remove(await jobsOf(database, run));
}

/** Ends what a dead planner has left of shared runs. @throws Failure `ledger_in_use` while workers are still at it */
export async function endAbandonedRuns(database: PostgresDatabase): Promise<void> {
  const open = await database.rows<{ run: number; id: string }>({
    sql: `
    select run, name as id from migrate.shared_runs join migrate.runs on runs.id = run where shared_runs.state <> 'ended'`,
  });
  for (const { run, id } of open) {
    const status = await sharedStatus(database, run, id);
    const alive = status?.workers.filter(({ state }) => state === "working") ?? [];
    if (alive.length > 0) throw stillSending(database, id, alive.length);
    await endShared({ database, run, id, queue: await openRangeQueue(database, id), clock: systemClock });
  }
}

function stillSending({ name }: Queries, id: string, workers: number): Failure {
  const who = workers === 1 ? "a worker is" : `${workers} workers are`;
  return new Failure("ledger_in_use", `the ledger ${name} is in use: ${who} still sending run ${id}`, {
    hint: "wait until they have sent what is left, or stop them (SIGTERM); `migrate status` says who they are",
  });
}
