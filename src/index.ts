/**
 * The library behind the command line (docs/library.md). Most functions correspond to a command, such as `validate`,
 * `push` and `status`. They take the same locks as the command, run the same checks on a target, and return the same
 * results.
 *
 * No function writes to the terminal, listens for signals or ends the process.
 */
export { push, reconcile, report, resume, validate } from "./library/runs.ts";
export type {
  CallOptions,
  Credentials,
  OperatorDecision,
  PaceOptions,
  PushOptions,
  ReadTargetOptions,
  ReconcileOptions,
  ReportAgainOptions,
  ResumeOptions,
  SendingCall,
  StopSignal,
  ValidateOptions,
} from "./library/run-options.ts";
export type { RateLimitSettings } from "./job/settings/platform-settings.ts";
export type { JobOptions } from "./options/job-options.ts";
export type {
  CheckOptions,
  KeyOptions,
  LedgerOptions,
  ReportOptions,
  SendingOptions,
  ThreadOptions,
} from "./options/run-options.ts";
export type {
  AuthScheme,
  GivenValue,
  KindValues,
  LibraryOptions,
  MaxErrors,
  OptionValue,
  RecordedValues,
  Threads,
} from "./options/option-row.ts";
export type { AuthSettings, RecordedPace, TargetOptions, TimeoutSettings } from "./options/target-options.ts";
export type {
  Cause,
  Causes,
  CauseShape,
  RecordError,
  RecordOutcome,
  RejectsFile,
  ReportPaths,
  RunResult,
} from "./library/run-result.ts";
export {
  type DestinationCoverage,
  explain,
  type ExplainOptions,
  type LedgerOverview,
  outcomes,
  type OutcomesOptions,
  type ReadLedgerOptions,
  type RecordAttempt,
  type RecordDecision,
  type RecordHistory,
  type RunOverview,
  status,
} from "./library/ledger-reading.ts";
export {
  type RunningSandbox,
  type SandboxAccount,
  type SandboxOptions,
  type SandboxRequest,
  startSandbox,
} from "./library/local-platform.ts";
export {
  type AccountOptions,
  products,
  type ProductsOptions,
  rates,
  type RatesOptions,
  readAccount,
  type ReadPlatformOptions,
} from "./library/platform-reading.ts";
export type { Account, Product, ProductFilters, RateRequest, UnitRate } from "./platform/reading/received-records.ts";
export type { FaultOptions, FaultValues, Trigger } from "./sandbox/faults/fault-options.ts";
export type { Fuel, RateKind } from "./platform/reading/rate-kinds.ts";
export { resolveTime, type ResolvedTime } from "./time/london-time.ts";
export type { JsonObject, JsonScalar, JsonValue } from "./json/json-value.ts";
export type {
  Counts,
  InputProgress,
  Pace,
  RunIdentity,
  RunProgress,
  RunState,
  SendProgress,
  SettledRecords,
  Sharing,
  Wait,
  WorkingProcess,
} from "./job/run-progress.ts";
export { EXIT_CODES, type ExitCode } from "./model/exit-codes.ts";
export { Failure, FAILURES, type FailureCode } from "./model/failure.ts";
export { type RecordCounts, STATUSES, type Status, type Summary } from "./model/outcome.ts";
export type { Place } from "./model/place.ts";
export type { Severity } from "./model/problem.ts";
export type { SupplierStatus } from "./model/supplier-status.ts";
