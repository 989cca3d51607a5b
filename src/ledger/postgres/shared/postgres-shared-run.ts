import { randomUUID } from "node:crypto";
import { systemClock } from "../../../time/system-clock.ts";
import { Failure } from "../../../model/failure.ts";
import type { SharedRun } from "../../runs/shared-run.ts";
import type { PostgresDatabase } from "../postgres-database.ts";
import { postgresLedger } from "../postgres-ledger.ts";
import { requireRun } from "../tables/run-rows.ts";
import { endShared } from "./end-shared-run.ts";
import { openRangeQueue } from "./range-queue.ts";
import { cutRanges } from "./range-rows.ts";
import { joinRun } from "./range-worker.ts";
import { createReaper, giveBack, type SharedContext } from "./shared-context.ts";
import { addWorker, loseWorkerOf, openSharedRow, setState, sharedRow, sharedStatus } from "./worker-rows.ts";

/** @throws Failure `run_unknown` */
export async function postgresSharedRun(
  database: PostgresDatabase,
  id: string,
  clock: SharedContext["clock"] = systemClock,
): Promise<SharedRun> {
  const { number: run } = await requireRun(database, id);
  const context: SharedContext = { database, run, id, queue: await openRangeQueue(database, id), clock };
  const reaper = createReaper(context);
  const ledger = postgresLedger(database, { close: async () => undefined });
  return {
    ledger,
    async handOut(plan) {
      await context.queue.create();
      return database.transaction(
        async (transaction) => {
          const jobs = await cutRanges(transaction, run, plan.size);
          await openSharedRow(transaction, run, plan);
          await context.queue.add(jobs, transaction);
          return jobs.length;
        },
        { isLong: true },
      );
    },
    async join(worker) {
      const row = await sharedRow(database, run);
      if (row === undefined || row.state === "ended") throw notShared(id, row !== undefined);
      const own = { id: randomUUID(), leaseMs: row.leaseMs };
      await addWorker(database, run, own.id, worker);
      return joinRun(context, own, reaper);
    },
    async watch() {
      await reaper.look();
      const status = await sharedStatus(database, run, id);
      if (status === undefined) throw notShared(id, false);
      return status;
    },
    async expel(worker) {
      await database.transaction(async (transaction) => {
        const lost = await loseWorkerOf(transaction, run, worker);
        for (const one of lost) await giveBack(context, transaction, { worker: one });
      });
    },
    drain: () => setState(database, run, "draining"),
    end: () => endShared(context),
    close: () => database.close(),
  };
}

function notShared(id: string, hasEnded: boolean): Failure {
  return hasEnded
    ? new Failure("run_unknown", `run ${id} has ended: there is nothing to work on`, {
        hint: "see the runs with `migrate status`; what is left of one is sent by `migrate resume`",
      })
    : new Failure("run_unknown", `run ${id} gives no work to workers`, {
        hint: "only a run that was started with `migrate push --workers <n>` does",
      });
}
