import pLimit from "p-limit";
import type { AttemptOutcome } from "../ledger/ledger.ts";
import { createSendRecord } from "./send-record.ts";
import type { SendContext } from "./next-request.ts";
import type { RecordState } from "./record-state.ts";
import type { UploadOptions, UploadDependencies } from "./upload-types.ts";

export interface DispatcherContext extends Omit<SendContext, "inFlight" | "onSaved"> {
  /** A record has its outcome, durably. */
  readonly onSaved: (settlement: AttemptOutcome, inFlight: number) => void;
}

/**
 * Carries the backlog's records to the platform, as many at a time as the pace allows, and hands their outcomes to
 * the journal. Resolves when the backlog is over; once halted, what has not left yet is handed in as `pending`.
 */
export async function dispatchAll(
  dependencies: UploadDependencies,
  options: UploadOptions,
  tools: DispatcherContext,
): Promise<void> {
  const { queue, rate, shutdown, stepLimits } = tools;
  const slots = pLimit(rate.limit());
  const deliver = createSendRecord(dependencies, options, {
    ...tools,
    inFlight: () => slots.activeCount,
    onSaved: (settlement) => tools.onSaved(settlement, slots.activeCount),
  });
  shutdown.stopping.addEventListener("abort", queue.notify);
  const mayGo = (state: RecordState): boolean => stepLimits.isOpen(state.position.step);
  const dispatch = (state: RecordState | undefined): void => {
    if (state === undefined) return;
    const pass = stepLimits.enter(state.position.step);
    state.stepSlot = pass;
    const over = (): void => {
      stepLimits.leave(pass);
      queue.notify();
    };
    void slots(deliver, state).then(over);
  };

  const obstacle = (): Promise<void> | undefined => {
    if (slots.concurrency !== rate.limit()) slots.concurrency = rate.limit();
    if (queue.isIdle(mayGo) || slots.activeCount >= slots.concurrency) return queue.changed();
    return rate.waitForTurn(shutdown.stopping);
  };

  while (!shutdown.stopping.aborted && !queue.isOver()) {
    const wait = obstacle();
    if (wait === undefined) dispatch(queue.next(mayGo));
    else await wait;
  }
  while (!queue.isOver()) {
    if (queue.isIdle()) await queue.changed();
    else await deliver(queue.next());
  }
}
