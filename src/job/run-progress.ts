import type { Summary } from "../model/outcome.ts";

/** How a run is distributed over several processes. */
export interface Sharing {
  /** Number of active processes. */
  readonly workers: number;
  /** Number of processes that stopped without leaving the run: their leases expired, or they were evicted. */
  readonly lost: number;
  readonly ranges: { readonly waiting: number; readonly taken: number; readonly done: number };
  /** The active processes, in the order in which they joined. */
  readonly working: readonly WorkingProcess[];
}

/** A process that sends some of the run's records. */
export interface WorkingProcess {
  readonly host: string;
  readonly pid: number;
  /** Records settled per second. */
  readonly perSecond: number;
  readonly inFlight: number;
  /** Maximum number of requests that the process has in flight. */
  readonly limit?: number | undefined;
  /**
   * The ranges of records that are assigned to the process: first and last record number, both inclusive, and the time
   * of the assignment (ISO 8601 UTC).
   */
  readonly holds: readonly { readonly first: number; readonly last: number; readonly since: string }[];
}

export type Counts = Summary["counts"];

/**
 * `running`: a process is working on the run. `interrupted`: the process died. `incomplete`: the run ended, and some
 * records can still be sent or settled. `stopped`: a failure ended the run. `complete`: the run has nothing left to
 * send.
 */
export const RUN_STATES = ["running", "interrupted", "incomplete", "stopped", "complete"] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface RunIdentity {
  readonly id: string;
  readonly command: string;
  /** Host and port; empty unless the run is a push. */
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
}

/** The current activity of a run. The progress line, the log, the metrics and `status` all use this type. */
export interface RunProgress {
  readonly run?: RunIdentity | undefined;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Time since this process started working on the run. */
  readonly elapsedMs: number;
  readonly input: InputProgress;
  /** Absent until sending starts. */
  readonly sending?: SendProgress | undefined;
}

export interface InputProgress {
  readonly bytes: number;
  readonly ofBytes: number;
  readonly records: number;
  readonly invalid: number;
}

/** The records of a run that have an outcome. */
export interface SettledRecords {
  readonly done: number;
  readonly counts: Counts;
}

export interface SendProgress extends SettledRecords {
  /**
   * Number of records that the run sends, including the records of earlier processes. Absent in a process that sends
   * only part of the records.
   */
  readonly total?: number | undefined;
  readonly inFlight: number;
  /** Records settled per second, over the last minute. */
  readonly perSecond: number;
  /** Estimated time until all records are settled; absent before a rate is known, and while sending is paused. */
  readonly leftMs?: number | undefined;
  readonly pace: Pace;
  /** The reason for a pause in sending. */
  readonly wait?: Wait | undefined;
  /** Import suppliers that accept no records at the moment. */
  readonly closedSuppliers: readonly string[];
  /** Set for a run with several processes. */
  readonly sharing?: Sharing | undefined;
  /** Number and total duration of the requests that settled records. */
  readonly replies: { readonly count: number; readonly totalMs: number };
}

/** The speed limits of the run, and the reason for them. */
export interface Pace {
  /** Maximum number of requests in flight; absent until it changes. */
  readonly limit?: number | undefined;
  /** The measured rate limit of the platform, in requests per second. */
  readonly perSecond?: number | undefined;
  readonly reason?: string | undefined;
}

export interface Wait {
  readonly reason: string;
  /** Duration of the wait so far. */
  readonly forMs: number;
}

/**
 * The statuses of records that count towards the totals of a run: records that the run sends or has sent, or that a dry
 * run would send.
 */
export const SEND_STATUSES = ["valid", "accepted", "rejected", "existing", "ambiguous", "blocked", "pending"] as const;

/**
 * Returns the number of records that a run sends and the number of these records that have an outcome, in total and by
 * status.
 * @param ambiguousBefore number of records that became ambiguous in earlier runs, and that this run has not sent
 */
export function sendTotals(counts: Counts, ambiguousBefore = 0): SettledRecords & { readonly total: number } {
  const ofSending = SEND_STATUSES.flatMap((status) => {
    const count = (counts[status] ?? 0) - (status === "ambiguous" ? ambiguousBefore : 0);
    return count === 0 ? [] : [[status, count] as const];
  });
  const total = ofSending.reduce((sum, [, count]) => sum + count, 0);
  const settled = ofSending.filter(([status]) => status !== "pending");
  return {
    total,
    done: settled.reduce((sum, [, count]) => sum + count, 0),
    counts: Object.fromEntries(settled),
  };
}
