import type { Place } from "./place.ts";
import type { Problem } from "./problem.ts";

/** What became of one record (see docs/errors.md). */
export const STATUSES = [
  "valid",
  "invalid",
  "accepted",
  "rejected",
  "ambiguous",
  "blocked",
  "pending",
  "skipped",
  "duplicate",
] as const;
export type Status = (typeof STATUSES)[number];

/** The statuses whose records need somebody's work before they can be accepted. */
export const NEEDS_WORK: ReadonlySet<Status> = new Set(["invalid", "rejected", "duplicate"]);

/** The statuses whose records are on the platform, as far as is known. */
export const ON_PLATFORM: ReadonlySet<Status> = new Set(["accepted", "skipped"]);

export interface Outcome {
  /** 1-based over the whole input. */
  readonly record: number;
  /** The business key, where the record has one. */
  readonly key?: string;
  readonly source: Place;
  readonly status: Status;
  readonly problems: readonly Problem[];
  /** HTTP status of the last reply. */
  readonly http?: number;
  /** Requests sent for this record in this run. */
  readonly attempts?: number;
  /** The account number that the platform gave. */
  readonly account?: string;
  /** Time from the first byte sent to the outcome. */
  readonly durationMs?: number;
}

/**
 * Outcomes of records that are `valid`, with nothing found, side by side: there may be millions, and making an object of
 * each takes longer than writing it down. They are those of the batch at the positions `from` to `to` (exclusive).
 */
export interface ValidOutcomes {
  readonly from: number;
  readonly to: number;
  /** All of them have a key, or none. */
  readonly hasKeys: boolean;
  readonly batch: OutcomeColumns;
}

/** What is known of each record of a batch. */
interface OutcomeColumns {
  readonly records: Float64Array;
  readonly lines: Float64Array;
  readonly files: readonly string[];
  /** The position of each record's file in `files`. */
  readonly fileNumbers: Uint32Array;
  /** In UTF-8, one behind the other. */
  readonly keys: Uint8Array;
  /** Where each record's key ends in `keys`; it begins where the one before ends. */
  readonly keyEnds: Uint32Array;
}

/** The counts of a run; they add up to `records`. */
export interface Summary {
  readonly records: number;
  readonly counts: Readonly<Partial<Record<Status, number>>>;
  /** Problems of severity `error`, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Problems of severity `warning`, by code. */
  readonly warnings: Readonly<Record<string, number>>;
  readonly exitCode: number;
}
