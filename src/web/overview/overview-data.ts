import type { RunProgress, RunState } from "../../job/run-progress.ts";
import type { DestinationReport } from "../../model/migration-report.ts";
import type { Summary } from "../../model/outcome.ts";

/** The state of the migration, without values. */
export interface OverviewData {
  /** Empty before the first push. */
  readonly destinations: readonly DestinationReport[];
  /** Empty without an inventory. */
  readonly inventory: readonly InventoryNumbers[];
  /** Latest first. */
  readonly runs: readonly RunData[];
}

/** The keys of the inventory at one target, which is empty before the first push. */
export interface InventoryNumbers {
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

/** The run that a process is working on now, whichever process that is. */
export interface LiveRun {
  readonly run: RunData;
  /** Absent until the process reports its progress, and if it runs on another machine. */
  readonly progress?: RunProgress;
  /** The last rejected records, latest first. */
  readonly errors: readonly LiveError[];
}

/** A rejected record. */
export interface LiveError {
  readonly record: number;
  readonly key?: string;
  /** `accounts.csv:12` */
  readonly place: string;
  /** What is wrong, without the value. */
  readonly text: string;
}

/** An event of the stream. `live`: absent if no run is active. `version` changes with the list of runs. */
export interface OverviewEvent {
  readonly version: string;
  readonly live?: LiveRun;
}
