import type { SendConnection } from "../../job/target-connection.ts";
import { wasDeferred, type MaySend } from "../../platform/import/classified-request.ts";
import type { StepClient } from "../../platform/import/step-clients.ts";
import type { Sleeper } from "../../time/clock.ts";

interface Guard {
  /** Whether this process holds the lease. */
  readonly isHeld: () => boolean;
  readonly clock: Sleeper;
  /**
   * Aborts when the lease is lost, because another process owns the protected resource or because the owner is unknown.
   */
  readonly lost: AbortSignal;
}

type Send = StepClient["send"];

const POLL_MS = 50;

/** Returns the steps of a connection, changed so that they send requests only while the lease is held. */
export function guardedSteps({ steps, onlyWhile }: SendConnection, guard: Guard): readonly StepClient[] {
  onlyWhile(guard.isHeld);
  return steps.map((step) => guardedStep(step, guard));
}

/**
 * Returns a step that delays its requests while the lease is not held. Therefore, a process that was suspended asks the
 * server whether it still owns its ranges before it sends anything.
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
      // The lease expired while a connection was opened for this request or for its token. Token requests do not wait
      // for the lease.
      await guard.clock.sleep(POLL_MS, guard.lost);
    }
  };
}

function whileHeld(maySend: MaySend | undefined, signal: AbortSignal, { isHeld, clock, lost }: Guard): MaySend {
  return async () => {
    for (;;) {
      while (!isHeld() && !lost.aborted && !signal.aborted) await clock.sleep(POLL_MS, lost);
      if (lost.aborted || signal.aborted || (await maySend?.()) === false) return false;
      if (isHeld()) return true;
    }
  };
}
