import type { Connection } from "../../job/target-connection.ts";
import { wasDeferred } from "../../platform/import/classified-request.ts";
import type { StepClient } from "../../platform/import/step-clients.ts";
import type { LeaseWatch } from "../../time/lease-watch.ts";
import type { Sleeper } from "../../time/clock.ts";

interface Guard {
  readonly lease: Pick<LeaseWatch, "isHeld">;
  readonly clock: Sleeper;
  /** Aborts when another process owns the resource that the lease protected, or when its owner is unknown. */
  readonly lost: AbortSignal;
}

type Send = StepClient["send"];
type MaySend = Parameters<Send>[2];

const POLL_MS = 50;

/** The steps of a connection. Their requests are only sent while the lease is held. */
export function guardedSteps(
  { steps, onlyWhile }: Pick<Connection, "steps"> & Partial<Pick<Connection, "onlyWhile">>,
  guard: Guard,
): readonly StepClient[] {
  onlyWhile?.(guard.lease.isHeld);
  return steps.map((step) => guardedStep(step, guard));
}

/**
 * Delays the requests of the step while the lease is not held. So a process that was suspended first learns from the
 * server whether it still owns its ranges.
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
      if (!wasDeferred(result) || guard.lost.aborted || signal.aborted) return result;
      // The lease expired while a connection was established: that of the request, or that of its token. The token
      // request does not wait for the lease.
      await guard.clock.sleep(POLL_MS, guard.lost);
    }
  };
}

function whileHeld(maySend: MaySend, signal: AbortSignal, { lease, clock, lost }: Guard): MaySend {
  return async () => {
    for (;;) {
      while (!lease.isHeld() && !lost.aborted && !signal.aborted) await clock.sleep(POLL_MS, lost);
      if (lost.aborted || signal.aborted || (await maySend?.()) === false) return false;
      if (lease.isHeld()) return true;
    }
  };
}
