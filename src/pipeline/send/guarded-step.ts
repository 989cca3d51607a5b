import type { Connection } from "../../job/target-connection.ts";
import { wasHeldBack } from "../../platform/import/classified-request.ts";
import type { StepClient } from "../../platform/import/step-clients.ts";
import type { LeaseWatch } from "../../time/lease-watch.ts";
import type { Clock } from "../../time/clock.ts";

interface Guard {
  readonly lease: Pick<LeaseWatch, "isHeld">;
  readonly clock: Pick<Clock, "sleep">;
  /** What the lease was for belongs to another process now, or it cannot be known any more. */
  readonly lost: AbortSignal;
}

type Send = StepClient["send"];
type MaySend = Parameters<Send>[2];

const LOOK_AGAIN_MS = 50;

/** The steps of a connection, none of whose requests leaves while the lease is not held. */
export function guardedSteps(
  { steps, onlyWhile }: Pick<Connection, "steps"> & Partial<Pick<Connection, "onlyWhile">>,
  guard: Guard,
): readonly StepClient[] {
  onlyWhile?.(guard.lease.isHeld);
  return steps.map((step) => guardedStep(step, guard));
}

/**
 * The same requests, which wait while the lease is not held: a process that was frozen learns first from the server whether what
 * it holds is still its own.
 */
export function guardedStep(step: StepClient, guard: Guard): StepClient {
  const { status } = step;
  return {
    ...step,
    send: guarded(step.send, guard),
    ...(status !== undefined && { status: { ...status, poll: guarded(status.poll, guard) } }),
  };
}

function guarded(send: Send, guard: Guard): Send {
  return async (payload, signal, maySend, given) => {
    for (;;) {
      const result = await send(payload, signal, whileHeld(maySend, signal, guard), given);
      if (!wasHeldBack(result) || guard.lost.aborted || signal.aborted) return result;
      // The lease had run out by the time that the connection was there: that of the request, or that of its token, before
      // whose request nobody waits for the lease.
      await guard.clock.sleep(LOOK_AGAIN_MS, guard.lost);
    }
  };
}

function whileHeld(maySend: MaySend, signal: AbortSignal, { lease, clock, lost }: Guard): MaySend {
  return async () => {
    for (;;) {
      while (!lease.isHeld() && !lost.aborted && !signal.aborted) await clock.sleep(LOOK_AGAIN_MS, lost);
      if (lost.aborted || signal.aborted || (await maySend?.()) === false) return false;
      if (lease.isHeld()) return true;
    }
  };
}
