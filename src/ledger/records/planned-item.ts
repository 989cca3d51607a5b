import type { Status } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";

/** The number of a planned record, and the place of its row. */
export interface PlannedPlace {
  readonly record: number;
  readonly file: string;
  readonly line: number;
}

export interface PlannedItem extends PlannedPlace {
  readonly key: string | undefined;
  /** The record's identity in every run (`recordIdentity`). Undefined without a key, and in an `UnsentRun`. */
  readonly identity: Uint8Array | undefined;
  /**
   * SHA-256 of the canonical payload; undefined without a key. In an `UnsentRun`, a fast hash of the payload, because
   * no other run reads its ledger.
   */
  readonly content: Uint8Array | number | undefined;
  readonly status: "valid" | "invalid";
  readonly problems: readonly Problem[];
  /** Identity of the record that must be accepted before this record is sent. */
  readonly awaits?: Uint8Array;
  /** Hash of the source row (`row-hash.ts`). Absent in an `UnsentRun`. */
  readonly rowHash?: number | undefined;
  /** The date of the content, in milliseconds since 1970; absent if the source does not state it. */
  readonly asOf?: number | undefined;
}

/** Returns the status with which a run plans the item. `sends`: whether the run sends records. */
export function plannedStatus({ status }: PlannedItem, { sends }: { readonly sends: boolean }): Status {
  return sends && status === "valid" ? "pending" : status;
}

/** The id of the run that planned a row, and the row's record number in that run. */
export interface RowName {
  readonly run: string;
  readonly record: number;
}

/** An invalid row without a business key: a row of the root source, or a child row without a parent. */
export interface RowWithoutKey extends RowName {
  readonly file: string;
  readonly rowHash: number | undefined;
}

/**
 * A planned record that must not be sent, identified by the place where its row begins. Several records can begin in
 * the same line of a JSON file, so the record number (`record`), if known, also identifies the record.
 */
export interface ExcludedRow {
  readonly file: string;
  readonly line: number;
  readonly record?: number | undefined;
  readonly problem: Problem;
}

/** A cell of every row of a file: its column (CSV), or its pointer relative to the row (JSON). */
export type RowCell = Pick<Place, "column" | "columnNumber" | "pointer">;

/** The cells of a file to which problems of planned records point. */
export interface FileCells {
  /** The cells from which the business key may come. */
  readonly key: readonly RowCell[];
  /** The cell with the date of the content, if the sources have such a cell. */
  readonly asOf: readonly RowCell[];
  /** The cells that refer to the record that must be accepted first. */
  readonly awaited?: readonly RowCell[];
  /** For a JSON file with an array: the number of the record that is its first element. */
  readonly firstElement?: number;
}

/** How problems about keys describe the key. */
export interface KeyPolicy {
  readonly keyAttr: string;
  readonly fileCells: ReadonlyMap<string, FileCells>;
}

export interface PlanPolicy extends KeyPolicy {
  /** Number of records that were planned. A plan that lacks some of them is not finished. */
  readonly records?: number;
  /** Records to make `invalid`, as `Ledger.exclude` does, when the plan is finished. */
  readonly excluded?: readonly ExcludedRow[];
  /** Whether to send accepted records again if their content has changed. */
  readonly revise: boolean;
  /**
   * Whether to accept a new key even if a spreadsheet may have changed it, or if its row was sent under another key.
   */
  readonly newKeys?: boolean | undefined;
  /** Whether to send content even if content with a later date was already sent for the record. */
  readonly allowOlder?: boolean | undefined;
  /** Whether the sources state the date of their content. */
  readonly isDated?: boolean | undefined;
  /**
   * Whether an ambiguous record may be sent again: the platform deduplicates by business key, or the record is polled
   * first.
   */
  readonly resendAmbiguous: boolean;
  /**
   * Whether the platform deduplicates by business key. Otherwise, a plan after an uncertain recovery makes new records
   * ambiguous, even if a resumed run can poll them.
   */
  readonly createsOnce?: boolean;
  /** Name of the step whose outcome is not final, because the platform creates the record later. */
  readonly scheduledStep?: string | undefined;
  /** The operation whose records must be accepted first, if any. */
  readonly after?: string | undefined;
  /** The attr that refers to such a record, unless it is the key. */
  readonly awaitedAttr?: string | undefined;
  /** Whether a record waits for the record with the same key. */
  readonly awaitsOwnKey?: boolean | undefined;
  /**
   * Rows that are no longer open, because this plan has read them again: rows of `Ledger.earlierWithoutKey`, and
   * invalid records whose keys have been corrected.
   */
  readonly superseded?: readonly RowName[] | undefined;
  /**
   * Set if the plan contains re-imported rejects: the ids of the runs that exported them, and of all re-imports in the
   * ledger.
   */
  readonly reimport?: { readonly exportedBy: readonly string[]; readonly reimports: readonly string[] } | undefined;
}

/** Counts of the records left to send, by comparison with the content that was sent earlier. */
export interface SendComparison {
  /** Never sent. A request does not count as sent if it failed before the platform could process it. */
  readonly new: number;
  /**
   * The content differs from the content that the platform last accepted or, if it accepted none, that was last sent.
   */
  readonly changed: number;
  /** Sent earlier with the same content. */
  readonly unchanged: number;
}

/** The content of a record that the platform last accepted or, if it accepted none, that was last planned. */
export interface KnownContent {
  /** The `contentHash`; absent if it is unknown. */
  readonly content: Uint8Array | undefined;
  /** The id of a run that planned this content, and the record's number in that run; absent if no such run is known. */
  readonly run?: string;
  readonly record?: number;
  /** Hash of the source row in that run. */
  readonly rowHash?: number | undefined;
}
