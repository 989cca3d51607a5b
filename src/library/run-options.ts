import type { RunProgress } from "../job/run-progress.ts";
import type { AuthSettings, RateLimitSettings, TimeoutSettings } from "../job/settings/platform-settings.ts";

/** The part of an `AbortSignal` that browser types and Node.js types have in common. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly addEventListener: (type: "abort", listener: () => void) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
}

/** Options of every call. */
export interface CallOptions {
  /** Base folder of relative paths. Default: the current folder of the process. */
  readonly folder?: string | undefined;
  /** Stops like the first Ctrl-C: no new requests start, those in flight finish, and the call resolves. */
  readonly signal?: StopSignal | undefined;
  /**
   * Stops immediately: requests in flight are aborted, and their records become `ambiguous`, or `pending` if the
   * platform deduplicates.
   */
  readonly stopNow?: StopSignal | undefined;
  /**
   * Receives the progress of the run about twice a second. If it throws, the run stops as with `signal`, and the call
   * throws that error.
   */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Receives the notices that the command line prints to stderr. They contain no values of cells. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** Credentials for the platform. Nothing is read from the environment. */
export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly token?: string | undefined;
  /** `user:password` for a proxy that requires it. */
  readonly proxy?: string | undefined;
}

/** The records: contract, mapping and sources. The settings are those of `migrate.yaml`, which is not read. */
export interface JobOptions {
  /** The OpenAPI document followed by its overlays; `overlay:gb` names a bundled one. */
  readonly contract: string | readonly string[];
  /** Operation id or `METHOD path`; required unless the mapping names it or the contract has only one operation. */
  readonly operation?: string | undefined;
  /** Default: none; the sources are then already payloads. */
  readonly mapping?: string | undefined;
  /** Paths and patterns for the only source of the mapping without files, or without a parent. */
  readonly sources?: string | readonly string[] | undefined;
  /** Paths and patterns for sources of the mapping, by name. */
  readonly namedSources?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Code of the import supplier. */
  readonly supplier?: string | undefined;
  /** Root folder of the documents of suppliers, by code; `documentRoot` is for all other suppliers. */
  readonly documentRoots?: Readonly<Record<string, string>> | undefined;
  readonly documentRoot?: string | undefined;
  /** Settings of the platform instance that rules depend on. */
  readonly rules?: Readonly<Record<string, boolean | number | string | readonly string[]>> | undefined;
  /** Reference lists: name and file. */
  readonly references?: Readonly<Record<string, string>> | undefined;
  /** Time limit for one call of a mapping function, in seconds: 0.1 to 3600, default 2. */
  readonly functionTimeout?: number | undefined;
  /** `YYYY-MM-DD`: date to use as "today" in rules. */
  readonly today?: string | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  /** Maximum number of records. */
  readonly limit?: number | undefined;
  /** Only the records with these business keys. */
  readonly only?: readonly string[] | undefined;
}

/** A platform. Contains no secrets, because it is recorded with the run. */
export interface TargetOptions {
  /** `https://.../v1/` */
  readonly baseUrl: string;
  /** Records are sent to `production` only with `allowProduction: true`. */
  readonly environment: "test" | "production";
  /** PEM file of a certificate authority to trust in addition to the default ones. */
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
  readonly timeouts?: TimeoutSettings | undefined;
  /** Allow a platform on this machine to be used without TLS. */
  readonly allowInsecureLoopback?: boolean | undefined;
  /** The authentication scheme, and private files with the credentials. */
  readonly auth?: AuthSettings | undefined;
}

/** A platform to read from. Reading changes nothing, so `environment` is optional. */
export type ReadTargetOptions = Omit<TargetOptions, "environment"> & Partial<Pick<TargetOptions, "environment">>;

/** Rate limits of a run. */
export interface PaceOptions extends Partial<RateLimitSettings> {}

/** Options that `validate` and `push` have in common. */
export interface ReportOptions {
  /** Folder of the report. Default: next to the ledger for a push; none for a validation. */
  readonly out?: string | undefined;
  /** Also write the rejects to a workbook. */
  readonly workbook?: boolean | undefined;
  /** Include values of cells, which are personal data, in the report and the outcomes. */
  readonly showValues?: boolean | undefined;
}

export interface ValidateOptions extends JobOptions, ReportOptions, CallOptions {
  /** Allow an input without records. */
  readonly allowEmpty?: boolean | undefined;
  /** Maximum number of invalid records: a count, or a share (0 to 1) of all. */
  readonly maxErrors?: { readonly count: number } | { readonly share: number } | undefined;
  /** Number of validation threads. Default `auto`: one per processor, at most 8, if the input is large enough. */
  readonly threads?: "auto" | number | undefined;
}

export interface PushOptions extends ValidateOptions {
  readonly target: TargetOptions;
  readonly credentials?: Credentials | undefined;
  /** Required to send to a target whose `environment` is `production`. */
  readonly allowProduction?: boolean | undefined;
  /** Path of the ledger file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  readonly pace?: PaceOptions | undefined;
  /** Do everything except send. */
  readonly dryRun?: boolean | undefined;
  /** Send records again that were accepted earlier with different content. */
  readonly revise?: boolean | undefined;
  /** Allow new keys that are almost identical to the key of a record sent earlier. */
  readonly newKeys?: boolean | undefined;
  /** Also send records that are invalid locally, if possible; the platform decides. */
  readonly sendInvalid?: boolean | undefined;
  /** Name of the last step of the workflow to perform. */
  readonly until?: string | undefined;
}

export interface ResumeOptions extends ReportOptions, CallOptions {
  readonly credentials?: Credentials | undefined;
  /** Required to send to a target whose `environment` is `production`. */
  readonly allowProduction?: boolean | undefined;
  /** Path of the ledger file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  /** Id of the run, or a prefix of it. Default: the latest. */
  readonly run?: string | undefined;
}

export interface ReconcileOptions extends ReportOptions, CallOptions {
  readonly credentials?: Credentials | undefined;
  /** Path of the ledger file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  /** Id of the run, or a prefix of it. Default: the latest. */
  readonly run?: string | undefined;
  /** Manual decisions about records, by business key, instead of querying the platform. */
  readonly decide?: OperatorDecision | undefined;
  /** Minimum time without requests before the platform is queried, in milliseconds. Default: that of the target. */
  readonly quietMs?: number | undefined;
}

export interface OperatorDecision {
  /** Business keys of records that have arrived. */
  readonly accept?: readonly string[] | undefined;
  /** Business keys of records that have not arrived and may be sent again. */
  readonly resend?: readonly string[] | undefined;
  /** Name of the person who decides; recorded in the ledger. */
  readonly who: string;
}

export interface ReportAgainOptions extends Omit<ReportOptions, "showValues">, CallOptions {
  /** Path of the ledger file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  /** Id of the run, or a prefix of it. Default: the latest. */
  readonly run?: string | undefined;
}
