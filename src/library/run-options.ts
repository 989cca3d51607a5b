import type { RunProgress } from "../job/run-progress.ts";
import { ineffectiveSetting } from "../job/settings/auth-settings.ts";
import type { RateLimitSettings } from "../job/settings/platform-settings.ts";
import { isJsonObject } from "../json/json-value.ts";
import { Failure } from "../model/failure.ts";
import { STATUSES } from "../model/outcome.ts";
import {
  CHECK,
  type CheckOptions,
  KEYS,
  type KeyOptions,
  LEDGER,
  type LedgerOptions,
  REPORT,
  type ReportOptions,
  SENDING,
  type SendingOptions,
  THREADS,
  type ThreadOptions,
} from "../options/run-options.ts";
import { JOB, type JobOptions } from "../options/job-options.ts";
import type { LibraryOptions, OptionRow, OptionTable } from "../options/option-row.ts";
import { isValue, valueWords } from "../options/option-schemas.ts";
import { PACE, TARGET, type TargetOptions } from "../options/target-options.ts";
import { suggestionOr } from "../text/suggestion.ts";

/** The part of `AbortSignal` that the types of browsers and of Node.js have in common. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly addEventListener: (type: "abort", listener: () => void) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
}

/** Options of every call. */
export interface CallOptions {
  /** Base folder of relative paths. Default: the current folder of the process. */
  readonly folder?: string | undefined;
  /**
   * Stops the call in the same way as the first Ctrl-C stops a command: no new requests start, and requests in flight
   * have 30 s to finish. The call then resolves if it has a result. Otherwise it rejects with a Failure `incomplete`.
   */
  readonly signal?: StopSignal | undefined;
  /**
   * Stops the call immediately. Aborts requests in flight. Their records become `ambiguous`, or `pending` if the step
   * creates nothing.
   */
  readonly stopNow?: StopSignal | undefined;
  /**
   * Receives the progress of the run about twice a second. If the function throws an error, the run stops as with
   * `signal`, and the call throws that error.
   */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Receives the notices that the command line prints to stderr. They contain no cell values except business keys. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

const CALL: OptionKinds<CallOptions> = {
  folder: { kind: "text" },
  signal: { kind: "signal" },
  stopNow: { kind: "signal" },
  onProgress: { kind: "function" },
  onNotice: { kind: "function" },
};

const CREDENTIALS = {
  apiKey: { kind: "text", library: true },
  token: { kind: "text", library: true },
  /** `user:password` for a proxy that requires credentials. */
  proxy: { kind: "text", library: true },
} as const;

/** Credentials for the platform. The library reads no credentials from the environment. */
export interface Credentials extends LibraryOptions<typeof CREDENTIALS> {}

/** A platform to read from. Only `baseUrl` is required, because reading changes nothing. */
export interface ReadTargetOptions extends Partial<TargetOptions> {
  readonly baseUrl: string;
}

/** Concurrency, rate limits and waits of a run. */
export interface PaceOptions extends Partial<RateLimitSettings> {}

const LIBRARY_PACE: OptionTable = {
  ...libraryOptions(PACE),
  waitForSupplier: { members: { forMs: { kind: "amount" } } },
  wait: { kind: "switch" },
};

export interface ValidateOptions extends JobOptions, ReportOptions, CallOptions, CheckOptions, ThreadOptions {}

export const VALIDATE: OptionTable = { ...CALL, ...libraryOptions({ ...JOB, ...REPORT, ...CHECK, ...THREADS }) };

export interface PushOptions extends ValidateOptions, LedgerOptions, KeyOptions, SendingOptions, SendingCall {
  readonly target: TargetOptions;
  readonly pace?: PaceOptions | undefined;
}

/** The credentials and the permission to send records. */
export interface SendingCall {
  readonly credentials?: Credentials | undefined;
  /** Required to send to a target whose `environment` is `production`. */
  readonly allowProduction?: boolean | undefined;
}

const SENDING_CALL: OptionKinds<SendingCall> = { credentials: { kind: "object" }, allowProduction: { kind: "switch" } };

const PUSH: OptionTable = {
  ...VALIDATE,
  target: { kind: "object", library: "required" },
  ...SENDING_CALL,
  pace: { kind: "object" },
  ...libraryOptions({ ...LEDGER, ...KEYS, ...SENDING }),
};

export interface ReportAgainOptions extends Omit<ReportOptions, "showValues">, CallOptions, LedgerOptions {
  /** Id of the run, or a prefix of it. Default: the latest run. */
  readonly run?: string | undefined;
}

export const REPORT_AGAIN: OptionTable = {
  ...CALL,
  ...libraryOptions({ out: REPORT.out, workbook: REPORT.workbook, ...LEDGER }),
  run: { kind: "text" },
};

export interface ResumeOptions extends ReportAgainOptions, Pick<ReportOptions, "showValues">, SendingCall {
  /** Whether to send all records even if the records of the canary were not accepted. */
  readonly skipCanary?: boolean | undefined;
}

const RESUME: OptionTable = {
  ...REPORT_AGAIN,
  ...libraryOptions(REPORT),
  ...SENDING_CALL,
  skipCanary: { kind: "switch" },
};

export interface ReconcileOptions extends ReportAgainOptions, Pick<ReportOptions, "showValues"> {
  readonly credentials?: Credentials | undefined;
  /** Manual decisions about records by business key. If given, the platform is not queried. */
  readonly decide?: OperatorDecision | undefined;
  /** Minimum time without requests before the platform is queried, in milliseconds. Default: the target's setting. */
  readonly quietMs?: number | undefined;
}

const DECISION = {
  /** Business keys of records that have arrived. */
  accept: { kind: "keys", library: true },
  /** Business keys of records that have not arrived and may be sent again. */
  resend: { kind: "keys", library: true },
  /** Name of the person who made the decisions. The ledger records it. */
  who: { kind: "text", library: "required" },
} as const;

export interface OperatorDecision extends LibraryOptions<typeof DECISION> {}

const RECONCILE: OptionTable = {
  ...REPORT_AGAIN,
  ...libraryOptions(REPORT),
  credentials: { kind: "object" },
  decide: { kind: "object" },
  quietMs: { kind: "amount" },
};

/**
 * Checks the options of `push`.
 * @throws Failure `usage` for invalid options
 */
export function requirePushOptions(options: PushOptions): void {
  requireOptions(options, PUSH, "push");
  const { target, credentials, pace = {} } = options;
  requireTarget(target, "push: target");
  requireCredentials(credentials, "push");
  requireOptions(pace, LIBRARY_PACE, "push: pace");
}

export function requireResumeOptions(options: ResumeOptions): void {
  requireOptions(options, RESUME, "resume");
  requireCredentials(options.credentials, "resume");
}

export function requireReconcileOptions(options: ReconcileOptions): void {
  requireOptions(options, RECONCILE, "reconcile");
  requireCredentials(options.credentials, "reconcile");
  const { decide, quietMs } = options;
  if (decide === undefined) return;
  requireOptions(decide, DECISION, "reconcile: decide");
  if (quietMs !== undefined) throw new Failure("usage", "reconcile: quietMs cannot be used with decide");
}

/** @param call name of the function, for the message */
export function requireReadTarget(target: ReadTargetOptions, call: string): void {
  requireTarget(target, `${call}: target`, "environment");
}

function requireTarget(target: ReadTargetOptions, where: string, optional?: string): void {
  requireOptions(target, libraryOptions(TARGET), where, optional);
  const found = ineffectiveSetting(target.auth ?? {});
  if (found !== undefined) throw new Failure("usage", `${where}.auth: \`${found.name}\` ${found.reason}`);
}

export function requireCredentials(credentials: Credentials | undefined, call: string): void {
  requireOptions(credentials ?? {}, CREDENTIALS, `${call}: credentials`);
}

/** The definitions of all options of a call. The compiler ensures that no option is missing. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, OptionRow>>;

function libraryOptions(table: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(table).filter(([, { library }]) => library !== undefined));
}

/** @throws Failure `usage` for unknown statuses */
export function requireStatuses(statuses: unknown): void {
  if (statuses === undefined || isValue({ kind: "statuses" }, statuses)) return;
  throw new Failure("usage", "outcomes: `statuses` must be a list of statuses", {
    hint: `valid statuses: ${STATUSES.join(", ")}`,
  });
}

/**
 * Checks the options that an untyped program passes. Refuses an option that is unknown, missing, of the wrong type, or
 * in conflict with another option. Messages quote no values, because values may be secrets.
 * @param where the location of the options, such as `push` or `push: target`
 * @param optional an option that this call does not require
 * @throws Failure `usage`
 */
export function requireOptions(options: object, table: OptionTable, where: string, optional?: string): void {
  if (!isJsonObject(options)) throw new Failure("usage", `${where}: expected an object with the options`);
  const rows = new Map(Object.entries(table));
  const given = new Map<string, unknown>(Object.entries(options).filter(([, value]) => value !== undefined));
  for (const name of Object.keys(options)) if (!rows.has(name)) throw unknownOption(name, where, [...rows.keys()]);
  for (const [name, row] of rows) requireValid(row, given.get(name), `${where}: \`${name}\``);
  for (const [name, row] of rows) {
    if (row.library === "required" && name !== optional && !given.has(name)) {
      throw new Failure("usage", `${where}: \`${name}\` is missing`, { hint: `it must be ${valueWords(row)}` });
    }
  }
  requireNoConflict(given, table, where);
  for (const [name, { members }] of rows) {
    const value = given.get(name);
    if (members !== undefined && isJsonObject(value)) requireOptions(value, members, `${where}.${name}`);
  }
}

function requireNoConflict(given: ReadonlyMap<string, unknown>, table: OptionTable, where: string): void {
  for (const [name, { conflicts = [] }] of Object.entries(table)) {
    const other = isSet(given.get(name)) ? conflicts.find((conflict) => isSet(given.get(conflict))) : undefined;
    if (other !== undefined) throw new Failure("usage", `${where}: \`${name}\` cannot be used with \`${other}\``);
  }
}

/** Whether an option is given. A switch is given only if it is on. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function requireValid(row: OptionRow, value: unknown, where: string): void {
  if (value === undefined || isValue(row, value)) return;
  const hasNul = typeof value === "string" && value.includes("\0");
  throw new Failure("usage", `${where} must be ${valueWords(row)}${hasNul ? " without NUL characters" : ""}`);
}

function unknownOption(name: string, where: string, known: readonly string[]): Failure {
  return new Failure("usage", `${where}: unknown option \`${name}\``, {
    hint: suggestionOr(`valid options: ${known.join(", ")}`, name, known),
  });
}
