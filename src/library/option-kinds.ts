import type { AuthSettings, RateLimitSettings, TimeoutSettings } from "../job/settings/platform-settings.ts";
import { type OptionKinds, requireOptions } from "./check-options.ts";
import type {
  CallOptions,
  Credentials,
  JobOptions,
  OperatorDecision,
  PushOptions,
  ReadTargetOptions,
  ReconcileOptions,
  ReportAgainOptions,
  ReportOptions,
  ResumeOptions,
  TargetOptions,
  ValidateOptions,
} from "./run-options.ts";

const CALL: OptionKinds<CallOptions> = {
  folder: "a string",
  signal: "an AbortSignal",
  stopNow: "an AbortSignal",
  onProgress: "a function",
  onNotice: "a function",
};

const JOB: OptionKinds<JobOptions> = {
  contract: "a string or a list of strings",
  operation: "a string",
  mapping: "a string",
  sources: "a string or a list of strings",
  namedSources: "lists of strings by name",
  supplier: "a string",
  documentRoots: "strings by name",
  documentRoot: "a string",
  rules: "settings by name",
  references: "strings by name",
  functionTimeout: "a number of seconds from 0.1 to 3600",
  today: "a date such as 2026-01-31",
  encoding: "a string",
  delimiter: "a string",
  limit: "a whole number from 1",
  only: "a list of strings",
};

const REPORT: OptionKinds<ReportOptions> = { out: "a string", workbook: "true or false", showValues: "true or false" };

const VALIDATE: OptionKinds<ValidateOptions> = {
  ...CALL,
  ...JOB,
  ...REPORT,
  allowEmpty: "true or false",
  maxErrors: "{ count } or { share }, a share from 0 to 1",
  threads: 'a whole number from 1 to 64, or "auto"',
};

const PUSH: OptionKinds<PushOptions> = {
  ...VALIDATE,
  target: "settings by name",
  credentials: "settings by name",
  allowProduction: "true or false",
  ledger: "a string",
  pace: "settings by name",
  dryRun: "true or false",
  revise: "true or false",
  newKeys: "true or false",
  sendInvalid: "true or false",
  until: "a string",
};

const REPORT_AGAIN: OptionKinds<ReportAgainOptions> = {
  ...CALL,
  out: "a string",
  workbook: "true or false",
  ledger: "a string",
  run: "a string",
};

const RESUME: OptionKinds<ResumeOptions> = {
  ...REPORT_AGAIN,
  showValues: "true or false",
  credentials: "settings by name",
  allowProduction: "true or false",
};

const RECONCILE: OptionKinds<ReconcileOptions> = {
  ...REPORT_AGAIN,
  showValues: "true or false",
  credentials: "settings by name",
  decide: "settings by name",
  quietMs: "a number from 0",
};

const TARGET: OptionKinds<TargetOptions> = {
  baseUrl: "a string",
  environment: '"test" or "production"',
  ca: "a string",
  proxy: "a string",
  timeouts: "settings by name",
  allowInsecureLoopback: "true or false",
  auth: "settings by name",
};

const TIMEOUTS: OptionKinds<TimeoutSettings> = {
  connectSeconds: "a number from 0",
  headersSeconds: "a number from 0",
  bodySeconds: "a number from 0",
  wholeSeconds: "a number from 0",
  quietSeconds: "a number from 0",
};

const AUTH: OptionKinds<AuthSettings> = {
  scheme: "a string",
  apiKeyFile: "a string",
  tokenFile: "a string",
  graphqlPath: "a string",
  mutation: "a string",
  inputField: "a string",
  refreshField: "a string",
  outputFields: "a list of strings",
  outputPath: "a string",
  document: "a string",
  refreshDocument: "a string",
};

const CREDENTIALS: OptionKinds<Credentials> = { apiKey: "a string", token: "a string", proxy: "a string" };

const PACE: OptionKinds<RateLimitSettings> = {
  concurrency: 'a whole number from 1, or "auto"',
  maxConcurrency: "a whole number from 1",
  rps: "a number from 0",
  waitForSupplier: "settings by name",
};

const DECISION: OptionKinds<OperatorDecision> = {
  accept: "a list of strings",
  resend: "a list of strings",
  who: "a string",
};

/** @throws Failure `usage` for invalid options of `validate`; each function below checks the options of another call */
export function requireValidateOptions(options: ValidateOptions): void {
  requireOptions(options, VALIDATE, { where: "validate", required: ["contract"] });
}

export function requirePushOptions(options: PushOptions): void {
  requireOptions(options, PUSH, { where: "push", required: ["contract", "target"] });
  const { target, credentials, pace = {} } = options;
  requireTargetOptions(target, "push", ["baseUrl", "environment"]);
  requireCredentials(credentials, "push");
  requireOptions<Partial<RateLimitSettings>>(pace, PACE, { where: "push: pace" });
}

export function requireResumeOptions(options: ResumeOptions): void {
  requireOptions(options, RESUME, { where: "resume" });
  requireCredentials(options.credentials, "resume");
}

export function requireReconcileOptions(options: ReconcileOptions): void {
  requireOptions(options, RECONCILE, { where: "reconcile" });
  requireCredentials(options.credentials, "reconcile");
  const { decide } = options;
  if (decide !== undefined) requireOptions(decide, DECISION, { where: "reconcile: decide", required: ["who"] });
}

export function requireReportOptions(options: ReportAgainOptions): void {
  requireOptions(options, REPORT_AGAIN, { where: "report" });
}

/** @param call name of the function, for the message */
export function requireTargetOptions(
  target: ReadTargetOptions,
  call: string,
  required: readonly (keyof TargetOptions)[],
): void {
  const where = `${call}: target`;
  requireOptions<ReadTargetOptions>(target, TARGET, { where, required });
  requireOptions(target.timeouts ?? {}, TIMEOUTS, { where: `${where}.timeouts` });
  requireOptions(target.auth ?? {}, AUTH, { where: `${where}.auth` });
}

export function requireCredentials(credentials: Credentials | undefined, call: string): void {
  requireOptions(credentials ?? {}, CREDENTIALS, { where: `${call}: credentials` });
}
