import type { AttemptOutcome, Ledger, Run } from "../ledger.ts";
import type { PlatformFindings, SharedFindings } from "./platform-findings.ts";

/**
 * A run that several processes send, each some ranges of its records at a time. Kept by a ledger that several machines
 * reach. All times are the server's.
 */
export interface SharedRun {
  /** The run, what its workers read of the ledger, and the places of the input that they note for each other. */
  readonly ledger: Pick<
    Ledger,
    "findRun" | "sendable" | "nextSendable" | "notePosition" | "history" | "recovery" | "origin"
  >;
  /**
   * For whoever plans the run: cuts what is pending into ranges, and gives them out from now on.
   * Resolves to the number of ranges.
   */
  handOut(plan: SharedPlan): Promise<number>;
  /**
   * Tells the planner that this process is about to join, until it joins or closes the run. Repeat within the lease.
   * @throws Failure `run_unknown` where nothing is given out
   */
  announce(worker: WorkerIdentity): Promise<void>;
  /** Becomes one of the run's workers. @throws Failure `run_unknown` where nothing is given out */
  join(worker: WorkerIdentity): Promise<SharedWorker>;
  /** How far it has come. Gives back to the queue what workers hold that are not heard of any more. */
  watch(): Promise<SharedStatus>;
  /** Takes back at once what the worker of an ended process holds. */
  expel(process: WorkerIdentity): Promise<void>;
  /** Every worker is to finish what is in flight, and to leave. */
  drain(): Promise<void>;
  /** Nothing more is given out, and whoever still holds something can write no more. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedPlan extends SharedPace {
  /** Records of a range at most. */
  readonly size: number;
  /** Without a word for so long, a worker counts as dead. */
  readonly leaseMs: number;
  /** What a dead worker had in flight may be sent again. */
  readonly resendAmbiguous: boolean;
}

/** What all workers of a run together may do. */
interface SharedPace {
  /** Requests in flight. */
  readonly concurrency: number;
  /** Requests a second. */
  readonly rps?: number | undefined;
}

export interface WorkerIdentity {
  readonly host: string;
  readonly pid: number;
}

/** A worker of a run, until it leaves or is taken for dead. */
export interface SharedWorker extends Pick<Ledger, "saveIntents" | "saveOutcomes"> {
  readonly leaseMs: number;
  /**
   * Says that it lives and how it does, keeps what it holds, and learns what it is to do.
   * @throws Failure `ledger_in_use` when it was taken for dead
   */
  beat(report: WorkerReport): Promise<Orders>;
  /** The next range, if there is one just now. Its requests in flight of an earlier worker are closed. */
  claim(): Promise<RecordRange | undefined>;
  /** Nothing of the range is left to be done by this run. */
  finish(range: RecordRange): Promise<void>;
  /** Gives back everything that it holds, and leaves. */
  leave(): Promise<void>;
  /** The platform takes nothing more, of whomever: the others are to stop, too; or at least it is remembered. */
  stop(failure: SharedFailure, others: "stop" | "go on"): Promise<void>;
  /** No request of the run may leave for so long. */
  hold(forMs: number, reason: string): Promise<void>;
}

/** Records of the run by their numbers, first and last included. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
}

/** What a worker says of itself. */
export interface WorkerReport {
  readonly counts: Readonly<Partial<Record<AttemptOutcome["status"], number>>>;
  readonly inFlight: number;
  /** Records that got their outcomes, a second. */
  readonly perSecond: number;
  /** Requests in flight that it lets itself have, and why. */
  readonly limit?: number | undefined;
  readonly reason?: string | undefined;
  /** The requests that gave records their outcomes: how many, and how long they took together. */
  readonly replies: { readonly count: number; readonly totalMs: number };
  readonly findings?: PlatformFindings | undefined;
}

/** What a worker learns each second. */
export interface Orders extends SharedPace {
  readonly state: "open" | "draining" | "stopped" | "ended";
  /** Workers that are alive, and which of them this one is, counted from 0 in the order in which they joined. */
  readonly workers: number;
  readonly position: number;
  /** All others that are alive have learnt of this one, and take their parts beside it. */
  readonly isKnown: boolean;
  readonly findings?: SharedFindings | undefined;
  readonly holdMs: number;
  readonly ranges: RangeCounts;
  /** Ranges that wait, and that a worker has held before. */
  readonly givenBack: number;
}

export interface RangeCounts {
  readonly waiting: number;
  readonly taken: number;
  readonly done: number;
}

/** A failure as it travels from one worker to the whole run. */
export interface SharedFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface SharedStatus extends SharedPace {
  readonly run: Run["id"];
  /** When this was so. ISO 8601 UTC. */
  readonly at: string;
  readonly state: Orders["state"];
  readonly leaseMs: number;
  readonly ranges: RangeCounts;
  /** Alive first, in the order in which they joined. */
  readonly workers: readonly WorkerStatus[];
  /** Nothing may leave for so long. */
  readonly hold?: { readonly forMs: number; readonly reason: string } | undefined;
  readonly failure?: SharedFailure | undefined;
  /** What the workers have found out of the platform. */
  readonly findings?: PlatformFindings | undefined;
}

export interface WorkerStatus extends WorkerIdentity, WorkerReport {
  readonly id: string;
  /** `joining`: it compares its input with the plan. `lost`: its lease has expired. */
  readonly state: "joining" | "working" | "left" | "lost";
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly seenAt: string;
  /** What it holds, and since when. */
  readonly holds: readonly (RecordRange & { readonly since: string })[];
}
