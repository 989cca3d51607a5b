import type { Summary } from "../model/outcome.ts";

/** How a run is shared. */
export interface Sharing {
  /** Processes that are at work on it. */
  readonly workers: number;
  /** Those that were, and were not heard of any more. */
  readonly lost: number;
  readonly ranges: { readonly waiting: number; readonly taken: number; readonly done: number };
  /** Those that are at work, in the order in which they joined. */
  readonly working: readonly WorkingProcess[];
}

/** A process that sends some of the run's records. */
export interface WorkingProcess {
  readonly host: string;
  readonly pid: number;
  /** Records that got their outcomes, a second. */
  readonly perSecond: number;
  readonly inFlight: number;
  /** Requests in flight that it lets itself have. */
  readonly limit?: number | undefined;
  /** Records by their numbers, first and last included, and since when it holds them (ISO 8601 UTC). */
  readonly holds: readonly { readonly first: number; readonly last: number; readonly since: string }[];
}

export type Counts = Summary["counts"];

/**
 * `running`: a process is at work on it. `interrupted`: that process died. `incomplete`: it ended, and records are left
 * that can still be sent or settled. `stopped`: a failure ended it. `complete`: nothing is left that this run could send.
 */
export const RUN_STATES = ["running", "interrupted", "incomplete", "stopped", "complete"] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface RunIdentity {
  readonly id: string;
  readonly command: string;
  /** Host and port; empty for a run that sends nothing. */
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
}

/** What a run is doing just now. The line on the screen, the log, the metrics and `status` all tell this. */
export interface RunProgress {
  readonly run?: RunIdentity | undefined;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Since this process began its work on the run. */
  readonly elapsedMs: number;
  readonly input: InputProgress;
  /** Absent until sending begins. */
  readonly sending?: SendProgress | undefined;
}

export interface InputProgress {
  readonly bytes: number;
  readonly ofBytes: number;
  readonly records: number;
  readonly invalid: number;
}

export interface SendProgress {
  /** Records that the run is to send, those of its earlier sittings included. Absent in a process that sends a part. */
  readonly total?: number | undefined;
  /** Those of them that have their outcome. */
  readonly done: number;
  /** The same by status. */
  readonly counts: Counts;
  /** Requests under way. */
  readonly inFlight: number;
  /** Records that got their outcome, a second; over the last minute. */
  readonly perSecond: number;
  /** At this rate, until all have their outcomes; absent while there is no rate yet, and while nothing may leave. */
  readonly leftMs?: number | undefined;
  readonly pace: Pace;
  /** What is waited for, while nothing may leave. */
  readonly wait?: Wait | undefined;
  /** Import suppliers that take no records for now. */
  readonly closedSuppliers: readonly string[];
  /** Of a run that several processes send. */
  readonly sharing?: Sharing | undefined;
  /** The requests that gave records their outcomes: how many, and how long they took together. */
  readonly replies: { readonly count: number; readonly totalMs: number };
}

/** How fast the run may go, and why. */
export interface Pace {
  /** Requests in flight at most; absent while nothing has changed it. */
  readonly limit?: number | undefined;
  /** What the platform was found to let through, requests a second. */
  readonly perSecond?: number | undefined;
  readonly reason?: string | undefined;
}

export interface Wait {
  readonly reason: string;
  /** How long it has lasted. */
  readonly forMs: number;
}

/** A record with one of these was to be sent: what is sent of a run, and how far that has come, is counted in them. */
const SEND_STATUSES = ["valid", "accepted", "rejected", "ambiguous", "blocked", "pending"] as const;

/** Of the records of a run that are to be sent: how many, and how many have an outcome that stays. */
export function sendTotals(counts: Counts): { readonly total: number } & Pick<SendProgress, "done" | "counts"> {
  const ofSending = SEND_STATUSES.flatMap((status) => {
    const count = counts[status] ?? 0;
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
