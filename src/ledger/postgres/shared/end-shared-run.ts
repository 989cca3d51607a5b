import { type Sleeper, timestamp, type WallClock } from "../../../time/clock.ts";
import { Failure } from "../../../model/failure.ts";
import { systemClock } from "../../../time/system-clock.ts";
import { counted } from "../../../text/count.ts";
import { requireNotStopped } from "../../ledger-failures.ts";
import type { StoreOptions } from "../../ledger-store.ts";
import type { WorkerStatus } from "../../runs/shared-run.ts";
import type { Fence, PostgresDatabase } from "../postgres-database.ts";
import type { Queries, Transaction } from "../queries.ts";
import { openRangeQueue } from "./range-queue.ts";
import { revokeRanges } from "./range-rows.ts";
import { setState, sharedRow, sharedStatus } from "./worker-rows.ts";
import { statement } from "../../tables/tables.ts";

/** Stops assigning ranges and revokes held ranges, so that their holders can no longer write. */
export async function endShared(transaction: Transaction, run: number, clock: WallClock): Promise<void> {
  const { resends = false } = (await sharedRow(transaction, run)) ?? {};
  await setState(transaction, run, "ended");
  await revokeRanges(transaction, { run, from: "all workers", resends, at: timestamp(clock), state: "closed" });
}

/**
 * Ends the shared runs of a dead planner.
 * @param planner the fence of the process that takes over
 */
export async function endAbandonedRuns(database: PostgresDatabase, planner: Fence): Promise<void> {
  for (const { run, id } of await database.rows(SELECT_OPEN)) {
    await database.transaction((transaction) => endShared(transaction, run, systemClock), {
      isLong: true,
      fence: planner,
    });
    await (await openRangeQueue(database, id)).remove();
  }
}

const SELECT_OPEN = statement<{ run: number; id: string }>(`
  select run, name as id from migrate.shared_runs join migrate.runs on runs.id = run where shared_runs.state <> 'ended'`);

interface LiveWorkersOptions extends StoreOptions {
  readonly clock?: Sleeper;
}

const POLL_INTERVAL_MS = 1_000;

/**
 * Waits until no worker of a dead planner can be active. A worker that has sent a heartbeat since the first check is
 * alive. Any other worker is considered dead when its lease expires.
 * @throws Failure `ledger_in_use` if a worker is alive, `incomplete` if `drain` aborts during the wait
 */
export async function refuseLiveWorkers(
  database: Queries,
  { notice, clock = systemClock, drain }: LiveWorkersOptions = {},
): Promise<void> {
  let first: ReadonlyMap<string, string> | undefined;
  for (;;) {
    const working = await workingOf(database);
    if (working.length === 0) return;
    if (first === undefined) {
      first = new Map(working.map(({ id, seenAt }) => [id, seenAt]));
      notice?.(
        `Waiting for a heartbeat from ${counted(working.length, "worker")} of a run whose planning process has ended`,
      );
    }
    const beating = working.filter(({ id, seenAt }) => first?.get(id) !== seenAt);
    const [one] = beating;
    if (one !== undefined) throw liveWorkersFailure(database, one.run, beating.length);
    requireNotStopped(drain, `workers of run ${working[0]?.run ?? ""}`);
    await clock.sleep(POLL_INTERVAL_MS, drain);
  }
}

interface WorkerOfRun extends WorkerStatus {
  readonly run: string;
}

/** Returns the active workers of shared runs that have not ended. */
export async function workingOf(database: Queries): Promise<readonly WorkerOfRun[]> {
  const all: WorkerOfRun[] = [];
  for (const { run, id } of await database.rows(SELECT_OPEN)) {
    const { workers = [] } = (await sharedStatus(database, run, id)) ?? {};
    for (const one of workers) if (one.state === "working") all.push({ ...one, run: id });
  }
  return all;
}

function liveWorkersFailure({ name }: Queries, id: string, workers: number): Failure {
  const who = workers === 1 ? "a worker is" : `${workers} workers are`;
  return new Failure("ledger_in_use", `the ledger ${name} is in use: ${who} still sending records of run ${id}`, {
    hint: "wait until the remaining records have been sent, or stop the workers (SIGTERM); `migrate status` lists them",
  });
}
