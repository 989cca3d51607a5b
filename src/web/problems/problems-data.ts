import type { ErrorDetails } from "../../model/failure.ts";

/**
 * - `migration`: the open records of all pushes, as `migrate open` lists them
 * - `files`: the current files with their corrections, validated again, including changes that are not pushed yet
 */
export type Basis = "migration" | "files";

/** The reasons why records need work. Contains no values except codes. */
export interface ProblemsData {
  readonly basis: Basis;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** The number of records that need work. A record with several causes counts once. */
  readonly records: number;
  /** Whether there has been a push. Without a push, `migration` has no records. */
  readonly hasPush: boolean;
  /** The causes, in descending order of their number of records. */
  readonly causes: readonly CauseData[];
  /** Messages about the files, such as corrections that no longer match. */
  readonly notices: readonly string[];
  /** The reason why field titles could not be read from the contract. */
  readonly contractError?: ErrorDetails;
}

export interface CauseDescription {
  /** Identifies the cause in requests for its rows. */
  readonly id: string;
  /** The code of an error, or the state of records without an error, such as `ambiguous`. */
  readonly code: string;
  /** The attr, with `*` instead of each index. */
  readonly attr?: string;
  readonly by: "local" | "platform" | "state";
  /** A short description that names the field. */
  readonly title: string;
  /** The message of the problem. */
  readonly words: string;
  /** How to fix the problem. */
  readonly advice: string;
}

export interface CauseData extends CauseDescription {
  /** The most frequent shapes of the values. */
  readonly shapes: readonly { readonly shape: string; readonly count: number }[];
  readonly records: number;
  readonly groups: readonly CauseGroup[];
}

/** The records of a cause with the same owner and file. */
export interface CauseGroup extends OwnedFile {
  readonly records: number;
  /** The number of records that have been open for longer than their owner's limit. */
  readonly overdue: number;
}

export interface CauseRows {
  /** The first rows: at most `ROWS_OF_GROUP` for each owner and file. */
  readonly rows: readonly RowData[];
}

export interface OwnedFile {
  /** Empty for records without an owner. */
  readonly owner: string;
  readonly file: string;
}

export interface RowData extends OwnedFile {
  readonly key?: string;
  /** The place of the row, such as `customers.csv:9`. */
  readonly place: string;
  readonly column?: string;
  readonly shape?: string;
  readonly state: string;
  /** The time at which the record became open, in ISO 8601 UTC; absent for the current files. */
  readonly since?: string;
  readonly isOverdue: boolean;
}
