import type { StepClient } from "../../platform/import/step-clients.ts";
import type { Clock } from "../../time/clock.ts";

/** Whether this worker may still send, as far as it can know by itself. */
export interface WorkerLease {
  /** The server has renewed what the worker holds; it was asked to at this moment, or later. */
  readonly renewed: (asked: Moment) => void;
  readonly moment: () => Moment;
  readonly isHeld: () => boolean;
}

/** By two clocks: the one stands still while a machine sleeps, the other may be set. */
interface Moment {
  readonly monotonic: number;
  readonly now: number;
}

/** The rest is left for what is on its way. */
const USED_SHARE = 0.8;

export function createWorkerLease(leaseMs: number, clock: Pick<Clock, "monotonic" | "now">): WorkerLease {
  const moment = (): Moment => ({ monotonic: clock.monotonic(), now: clock.now() });
  let asked: Moment | undefined;
  return {
    renewed(at) {
      asked = at;
    },
    moment,
    isHeld() {
      if (asked === undefined) return false;
      const { monotonic, now } = moment();
      return Math.max(monotonic - asked.monotonic, now - asked.now) < leaseMs * USED_SHARE;
    },
  };
}

interface Guard {
  readonly lease: Pick<WorkerLease, "isHeld">;
  readonly clock: Pick<Clock, "sleep">;
  /** The worker has lost what it held. */
  readonly lost: AbortSignal;
}

const LOOK_AGAIN_MS = 50;

/**
 * The same requests, none of which leaves while the lease is not held: a worker that was frozen waits until the server has told
 * it whether what it holds is still its own.
 */
export function guardedStep(step: StepClient, guard: Guard): StepClient {
  const guarded =
    (maySend: Parameters<StepClient["send"]>[2]): Parameters<StepClient["send"]>[2] =>
    async () => {
      for (;;) {
        while (!guard.lease.isHeld() && !guard.lost.aborted) await guard.clock.sleep(LOOK_AGAIN_MS, guard.lost);
        if (guard.lost.aborted || (await maySend?.()) === false) return false;
        if (guard.lease.isHeld()) return true;
      }
    };
  const { status } = step;
  return {
    ...step,
    send: (payload, signal, maySend, given) => step.send(payload, signal, guarded(maySend), given),
    ...(status !== undefined && {
      status: {
        ...status,
        poll: (payload, signal, maySend, given) => status.poll(payload, signal, guarded(maySend), given),
      },
    }),
  };
}
