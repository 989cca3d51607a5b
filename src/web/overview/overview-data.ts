import type { RunProgress, RunState } from "../../job/run-progress.ts";
import type { DestinationReport } from "../../model/migration-report.ts";
import type { Summary } from "../../model/outcome.ts";
import type { ErrorDetails } from "../../model/failure.ts";
import type { PushState } from "../push/push-data.ts";

/** The state of the migration, without values. */
export interface OverviewData {
  /** A sentence that describes the state; absent before the first push. */
  readonly headline?: string;
  /** Empty before the first push. */
  readonly destinations: readonly DestinationData[];
  /** Empty without an inventory. */
  readonly inventory: readonly InventoryNumbers[];
  /** Latest first. */
  readonly runs: readonly RunData[];
}

export interface DestinationData extends DestinationReport {
  /**
   * The number of records not yet accepted at the end of each day (UTC), from the first day with an accepted record.
   */
  readonly left: DestinationReport["accepted"];
  /** The number of rows without a key. These rows are not counted in `records`. */
  readonly withoutKey: number;
}

/** The numbers of inventory keys at one target. `target` is empty before the first push. */
interface InventoryNumbers {
  readonly target: string;
  readonly expected: number;
  readonly seen: number;
  readonly missing: number;
}

export interface RunData {
  readonly id: string;
  readonly command: string;
  readonly dryRun: boolean;
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly state: RunState | "superseded";
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly by?: string;
  readonly records: number;
  readonly counts: Summary["counts"];
}

/** The active run, which may belong to another process. */
export interface LiveRun {
  readonly run: RunData;
  /** Absent if the process has not reported its progress yet or runs on another machine. */
  readonly progress?: RunProgress;
  /**
   * The rejected records that come last in the input, at most `SHOWN_ERRORS`, in reverse order; empty if more than
   * `MAX_REJECTED` are rejected.
   */
  readonly errors: readonly LiveError[];
}

export interface LiveError {
  readonly record: number;
  readonly key?: string;
  /** The place of the record, such as `accounts.csv:12`. */
  readonly place: string;
  /** Description of the problem, without the value. */
  readonly text: string;
}

/** `live` is absent if no run is active. `version` changes when the list of runs changes. */
export interface LiveData {
  readonly version: string;
  readonly live?: LiveRun;
}

export interface OverviewEvent extends LiveData {
  /** The push of this server. */
  readonly push: PushState;
}

export type OverviewMessage =
  | { readonly kind: "live"; readonly event: OverviewEvent }
  /** The settings or the ledger currently cannot be read. */
  | { readonly kind: "failure"; readonly error: ErrorDetails };
