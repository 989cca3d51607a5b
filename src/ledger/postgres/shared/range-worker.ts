import { createMutex } from "../../../time/mutex.ts";
import type { RequestLedger } from "../../ledger.ts";
import { latestFindings } from "../../runs/platform-findings.ts";
import type { HeartbeatReply, SharedWorker, WorkerReport } from "../../runs/shared-run.ts";
import type { PostgresDatabase } from "../postgres-database.ts";
import { postgresLedger } from "../postgres-ledger.ts";
import type { Queries, Transaction } from "../queries.ts";
import {
  finishRange,
  type HeldRange,
  claimRangeOfJob,
  claimUnknownRange,
  lostRange,
  rangesFence,
  renewJob,
  renewRanges,
  type ClaimingWorker,
} from "./range-rows.ts";
import type { Reap } from "../../runs/reaper.ts";
import { releaseRanges, type SharedContext } from "./shared-context.ts";
import {
  endWorker,
  findingsOf,
  isWorking,
  noteWorker,
  placeOf,
  rangeCounts,
  setFailure,
  setHold,
  setState,
  sharedRow,
} from "./worker-rows.ts";

interface Identity {
  readonly id: string;
  readonly leaseMs: number;
}

/** Returns the worker for an existing row in the table of workers. */
export function joinRun(shared: SharedContext, { id, leaseMs }: Identity, reap: Reap): SharedWorker {
  const context = { ...shared, database: withinLease(shared.database, leaseMs) };
  const { database, run, queue } = context;
  const held = createHeldRanges(context, id);
  // Operations run one at a time, because each of them uses or changes the held ranges.
  const inTurn = createMutex();
  const own = { run, worker: id, leaseMs };

  /**
   * Runs a transaction of the worker. Fails if the worker is considered dead. The worker cannot be declared dead during
   * the transaction.
   */
  const asWorker = <Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> =>
    database.transaction(async (transaction) => {
      if (!(await isWorking(transaction, id))) throw lostRange();
      return work(transaction);
    });
  const beatOnce = async (transaction: Transaction, report: WorkerReport): Promise<HeartbeatReply> => {
    const firsts = held.firsts();
    if (!(await noteWorker(transaction, id, report))) throw lostRange();
    if ((await renewRanges(transaction, own, firsts)) < firsts.length) throw lostRange();
    return heartbeatReply(transaction, { run, id, leaseMs });
  };
  return {
    leaseMs,
    beat: (report) =>
      inTurn(async () => {
        // The renewal is durable, so that a server crash cannot make a lease shorter than its worker assumes.
        const reply = await database.transaction((transaction) => beatOnce(transaction, report));
        await reap();
        return reply;
      }),
    claim: () =>
      inTurn(async () => {
        const range = await asWorker((transaction) => claimRange(transaction, context, own, held.firsts()));
        if (range !== undefined) held.add(range);
        return range && { first: range.first, last: range.last };
      }),
    finish: ({ first }) =>
      inTurn(async () => {
        const range = held.require(first);
        const finished = async (transaction: Transaction): Promise<void> => {
          await finishRange(transaction, run, first);
          await queue.complete(range.job, transaction);
        };
        await database.transaction(finished, { fence: rangesFence(run, id, [range]) });
        held.remove(first);
      }),
    leave: () =>
      inTurn(() =>
        database.transaction(async (transaction) => {
          await releaseRanges(context, transaction, { worker: id });
          await endWorker(transaction, id);
        }),
      ),
    stop: (failure, others) =>
      asWorker(async (transaction) => {
        await setFailure(transaction, run, failure);
        if (others === "stop") await setState(transaction, run, "stopped");
      }),
    hold: (forMs, reason) => asWorker((transaction) => setHold(transaction, run, forMs, reason)),
    ...held.ledger,
  };
}

async function claimRange(
  transaction: Transaction,
  { run, queue }: SharedContext,
  own: ClaimingWorker,
  known: readonly number[],
): Promise<HeldRange | undefined> {
  const unknown = await claimUnknownRange(transaction, own, known);
  if (unknown !== undefined) return unknown;
  for (;;) {
    const job = await queue.take(transaction);
    if (job === undefined) break;
    const range = await claimRangeOfJob(transaction, own, job);
    if (range !== undefined) return range;
    await queue.complete(job.id, transaction);
  }
  // A waiting range may have lost its job. The worker that takes the new job gets the range.
  const renewed = await renewJob(transaction, run);
  if (renewed !== undefined) await queue.add([renewed], transaction);
  return undefined;
}

/** Limits the idle time of transactions, so that a suspended worker locks no row for longer than its lease. */
function withinLease(database: PostgresDatabase, leaseMs: number): PostgresDatabase {
  return { ...database, transaction: (work, how) => database.transaction(work, { ...how, idleMs: leaseMs }) };
}

async function heartbeatReply(
  queries: Queries,
  { run, id, leaseMs }: Identity & { readonly run: number },
): Promise<HeartbeatReply> {
  const row = await sharedRow(queries, run);
  const { state = "ended", concurrency = 1, rps, holdMs = 0 } = row ?? {};
  const place = await placeOf(queries, { run, id, leaseMs });
  const findings = latestFindings(await findingsOf(queries, run, leaseMs), id);
  const counts = await rangeCounts(queries, run);
  return { state, concurrency, ...(rps != null && { rps }), holdMs, ...place, findings, ...counts };
}

/**
 * Creates the list of the worker's ranges. The list also writes requests and outcomes, in transactions that check the
 * fencing tokens of all ranges involved.
 */
function createHeldRanges({ database, run }: SharedContext, worker: string) {
  const held = new Map<number, HeldRange>();
  const rangeOf = (record: number): HeldRange => {
    for (const range of held.values()) if (record >= range.first && record <= range.last) return range;
    throw lostRange();
  };
  const ledgerFor = (items: readonly { readonly record: number }[]): RequestLedger => {
    const ranges = [...new Set(items.map(({ record }) => rangeOf(record)))];
    return postgresLedger(database, { fence: rangesFence(run, worker, ranges), close: keepOpen });
  };
  const ledger: RequestLedger = {
    async saveIntents(id, intents, outcomes = []) {
      const all = [...intents, ...outcomes];
      if (all.length > 0) await ledgerFor(all).saveIntents(id, intents, outcomes);
    },
    async saveOutcomes(id, outcomes) {
      if (outcomes.length > 0) await ledgerFor(outcomes).saveOutcomes(id, outcomes);
    },
  };
  return {
    ledger,
    add: (range: HeldRange) => held.set(range.first, range),
    remove: (first: number) => held.delete(first),
    firsts: () => [...held.keys()],
    require(first: number): HeldRange {
      const found = held.get(first);
      if (found === undefined) throw lostRange();
      return found;
    },
  };
}

/** Does nothing, because closing this ledger must not close the connections of the run. */
async function keepOpen(): Promise<void> {
  return undefined;
}
