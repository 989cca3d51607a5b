import type { AttemptOutcome, Intent } from "../../../src/ledger/records/requests.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { Run } from "../../../src/ledger/records/run.ts";
import { lostRange } from "../../../src/ledger/postgres/shared/range-rows.ts";
import { createMutex } from "../../../src/time/mutex.ts";
import { createReaper, type Reap } from "../../../src/ledger/runs/reaper.ts";
import type { SharedRun, SharedWorker } from "../../../src/ledger/runs/shared-run.ts";
import type { Clock } from "../../../src/time/clock.ts";
import { type ModelServer, newWorkerId } from "./model-server.ts";
import { runClosed, type HeldRange } from "./model-share.ts";

/**
 * The connection of one process to the server. Each call is a transaction. A transaction with a fence is executed once,
 * even if its reply is lost. Other transactions may be repeated.
 */
export interface ModelConnection {
  /** @param fence throws if the fencing token is no longer valid */
  readonly once: <Result>(fence: () => void, work: () => Result) => Promise<Result>;
  readonly retryIfLost: <Result>(work: () => Result) => Promise<Result>;
}

export interface ModelRunOptions {
  readonly server: ModelServer;
  readonly connection: ModelConnection;
  /** The fencing token of the process that planned the run. */
  readonly planner?: number | undefined;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/** Returns the part of the ledger that is compared with journals, as one process sees it. */
export function modelLedger(
  { tables, facts }: ModelServer,
  { retryIfLost }: ModelConnection,
): Required<Pick<Ledger, "findRun" | "history" | "recovery" | "origin">> {
  const { recovery } = tables;
  return {
    findRun: (id) =>
      retryIfLost(() => {
        const found = id === undefined ? tables.latest() : id;
        return found === undefined || !tables.has(found) ? undefined : runRow(found);
      }),
    history: () => retryIfLost(tables.history),
    recovery: {
      unknownRequests: (requests) => retryIfLost(() => recovery.unknownRequests(requests)),
      markPossiblySent: (requests, at) => retryIfLost(() => recovery.markPossiblySent(requests, at)),
      noteRecovery: (one) => retryIfLost(() => recovery.noteRecovery(one)),
      isRecoveryKnown: (id) => retryIfLost(() => recovery.isRecoveryKnown(id)),
    },
    origin: {
      noteMachine: (machine) => retryIfLost(() => tables.noteMachine(machine)),
      noteOrigin: (origin, at) => retryIfLost(() => tables.noteOrigin({ origin, at })),
      facts: () => retryIfLost(facts),
    },
  };
}

function runRow(id: string): Run {
  return {
    id,
    command: "push",
    target: "",
    supplier: "",
    operation: "",
    endpoint: "",
    settings: {},
    dryRun: false,
    startedAt: "",
    state: "sending",
  };
}

/** Returns the run, as one process sees it in a model server. */
export function modelSharedRun(run: string, options: ModelRunOptions): SharedRun {
  const { server, connection, planner, clock } = options;
  const reap = createReaper({
    clock,
    leaseMs: async () => server.leaseMs(run),
    revokeRanges: async (leaseMs) => server.revokeFromDead(run, leaseMs),
  });
  const asPlanner = <Result>(work: () => Result): Promise<Result> => {
    if (planner === undefined) throw new Error("Only the planner of the run may do this.");
    return connection.once(() => server.requireWriter(planner), work);
  };
  const announced = newWorkerId();
  return {
    ledger: {
      ...modelLedger(server, connection),
      summary: (id) => connection.retryIfLost(() => server.tables.summary(id)),
      sendable: (id, from, to) => connection.retryIfLost(() => server.tables.sendable(id, from, to)),
      nextSendable: async (id, from) => {
        const [next] = await connection.retryIfLost(() => server.tables.sendable(id, from, Number.MAX_SAFE_INTEGER));
        return next && { record: next.record };
      },
      notePosition: async () => undefined,
    },
    begin: (plan) => asPlanner(() => server.beginSharing(run, plan)),
    announce: (worker) => connection.retryIfLost(() => server.announce(run, announced, worker)),
    async join(worker) {
      const id = newWorkerId();
      await connection.retryIfLost(() => server.removeAnnounced(announced));
      let leaseMs: number | undefined;
      while ((leaseMs = await connection.retryIfLost(() => server.join(run, id, worker))) === undefined)
        await clock.sleep(500);
      return modelWorker({ id, run, leaseMs }, options, reap);
    },
    async isAllDone() {
      const { waiting = 0, taken = 0 } = (await connection.retryIfLost(() => server.status(run)))?.ranges ?? {};
      return waiting + taken === 0;
    },
    async watch() {
      await asPlanner(() => undefined);
      await reap();
      const status = server.status(run);
      if (status === undefined) throw runClosed(run);
      return status;
    },
    evict: (process) => asPlanner(() => server.evict(run, process)),
    drain: () => asPlanner(() => server.setState(run, "draining")),
    end: () => asPlanner(() => server.end(run)),
    close: () => connection.retryIfLost(() => server.removeAnnounced(announced)),
  };
}

interface Identity {
  readonly id: string;
  readonly run: string;
  readonly leaseMs: number;
}

function modelWorker(
  { id, run, leaseMs }: Identity,
  { server, connection }: ModelRunOptions,
  reap: Reap,
): SharedWorker {
  const held = new Map<number, HeldRange>();
  const inTurn = createMutex();
  const rangesOf = (items: readonly { readonly record: number }[]): readonly HeldRange[] => {
    const ranges = new Set<HeldRange>();
    for (const { record } of items) {
      const range = [...held.values()].find(({ first, last }) => record >= first && record <= last);
      if (range === undefined) throw lostRange();
      ranges.add(range);
    }
    return [...ranges];
  };
  const save = async (of: string, intents: readonly Intent[], outcomes: readonly AttemptOutcome[]): Promise<void> => {
    const ranges = rangesOf([...intents, ...outcomes]);
    await connection.once(
      () => server.requireHeld(id, ranges),
      () => server.tables.save(of, intents, outcomes),
    );
  };
  return {
    leaseMs,
    beat: (report) =>
      inTurn(async () => {
        const orders = await connection.retryIfLost(() => server.beat(id, [...held.values()], report));
        await reap();
        return orders;
      }),
    claim: () =>
      inTurn(async () => {
        const range = await connection.retryIfLost(() => server.claim(id, [...held.keys()]));
        if (range !== undefined) held.set(range.first, range);
        return range && { first: range.first, last: range.last };
      }),
    finish: ({ first }) =>
      inTurn(async () => {
        const range = held.get(first);
        if (range === undefined) throw lostRange();
        await connection.once(
          () => server.requireHeld(id, [range]),
          () => server.finish(run, range),
        );
        held.delete(first);
      }),
    leave: () => inTurn(() => connection.retryIfLost(() => server.leave(id))),
    stop: (failure, others) => connection.retryIfLost(() => server.stop(id, failure, others)),
    hold: (forMs) => connection.retryIfLost(() => server.hold(id, forMs)),
    saveIntents: (of, intents, outcomes = []) => save(of, intents, outcomes),
    saveOutcomes: (of, outcomes) => save(of, [], outcomes),
  };
}
