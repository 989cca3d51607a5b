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
