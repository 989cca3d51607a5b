import type { Place } from "./place.ts";
import type { Problem } from "./problem.ts";

/** The final state of one record (see docs/errors.md). */
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
  "existing",
  "stale",
  "excluded",
] as const;
export type Status = (typeof STATUSES)[number];

/** The statuses of records that must be corrected before they can be accepted. */
export const NEEDS_WORK: ReadonlySet<Status> = new Set(["invalid", "rejected", "duplicate"]);

/** The statuses of records that are on the platform according to the ledger. */
export const ON_PLATFORM: ReadonlySet<Status> = new Set(["accepted", "skipped"]);

export interface Outcome {
  /** 1-based position in the whole input. */
  readonly record: number;
  /** The business key, if the record has one. */
  readonly key?: string;
  readonly source: Place;
  readonly status: Status;
  readonly problems: readonly Problem[];
  /** HTTP status of the last reply. */
  readonly http?: number;
  /** Requests sent for this record in this run. */
  readonly attempts?: number;
  /** The account number that the platform assigned. */
  readonly account?: string;
  /** Duration of the last request, in milliseconds: from its first byte to the end of the reply, or until it failed. */
  readonly durationMs?: number;
}

/**
 * Outcomes of `valid` records without problems, stored as columns: there may be millions, and creating an object for
 * each takes longer than writing it. They cover the positions `from` to `to` (exclusive) of the batch.
 */
export interface ValidOutcomes {
  readonly from: number;
  readonly to: number;
  /** Whether these records have keys. Either all records have keys, or none of them do. */
  readonly hasKeys: boolean;
  readonly batch: OutcomeColumns;
}

interface OutcomeColumns {
  readonly records: Float64Array;
  readonly lines: Float64Array;
  readonly files: readonly string[];
  /** Index in `files` of each record's file. */
  readonly fileNumbers: Uint32Array;
  /** UTF-8, concatenated. */
  readonly keys: Uint8Array;
  /** End offset of each record's key in `keys`; a key starts at the end of the previous one. */
  readonly keyEnds: Uint32Array;
}

/** Numbers of records by status. The numbers in `counts` add up to `records`. */
export interface RecordCounts {
  readonly records: number;
  readonly counts: Readonly<Partial<Record<Status, number>>>;
}

/** The totals of a run. */
export interface Summary extends RecordCounts {
  /** Problems of severity `error`, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Problems of severity `warning`, by code. */
  readonly warnings: Readonly<Record<string, number>>;
  readonly exitCode: number;
}
