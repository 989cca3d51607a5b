import pLimit from "p-limit";
import type { Settlement } from "../ledger/ledger.ts";
import { createDelivery } from "./delivery.ts";
import type { DeliveryTools } from "./delivery-tools.ts";
import type { Parcel } from "./parcel.ts";
import type { UploadOptions, UploadParts } from "./sendable.ts";

export interface CourierTools extends Omit<DeliveryTools, "inFlight" | "onSaved"> {
  /** A record has its outcome, durably. */
  readonly onSaved: (settlement: Settlement, inFlight: number) => void;
}

/**
 * Carries the backlog's records to the platform, as many at a time as the pace allows, and hands their outcomes to
 * the journal. Resolves when the backlog is over; once halted, what has not left yet is handed in as `pending`.
 */
export async function carryAll(parts: UploadParts, options: UploadOptions, tools: CourierTools): Promise<void> {
  const { backlog, pace, halt, stepGates } = tools;
  const slots = pLimit(pace.limit());
  const deliver = createDelivery(parts, options, {
    ...tools,
    inFlight: () => slots.activeCount,
    onSaved: (settlement) => tools.onSaved(settlement, slots.activeCount),
  });
  halt.stopping.addEventListener("abort", backlog.notify);
  const mayGo = (parcel: Parcel): boolean => stepGates.isOpen(parcel.at.step);
  const dispatch = (parcel: Parcel | undefined): void => {
    if (parcel === undefined) return;
    const pass = stepGates.enter(parcel.at.step);
    parcel.pass = pass;
    const over = (): void => {
      stepGates.leave(pass);
      backlog.notify();
    };
    void slots(deliver, parcel).then(over);
  };

  const obstacle = (): Promise<void> | undefined => {
    if (slots.concurrency !== pace.limit()) slots.concurrency = pace.limit();
    if (backlog.isIdle(mayGo) || slots.activeCount >= slots.concurrency) return backlog.changed();
    return pace.hold(halt.stopping);
  };

  while (!halt.stopping.aborted && !backlog.isOver()) {
    const wait = obstacle();
    if (wait === undefined) dispatch(backlog.next(mayGo));
    else await wait;
  }
  while (!backlog.isOver()) {
    if (backlog.isIdle()) await backlog.changed();
    else await deliver(backlog.next());
  }
}
