import type { Outcome, Summary } from "../model/outcome.ts";
import type { InputPosition } from "../model/record.ts";
import type { Timeline } from "../model/timeline.ts";
import type { Coverage, LedgerHistory, NewRun, OutcomeFilter, Run } from "./records/run.ts";
import type { LedgerOrigin, LedgerRecovery } from "./journal/recovery.ts";
import type { AcceptedDay, Destination, DestinationState, OpenFilter, OpenRecord } from "./migration-state.ts";
import type { PackedItems } from "./packed/item-columns.ts";
import type {
  AmbiguousItem,
  Attempt,
  AttemptOutcome,
  Decision,
  Intent,
  NextSendable,
  RecordedDecision,
  SendableItem,
  SharedAccount,
  UndecidedStatus,
} from "./records/requests.ts";
import type { ExcludedRow, KnownContent, PlanPolicy, RowWithoutKey, SendComparison } from "./records/planned-item.ts";
import type { Exclusion, ExclusionEnd, ExclusionResult } from "./records/exclusions.ts";
import type { RecordVerification, Verification } from "./records/verifications.ts";
import type { HeldLease } from "./runs/held-lease.ts";

/** The largest record number that a ledger can store. */
export const MAX_RECORD = 2_147_483_647;

/** Starts runs and plans their records. */
interface PlanningLedger {
  /**
   * Starts a run and stores its setup. Records that an interrupted run left in flight become `ambiguous`, or `pending`
   * if the request was idempotent.
   */
  startRun(run: NewRun): Promise<Run>;
  /** Discards the plan of an interrupted run, because the run will read its input again. */
  restartPlan(run: string): Promise<void>;
  /** Adds records of the input to the plan, in input order. */
  plan(run: string, items: PackedItems): Promise<void>;
  /**
   * Makes planned records `invalid` for reasons that were found after planning, and `excluded` if the user has excluded
   * them. Call this only if the plan stays unfinished; `finishPlan` does the same for a finished plan.
   */
  exclude(run: string, excluded: readonly ExcludedRow[]): Promise<void>;
  /** Returns the open rows without a key from earlier pushes to this run's destination. */
  earlierWithoutKey(run: string): Promise<readonly RowWithoutKey[]>;
  /**
   * Completes the plan. Marks duplicate and near-duplicate keys within the run. Compares the records with earlier runs
   * and exclusions, and sets the status of records that must not be sent: `excluded`, `skipped`, `stale`, `invalid`,
   * `blocked` or `ambiguous` (`known-records.ts` lists the conditions). All other valid records keep the status
   * with which they were planned: `pending`, or `valid` in a run that sends nothing.
   * @throws Failure `storage` if the plan lacks records
   */
  finishPlan(run: string, policy: PlanPolicy): Promise<void>;
  /**
   * Resumes a run. Records that any run left in flight become `ambiguous`, or `pending` if the request was idempotent.
   * No other run is active, because callers hold the ledger's lock. Records of this run without a final state
   * (`pending`, `blocked`, `ambiguous`) are compared with all runs, as in `finishPlan`. An `existing` record becomes
   * `skipped` if its content has been accepted since. If the run is still `planning`, no records are compared; call
   * `restartPlan` next.
   */
  resumeRun(run: string, policy: PlanPolicy): Promise<Run>;
  /** Ends the run. A run with pending records can be resumed. */
  finishRun(run: string, exitCode: number): Promise<void>;
}

/** Stores the requests of a run. */
export interface RequestLedger {
  /**
   * Saves intents. In the same transaction, saves outcomes of earlier attempts, as `saveOutcomes` does. Do not send the
   * requests before this resolves.
   */
  readonly saveIntents: (
    run: string,
    intents: readonly Intent[],
    outcomes?: readonly AttemptOutcome[],
  ) => Promise<void>;
  /** Saves the outcomes of attempts. Compare-and-set: fails for an attempt that is not in flight. */
  readonly saveOutcomes: (run: string, outcomes: readonly AttemptOutcome[]) => Promise<void>;
}

/** Finds the records of a run that are left to send, and the places of these records in the input. */
export interface SendableRecords {
  /** Saves a position from which the input can be read, for `nextSendable`. Call this from time to time. */
  notePosition(run: string, position: InputPosition): Promise<void>;
  /** Finds the first record numbered `from` or higher that is left to send; undefined if there is none. */
  nextSendable(run: string, from: number): Promise<NextSendable | undefined>;
  /** Returns the records numbered `from` to `to` (inclusive) that are left to send. */
  sendable(run: string, from: number, to: number): Promise<readonly SendableItem[]>;
}

interface SendingLedger extends SendableRecords, RequestLedger {
  /**
   * Returns the milliseconds since the last request with outdated content was abandoned without a clear reply;
   * undefined if there was no such request. Content is outdated if it differs from the content that is left to
   * send. The request counts even if its repetition got a clear reply, because the platform may process it later.
   * Ignores records whose request must not be repeated, because such records are not left to send.
   * @param hasStageFields whether the mapping sets fields of a `stage` step. The ledger does not store these fields, so
   * requests of other runs then count even if their content is the same
   */
  msSinceOtherContent(run: string, hasStageFields?: boolean): Promise<number | undefined>;
}

/**
 * Decides the state of records with an unknown outcome or unverified content, and compares accepted records with the
 * platform.
 */
interface ReconcilingLedger {
  /**
   * Prepares to reconcile ambiguous records. Closes attempts left in flight, as `resumeRun` does. Records of this run
   * that are left to send also become `ambiguous` if one of their requests may have been processed. Records that
   * another run has since settled get their current state. Resolves to the milliseconds since the last request without
   * a reply was abandoned, in any run.
   */
  refresh(run: string, policy: PlanPolicy): Promise<number | undefined>;
  /** Returns the records numbered `from` to `to` (inclusive) with unknown delivery status. */
  ambiguous(run: string, from: number, to: number): Promise<readonly AmbiguousItem[]>;
  /**
   * Returns the `existing` records numbered `from` to `to` (inclusive) that no later run has sent with different
   * content.
   */
  existing(run: string, from: number, to: number): Promise<readonly AmbiguousItem[]>;
  /**
   * Returns the records numbered `from` to `to` (inclusive) that the platform accepted with the content of this run,
   * but that the last comparison did not find there. A dry run has none, because it cannot send them again.
   */
  lost(run: string, from: number, to: number): Promise<readonly AmbiguousItem[]>;
  /**
   * Returns the ambiguous, existing or lost records, as selected by `status`, with these business keys. Ignores the
   * keys of other records.
   */
  undecidedByKey(run: string, status: UndecidedStatus, keys: readonly string[]): Promise<readonly AmbiguousItem[]>;
  /**
   * Decides ambiguous, existing and lost records, and stores who decided and why. Compare-and-set: fails for a record
   * that is in none of these states. Resolves to the decisions that were not applied because another record has the new
   * account.
   */
  saveDecisions(run: string, decisions: readonly Decision[], policy: PlanPolicy): Promise<readonly SharedAccount[]>;
  /** Returns every decision that was ever made about the records with this key, oldest first. */
  decisions(key: string): Promise<readonly RecordedDecision[]>;
  /**
   * Returns the records numbered `from` to `to` (inclusive) whose content in this run is the content that the platform
   * last accepted (in any run), or whose content on the platform is unknown. Each value is the result of the last
   * comparison with the platform; undefined if the record has not been compared since it was accepted.
   */
  acceptedLast(run: string, from: number, to: number): Promise<ReadonlyMap<number, Verification | undefined>>;
  /** Stores the results of comparing accepted records with the platform. `at`: ISO 8601 UTC. */
  saveVerifications(run: string, verifications: readonly RecordVerification[], at: string): Promise<void>;
}

/** Excludes records from the migration. */
interface ExcludingLedger {
  /**
   * Excludes records from the migration, including records that the ledger does not contain. No run sends an excluded
   * record. Records that are left to send become `excluded`. Resolves to the result for each exclusion.
   */
  excludeRecords(exclusions: readonly Exclusion[]): Promise<readonly ExclusionResult[]>;
  /**
   * Ends exclusions, so that the next push sends the records. Resolves to a list that states, for each record, whether
   * it was excluded.
   */
  endExclusions(identities: readonly Uint8Array[], end: ExclusionEnd): Promise<readonly boolean[]>;
  /**
   * Returns the exclusions in effect, sorted by key. If a key is given, returns all exclusions that were ever made for
   * records with this key, oldest first.
   */
  exclusions(key?: string): Promise<readonly Exclusion[]>;
}

/** Finds runs, and returns the data by which copies of a ledger can be compared. */
export interface RunHistory {
  /**
   * Finds a run by its id or a unique prefix of its id. Without an id, finds the latest run. Resolves to undefined if
   * there is no such run.
   * @throws Failure `run_unknown` if several runs begin with the prefix
   */
  findRun(id?: string): Promise<Run | undefined>;
  /**
   * Returns the id of the first run, the total number of requests, and the time since the last request without a clear
   * reply was abandoned.
   */
  history(): Promise<LedgerHistory>;
}

/** The part of a ledger that is compared with journals. */
export interface JournaledLedger extends RunHistory {
  /**
   * Compares the ledger with its journals, request by request. Absent for a ledger with its own thread, and for a
   * ledger that is only read from a server.
   */
  readonly recovery?: LedgerRecovery;
  /**
   * Detects whether a database was restored or moved. Absent for a ledger in a file, and for a ledger that is only
   * read.
   */
  readonly origin?: LedgerOrigin;
}

/** Reads the runs and their records. */
export interface RunQueries extends RunHistory {
  /** Returns all runs, latest first. */
  runs(): Promise<readonly Run[]>;
  /**
   * Returns the content of a file that a run stored at its start; undefined if no run stored the file.
   * @param sha256 SHA-256 of the content, in hexadecimal
   * @throws Failure `ledger_damaged` if the content is corrupt
   */
  setupFile(sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Counts the records of a run by status, and their problems by code. `exitCode` depends only on the records: 0, 1, 3
   * or 5.
   */
  summary(run: string): Promise<Summary>;
  /** Yields outcomes in input order, in batches. */
  outcomes(run: string, filter?: OutcomeFilter): AsyncIterable<readonly Outcome[]>;
  /** Returns the content hashes (`contentHash`) of the records numbered `from` to `to` (inclusive) that have one. */
  contents(run: string, from: number, to: number): Promise<ReadonlyMap<number, Uint8Array>>;
  /** Returns the business keys of the records numbered `from` to `to` (inclusive) that have one, in any order. */
  plannedKeys(run: string, from: number, to: number): Promise<readonly string[]>;
  /**
   * Compares the records left to send, or the valid records of a dry run, with content that was sent earlier. Resolves
   * to undefined if no other planned push has the same destination.
   */
  compareToSend(run: string): Promise<SendComparison | undefined>;
  /**
   * Counts the requests of the run that have ended, by time and resulting status; undefined if no request has ended.
   */
  timeline(run: string): Promise<Timeline | undefined>;
  /** Returns every attempt that was ever made for the records with this key, oldest first. */
  attempts(key: string): Promise<readonly Attempt[]>;
}

/** Reads the records of all runs together. */
export interface MigrationQueries {
  /** Counts the records planned for sending, and the records on the platform, across all runs, by destination. */
  coverage(): Promise<readonly Coverage[]>;
  /** Counts the records of the migration by state, across all runs; one entry per destination. */
  migration(): Promise<readonly DestinationState[]>;
  /**
   * Counts the accepted records by destination and by the day (UTC) on which their current content was accepted, oldest
   * day first.
   */
  acceptedByDay(): Promise<readonly AcceptedDay[]>;
  /**
   * Returns the runs, latest first, with records that are left to send or ambiguous, unless a later push has planned
   * these records again.
   */
  unsettledRuns(): Promise<readonly string[]>;
  /** Counts the ambiguous records that no planned push contains: a repair found only their requests. */
  unplannedRecords(): Promise<number>;
  /** Returns the given keys that are not excluded and not in any planned push to these destinations. */
  unseenKeys(destinations: readonly Destination[], keys: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns the identities of the records with these keys at a destination, by key. If the address of a record has
   * parameters, the ledger knows only the identities of records that a push or a dry run has planned.
   */
  identitiesByKey(
    destination: Destination,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly Uint8Array[]>>;
  /**
   * Returns the latest known content of the records with these identities (in hexadecimal), by identity. A record that
   * is in neither a planned push nor a journal has no entry.
   */
  knownContents(identities: readonly string[]): Promise<ReadonlyMap<string, KnownContent>>;
  /** Yields the records of the migration that are not done, in batches, latest run first. */
  openRecords(filter?: OpenFilter): AsyncIterable<readonly OpenRecord[]>;
}

/**
 * The durable state of every run and every record. Contains keys, hashes, states and codes, but no payload values. Each
 * call handles a batch in one transaction, which is durable (fsynced) when the promise resolves. If a PostgreSQL server
 * crashes, input positions may be lost.
 */
export interface Ledger
  extends
    PlanningLedger,
    SendingLedger,
    ReconcilingLedger,
    ExcludingLedger,
    RunQueries,
    MigrationQueries,
    JournaledLedger {
  /**
   * Moves all further writes to a separate thread, and returns a ledger that passes them to the thread. The current
   * ledger can still be queried. Closing the current ledger also closes the returned ledger. The `plan` of the returned
   * ledger may resolve before the items are written. Absent for a temporary ledger, for a ledger that is only read, and
   * for a ledger on a server, because the server does the work.
   * @param begins whether the thread starts immediately, or only after enough requests to justify its cost
   */
  readonly inThread?: (begins: "immediately" | "when worthwhile") => Ledger;
  /** Whether this process is still the writer. Absent if no other process can write while this process is alive. */
  readonly lease?: HeldLease;
  close(): Promise<void>;
}
