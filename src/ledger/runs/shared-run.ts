import type { AttemptOutcome } from "../records/requests.ts";
import type { JournaledLedger, Ledger, RequestLedger, SendableRecords } from "../ledger.ts";
import type { Run } from "../records/run.ts";
import type { PlatformFindings, SharedFindings } from "./platform-findings.ts";

/**
 * A run whose records several processes send. At any time, each process holds a few ranges of these records. The run is
 * stored in a ledger that several machines can reach. All times are server times.
 */
export interface SharedRun {
  /**
   * The part of the ledger that workers need: the run, the data that they read, and the input positions that they save
   * for each other.
   */
  readonly ledger: JournaledLedger & SendableRecords & Pick<Ledger, "summary">;
  /**
   * Divides the pending records into ranges and starts assigning them. Only the planner calls this. Resolves to the
   * number of ranges.
   */
  begin(plan: SharedPlan): Promise<number>;
  /**
   * Tells the planner that this process is about to join. Call this at least once per lease until the process joins or
   * closes the run.
   * @throws Failure `run_unknown` if the run does not assign ranges
   */
  announce(worker: WorkerIdentity): Promise<void>;
  /**
   * Joins the run as a worker.
   * @throws Failure `run_unknown` if the run does not assign ranges
   */
  join(worker: WorkerIdentity): Promise<SharedWorker>;
  /** Whether all ranges are done. Also works after the run has ended. */
  isAllDone(): Promise<boolean>;
  /** Returns the ranges of dead workers to the queue. Resolves to the progress of the run. */
  watch(): Promise<SharedStatus>;
  /** Immediately revokes the ranges of a worker whose process has ended. */
  evict(process: WorkerIdentity): Promise<void>;
  /** Tells every worker to finish its requests in flight and then to leave. */
  drain(): Promise<void>;
  /** Stops assigning ranges and revokes held ranges, so that workers can no longer write. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedPlan extends SharedPace {
  /** Maximum number of records in a range. */
  readonly size: number;
  /** Time without a heartbeat after which a worker is considered dead, in milliseconds. */
  readonly leaseMs: number;
  /** Whether requests that a dead worker had in flight may be sent again. */
  readonly resendAmbiguous: boolean;
}

/** The combined limits of all workers of a run. */
interface SharedPace {
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Maximum number of requests per second. */
  readonly rps?: number | undefined;
}

export interface WorkerIdentity {
  readonly host: string;
  readonly pid: number;
}

/** A worker of a run, until it leaves or is considered dead. */
export interface SharedWorker extends RequestLedger {
  readonly leaseMs: number;
  /**
   * Sends a heartbeat with the worker's report, renews its ranges, and returns its instructions.
   * @throws Failure `ledger_in_use` if the worker was considered dead
   */
  beat(report: WorkerReport): Promise<HeartbeatReply>;
  /**
   * Claims the next range. Resolves to undefined if no range is available at the moment. Requests that the range's
   * earlier worker had in flight have already been closed.
   */
  claim(): Promise<RecordRange | undefined>;
  /** Marks the range as done, after all of its records have been handled. */
  finish(range: RecordRange): Promise<void>;
  /** Returns all held ranges to the queue, and leaves the run. */
  leave(): Promise<void>;
  /**
   * Reports a failure that affects the whole run.
   * @param others whether the other workers must also stop
   */
  stop(failure: SharedFailure, others: "stop" | "continue"): Promise<void>;
  /** Pauses all requests of the run for at least this time. */
  hold(forMs: number, reason: string): Promise<void>;
}

/** Record numbers of the run, first and last inclusive. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
}

export interface WorkerReport {
  readonly counts: Readonly<Partial<Record<AttemptOutcome["status"], number>>>;
  readonly inFlight: number;
  /** Outcomes per second. */
  readonly perSecond: number;
  /** The current limit on requests in flight. */
  readonly limit?: number | undefined;
  /** Why the limit last changed. */
  readonly reason?: string | undefined;
  /** Number and total duration of the requests that produced outcomes. */
  readonly replies: { readonly count: number; readonly totalMs: number };
  readonly findings?: PlatformFindings | undefined;
}

/** The position of a worker among the live workers. */
export interface WorkerPlace {
  /** Number of live workers. */
  readonly workers: number;
  /** Number of these workers that joined before this worker. */
  readonly position: number;
  /** Whether all other live workers have counted this worker and adjusted their limits. */
  readonly isKnown: boolean;
}

export interface RangeProgress {
  readonly ranges: RangeCounts;
  /** Number of waiting ranges that workers have held before. */
  readonly released: number;
}

export interface HeartbeatReply extends SharedPace, WorkerPlace, RangeProgress {
  /**
   * `draining`: workers finish their requests in flight and leave. `stopped`: the failure of one worker stops all
   * workers. `ended`: ranges are no longer assigned.
   */
  readonly state: "open" | "draining" | "stopped" | "ended";
  readonly findings?: SharedFindings | undefined;
  /** Remaining milliseconds during which no worker may send a request. */
  readonly holdMs: number;
}

/** `waiting` includes the ranges that were not done when the run ended. */
export interface RangeCounts {
  readonly waiting: number;
  readonly taken: number;
  readonly done: number;
}

/** Whether every range is done. */
export function areDone({ waiting, taken }: RangeCounts): boolean {
  return waiting + taken === 0;
}

/** A failure, as passed from one worker to the whole run. */
export interface SharedFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface SharedStatus extends SharedPace {
  readonly run: Run["id"];
  /** The time of this status, ISO 8601 UTC. */
  readonly at: string;
  readonly state: HeartbeatReply["state"];
  readonly leaseMs: number;
  readonly ranges: RangeCounts;
  /** The workers in the order in which they joined, except that workers in the state `working` come first. */
  readonly workers: readonly WorkerStatus[];
  /** A pause of all requests, and its reason. */
  readonly hold?: { readonly forMs: number; readonly reason: string } | undefined;
  readonly failure?: SharedFailure | undefined;
  readonly findings?: PlatformFindings | undefined;
}

export interface WorkerState extends WorkerIdentity {
  readonly id: string;
  /** `joining`: the worker is comparing its input with the plan. `lost`: its lease has expired. */
  readonly state: "joining" | "working" | "left" | "lost";
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly seenAt: string;
}

export interface WorkerStatus extends WorkerState, WorkerReport {
  /** Held ranges. `since`: when the worker claimed the range, ISO 8601 UTC. */
  readonly holds: readonly (RecordRange & { readonly since: string })[];
}
