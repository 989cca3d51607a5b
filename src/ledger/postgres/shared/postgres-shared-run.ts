import { randomUUID } from "node:crypto";
import { systemClock } from "../../../time/system-clock.ts";
import { Failure } from "../../../model/failure.ts";
import { cannotJoin } from "../../runs/cannot-join.ts";
import type { Reap } from "../../runs/reaper.ts";
import { areDone, type SharedRun, type WorkerIdentity } from "../../runs/shared-run.ts";
import type { Fence, PostgresDatabase, TransactionOptions } from "../postgres-database.ts";
import { postgresLedger } from "../postgres-ledger.ts";
import type { Transaction } from "../queries.ts";
import { requireRun } from "../postgres-tables.ts";
import { endShared } from "./end-shared-run.ts";
import { openRangeQueue } from "./range-queue.ts";
import { cutRanges } from "./range-rows.ts";
import { joinRun } from "./range-worker.ts";
import { releaseRanges, reaperOf, type SharedContext } from "./shared-context.ts";
import {
  addWorker,
  announceWorker,
  markWorkersLost,
  openSharedRow,
  rangeCounts,
  removeAnnounced,
  setState,
  type SharedRow,
  sharedRow,
  sharedStatus,
} from "./worker-rows.ts";

export interface SharedRunOptions {
  /** The fence of the process that planned the run and holds the ledger. Absent for a worker. */
  readonly planner?: Fence | undefined;
  readonly clock?: SharedContext["clock"];
  readonly close: () => Promise<void>;
}

/** @throws Failure `run_unknown` */
export async function postgresSharedRun(
  database: PostgresDatabase,
  id: string,
  { planner, clock = systemClock, close }: SharedRunOptions,
): Promise<SharedRun> {
  const { number: run } = await requireRun(database, id);
  const context: SharedContext = { database, run, id, queue: await openRangeQueue(database, id), clock };
  const reap = reaperOf(context);
  const ledger = postgresLedger(database, { close: async () => undefined });

  /** Runs a transaction of the planner. A planner that has lost the ledger to another process cannot write. */
  const asPlanner = <Result>(
    work: (transaction: Transaction) => Promise<Result>,
    how: TransactionOptions = {},
  ): Promise<Result> => {
    if (planner === undefined) throw new Error("Only the process that planned the run may do this.");
    return database.transaction(work, { ...how, fence: planner });
  };

  return {
    ledger,
    async begin(plan) {
      await context.queue.create();
      return asPlanner(
        async (transaction) => {
          await context.queue.clear(transaction);
          const jobs = await cutRanges(transaction, run, plan.size);
          await openSharedRow(transaction, run, plan);
          await context.queue.add(jobs, transaction);
          return jobs.length;
        },
        { isLong: true },
      );
    },
    ...joining(context, reap, close),
    async isAllDone() {
      return areDone((await rangeCounts(database, run)).ranges);
    },
    async watch() {
      await asPlanner(async () => undefined, { isDurable: false });
      await reap();
      const status = await sharedStatus(database, run, id);
      if (status === undefined) throw cannotJoin(id, "without workers");
      return status;
    },
    evict: (worker) =>
      asPlanner(async (transaction) => {
        const lost = await markWorkersLost(transaction, run, worker);
        for (const one of lost) await releaseRanges(context, transaction, { worker: one });
      }),
    drain: () => asPlanner((transaction) => setState(transaction, run, "draining")),
    async end() {
      await asPlanner((transaction) => endShared(transaction, run, context.clock), { isLong: true });
      await context.queue.remove();
    },
  };
}

function joining(context: SharedContext, reap: Reap, close: () => Promise<void>) {
  const { database, run } = context;
  let announced: string | undefined;
  const withdraw = async (): Promise<void> => {
    if (announced !== undefined) await removeAnnounced(database, announced);
    announced = undefined;
  };
  return {
    async announce(worker: WorkerIdentity) {
      await requireOpen(context);
      announced ??= randomUUID();
      await announceWorker(database, run, announced, worker);
    },
    async join(worker: WorkerIdentity) {
      const own = { id: randomUUID(), leaseMs: (await requirePlanner(context)).leaseMs };
      await addWorker(database, run, own.id, worker);
      await withdraw();
      return joinRun(context, own, reap);
    },
    async close() {
      // If the row remains, other workers ignore it after its lease expires.
      await withdraw().catch(() => undefined);
      await close();
    },
  };
}

async function requireOpen({ database, run, id }: SharedContext): Promise<SharedRow> {
  const row = await sharedRow(database, run);
  if (row === undefined || row.state === "ended") throw cannotJoin(id, row === undefined ? "without workers" : "ended");
  return row;
}

const POLL_INTERVAL_MS = 500;

/**
 * Waits for the planner to renew its lease if it has not done so since the server started. In an older copy of the
 * database, a run that has ended may still appear open. A machine that has sent nothing cannot detect such a copy, but
 * the planner can.
 */
async function requirePlanner(context: SharedContext): Promise<SharedRow> {
  for (;;) {
    const row = await requireOpen(context);
    if (row.planner === "present") return row;
    if (row.planner === "gone") {
      throw new Failure("run_unknown", `the process that planned run ${context.id} has ended`, {
        hint: `\`migrate resume ${context.id}\` sends the remaining records; workers can join again while it runs`,
      });
    }
    await context.clock.sleep(POLL_INTERVAL_MS);
  }
}
