import type { Status } from "./outcome.ts";

/** The requests of a run that have ended, in time slots of equal length. Empty slots are omitted. */
export interface Timeline {
  readonly slotSeconds: number;
  readonly slots: readonly TimeSlot[];
}

interface TimeSlot {
  /** Start of the slot: ISO 8601 UTC, a multiple of the slot length. */
  readonly at: string;
  /** Number of requests, by the resulting status of the record. */
  readonly counts: Readonly<Partial<Record<Status, number>>>;
}
