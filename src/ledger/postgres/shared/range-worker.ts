import type { Ledger } from "../../ledger.ts";
import type { Orders, SharedWorker } from "../../runs/shared-run.ts";
import { postgresLedger } from "../postgres-ledger.ts";
import type { Queries, Transaction } from "../queries.ts";
import { finishRange, type HeldRange, lostRange, rangeFence, renewRanges, takeRange } from "./range-rows.ts";
import { giveBack, type Reaper, type SharedContext } from "./shared-context.ts";
import {
  endWorker,
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

/** A worker that stands in the table of workers already. */
export function joinRun(context: SharedContext, { id, leaseMs }: Identity, reaper: Reaper): SharedWorker {
  const { database, run, queue } = context;
  const held = createHeldRanges(context);
  const inTurn = createTurns();
  const beatOnce = async (transaction: Transaction, report: Parameters<SharedWorker["beat"]>[0]): Promise<Orders> => {
    const firsts = held.firsts();
    if (!(await noteWorker(transaction, id, report))) throw lostRange();
    const kept = await renewRanges(transaction, { run, worker: id, leaseMs, firsts });
    if (kept < firsts.length) throw lostRange();
    return ordersFor(transaction, { run, id, leaseMs });
  };
  const claimOnce = async (transaction: Transaction): Promise<HeldRange | undefined> => {
    for (;;) {
      const job = await queue.take(transaction);
      if (job === undefined) return undefined;
      const range = await takeRange(transaction, { run, first: job.first, worker: id, leaseMs });
      if (range !== undefined) return range;
      // It is done, or closed: the job stands for nothing any more.
      await queue.complete(job.id, transaction);
    }
  };
  return {
    leaseMs,
    beat: (report) =>
      inTurn(async () => {
        const orders = await database.transaction((transaction) => beatOnce(transaction, report), { isDurable: false });
        await reaper.look();
        return orders;
      }),
    claim: () =>
      inTurn(async () => {
        const range = await database.transaction(claimOnce);
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
        await database.transaction(finished, { fence: rangeFence(run, range) });
        held.remove(first);
      }),
    leave: () =>
      inTurn(() =>
        database.transaction(async (transaction) => {
          await giveBack(context, transaction, { worker: id });
          await endWorker(transaction, id);
        }),
      ),
    async stop(failure, others) {
      await setFailure(database, run, failure);
      if (others === "stop") await setState(database, run, "stopped");
    },
    hold: (forMs, reason) => setHold(database, run, forMs, reason),
    saveIntents: held.saveIntents,
    saveOutcomes: held.saveOutcomes,
  };
}

/** One after the other: what is held changes with each. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

async function ordersFor(queries: Queries, { run, id, leaseMs }: Identity & { readonly run: number }): Promise<Orders> {
  const row = await sharedRow(queries, run);
  const { state = "ended", concurrency = 1, rps, holdMs = 0 } = row ?? {};
  const place = await placeOf(queries, { run, id, leaseMs });
  return { state, concurrency, ...(rps != null && { rps }), holdMs, ...place, ranges: await rangeCounts(queries, run) };
}

type WritingLedger = Pick<Ledger, "saveIntents" | "saveOutcomes">;

interface HeldRanges extends WritingLedger {
  readonly add: (range: HeldRange) => void;
  readonly remove: (first: number) => void;
  readonly require: (first: number) => HeldRange;
  readonly firsts: () => readonly number[];
}

/** Writes what belongs to a range under its fence; what belongs to several, range by range. */
function createHeldRanges({ database, run }: SharedContext): HeldRanges {
  const held = new Map<number, { readonly range: HeldRange; readonly ledger: WritingLedger }>();
  const requireHeld = (items: readonly { readonly record: number }[]): void => {
    const ranges = [...held.values()].map(({ range }) => range);
    const isHeld = items.every(({ record }) => ranges.some(({ first, last }) => record >= first && record <= last));
    if (!isHeld) throw lostRange();
  };
  return {
    add(range) {
      held.set(range.first, {
        range,
        ledger: postgresLedger(database, { fence: rangeFence(run, range), close: keepOpen }),
      });
    },
    remove: (first) => void held.delete(first),
    require(first) {
      const found = held.get(first);
      if (found === undefined) throw lostRange();
      return found.range;
    },
    firsts: () => [...held.keys()],
    async saveIntents(id, intents, outcomes = []) {
      requireHeld([...intents, ...outcomes]);
      for (const { range, ledger } of held.values()) {
        const [own, settled] = [parts(intents, range), parts(outcomes, range)];
        if (own.length > 0) await ledger.saveIntents(id, own, settled);
        else if (settled.length > 0) await ledger.saveOutcomes(id, settled);
      }
    },
    async saveOutcomes(id, outcomes) {
      requireHeld(outcomes);
      for (const { range, ledger } of held.values()) {
        const settled = parts(outcomes, range);
        if (settled.length > 0) await ledger.saveOutcomes(id, settled);
      }
    },
  };
}

/** Of what is written about, the part that is about a range. */
function parts<Item extends { readonly record: number }>(
  items: readonly Item[],
  { first, last }: HeldRange,
): readonly Item[] {
  return items.filter(({ record }) => record >= first && record <= last);
}

/** The connections are the run's. */
async function keepOpen(): Promise<void> {
  return undefined;
}
