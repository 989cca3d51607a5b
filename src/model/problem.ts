import type { KeyDamageKind } from "../text/key-damage.ts";
import type { Place } from "./place.ts";

/** `warning`: the platform would take the value, but change or drop it silently. */
export type Severity = "error" | "warning";

/** What a value was expected to be, for the code `invalid`. */
export type Expected =
  | "boolean"
  | "date"
  | "datetime"
  | "decimal"
  | "email"
  | "integer"
  | "multiple"
  | "number"
  | "object"
  | "pattern"
  | "string"
  | "time"
  | "uri"
  | "uuid";

/** How a value has to be written: `as` a pattern or an example, such as `dd/MM/yyyy`, on the clocks of `zone`. */
export interface WrittenForm {
  readonly as: string;
  readonly zone?: string;
  /** Two patterns that the value fits, and that give different dates. */
  readonly readings?: readonly [string, string];
}

/** Why a document path is refused (API specification 2.5). */
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
 * What was found wrong with a payload. The codes are the platform's own (those of the Django REST framework)
 * where it has one; `schema_mismatch`, `corrected_since`, `unknown_field`, `read_only`, `duplicate_key`, `near_duplicate_key`,
 * `circular_dependency`, `unsafe_document_path` and `coerced` are ours: the platform has no code for them.
 */
export type PayloadFinding =
  | { readonly code: "required" }
  | { readonly code: "null" }
  | { readonly code: "blank" }
  /**
   * `written`: the form that the mapping asks of the cell, where that is not the contract's own; the contract's
   * expression for `pattern`, its step for `multiple`.
   */
  | { readonly code: "invalid"; readonly expected: Expected; readonly written?: WrittenForm }
  /** `found`: the value itself, where it looks like a code and not like something of a person. */
  | { readonly code: "invalid_choice"; readonly choices: readonly string[]; readonly found?: string }
  /** A keyword of the contract's schema that has no code of its own; `name`: the property that it is about. */
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
  /** Already accepted in an earlier run with other content; without `acceptedAt`: two items of a list are the same. */
  | { readonly code: "unique"; readonly acceptedAt?: string }
  /** An older version of what was accepted then: it had been refused here or by the platform, and was corrected. */
  | { readonly code: "corrected_since"; readonly acceptedAt: string }
  /** The record of the operation `after`, which this one belongs to, has not been accepted. */
  | { readonly code: "account_not_found"; readonly after: string }
  /** The record waits, directly or through other records, for itself (`after`). */
  | { readonly code: "circular_dependency"; readonly after: string }
  | { readonly code: "unknown_field"; readonly suggestion?: string }
  /** The platform sets this field itself. Always a warning. */
  | { readonly code: "read_only" }
  | { readonly code: "duplicate_key"; readonly other: Place; readonly sameContent: boolean }
  /** A key that may be another record's key, changed by a spreadsheet: without its zeros, in other case. */
  | { readonly code: "near_duplicate_key"; readonly other: Place }
  /** A new key that may be the changed form of a key of an earlier run. */
  | {
      readonly code: "near_known_key";
      readonly key: string;
      readonly known: string;
      readonly damage: KeyDamageKind;
      /** Whether the platform has, or may have, the record with the known key. */
      readonly wasSent: boolean;
    }
  /** A new key that shows by itself that a spreadsheet has changed it. */
  | { readonly code: "damaged_key"; readonly key: string; readonly damage: KeyDamageKind }
  /** A new key of a source row that an earlier run has sent under another key. */
  | { readonly code: "row_sent_under_other_key"; readonly key: string; readonly known?: string }
  /** A row of a rejects file whose key is no longer the one in its column `migrate_key`. */
  | { readonly code: "key_differs_from_reject"; readonly key: string; readonly known: string }
  | { readonly code: "unsafe_document_path"; readonly reason: UnsafePathReason }
  /** The store has no such document; `under`: the store with the root location, `s3://bucket/root`. */
  | { readonly code: "path_does_not_exist_in_file_store"; readonly under: string }
  /** The platform would convert the value silently (`TRIMMED_TEXT`: trim it); to `WHOLE_SECONDS`: what is sent of it is. */
  | { readonly code: "coerced"; readonly from: string; readonly to: string };

/** What becomes of a date-time with a fraction of a second on its way to the platform. */
export const WHOLE_SECONDS = "whole seconds";

/** What the platform makes of a text with white space around it. */
export const TRIMMED_TEXT = "trimmed text";

/** Why a cell of a workbook has no value: an error of its formula, a result that was never stored, a date before 1900. */
export type BadCellReason = "error_value" | "not_calculated" | "impossible_date";

/** What reading found wrong with a row. */
export type SourceFinding =
  | { readonly code: "source_ragged_row"; readonly found: number; readonly expected: number }
  | { readonly code: "source_truncated_row"; readonly found: number; readonly expected: number }
  | { readonly code: "source_stray_quote" }
  | { readonly code: "source_control_character"; readonly character: string }
  | { readonly code: "source_invalid_json"; readonly reason: string }
  | { readonly code: "source_not_an_object"; readonly found: string }
  | { readonly code: "source_duplicate_name"; readonly name: string }
  | { readonly code: "source_forbidden_name"; readonly name: string }
  | { readonly code: "source_unsafe_number" }
  | { readonly code: "source_lone_surrogate" }
  /** `shown`: the name of the error (`#N/A`). */
  | { readonly code: "source_bad_cell"; readonly reason: BadCellReason; readonly shown?: string }
  /** The number format of a cell in a workbook shows another number than the cell holds. Always a warning. */
  | { readonly code: "source_rounded_number" }
  | { readonly code: "source_too_deep"; readonly limit: number }
  | { readonly code: "source_record_too_large"; readonly limitBytes: number }
  | { readonly code: "source_missing_key"; readonly column: string }
  /** A child row whose parent does not exist; `near`: the parent whose key is almost the same; `alsoNear`: more of them. */
  | {
      readonly code: "source_orphan_row";
      readonly parent: string;
      readonly near?: Place;
      readonly alsoNear?: readonly Place[];
    }
  /** A row refers to a row of a child source that is not there. */
  | { readonly code: "source_missing_row"; readonly child: string }
  /** Two rows of a child source with the same key. */
  | { readonly code: "source_duplicate_key"; readonly source: string; readonly other: Place }
  /** A row of a child source that is the same as one before it, in every cell. */
  | { readonly code: "source_repeated_row"; readonly source: string; readonly other: Place }
  /** A cell that rows are ordered by is not what the mapping says. */
  | { readonly code: "source_bad_order"; readonly wanted: string }
  /** The other side of an orphan: this record would be sent without the row at `other`. */
  | { readonly code: "source_child_left_out"; readonly child: string; readonly other: Place };

export type LocalFinding = PayloadFinding | SourceFinding;

/** A code and a text of the platform's reply. The text may change, so nothing branches on it (API specification 7.3). */
export interface PlatformFinding {
  readonly code: string;
  readonly detail: string;
}

interface Addressed {
  readonly attr: string;
  readonly severity: Severity;
  /** The source cell; absent when nothing of the input stands behind the attr. */
  readonly place?: Place;
  /** The value's shape, for grouping and masked display: `A9{5}`. Never the value. */
  readonly shape?: string;
  /** The value itself: only when the user asked to see values, never stored. */
  readonly value?: string;
  /** How many more problems of this code and severity the record has than are listed (`problem-limit.ts`). */
  readonly unlisted?: number;
}

/** A rule over several fields that a payload breaks. The code is the operator's own. */
export interface RuleFinding {
  readonly code: string;
  /** The kind of the rule (docs/rules.md). */
  readonly rule: string;
  /** The fields that it is about, as the contract names them. */
  readonly fields: readonly string[];
  /** The attr of the value in question, or of the list item where a value is missing, unless `attr` names it. */
  readonly at?: string;
  /** The rule's own words. */
  readonly message?: string;
  /** What the operator's document asks for where it publishes the code: a sentence. Absent beside the rule's own words. */
  readonly asked?: string;
}

export type RuleProblem = Addressed & RuleFinding & { readonly by: "local" };
export type LocalProblem = Addressed & LocalFinding & { readonly by: "local" };
export type PlatformProblem = Addressed & PlatformFinding & { readonly by: "platform" };

/** One thing that is wrong with one record. Collected, never thrown; `report/problem-text.ts` puts it into words. */
export type Problem = LocalProblem | RuleProblem | PlatformProblem;

export function isRuleProblem(problem: Problem): problem is RuleProblem {
  return "rule" in problem;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}
