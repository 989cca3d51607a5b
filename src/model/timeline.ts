import type { Status } from "./outcome.ts";

/** The answers to the requests of a run over time, in slots of equal length. Slots without an answer are omitted. */
export interface Timeline {
  readonly slotSeconds: number;
  readonly slots: readonly TimeSlot[];
}

interface TimeSlot {
  /** Start of the slot: ISO 8601 UTC, a multiple of the slot length. */
  readonly at: string;
  /** Number of answers, by the resulting status of the record. */
  readonly counts: Readonly<Partial<Record<Status, number>>>;
}
