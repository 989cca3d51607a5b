import type { RecordState } from "./record-state.ts";
import type { SendContext } from "./send-context.ts";
import { sendRecord } from "./send-record.ts";

/**
 * Sends queued records within the limits of the rate control and the steps. Resolves when the queue is empty and
 * closed. After a shutdown, the remaining records become `pending`, or `ambiguous` if the platform may already have
 * them.
 */
export async function dispatchAll(context: SendContext): Promise<void> {
  const { queue, rate, shutdown, stepLimits } = context;
  const hasSlot = ({ position }: RecordState): boolean => stepLimits.isOpen(position.step);

  const ending = AbortSignal.any([shutdown.stopping, queue.over]);
  /**
   * Returns a promise that resolves when the caller should try again; undefined if a request may be sent immediately.
   */
  const waitForSlot = (): Promise<void> | undefined => {
    if (queue.isIdle(hasSlot) || stepLimits.inFlight() >= rate.limit()) return queue.changed();
    return rate.waitForTurn(ending);
  };

  shutdown.stopping.addEventListener("abort", queue.notify);
  while (!shutdown.stopping.aborted && !queue.isOver()) {
    const wait = waitForSlot();
    if (wait === undefined) void dispatch(queue.next(hasSlot), context);
    else await wait;
  }
  while (!queue.isOver()) {
    const state = queue.next();
    if (state === undefined) await queue.changed();
    else await sendRecord(state, context);
  }
}

async function dispatch(state: RecordState | undefined, context: SendContext): Promise<void> {
  if (state === undefined) return;
  const { queue, stepLimits } = context;
  const slot = stepLimits.enter(state.position.step);
  state.stepSlot = slot;
  await sendRecord(state, context);
  stepLimits.leave(slot);
  queue.notify();
}
