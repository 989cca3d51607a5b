import { setMaxListeners } from "node:events";
import type { HeartbeatReply, SharedWorker } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import { type Clock, untilAborted } from "../../time/clock.ts";
import type { FindingsBuilder } from "./worker-findings.ts";
import type { ReportBuilder } from "./worker-report.ts";
import type { LeaseWatch } from "../../time/lease-watch.ts";
import type { WorkerPace } from "./worker-pace.ts";

/** The latest heartbeat reply, which contains the worker's instructions, and the heartbeat interval. */
export interface HeartbeatReplies {
  readonly lastReply: () => HeartbeatReply | undefined;
  /** Milliseconds between heartbeats. */
  readonly everyMs: number;
}

/** Regularly reports that the worker is alive, and receives its instructions. */
export interface Heartbeat extends HeartbeatReplies {
  /**
   * Resolves when the worker may begin, because all other workers have lowered their limits to make room for it. Also
   * resolves if the worker must leave.
   */
  readonly ready: Promise<void>;
  /** Aborts when the worker must not claim more ranges. */
  readonly leaving: AbortSignal;
  /** Aborts when a heartbeat fails, for example because the worker has lost its ranges. */
  readonly lost: AbortSignal;
  /** Returns the failure of the heartbeat if this failure is the reason why the worker leaves. */
  readonly failure: () => Failure | undefined;
  readonly stop: () => Promise<void>;
}

interface HeartbeatParts {
  readonly worker: SharedWorker;
  readonly clock: Clock;
  readonly report: ReportBuilder;
  readonly findings: FindingsBuilder;
  readonly lease: LeaseWatch;
  readonly pace: WorkerPace;
  /** Called after each successful heartbeat. */
  readonly onBeat: () => Promise<void>;
}

const BEAT_MS = 1_000;
/**
 * Number of initial heartbeats that are sent at shorter intervals, so that workers that start at the same time soon
 * learn about each other.
 */
const FIRST_BEATS = 15;
const FIRST_BEAT_MS = 200;

export function heartbeatMs(leaseMs: number): number {
  return Math.min(BEAT_MS, leaseMs / 5);
}

export function startHeartbeat({ worker, clock, report, findings, lease, pace, onBeat }: HeartbeatParts): Heartbeat {
  const everyMs = heartbeatMs(worker.leaseMs);
  const [leaving, lost, stopped] = [new AbortController(), new AbortController(), new AbortController()];
  // Every request that waits for the lease adds a listener.
  setMaxListeners(0, leaving.signal, lost.signal);
  let reply: HeartbeatReply | undefined;
  let failure: Failure | undefined;
  const isReady = new AbortController();

  const beat = async (): Promise<void> => {
    const askedAt = lease.moment();
    reply = await worker.beat({ ...report.current(), findings: findings.current() });
    lease.renewed(askedAt);
    pace.learn(reply);
    findings.learn(reply);
    if (reply.state !== "open") leaving.abort();
    await onBeat();
  };

  const keepBeating = async (): Promise<void> => {
    let wasKnown = false;
    for (let beats = 1; !stopped.signal.aborted; beats += 1) {
      await beat();
      if (reply?.position === 0 || wasKnown || leaving.signal.aborted) isReady.abort();
      // By the next heartbeat, the other workers will have lowered their limits.
      wasKnown = reply?.isKnown === true;
      await clock.sleep(beats < FIRST_BEATS ? Math.min(FIRST_BEAT_MS, everyMs) : everyMs, stopped.signal);
    }
  };

  const ended = keepBeating().catch((error: unknown) => {
    failure = error instanceof Failure ? error : new Failure("storage", String(error), { cause: error });
    for (const signalled of [lost, leaving, isReady]) signalled.abort();
    if (!(error instanceof Failure)) throw error;
  });
  // `stop` rethrows an error caused by a bug.
  ended.catch(() => undefined);
  return {
    ready: untilAborted(isReady.signal),
    leaving: leaving.signal,
    lost: lost.signal,
    failure: () => failure,
    lastReply: () => reply,
    everyMs,
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}
