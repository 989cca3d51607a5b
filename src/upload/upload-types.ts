import type { AttrPath } from "../json/attr.ts";
import type { Clock, Random } from "../time/clock.ts";
import type { Failure } from "../model/failure.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AttemptOutcome, PriorContent, SendableItem } from "../ledger/records/requests.ts";
import type { StepClient } from "../platform/import/step-clients.ts";

export interface RecordToSend extends Omit<SendableItem, "prior"> {
  /**
   * The content that the platform may have from earlier requests. By default, `same` if `isAmbiguous`, otherwise
   * `none`.
   */
  readonly prior?: PriorContent;
  /** The import supplier named in the payload, if any. */
  readonly supplier?: string | undefined;
  readonly payload: JsonObject;
  /** The payload as canonical JSON in UTF-8, if it is already encoded. */
  readonly json?: Buffer;
  /** Fields from the mapping for the bodies of steps, by name of the step. */
  readonly steps?: ReadonlyMap<string, JsonObject> | undefined;
  /** Values of request parameters, by name. */
  readonly parameters?: JsonObject | undefined;
  /** Returns the source cell of an attr; undefined if the attr has none. */
  readonly locate: (path: AttrPath) => Place | undefined;
  /** Returns a copy that shares no memory with other records and can be kept. Absent if this record is such a copy. */
  readonly detached?: (() => RecordToSend) | undefined;
}

/** The part of a ledger that stores requests and their outcomes. */
export type UploadLedger = Pick<Ledger, "saveIntents" | "saveOutcomes">;

export interface UploadDependencies {
  readonly ledger: UploadLedger;
  /** The steps of every record, in order. There is at least one. */
  readonly steps: readonly StepClient[];
  readonly clock: Clock;
  readonly random: Random;
  readonly onProgress: (event: UploadEvent) => void;
}

export interface ConcurrencyOptions {
  /**
   * The limit on the requests in flight. `auto`: it starts at 4 and adapts up to `ceiling`. A number: it starts at this
   * number, and only push-back lowers it.
   */
  readonly concurrency: "auto" | number;
  /** Maximum number of requests in flight under `auto`; default 16. */
  readonly ceiling?: number;
}

export interface PaceOptions extends ConcurrencyOptions {
  /** Maximum number of requests per second. */
  readonly rps?: number;
  /**
   * Returns the current share of this worker in a run with several workers. It applies in addition to the worker's own
   * limits.
   */
  readonly share?: (() => PaceShare) | undefined;
}

export interface WaitLimits {
  /** Maximum wait while the platform is unreachable or accepts nothing; default 5 minutes. */
  readonly maxWaitMs?: number;
  /** Maximum wait for the first reply of an unreachable platform; default `maxWaitMs`. */
  readonly firstWaitMs?: number | undefined;
}

export interface UploadOptions extends PaceOptions, WaitLimits {
  /** Id of the run. */
  readonly run: string;
  /** Whether all records go to one import supplier, so that nothing can be sent while the supplier is closed. */
  readonly oneSupplier?: boolean;
  /**
   * Whether to probe closed import suppliers until they open, for at most `forMs` at a time. By default, the run does
   * not wait.
   */
  readonly waitForSupplier?: { readonly forMs?: number | undefined } | undefined;
  /** Name of the step after which records are left `pending`. */
  readonly until?: string | undefined;
  /** The attr whose value records share if they belong to one account (`CompiledJob`). */
  readonly accountOwner?: AttrPath | undefined;
  /** Whether the platform only validates and creates nothing. A record that it accepts is then `valid`. */
  readonly remoteValidation?: boolean;
  /** When this aborts, no new requests are sent. Requests in flight may finish within 30 seconds. */
  readonly drain: AbortSignal;
  /** When this aborts, requests in flight are cancelled. */
  readonly abort: AbortSignal;
  /**
   * Time from which "not found" is trusted for an ambiguous record, in milliseconds on the monotonic clock. Before
   * that time, the platform may still be processing an aborted request. Default: immediately.
   */
  readonly trustNotFoundFrom?: number;
}

/** One worker's share of a run's pace. */
export interface PaceShare {
  /** Maximum number of requests in flight, at least 1. */
  readonly limit: number;
  /** Maximum number of requests per second. */
  readonly rps?: number | undefined;
  /** Milliseconds for which nothing may be sent, because the platform requested a pause from another worker. */
  readonly holdMs: number;
  /** Number of workers of the run; default: 1. */
  readonly workers?: number | undefined;
  /**
   * The rate per worker, as determined by one worker after a refusal. `at`: time of the refusal, in milliseconds
   * on the monotonic clock.
   */
  readonly found?: { readonly id: string; readonly perSecond: number; readonly at: number } | undefined;
  /**
   * Import suppliers that other workers found closed or open. `at`: time of the finding, in milliseconds on the
   * monotonic clock.
   */
  readonly suppliers?: readonly ReportedSupplier[] | undefined;
}

/** The state of an import supplier, as found by other workers. */
export interface ReportedSupplier {
  readonly supplier: string;
  readonly open: boolean;
  readonly code?: string | undefined;
  readonly at: number;
  /** Whether this worker probes the supplier. */
  readonly isProbedHere: boolean;
}

/** A report from another worker counts as the same finding if it is at most this much later than the local finding. */
export const SAME_FINDING_MS = 250;

export type UploadEvent =
  /** The outcome of a record is durable. */
  | {
      readonly kind: "outcome";
      readonly status: AttemptOutcome["status"];
      readonly inFlight: number;
      /** Duration of the last request. */
      readonly durationMs?: number | undefined;
    }
  /** `limit`: maximum number of requests in flight. `perSecond`: rate that the platform was found to accept. */
  | { readonly kind: "pace"; readonly limit: number; readonly perSecond?: number; readonly reason: string }
  /** An import supplier closed or opened. `probeInMs`: time until the next probe. */
  | {
      readonly kind: "supplier";
      readonly supplier: string;
      readonly open: boolean;
      readonly code?: string;
      readonly probeInMs?: number;
      /**
       * Time at which another worker found the change, in milliseconds on the monotonic clock. Absent for a local
       * finding.
       */
      readonly reportedAt?: number;
    }
  | { readonly kind: "pause"; readonly forMs: number; readonly reason: string };

/** How an upload ended. */
export interface EndCause {
  /**
   * `done`: every record was handled. `drained`: the user stopped the upload, or the worker had to leave the run.
   * `stopped`: `failure` ended the upload.
   */
  readonly reason: "done" | "drained" | "stopped";
  readonly failure?: Failure;
}

export interface UploadEnd extends EndCause {
  /** Outcomes of this upload by status. */
  readonly counts: Readonly<Partial<Record<AttemptOutcome["status"], number>>>;
  /** Outcomes that the ledger could not save, for example on a full disk. Empty unless writing to the ledger failed. */
  readonly unsaved: readonly AttemptOutcome[];
}
