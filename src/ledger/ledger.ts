import type { Outcome, Status, Summary, ValidOutcomes } from "../model/outcome.ts";
import type { Problem } from "../model/problem.ts";
import type { InputPosition } from "../model/record.ts";
import type { Timeline } from "../model/timeline.ts";
import type { PackedItems } from "./packed/item-columns.ts";
import type { HeldLease } from "./runs/held-lease.ts";

/**
 * What the tool remembers of every run and of every record's fate, durably. Holds keys, hashes, states and codes;
 * never a payload value. Calls are batches: one transaction each, durable (fsynced) when the promise resolves.
 */
export interface Ledger {
  /** Opens a run. Attempts that an earlier, dead run left in flight become `ambiguous`. */
  startRun(run: NewRun): Promise<Run>;
  /** A run by its id (or a unique prefix of it), or the latest one; undefined when there is none. */
  findRun(id?: string): Promise<Run | undefined>;
  /** All runs, the latest first. */
  runs(): Promise<readonly Run[]>;
  /** Gives runs of earlier versions their endpoints, and identifies their records by these from now on. */
  setEndpoints(endpoints: ReadonlyMap<string, string>): Promise<void>;
  /** Stamps the run as reading its input anew: forgets what an interrupted plan had written. */
  restartPlan(run: string): Promise<void>;
  /** Writes down records of the input, in input order. */
  plan(run: string, items: readonly PlannedItem[] | PackedItems): Promise<void>;
  /** Makes planned records `invalid` for reasons that were found after they had been planned. Before `finishPlan`. */
  exclude(run: string, excluded: readonly ExcludedRow[]): Promise<void>;
  /**
   * Ends the plan: marks duplicate and near-duplicate keys within the run, records already accepted (`skipped`),
   * already accepted with other content (`invalid`, code `unique`, unless `revise`), waiting for another record
   * that is not accepted (`blocked`), still ambiguous from before
   * (`ambiguous`, unless `resendAmbiguous`), and makes the remaining valid ones `pending`.
   */
  finishPlan(run: string, policy: PlanPolicy): Promise<void>;

  /** Notes a place that the run's input can be read from; now and then, for `nextSendable`. */
  notePosition(run: string, position: InputPosition): Promise<void>;
  /** The first record from number `from` on that is still to be sent; undefined where none is. */
  nextSendable(run: string, from: number): Promise<NextSendable | undefined>;
  /** Of the records numbered `from` to `to` (inclusive), those still to be sent. */
  sendable(run: string, from: number, to: number): Promise<readonly SendableItem[]>;
  /**
   * Makes the intents to send durable and, in the same transaction, the outcomes of earlier attempts, as `saveOutcomes`
   * does. No request may leave before this resolves.
   */
  saveIntents(run: string, intents: readonly Intent[], outcomes?: readonly AttemptOutcome[]): Promise<void>;
  /** Writes down what came of attempts. Compare-and-set: the outcome of an attempt that is not in flight is refused. */
  saveOutcomes(run: string, outcomes: readonly AttemptOutcome[]): Promise<void>;

  /**
   * Goes on with a run: attempts left in flight become `ambiguous` (in every run: callers hold the ledger's lock), and
   * all records of this run without a final state (`pending`, `blocked`, `ambiguous`) are compared with what is known
   * of them by now, as `finishPlan` does: sent by another run meanwhile `skipped`, unknown fate `ambiguous`
   * (`pending` if `resendAmbiguous`), the rest `pending`. A run still `planning` needs `restartPlan` next.
   */
  resumeRun(run: string, policy: PlanPolicy): Promise<Run>;
  /**
   * Before ambiguous records are reconciled: attempts left in flight become `ambiguous`, as in `resumeRun`, and so do the records of
   * this run that are to be sent although one of their requests may have been processed. Those that another run has
   * finished meanwhile take the state that is known by now. Resolves to when the last request without an answer was
   * given up in any run, ISO 8601 UTC.
   */
  refresh(run: string, policy: PlanPolicy): Promise<string | undefined>;
  /** Of the records numbered `from` to `to` (inclusive), those whose fate is unknown. */
  ambiguous(run: string, from: number, to: number): Promise<readonly AmbiguousItem[]>;
  /** The same by their business keys; keys of other records are passed over. */
  ambiguousByKey(run: string, keys: readonly string[]): Promise<readonly AmbiguousItem[]>;
  /**
   * Decides ambiguous records, and writes down who did and why. Compare-and-set: a record that is not ambiguous is
   * refused. Resolves to the decisions that were not taken, because another record has the new account.
   */
  saveDecisions(run: string, decisions: readonly Decision[], policy: PlanPolicy): Promise<readonly SharedAccount[]>;
  /** Every decision ever made about the records of this key, oldest first. */
  decisions(key: string): Promise<readonly RecordedDecision[]>;

  /** What outsiders need to know of the ledger's past. */
  history(): Promise<LedgerHistory>;

  /** Compares the ledger with a journal kept outside of it. Absent where no journal is compared record by record. */
  readonly recovery?: LedgerRecovery;

  /** Shows that a database was restored or moved. Absent for a ledger in a file. */
  readonly origin?: LedgerOrigin;

  /** Ends the run (it may be resumed while records are pending). */
  finishRun(run: string, exitCode: number): Promise<void>;

  /** Counts by status and by code. `exitCode` is that of the records alone: 0, 1, 3 or 5. */
  summary(run: string): Promise<Summary>;
  /** How much of what was ever to be sent is on the platform, over all runs; one entry a destination. */
  coverage(): Promise<readonly Coverage[]>;
  /** Outcomes in input order, in batches. */
  outcomes(run: string, filter?: OutcomeFilter): AsyncIterable<readonly Outcome[]>;
  /** Of the records numbered `from` to `to` (inclusive), the hashes of their contents (`contentHash`), where they have one. */
  contents(run: string, from: number, to: number): Promise<ReadonlyMap<number, Uint8Array>>;
  /** When the requests of the run were answered; undefined for a run without an answer. */
  timeline(run: string): Promise<Timeline | undefined>;
  /** Every attempt ever made for the records of this key, oldest first. */
  attempts(key: string): Promise<readonly Attempt[]>;

  /**
   * The same ledger, worked on by a thread of its own from here on; it is closed with this one, which may still be asked,
   * and changes nothing any more. Its `plan` may resolve before the items are written. Absent where the ledger is another
   * program's work.
   * @param begins `at once`, or when enough has been sent for it to pay
   */
  readonly inThread?: (begins: "at once" | "when it pays") => Ledger;
  /** Whether it is still this process that writes. Absent where nobody else can while it lives. */
  readonly lease?: HeldLease;
  close(): Promise<void>;
}

/** What a run that sends nothing asks of the place in which its records are written down. */
export interface PlanLedger
  extends
    Pick<Ledger, "plan" | "exclude" | "finishPlan" | "finishRun" | "summary" | "close">,
    Partial<Pick<Ledger, "timeline">> {
  findRun(id: string): Promise<Run | undefined>;
  outcomes(run: string, filter?: Pick<OutcomeFilter, "statuses">): AsyncIterable<readonly Outcome[]>;
  /** All outcomes, good records side by side as columns; absent where they are not kept so. */
  outcomesInColumns?(run: string): AsyncIterable<readonly (Outcome | ValidOutcomes)[]>;
}

export interface NewRun {
  readonly command: "validate" | "push" | "documents check";
  /** Host and port the run sends to; empty for a run that sends nothing. */
  readonly target: string;
  readonly supplier: string;
  /** The operation's id in the contract, for people: it may change from run to run. */
  readonly operation: string;
  /** Method and address at which its records are created; empty for a run that sends nothing. */
  readonly endpoint: string;
  /** What `resume` and `report` need to go on as before; plain JSON, no secrets. */
  readonly settings: unknown;
  /** Dry runs plan like real ones and never send. */
  readonly dryRun: boolean;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
}

export interface Run extends Omit<NewRun, "endpoint"> {
  /** Absent in a run of an earlier version: until `setEndpoints`, its records are known by the id of their operation. */
  readonly endpoint?: string;
  /** Sortable and short: `20261120-2341-7f3a`. */
  readonly id: string;
  /** `planning`: the input has not been read to its end, even where the run has ended. */
  readonly state: "planning" | "sending" | "finished";
  readonly finishedAt?: string;
  readonly exitCode?: number;
}

export interface PlannedItem {
  readonly record: number;
  readonly key: string | undefined;
  /** The record's identity in every run (`recordIdentity`). Absent for `validate`. */
  readonly identity: Uint8Array | undefined;
  /** sha256 of the canonical payload; a fast hash of it for `validate`, whose ledger nobody else reads. */
  readonly content: Uint8Array | number | undefined;
  readonly file: string;
  readonly line: number;
  readonly status: "valid" | "invalid";
  readonly problems: readonly Problem[];
  /** Identity of the record that must be accepted before this one is sent. */
  readonly awaits?: Uint8Array;
  /** Hash of the source row (`row-hash.ts`). Absent for a run that sends nothing. */
  readonly rowHash?: number | undefined;
}

/** A planned record that must not be sent as it is, known by the place where its row begins. */
export interface ExcludedRow {
  readonly file: string;
  readonly line: number;
  readonly problem: Problem;
}

export interface PlanPolicy {
  /** Send accepted records again when their content has changed. */
  readonly revise: boolean;
  /** A new key may be almost the key of a record that was sent before: it is meant so. */
  readonly newKeys?: boolean | undefined;
  /** The platform dedupes on the business key, so an ambiguous record may be sent again. */
  readonly resendAmbiguous: boolean;
  /** The operation whose records must be accepted first, where there is one. */
  readonly after?: string | undefined;
  /** A record waits for the one of that operation that has the same key. */
  readonly awaitsOwnKey?: boolean | undefined;
  /** Where a record's key stands, for problems about keys. */
  readonly keyAttr: string;
  /** The column that the key comes from, by file (CSV); problems about keys point at it. */
  readonly keyColumns: ReadonlyMap<string, { readonly column: string; readonly columnNumber: number }>;
}

export interface NextSendable {
  readonly record: number;
  /** The last place that was noted before it, or at it. */
  readonly position?: InputPosition;
}

export interface SendableItem {
  readonly record: number;
  readonly identity: Uint8Array;
  readonly content: Uint8Array;
  /** Attempts made so far in any run; the next is one higher. */
  readonly attempts: number;
  /** One of them may have been processed. */
  readonly isAmbiguous: boolean;
  /** The last step that was done for this content; absent before the first, and after a refusal. */
  readonly step?: string;
  /** Hash of the source row, where the plan has it. */
  readonly rowHash?: number | undefined;
}

export interface Intent {
  readonly record: number;
  readonly identity: Uint8Array;
  readonly content: Uint8Array;
  readonly attempt: number;
  /** The step that it is for, where there are several. */
  readonly step?: string;
  /** May be repeated without harm: broken off, it leaves the record `pending` and not `ambiguous`. */
  readonly idempotent?: boolean;
  /** For the journal; the ledger has it in the plan. */
  readonly rowHash?: number | undefined;
  readonly at: string;
}

export interface AttemptOutcome {
  readonly record: number;
  readonly identity: Uint8Array;
  readonly attempt: number;
  /**
   * `pending`: may be sent again, from the step that was done last. `valid`: the platform would take it, and was asked
   * for nothing more.
   */
  readonly status: Extract<Status, "valid" | "accepted" | "rejected" | "ambiguous" | "blocked" | "pending">;
  readonly problems: readonly Problem[];
  readonly http?: number;
  readonly account?: string;
  /** The account was made for this record: where another record of the endpoint has it, `ambiguous` is written down. */
  readonly isNewAccount?: boolean;
  readonly durationMs?: number;
  /** Why, in a few words, for `explain`: "timeout waiting for headers". */
  readonly reason?: string;
  /** The step that is done with this. */
  readonly step?: string;
  readonly at: string;
}

/** A record that may have been processed, or not. */
export interface AmbiguousItem {
  readonly record: number;
  readonly key: string;
  readonly identity: Uint8Array;
  /** False: what was sent had another content than the record has in this run. */
  readonly isAsSent: boolean;
  /** How often it was sent again after it had been ambiguous. */
  readonly resends: number;
  /** The last step that was done for what was sent. */
  readonly step?: string;
  /** Attempts that the ledger knows, in any run. 0: only an uncertain recovery made the record ambiguous. */
  readonly attempts: number;
}

/** A record whose new account another record of the endpoint has. */
export interface SharedAccount {
  readonly record: number;
  readonly holder: { readonly record: number; readonly run: string };
}

/** `accepted`: it has arrived; `rejected`: something else has; `resend`: it has not, and may be sent again. */
export interface Decision {
  readonly record: number;
  readonly identity: Uint8Array;
  readonly decision: "accepted" | "rejected" | "resend";
  readonly by: "read-back" | "operator";
  /** The account's name of whoever ran the command. */
  readonly who: string;
  readonly reason: string;
  readonly account?: string;
  /** The account was made for this record: where another record of the endpoint has it, nothing is decided. */
  readonly isNewAccount?: boolean;
  readonly problems?: readonly Problem[];
  readonly at: string;
}

export type RecordedDecision = Pick<Decision, "record" | "decision" | "by" | "who" | "reason" | "account" | "at"> & {
  readonly run: string;
};

export interface LedgerHistory {
  /** Tells this ledger and its copies from all others: the id of its first run; undefined before that. */
  readonly id: string | undefined;
  /** Requests ever intended, in all runs. Only a repair makes it smaller. */
  readonly requests: number;
  /** When the last request without a clear answer was given up, ISO 8601 UTC; undefined where there was none. */
  readonly lastGivenUpAt: string | undefined;
}

/** A request as a journal outside of the ledger remembers it. */
export interface JournaledRequest extends Pick<Intent, "identity" | "content" | "attempt"> {
  readonly idempotent?: boolean | undefined;
  /** Tells the source row and the destination (`rowMarker`), where the row is known. */
  readonly rowMark?: number | undefined;
}

/** A comparison of the ledger with a journal, after which the ledger accounts for every entry of the journal. */
export interface Recovery {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** The journal could not tell every request: records that are new to the ledger may have been sent. */
  readonly isUncertain: boolean;
}

export interface LedgerRecovery {
  /** Those of these requests that the ledger does not know: it has fewer attempts of their records. */
  readonly unknownRequests: (requests: readonly JournaledRequest[]) => Promise<readonly JournaledRequest[]>;
  /**
   * Notes the unknown ones of these requests as attempts with unknown outcome, given up at `at`: their records become
   * `ambiguous`, or keep their state where the request was idempotent. Resolves to the number of requests noted.
   */
  readonly markPossiblySent: (requests: readonly JournaledRequest[], at: string) => Promise<number>;
  /**
   * Notes a recovery. After an uncertain one every record that is not accepted becomes `ambiguous`, and so does each
   * record that is new to the ledger when it is planned, unless the platform dedupes.
   */
  readonly noteRecovery: (recovery: Recovery) => Promise<void>;
  readonly isRecoveryKnown: (id: string) => Promise<boolean>;
}

export interface LedgerOrigin {
  /** Notes that a process of this machine is about to send. */
  readonly noteMachine: (machine: string) => Promise<void>;
  /** Notes that nothing is missing in the ledger that comes from there. @param at ISO 8601 UTC */
  readonly noteOrigin: (origin: string, at: string) => Promise<void>;
  readonly facts: () => Promise<OriginFacts>;
}

/** Where a ledger comes from. A restored copy differs. */
export interface OriginFacts {
  /** Names the server, the database, the tables and the timeline. */
  readonly origin: string;
  /** How far the server's log has come: grows while the origin is the same. */
  readonly position: number;
  /** Ids of the machines that have sent. */
  readonly machines: readonly string[];
  /** The origin that was noted in the ledger: a restored copy has that of the original. */
  readonly noted?: NotedOrigin | undefined;
}

export interface NotedOrigin {
  readonly origin: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** Records known by their business keys: however many runs they were part of, each counts once. */
export interface Coverage extends Pick<Run, "target" | "supplier" | "operation"> {
  readonly records: number;
  /** Those of them that the platform has accepted, in whatever run. */
  readonly accepted: number;
}

export interface OutcomeFilter {
  readonly statuses?: readonly Status[];
  readonly key?: string;
  /** Keys that differ from this one only by what spreadsheets change: case, spaces, leading zeros. */
  readonly nearKey?: string;
}

export interface Attempt {
  readonly run: string;
  readonly attempt: number;
  readonly record: number;
  /** The step that it was for, where there were several. */
  readonly step?: string;
  readonly intendedAt: string;
  readonly settledAt?: string;
  readonly status: AttemptOutcome["status"] | "sending";
  readonly http?: number;
  readonly account?: string;
  readonly durationMs?: number;
  readonly reason?: string;
  readonly problems: readonly Problem[];
}
