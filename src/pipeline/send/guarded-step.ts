import type { StepClient } from "../../platform/import/step-clients.ts";
import type { LeaseWatch } from "../../time/lease-watch.ts";
import type { Clock } from "../../time/clock.ts";

interface Guard {
  readonly lease: Pick<LeaseWatch, "isHeld">;
  readonly clock: Pick<Clock, "sleep">;
  /** What the lease was for belongs to another process now, or it cannot be known any more. */
  readonly lost: AbortSignal;
}

type MaySend = Parameters<StepClient["send"]>[2];

const LOOK_AGAIN_MS = 50;

/**
 * The same requests, none of which leaves while the lease is not held: a process that was frozen waits until the server has told
 * it whether what it holds is still its own.
 */
export function guardedStep(step: StepClient, { lease, clock, lost }: Guard): StepClient {
  const guarded =
    (maySend: MaySend, signal: AbortSignal): MaySend =>
    async () => {
      for (;;) {
        while (!lease.isHeld() && !lost.aborted && !signal.aborted) await clock.sleep(LOOK_AGAIN_MS, lost);
        if (lost.aborted || signal.aborted || (await maySend?.()) === false) return false;
        if (lease.isHeld()) return true;
      }
    };
  const { status } = step;
  return {
    ...step,
    send: (payload, signal, maySend, given) => step.send(payload, signal, guarded(maySend, signal), given),
    ...(status !== undefined && {
      status: {
        ...status,
        poll: (payload, signal, maySend, given) => status.poll(payload, signal, guarded(maySend, signal), given),
      },
    }),
  };
}
