/**
 * The library behind the command line: extracts in, problems and outcomes out.
 *
 * `openJob` compiles contract and mapping and finds the input; `checkedRecords` streams its records with everything
 * that is wrong with them; `check` does the same into a ledger, and `sendRecords` uploads what the ledger holds as pending.
 * `checkDocuments` asks a store, opened with `openStore`, for the documents that payloads point to.
 *
 * `connectToRead` opens the read side of a platform; `productPages` and `ratePages` give its lists page by page, each
 * page asked for when it is wanted, and `readAccount` one account.
 */
export type { Contract } from "./contract/contract.ts";
export type { ContractFinding } from "./contract/contract-findings.ts";
export type { Operation } from "./contract/operations/operation.ts";
export { fieldTable, type FieldRow } from "./contract/describe/field-table.ts";
export type { FieldType } from "./contract/types/field-type.ts";
export { findOperation } from "./contract/operations/find-operation.ts";
export { loadContract } from "./contract/load-contract.ts";
export type { Ledger, Run } from "./ledger/ledger.ts";
export { openLedger, openTemporaryLedger } from "./ledger/sqlite/sqlite-ledger.ts";
export { check, checkedRecords, type CheckOptions } from "./migrate.ts";
export { Failure, type FailureCode } from "./model/failure.ts";
export type { Outcome, Status, Summary } from "./model/outcome.ts";
export type { Place } from "./model/place.ts";
export type { Problem } from "./model/problem.ts";
export type { MappedRecord } from "./model/record.ts";
export { readAccount, type Account } from "./platform/reading/read-account.ts";
export { resolveTime, type ResolvedTime } from "./time/london-time.ts";
export { type Authorisation, sendAuthorised } from "./platform/auth/authorisation.ts";
export { inTimeOrder, type Page } from "./platform/reading/pagination.ts";
export { productPages, type Product, type ProductFilters } from "./platform/reading/product-list.ts";
export type { Fuel, RateKind } from "./platform/reading/rate-kinds.ts";
export { ratePages, type RateRequest, type UnitRate } from "./platform/reading/unit-rates.ts";
export type { ReadClient } from "./platform/reading/read-client.ts";
export { describeProblem } from "./report/problem-text.ts";
export type { AuthSettings } from "./job/auth-settings.ts";
export {
  authorisationOf,
  connect,
  type Connection,
  connectToRead,
  openTarget,
  type OpenTarget,
  type ReadConnection,
  type ReadDependencies,
  type RateLimitSettings,
  type TargetSettings,
} from "./job/target-connection.ts";
export { openJob, type Job, type JobSettings } from "./job/job.ts";
export type { Dependencies } from "./job/dependencies.ts";
export type { MaxErrors } from "./job/recorded-settings.ts";
export { checkDocuments, type DocumentOptions } from "./pipeline/look-up-documents.ts";
export type { CheckResult, RunHandle } from "./pipeline/plan-records.ts";
export { sendRecords, type SendOptions } from "./pipeline/send-records.ts";
export type { DocumentStore } from "./store/document-store.ts";
export { openStore, type StoreOptions } from "./store/open-store.ts";
export type { UploadEnd } from "./upload/upload-types.ts";
export { compileValidator, type Validate } from "./validate/compile-validator.ts";
