import type { AttrPath } from "../json/attr.ts";
import type { Clock, Random } from "../time/clock.ts";
import type { Failure } from "../model/failure.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import type { Ledger, AttemptOutcome } from "../ledger/ledger.ts";
import type { StepClient } from "../platform/import/step-clients.ts";

/** One record that is to be sent. */
export interface RecordToSend {
  /** 1-based over the whole input. */
  readonly record: number;
  readonly identity: Uint8Array;
  readonly content: Uint8Array;
  /** Attempts made so far in any run. */
  readonly attempts: number;
  /** One of them may have been processed. */
  readonly isAmbiguous: boolean;
  /** The import supplier that the payload names; absent when it names none. */
  readonly supplier?: string | undefined;
  /** The last step that was done for this content. */
  readonly step?: string;
  /** Hash of the source row, where the plan has it. */
  readonly rowHash?: number | undefined;
  readonly payload: JsonObject;
  /** The payload as canonical JSON in UTF-8, where it was made already. */
  readonly json?: Buffer;
  /** What the mapping gives to the bodies of steps, by the step's name. */
  readonly steps?: ReadonlyMap<string, JsonObject> | undefined;
  /** The values of the parameters of its requests, by their names. */
  readonly parameters?: JsonObject | undefined;
  /** The source cell behind an attr; undefined when nothing of the input stands behind it. */
  readonly locate: (path: AttrPath) => Place | undefined;
  /** The same record for long keeping, which holds on to nothing that it shares with others; absent where this one is such. */
  readonly apart?: (() => RecordToSend) | undefined;
}

export interface UploadDependencies {
  readonly ledger: Pick<Ledger, "saveIntents" | "saveOutcomes">;
  /** What every record passes through, in order; at least one. */
  readonly steps: readonly StepClient[];
  readonly clock: Clock;
  readonly random: Random;
  readonly onProgress: (event: UploadEvent) => void;
}

export interface UploadOptions {
  /** The run's id. */
  readonly run: string;
  /** `auto`: starts at 4 and finds its way up to `ceiling`; a number is used at once and as given. */
  readonly concurrency: "auto" | number;
  /** Requests in flight at most under `auto`, default 16. */
  readonly ceiling?: number;
  /** Requests a second at most. */
  readonly rps?: number;
  /** What a run of several workers lets this one do just now, beside what it finds out itself. */
  readonly share?: (() => PaceShare) | undefined;
  /** All records go to one import supplier: when it takes none, nothing is left to be done. */
  readonly oneSupplier?: boolean;
  /** Ask a closed import supplier now and then whether it is open again, for so long; default: do not. */
  readonly waitForSupplier?: { readonly forMs?: number | undefined } | undefined;
  /** The name of a step after which records are left `pending`. */
  readonly until?: string | undefined;
  /** Nothing is created: what the platform finds good is `valid`. */
  readonly remoteValidation?: boolean;
  /** Claims nothing new; what is in flight may finish for 30 seconds. */
  readonly drain: AbortSignal;
  /** Breaks off what is in flight. */
  readonly abort: AbortSignal;
  /**
   * Monotonic milliseconds from which on the platform is believed that it does not have an ambiguous record: before, a
   * request that was given up may still be processed. Default: at once.
   */
  readonly trustNotFoundFrom?: number;
  /** How long the run waits for a platform that cannot be reached or lets nothing through, default 5 minutes. */
  readonly maxWaitMs?: number;
}

/** The part of a run's pace that is one worker's. */
export interface PaceShare {
  /** Requests in flight at most, at least 1. */
  readonly limit: number;
  /** Requests a second at most. */
  readonly rps?: number | undefined;
  /** So long nothing may leave: another worker was told to wait. */
  readonly holdMs: number;
  /** How many share the run; default 1. */
  readonly workers?: number | undefined;
  /** What one of them was found to let through for each, just after a refusal at this time (monotonic milliseconds). */
  readonly found?: { readonly id: string; readonly perSecond: number; readonly at: number } | undefined;
  /** Import suppliers that others have found closed, or open again, at this time (monotonic milliseconds). */
  readonly suppliers?: readonly ToldSupplier[] | undefined;
}

/** What other workers say of an import supplier. */
export interface ToldSupplier {
  readonly supplier: string;
  readonly open: boolean;
  readonly code?: string | undefined;
  readonly at: number;
  /** Whether it takes records again is asked here, and nowhere else. */
  readonly isAskedHere: boolean;
}

export type UploadEvent =
  /** A record has its outcome, durably. */
  | {
      readonly kind: "outcome";
      readonly status: AttemptOutcome["status"];
      readonly inFlight: number;
      /** How long its last request took. */
      readonly durationMs?: number | undefined;
    }
  /** `limit` requests in flight at most; `perSecond`: what the platform was found to let through. */
  | { readonly kind: "pace"; readonly limit: number; readonly perSecond?: number; readonly reason: string }
  /** An import supplier takes records no longer, or again; `probeInMs`: when it is asked next. */
  | {
      readonly kind: "supplier";
      readonly supplier: string;
      readonly open: boolean;
      readonly code?: string;
      readonly probeInMs?: number;
      /** When another worker found that (monotonic milliseconds). Absent where it was found here. */
      readonly toldAt?: number;
    }
  | { readonly kind: "pause"; readonly forMs: number; readonly reason: string };

export interface UploadEnd {
  /** `done`: every record was handled; `drained`: the user stopped it; `stopped`: `failure` did. */
  readonly reason: "done" | "drained" | "stopped";
  readonly failure?: Failure;
  /** Records by what became of them in this upload. */
  readonly counts: Readonly<Partial<Record<AttemptOutcome["status"], number>>>;
  /** Outcomes that the ledger could not take (disk full): empty but for a Failure `storage`. */
  readonly unsaved: readonly AttemptOutcome[];
}
