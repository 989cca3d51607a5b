import type { Status } from "./outcome.ts";

/** How the requests of a run were answered over time, in slots of the same length; slots without an answer are left out. */
export interface Timeline {
  readonly slotSeconds: number;
  readonly slots: readonly TimeSlot[];
}

interface TimeSlot {
  /** When it begins, ISO 8601 UTC, on a multiple of the slots' length. */
  readonly at: string;
  /** Answers by what they made of their record. */
  readonly counts: Readonly<Partial<Record<Status, number>>>;
}
