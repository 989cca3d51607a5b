import { randomUUID } from "node:crypto";
import type {
  HeartbeatReply,
  SharedFailure,
  SharedPlan,
  SharedStatus,
  WorkerIdentity,
  WorkerReport,
} from "../../../src/ledger/runs/shared-run.ts";
import type { OriginFacts } from "../../../src/ledger/journal/recovery.ts";
import { latestFindings } from "../../../src/ledger/runs/platform-findings.ts";
import { lostRange } from "../../../src/ledger/postgres/shared/range-rows.ts";
import {
  runClosed,
  type HeldRange,
  ledgerInUse,
  isPresent,
  type ModelRange,
  type ModelShare,
  type ModelWorker,
  ordersOf,
  toStatus,
} from "./model-share.ts";
import { createModelTables, type ModelTables } from "./model-tables.ts";

/**
 * A minimal model of the server behind a shared ledger. Each call is a transaction, at one moment of the server's
 * clock.
 */
export interface ModelServer {
  readonly tables: ModelTables;
  readonly now: () => number;
  /** Makes a process the only writer of the whole ledger. Returns its fencing token. @throws Failure `ledger_in_use` */
  readonly take: (owner: string, leaseMs: number) => number;
  readonly renew: (fence: number, leaseMs: number) => void;
  readonly release: (fence: number) => void;
  readonly requireWriter: (fence: number) => void;
  readonly beginSharing: (run: string, plan: SharedPlan) => number;
  /** Returns the lease (ms); undefined until the planner has renewed its lease since the last restore. */
  readonly join: (run: string, id: string, worker: WorkerIdentity) => number | undefined;
  readonly announce: (run: string, id: string, worker: WorkerIdentity) => void;
  readonly removeAnnounced: (id: string) => void;
  readonly beat: (id: string, held: readonly HeldRange[], report: WorkerReport) => HeartbeatReply;
  readonly claim: (id: string, known: readonly number[]) => HeldRange | undefined;
  readonly requireHeld: (id: string, ranges: readonly HeldRange[]) => void;
  readonly finish: (run: string, range: HeldRange) => void;
  readonly leave: (id: string) => void;
  readonly stop: (id: string, failure: SharedFailure, others: "stop" | "continue") => void;
  readonly hold: (id: string, forMs: number) => void;
  readonly revokeFromDead: (run: string, leaseMs: number) => void;
  readonly evict: (run: string, worker: WorkerIdentity) => void;
  readonly setState: (run: string, state: HeartbeatReply["state"]) => void;
  readonly end: (run: string) => void;
  readonly leaseMs: (run: string) => number | undefined;
  readonly status: (run: string) => SharedStatus | undefined;
  readonly workers: () => readonly Readonly<ModelWorker>[];
  readonly rangeOf: (run: string, record: number) => Readonly<ModelRange> | undefined;
  /** Returns the identity of the database, and the position of its log. */
  readonly facts: () => OriginFacts;
  /** Copies the database. The returned function replaces the database with the copy. */
  readonly copy: () => (kind: RestoreKind) => void;
  /** Makes the last heartbeats and the leases of these workers (default: all) this much older. */
  readonly silence: (ms: number, workers?: readonly string[]) => void;
}

/** How an older database is restored: with another origin, or as the server's files with an earlier log position. */
export type RestoreKind = "another origin" | "files";

const NOTHING: WorkerReport = { counts: {}, inFlight: 0, perSecond: 0, replies: { count: 0, totalMs: 0 } };

/** @param log returns the log position of a server that is never restored; it never decreases */
export function createModelServer(now: () => number, log: () => number = now): ModelServer {
  const tables = createModelTables(now);
  const shares = new Map<string, ModelShare>();
  const workers: ModelWorker[] = [];
  const writer: { fence: number; owner?: string | undefined; until: number; renewedAt: number } = {
    fence: 0,
    until: 0,
    renewedAt: 0,
  };
  let fences = 0;
  const origin = { number: 0, logOffset: 0, starts: 0, startedAt: Number.NEGATIVE_INFINITY };

  const stamp = (): string => new Date(now()).toISOString();
  const shareOf = (run: string): ModelShare => {
    const share = shares.get(run);
    if (share === undefined || share.state === "ended") throw runClosed(run);
    return share;
  };
  const workerOf = (id: string): ModelWorker | undefined =>
    workers.find((one) => one.id === id && one.state === "working");
  const requireWorking = (id: string): ModelWorker => {
    const worker = workerOf(id);
    if (worker === undefined) throw lostRange();
    return worker;
  };
  const hasHeartbeat = ({ seen, run }: ModelWorker): boolean => seen >= now() - (shares.get(run)?.plan.leaseMs ?? 0);
  const isAlive = (one: ModelWorker): boolean => one.state === "working" && hasHeartbeat(one);
  const taken = (run: string, id: string): readonly ModelRange[] =>
    (shares.get(run)?.ranges ?? []).filter(({ state, holder }) => state === "taken" && holder === id);

  const revokeRanges = (run: string, ranges: readonly ModelRange[], state: "waiting" | "closed"): void => {
    const resends = shares.get(run)?.plan.resendAmbiguous === true;
    for (const range of ranges) {
      const span = { run, first: range.first, last: range.last };
      const sending = tables.inFlight(span);
      tables.closeInterrupted(stamp(), span);
      if (resends) tables.sendAgain(run, sending);
      Object.assign(range, { state, fence: range.fence + 1, holder: undefined });
    }
  };
  const end = (run: string): void => {
    const share = shares.get(run);
    if (share === undefined) return;
    share.state = "ended";
    revokeRanges(
      run,
      share.ranges.filter(({ state }) => state === "waiting" || state === "taken"),
      "closed",
    );
  };
  const setState = (run: string, state: HeartbeatReply["state"]): void => {
    const share = shares.get(run);
    if (share !== undefined && share.state !== "ended") share.state = state;
  };
  const give = (range: ModelRange, id: string, leaseMs: number): HeldRange => {
    fences += 1;
    Object.assign(range, { fence: fences, holder: id, state: "taken", wasTaken: true, until: now() + leaseMs });
    return { first: range.first, last: range.last, fence: fences };
  };
  const counts = (run: string): HeartbeatReply["ranges"] => {
    const of = (state: ModelRange["state"]): number =>
      (shares.get(run)?.ranges ?? []).filter((range) => range.state === state).length;
    return { waiting: of("waiting") + of("closed"), taken: of("taken"), done: of("done") };
  };

  return {
    tables,
    now,
    take(owner, leaseMs) {
      const isHeld = writer.owner !== undefined && writer.until >= now();
      if (isHeld || workers.some((one) => shares.get(one.run)?.state !== "ended" && isAlive(one))) throw ledgerInUse();
      Object.assign(writer, { fence: writer.fence + 1, owner, until: now() + leaseMs, renewedAt: now() });
      for (const [run, { state }] of shares) if (state !== "ended") end(run);
      return writer.fence;
    },
    renew(fence, leaseMs) {
      if (writer.fence === fence) Object.assign(writer, { until: now() + leaseMs, renewedAt: now() });
    },
    release(fence) {
      if (writer.fence === fence) writer.owner = undefined;
    },
    requireWriter(fence) {
      if (writer.fence !== fence) throw ledgerInUse();
    },
    beginSharing(run, plan) {
      const ranges = tables
        .cut(run, plan.size)
        .map((range): ModelRange => ({ ...range, fence: 0, state: "waiting", until: 0 }));
      shares.set(run, { plan, ranges, state: "open", holdUntil: 0 });
      for (let at = workers.length - 1; at >= 0; at -= 1) if (workers[at]?.run === run) workers.splice(at, 1);
      return ranges.length;
    },
    join(run, id, { host, pid }) {
      const { plan } = shareOf(run);
      if (writer.owner === undefined || writer.until < now()) throw runClosed(run);
      if (writer.renewedAt < origin.startedAt) return undefined;
      if (!workers.some((one) => one.id === id)) {
        workers.push({ id, run, host, pid, state: "working", seen: now(), report: NOTHING });
      }
      return plan.leaseMs;
    },
    announce(run, id, { host, pid }) {
      shareOf(run);
      const known = workers.find((one) => one.id === id);
      if (known !== undefined) known.seen = now();
      else workers.push({ id, run, host, pid, state: "joining", seen: now(), report: NOTHING });
    },
    removeAnnounced(id) {
      const index = workers.findIndex((one) => one.id === id && one.state === "joining");
      if (index >= 0) workers.splice(index, 1);
    },
    beat(id, held, report) {
      const worker = requireWorking(id);
      const { run } = worker;
      const own = taken(run, id).filter(({ first }) => held.some((range) => range.first === first));
      if (own.length < held.length) throw lostRange();
      Object.assign(worker, { seen: now(), report, shown: worker.shown ?? now() });
      const share = shares.get(run);
      const { ranges = [] } = share ?? {};
      for (const range of own) range.until = now() + (share?.plan.leaseMs ?? 0);
      const alive = workers.filter((one) => one.run === run && isAlive(one));
      const reports = alive.map((one) => ({
        worker: one.id,
        seenAgoMs: now() - one.seen,
        findings: one.report.findings,
      }));
      return {
        ...ordersOf(share, now()),
        workers: alive.length,
        position: alive.indexOf(worker),
        isKnown: alive.every((one) => one === worker || one.seen > (worker.shown ?? 0)),
        findings: latestFindings(reports, id),
        ranges: counts(run),
        released: ranges.filter(({ state, wasTaken }) => state === "waiting" && wasTaken === true).length,
      };
    },
    claim(id, known) {
      const { run } = requireWorking(id);
      const { plan, ranges } = shares.get(run) ?? { ranges: [] };
      const unknown = taken(run, id).find(({ first }) => !known.includes(first));
      const next = unknown ?? ranges.find(({ state }) => state === "waiting");
      return next && give(next, id, plan?.leaseMs ?? 0);
    },
    requireHeld(id, held) {
      const { run = "" } = workers.find((one) => one.id === id) ?? {};
      const own = taken(run, id);
      const isHeld = held.every(({ first, fence }) =>
        own.some((range) => range.first === first && range.fence === fence),
      );
      if (!isHeld) throw lostRange();
    },
    finish(run, { first }) {
      const range = shares.get(run)?.ranges.find((one) => one.first === first);
      if (range !== undefined) range.state = "done";
    },
    leave(id) {
      const worker = workers.find((one) => one.id === id);
      if (worker === undefined) return;
      revokeRanges(worker.run, taken(worker.run, id), "waiting");
      worker.state = "left";
    },
    stop(id, failure, others) {
      const { run } = requireWorking(id);
      const share = shares.get(run);
      if (share !== undefined) share.failure ??= failure;
      if (others === "stop") setState(run, "stopped");
    },
    hold(id, forMs) {
      const share = shares.get(requireWorking(id).run);
      if (share !== undefined) share.holdUntil = Math.max(share.holdUntil, now() + forMs);
    },
    revokeFromDead(run, leaseMs) {
      const dead = (shares.get(run)?.ranges ?? []).filter(({ state, until }) => state === "taken" && until < now());
      if (dead.length === 0) return;
      for (const one of workers) {
        if (one.run === run && one.state === "working" && one.seen < now() - leaseMs) one.state = "lost";
      }
      revokeRanges(run, dead, "waiting");
    },
    evict(run, { host, pid }) {
      for (const one of workers) {
        if (one.run !== run || one.host !== host || one.pid !== pid || !isPresent(one)) continue;
        one.state = "lost";
        revokeRanges(run, taken(run, one.id), "waiting");
      }
    },
    setState,
    end,
    leaseMs: (run) => shares.get(run)?.plan.leaseMs,
    status(run) {
      const share = shares.get(run);
      if (share === undefined) return undefined;
      const { plan, state, holdUntil, failure } = share;
      const { leaseMs, concurrency, rps } = plan;
      return {
        run,
        at: new Date(now()).toISOString(),
        state,
        leaseMs,
        concurrency,
        ...(rps !== undefined && { rps }),
        ranges: counts(run),
        workers: workers
          .filter((one) => one.run === run)
          .map((one) => toStatus(one, hasHeartbeat(one), taken(run, one.id)))
          .toSorted((one, other) => Number(other.state === "working") - Number(one.state === "working")),
        ...(holdUntil > now() && { hold: { forMs: holdUntil - now(), reason: "" } }),
        ...(failure !== undefined && { failure }),
      };
    },
    workers: () => workers,
    facts: () => ({
      origin: `origin ${origin.number}`,
      position: log() + origin.logOffset,
      startedAt: `start ${origin.starts}`,
      machines: tables.machines(),
      noted: tables.notedOrigin(),
    }),
    copy() {
      const rows = tables.copy();
      const of = structuredClone({ shares, workers, writer, fences, position: log() + origin.logOffset });
      return (kind) => {
        const copy = structuredClone(of);
        tables.restore(rows);
        shares.clear();
        for (const [run, share] of copy.shares) shares.set(run, share);
        workers.splice(0, workers.length, ...copy.workers);
        Object.assign(writer, { owner: undefined }, copy.writer);
        fences = copy.fences;
        origin.starts += 1;
        origin.startedAt = now();
        if (kind === "files") origin.logOffset = copy.position - log();
        else origin.number += 1;
      };
    },
    rangeOf: (run, record) => shares.get(run)?.ranges.find(({ first, last }) => record >= first && record <= last),
    silence(ms, ids) {
      for (const worker of workers) {
        if (ids !== undefined && !ids.includes(worker.id)) continue;
        worker.seen -= ms;
        for (const range of taken(worker.run, worker.id)) range.until -= ms;
      }
    },
  };
}

export function newWorkerId(): string {
  return randomUUID();
}
