import type { AttrPath } from "../json/attr.ts";
import type { KeyCorruptionKind } from "../text/key-corruption.ts";
import type { Place } from "./place.ts";

/** An `error` makes the record invalid; a `warning` does not. */
export type Severity = "error" | "warning";

/** The expected type of a value, for the code `invalid`. `exact number`: can be sent without losing digits. */
export type Expected =
  | "boolean"
  | "date"
  | "datetime"
  | "decimal"
  | "email"
  | "exact number"
  | "header"
  | "integer"
  | "multiple"
  | "number"
  | "object"
  | "path"
  | "pattern"
  | "string"
  | "time"
  | "uri"
  | "uuid";

/** The required notation of a value: `as` is a pattern or an example, such as `dd/MM/yyyy`; `zone` is its time zone. */
export interface WrittenForm {
  readonly as: string;
  readonly zone?: string;
  /** Two patterns that both match the value and give different dates. */
  readonly readings?: readonly [string, string];
}

/** Why a document path is rejected (API specification 2.5). */
export type UnsafePathReason =
  | "absolute"
  | "backslash"
  | "control_character"
  | "empty_segment"
  | "encoded"
  | "not_normalised"
  | "parent_segment"
  | "repeats_root"
  | "scheme"
  | "too_long"
  | "trailing_dot_or_space";

/**
 * A problem in a payload. The code is the platform's own code (from the Django REST framework), if the platform has
 * one. docs/errors.md lists the codes that only `migrate` has.
 */
export type PayloadFinding =
  | { readonly code: "required" }
  | { readonly code: "null" }
  | { readonly code: "blank" }
  /**
   * `written`: the notation that the mapping requires, if it differs from the contract's. For `pattern`, it is the
   * contract's regular expression; for `multiple`, the contract's step.
   */
  | { readonly code: "invalid"; readonly expected: Expected; readonly written?: WrittenForm }
  /** `found`: the value itself, if it looks like a code rather than personal data. */
  | { readonly code: "invalid_choice"; readonly choices: readonly string[]; readonly found?: string }
  /** `keyword`: a violated keyword of the schema that has no code of its own; `name`: the property concerned. */
  | { readonly code: "schema_mismatch"; readonly keyword: string; readonly name?: string }
  | { readonly code: "max_length"; readonly limit: number; readonly unit: "characters" | "items" }
  | { readonly code: "min_length"; readonly limit: number; readonly unit: "characters" | "items" }
  | { readonly code: "max_value"; readonly limit: string; readonly exclusive: boolean }
  | { readonly code: "min_value"; readonly limit: string; readonly exclusive: boolean }
  | { readonly code: "max_digits"; readonly limit: number }
  | { readonly code: "max_decimal_places"; readonly limit: number }
  | { readonly code: "max_whole_digits"; readonly limit: number }
  | { readonly code: "not_a_list" }
  | { readonly code: "not_a_dict" }
  | { readonly code: "empty" }
  | { readonly code: "null_characters_not_allowed" }
  | { readonly code: "surrogate_characters_not_allowed" }
  /**
   * The platform accepted different content for the record in an earlier run. `isPartial`: the platform has the record,
   * but with incomplete or different content. Without `acceptedAt`: two items of a list are equal.
   */
  | { readonly code: "unique"; readonly acceptedAt?: string; readonly isPartial?: boolean }
  /** An older version of an accepted record. This version was invalid or rejected, and has been corrected since. */
  | { readonly code: "corrected_since"; readonly acceptedAt: string }
  /** A re-imported record whose content differs in the push `run`, which followed the export. Always a warning. */
  | { readonly code: "changed_since_export"; readonly run: string }
  /** The record of the operation `after`, to which this record belongs, has not been accepted. */
  | { readonly code: "account_not_found"; readonly after: string }
  /** The record depends on itself (`after`), directly or through other records. */
  | { readonly code: "circular_dependency"; readonly after: string }
  | { readonly code: "unknown_field"; readonly suggestion?: string }
  /** The platform sets this field itself. Always a warning. */
  | { readonly code: "read_only" }
  | { readonly code: "duplicate_key"; readonly other: Place; readonly sameContent: boolean }
  /** A key that may be another record's key, altered by a spreadsheet: leading zeros lost, case changed. */
  | { readonly code: "near_duplicate_key"; readonly other: Place }
  /** A new key that may be the altered form of a key from an earlier run. */
  | {
      readonly code: "near_known_key";
      readonly key: string;
      readonly known: string;
      readonly corruption: KeyCorruptionKind;
      /** Whether the platform has, or may have, the record with the known key. */
      readonly wasSent: boolean;
    }
  /** A new key that a spreadsheet has visibly altered. */
  | { readonly code: "damaged_key"; readonly key: string; readonly corruption: KeyCorruptionKind }
  /** A new key for a source row that an earlier run sent under a different key. */
  | {
      readonly code: "row_sent_under_other_key";
      readonly key: string;
      readonly known?: string;
      readonly isExcluded?: boolean;
    }
  /** A row of a rejects file whose key differs from its column `migrate_key`. */
  | { readonly code: "key_differs_from_reject"; readonly key: string; readonly known: string }
  /** The content is older than content of the same record that was sent earlier. */
  | { readonly code: "stale" }
  | { readonly code: "unsafe_document_path"; readonly reason: UnsafePathReason }
  /** The store has no such document; `under`: the store and its root location, `s3://bucket/root`. */
  | { readonly code: "path_does_not_exist_in_file_store"; readonly under: string }
  /**
   * The platform would convert the value silently (`TRIMMED_TEXT`: trim it). For `WHOLE_SECONDS`, `migrate` truncates
   * the value before sending it.
   */
  | { readonly code: "coerced"; readonly from: string; readonly to: string };

/** The form in which `migrate` sends a date-time with fractional seconds. */
export const WHOLE_SECONDS = "whole seconds";

/** The text that remains after the platform trims leading and trailing whitespace. */
export const TRIMMED_TEXT = "trimmed text";

/**
 * Why a workbook cell has no usable value: a formula error, a result that was never stored, or a date that does not
 * exist or is before March 1900.
 */
export type BadCellReason = "error_value" | "not_calculated" | "impossible_date";

/** The place of a parent row, and the records to which the row belongs. */
export interface ParentPlace extends Place {
  readonly records: readonly RecordStart[];
}

/** Where a record begins, and its number. */
export interface RecordStart {
  readonly file: string;
  readonly line: number;
  readonly record: number;
}

/** A problem that was found while reading a row. */
export type SourceFinding =
  | { readonly code: "source_ragged_row"; readonly found: number; readonly expected: number }
  | { readonly code: "source_truncated_row"; readonly found: number; readonly expected: number }
  | { readonly code: "source_stray_quote" }
  /** `line`: the line of the header that the row repeats. */
  | { readonly code: "source_repeated_header"; readonly line: number }
  | { readonly code: "source_control_character"; readonly character: string }
  | { readonly code: "source_invalid_json"; readonly reason: string }
  | { readonly code: "source_not_an_object"; readonly found: string }
  | { readonly code: "source_duplicate_name"; readonly name: string }
  | { readonly code: "source_forbidden_name"; readonly name: string }
  | { readonly code: "source_unsafe_number" }
  | { readonly code: "source_lone_surrogate" }
  /** `shown`: the name of the error (`#N/A`). */
  | { readonly code: "source_bad_cell"; readonly reason: BadCellReason; readonly shown?: string }
  /** Because of its number format, a workbook cell displays a number that differs from its value. Always a warning. */
  | { readonly code: "source_rounded_number" }
  | { readonly code: "source_too_deep"; readonly limit: number }
  | { readonly code: "source_record_too_large"; readonly limitBytes: number }
  | { readonly code: "source_missing_key"; readonly column: string }
  /**
   * A child row whose parent does not exist, or is omitted by `distinct` or `pick` (`omitted`). `near`: a parent with
   * an almost identical key; `alsoNear`: other such parents.
   */
  | {
      readonly code: "source_orphan_row";
      readonly parent: string;
      readonly omitted?: Place;
      readonly near?: ParentPlace;
      readonly alsoNear?: readonly ParentPlace[];
    }
  /** A row refers to a missing row of a child source. */
  | { readonly code: "source_missing_row"; readonly child: string }
  /** Two rows of a child source with the same key. */
  | { readonly code: "source_duplicate_key"; readonly source: string; readonly other: Place }
  /**
   * A row of a child source with the same cells, by name, as an earlier row of the same parent. Not reported if the
   * source has `distinct` or `pick`.
   */
  | { readonly code: "source_repeated_row"; readonly source: string; readonly other: Place }
  /** A child row that is not sent, because none of several `when` selects it. Always a warning. */
  | { readonly code: "source_unselected_row"; readonly source: string }
  /** A cell of the `orderBy` column does not have the notation that the mapping requires. */
  | { readonly code: "source_bad_order"; readonly wanted: string }
  /** A cell of the `asOf` column does not have the notation that the mapping requires. */
  | { readonly code: "source_bad_as_of"; readonly wanted: string }
  /**
   * The counterpart of an orphan: this record may be the parent of the row at `other`, but would be sent without that
   * row.
   */
  | { readonly code: "source_child_left_out"; readonly child: string; readonly other: Place };

export type LocalFinding = PayloadFinding | SourceFinding;

/**
 * A code and a message from the platform's reply. The message may change, so nothing depends on it (API specification
 * 7.3).
 */
export interface PlatformFinding {
  readonly code: string;
  readonly detail: string;
}

interface Addressed {
  readonly attr: string;
  readonly severity: Severity;
  /** The source cell; absent if the attr does not come from the input. */
  readonly place?: Place;
  /** The value's shape, for grouping and masked display: `A9{5}`. Never the value. */
  readonly shape?: string;
  /** The value itself: only if the user asked to see values; never stored. */
  readonly value?: string;
  /**
   * Number of further problems that are not listed. They have this code and severity, unless too many kinds of problem
   * occur (`addProblem`).
   */
  readonly unlisted?: number;
}

/** A violated rule over several fields. The operator defines its code. */
export interface RuleFinding {
  readonly code: string;
  /** The kind of the rule (docs/rules.md), with the options that change its wording, such as `in-set: negate`. */
  readonly rule: string;
  /** The fields concerned, as named in the contract. */
  readonly fields: readonly string[];
  /** The attr of the value concerned, or of the list item that lacks a value, unless `attr` names it. */
  readonly at?: string;
  /** The message that the rule defines. */
  readonly message?: string;
  /**
   * The requirement, as a sentence, if the operator's document publishes this code. Absent if the rule has a
   * `message`.
   */
  readonly asked?: string;
}

export type RuleProblem = Addressed & RuleFinding & { readonly by: "local" };
export type LocalProblem = Addressed & LocalFinding & { readonly by: "local" };
export type PlatformProblem = Addressed & PlatformFinding & { readonly by: "platform" };

/**
 * A problem of a payload, before its cell is known. `path` is the path of the value itself, so unlike `attr` it never
 * ends in `non_field_errors`.
 */
export type Unplaced<Found extends LocalProblem | RuleProblem> = Found extends unknown
  ? Omit<Found, "place"> & { readonly path: AttrPath }
  : never;

/** One problem of one record. Collected, never thrown; `report/problems/problem-text.ts` renders it. */
export type Problem = LocalProblem | RuleProblem | PlatformProblem;

export function isRuleProblem(problem: Problem): problem is RuleProblem {
  return "rule" in problem;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}
