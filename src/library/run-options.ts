import type { RunProgress } from "../job/run-progress.ts";
import type { AuthSettings, RateLimitSettings, TimeoutSettings } from "../job/settings/platform-settings.ts";

/** What an `AbortSignal` has, of a browser's types or of Node's. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly addEventListener: (type: "abort", listener: () => void) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
}

/** What every call takes beside what it is about. */
export interface CallOptions {
  /** The folder that relative paths start from. Default: the current folder of the process. */
  readonly folder?: string | undefined;
  /** Stops as the first Ctrl-C does: nothing new is begun, what is in flight is finished, and the call resolves. */
  readonly signal?: StopSignal | undefined;
  /**
   * Stops at once: requests in flight are broken off, and what became of their records is not known (`ambiguous`, or
   * `pending` where the platform dedupes).
   */
  readonly stopNow?: StopSignal | undefined;
  /** Told about twice a second what the run is doing. What it throws stops the run as `signal` does, and is thrown. */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Told what the command line would say on stderr. Holds no values of cells. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** Who asks the platform. Nothing is read from the environment. */
export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly token?: string | undefined;
  /** `user:password` for a proxy that wants them. */
  readonly proxy?: string | undefined;
}

/** Which records: contract, mapping and sources. The same settings as in `migrate.yaml`, which is not read. */
export interface JobOptions {
  /** The OpenAPI document, then its overlays; `overlay:gb` is one that comes with the tool. */
  readonly contract: string | readonly string[];
  /** Its id, or `METHOD path`; needed where neither the mapping nor a contract with one operation says it. */
  readonly operation?: string | undefined;
  /** None: the sources are payloads already. */
  readonly mapping?: string | undefined;
  /** Paths and patterns, for the one source of the mapping that names no files, or that has no parent. */
  readonly sources?: string | readonly string[] | undefined;
  /** The same for sources of the mapping by their names. */
  readonly namedSources?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Code of the import supplier. */
  readonly supplier?: string | undefined;
  /** Where the documents of suppliers lie, by their codes, and of those that are not among them. */
  readonly documentRoots?: Readonly<Record<string, string>> | undefined;
  readonly documentRoot?: string | undefined;
  /** Settings of the instance that rules depend on. */
  readonly rules?: Readonly<Record<string, boolean | number | string | readonly string[]>> | undefined;
  /** Reference lists: name and file. */
  readonly references?: Readonly<Record<string, string>> | undefined;
  /** How long one call of a function of the mapping may take, in seconds: 0.1 to 3600, default 2. */
  readonly functionTimeout?: number | undefined;
  /** `YYYY-MM-DD`, for rules about today. */
  readonly today?: string | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  /** Only so many records. */
  readonly limit?: number | undefined;
  /** Only the records with these business keys. */
  readonly only?: readonly string[] | undefined;
}

/** A platform. Holds no secret: it is recorded with the run. */
export interface TargetOptions {
  /** `https://.../v1/` */
  readonly baseUrl: string;
  /** `production` takes records from a program that says `allowProduction: true`, and from no other. */
  readonly environment: "test" | "production";
  /** PEM file of an authority to trust beside the usual ones. */
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
  readonly timeouts?: TimeoutSettings | undefined;
  /** Let a platform on this machine be spoken to without TLS. */
  readonly allowInsecureLoopback?: boolean | undefined;
  /** The form of the credentials, and private files that hold them. */
  readonly auth?: AuthSettings | undefined;
}

/** A platform to read from: that changes nothing there, whichever it is. */
export type ReadTargetOptions = Omit<TargetOptions, "environment"> & Partial<Pick<TargetOptions, "environment">>;

/** How fast a run may go. */
export interface PaceOptions extends Partial<RateLimitSettings> {}

/** What `validate` and `push` are asked alike. */
export interface ReportOptions {
  /** Folder of the report. Default: a push's lies beside its ledger; a validation has none. */
  readonly out?: string | undefined;
  /** The rejects are written to a workbook as well. */
  readonly workbook?: boolean | undefined;
  /** Values of cells stand in the report and in the outcomes: personal data. */
  readonly showValues?: boolean | undefined;
}

export interface ValidateOptions extends JobOptions, ReportOptions, CallOptions {
  /** Let an input without a single record pass. */
  readonly allowEmpty?: boolean | undefined;
  /** The most invalid records that the run puts up with: a count, or a share (0 to 1) of all. */
  readonly maxErrors?: { readonly count: number } | { readonly share: number } | undefined;
  /** How many threads check the input; default `auto`: what the machine has, where the input is large enough. */
  readonly threads?: "auto" | number | undefined;
}

export interface PushOptions extends ValidateOptions {
  readonly target: TargetOptions;
  readonly credentials?: Credentials | undefined;
  /** Said by a program that means to send to a target whose `environment` is `production`. */
  readonly allowProduction?: boolean | undefined;
  /** Path of its file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  readonly pace?: PaceOptions | undefined;
  /** Everything but the sending. */
  readonly dryRun?: boolean | undefined;
  /** Send what was accepted before with other content. */
  readonly revise?: boolean | undefined;
  /** A new key may be almost the key of a record that was sent before. */
  readonly newKeys?: boolean | undefined;
  /** Send also what is invalid here, where it can be: the platform decides. */
  readonly sendInvalid?: boolean | undefined;
  /** The name of a step of the workflow after which records are left. */
  readonly until?: string | undefined;
}

export interface ResumeOptions extends ReportOptions, CallOptions {
  readonly credentials?: Credentials | undefined;
  /** Said by a program that means to send to a target whose `environment` is `production`. */
  readonly allowProduction?: boolean | undefined;
  /** Path of its file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  /** Id of the run, or the beginning of it. Default: the latest. */
  readonly run?: string | undefined;
}

export interface ReconcileOptions extends ReportOptions, CallOptions {
  readonly credentials?: Credentials | undefined;
  /** Path of its file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  /** Id of the run, or the beginning of it. Default: the latest. */
  readonly run?: string | undefined;
  /** What somebody knows of records by their business keys, where the platform is not to be asked. */
  readonly decide?: OperatorDecision | undefined;
  /** Milliseconds without a request before the platform is asked. Default: that of the target. */
  readonly quietMs?: number | undefined;
}

export interface OperatorDecision {
  /** They have arrived. */
  readonly accept?: readonly string[] | undefined;
  /** They have not, and may be sent again. */
  readonly resend?: readonly string[] | undefined;
  /** Who says so; it is written down. */
  readonly who: string;
}

export interface ReportAgainOptions extends Omit<ReportOptions, "showValues">, CallOptions {
  /** Path of its file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  /** Id of the run, or the beginning of it. Default: the latest. */
  readonly run?: string | undefined;
}
