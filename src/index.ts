/**
 * The library behind the command line: extracts in, problems and outcomes out.
 *
 * `openJob` compiles contract and mapping and finds the input; `checkedRecords` streams its records with everything
 * that is wrong with them; `check` does the same into a ledger, and `send` uploads what the ledger holds as pending.
 * `checkDocuments` asks a store, opened with `openStore`, for the documents that payloads point to.
 *
 * `connectToRead` opens the read side of a platform; `productPages` and `ratePages` give its lists page by page, each
 * page asked for when it is wanted, and `readAccount` one account.
 */
export type { Contract, ContractFinding, Operation } from "./contract/contract.ts";
export { fieldTable, type FieldRow } from "./contract/field-table.ts";
export type { FieldType } from "./contract/field-type.ts";
export { findOperation } from "./contract/find-operation.ts";
export { loadContract } from "./contract/load-contract.ts";
export type { Ledger, Run } from "./ledger/ledger.ts";
export { openLedger, openTemporaryLedger } from "./ledger/sqlite-ledger.ts";
export {
  check,
  checkDocuments,
  checkedRecords,
  send,
  type CheckOptions,
  type DocumentOptions,
  type SendOptions,
} from "./migrate.ts";
export { Failure, type FailureCode } from "./model/failure.ts";
export type { Outcome, Status, Summary } from "./model/outcome.ts";
export type { Place } from "./model/place.ts";
export type { Problem } from "./model/problem.ts";
export type { MappedRecord } from "./model/record.ts";
export { readAccount, type Account } from "./platform/account.ts";
export { resolveTime, type ResolvedTime } from "./platform/london-time.ts";
export type { Authorisation } from "./platform/authorisation.ts";
export { sendAuthorised } from "./platform/authorised-request.ts";
export type { Page } from "./platform/pages.ts";
export { productPages, type Product, type ProductFilters } from "./platform/products.ts";
export type { Fuel, RateKind } from "./platform/rate-kinds.ts";
export { ratePages, type RateRequest, type UnitRate } from "./platform/rates.ts";
export type { ReadClient } from "./platform/read-client.ts";
export { inTimeOrder } from "./platform/time-order.ts";
export { wordsFor } from "./report/words.ts";
export type { CheckEnd } from "./run/check-end.ts";
export type { AuthSettings } from "./run/auth-settings.ts";
export {
  authorisationOf,
  connect,
  type Connection,
  openTarget,
  type OpenTarget,
  type PaceSettings,
  type TargetSettings,
} from "./run/connection.ts";
export { connectToRead, type ReadConnection, type ReadParts } from "./run/read-connection.ts";
export { openJob, type Job, type JobSettings } from "./run/job.ts";
export type { Parts } from "./run/parts.ts";
export type { RunBook, Tolerance } from "./run/plan-records.ts";
export type { DocumentStore } from "./store/document-store.ts";
export { openStore, type StoreOptions } from "./store/open-store.ts";
export type { UploadEnd } from "./upload/sendable.ts";
export { compileValidator, type Validate } from "./validate/compile-validator.ts";
