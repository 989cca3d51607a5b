import type { Format } from "../report/format.ts";
import type { AuthScheme } from "../run/auth-settings.ts";
import type { Tolerance } from "../run/plan-records.ts";

/** The options as typed in; `settings.ts` turns them into what was meant. */
export interface Flags {
  readonly config?: string;
  readonly contract?: readonly string[];
  readonly operation?: string;
  readonly mapping?: string;
  readonly source?: readonly string[];
  readonly out?: string;
  readonly supplier?: string;
  readonly limit?: number;
  readonly today?: string;
  readonly only?: readonly string[];
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly maxErrors?: Tolerance;
  readonly allowEmpty?: boolean;
  readonly showValues?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
  readonly logFormat?: "text" | "json";
  readonly target?: string;
  readonly baseUrl?: string;
  readonly ca?: string;
  readonly proxy?: string;
  readonly auth?: AuthScheme;
  readonly allowInsecureLoopback?: boolean;
  readonly concurrency?: "auto" | number;
  readonly rps?: number;
  /** True: as long as it takes; otherwise milliseconds. */
  readonly waitForSupplier?: true | number;
  readonly ledger?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly revise?: boolean;
  readonly until?: string;
  readonly remoteValidate?: boolean;
  readonly sendInvalid?: boolean;
  readonly refreshReferences?: boolean;
  readonly cache?: boolean;
}

/** Of the commands that report a run. */
export interface RunFlags extends Flags {
  readonly format: Format;
  /** What platform and local validation disagree about, in place of the report. */
  readonly drift?: boolean;
}

/** Of `reconcile`. */
export interface ReconcileFlags extends RunFlags {
  readonly accept?: readonly string[];
  readonly resend?: readonly string[];
  /** Milliseconds. */
  readonly quietPeriod?: number;
}

/** Of `documents check`. */
export interface DocumentFlags extends RunFlags {
  readonly store?: string;
  readonly endpoint?: string;
  readonly region?: string;
  /** Questions to the store at once. */
  readonly concurrency: number;
}

/** Of the commands that show something else. */
export interface ViewFlags extends Flags {
  readonly format: "text" | "json" | "markdown";
  /** The run to look into. */
  readonly run?: string;
  /** Applied to both contracts of a comparison. */
  readonly overlay?: readonly string[];
}
