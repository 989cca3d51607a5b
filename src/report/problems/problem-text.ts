import { formatPlace, type Place } from "../../model/place.ts";
import {
  type BadCellReason,
  type Expected,
  isRuleProblem,
  type LocalFinding,
  type Problem,
  type UnsafePathReason,
  type WrittenForm,
  TRIMMED_TEXT,
  WHOLE_SECONDS,
} from "../../model/problem.ts";
import { patternPhrase } from "../../text/pattern-phrase.ts";
import { plainLine, plainText } from "../../text/plain-text.ts";
import { counted, formatCount } from "../../text/count.ts";
import type { KeyCorruptionKind } from "../../text/key-corruption.ts";
import { shapeOf } from "../../text/shape.ts";
import { describeBrokenRule } from "./rule-text.ts";
import { schemaText } from "./schema-text.ts";

/**
 * Describes a problem in one line: the expected value, the limits and suggestions. Does not include the value, unless
 * it looks like a code (`found`). Makes messages from the platform safe to display.
 */
export function describeProblem(problem: Problem): string {
  const { unlisted } = problem;
  const found = foundCode(problem);
  const which = found === undefined ? keysOf(problem) + valueAddress(problem) : ` Found: ${plainText(found)}.`;
  const more = unlisted === undefined ? "" : ` (and ${formatCount(unlisted)} more like it in this record)`;
  return `${describeKind(problem)}${which}${more}`;
}

/** Describes the keys of a problem. Keys may be shown, because all output about a single record contains its key. */
function keysOf(problem: Problem): string {
  if (problem.by === "platform" || !("key" in problem)) return "";
  const known = "known" in problem ? `, ${plainText(problem.known)}` : "";
  return ` Keys: ${plainText(problem.key)}${known}.`;
}

/** Returns the attr of the value that violates a rule, if that attr differs from the attr of the problem. */
function valueAddress(problem: Problem): string {
  return isRuleProblem(problem) && problem.at !== undefined ? ` At: ${plainText(problem.at)}.` : "";
}

/** Returns the code that matches no choice, if the code may be shown. */
function foundCode(problem: Problem): string | undefined {
  return problem.by === "local" && problem.code === "invalid_choice" && "found" in problem ? problem.found : undefined;
}

/** Returns the shape of the value. If the value is a code that may be shown, returns the code in quotation marks. */
export function shownShape(problem: Problem): string | undefined {
  const found = foundCode(problem);
  return found === undefined ? problem.shape : `"${found}"`;
}

/**
 * Describes a problem so that all problems of its kind have the same description. Omits the found code, the keys, the
 * attr of the value, and the number of unlisted problems.
 */
export function describeKind(problem: Problem): string {
  if (isRuleProblem(problem)) return describeBrokenRule(problem);
  if (problem.by === "local") return describeLocalFinding(problem);
  return plainLine(problem.detail) || "The platform gave no reason other than its code.";
}

/** Describes a problem as `describeKind` does, and states whether the platform reported it. */
export function describeReported(problem: Problem): string {
  return `${problem.by === "platform" ? "The platform: " : ""}${describeKind(problem)}`;
}

/** Returns the regular expression that the value does not match; undefined for any other kind of problem. */
export function requiredPattern(problem: Problem): string | undefined {
  if (problem.by === "platform" || isRuleProblem(problem) || problem.code !== "invalid") return undefined;
  return problem.expected === "pattern" ? problem.written?.as : undefined;
}

/** Describes the required pattern in words; undefined for a problem without a pattern, and for a complex pattern. */
export function describePattern(problem: Problem): string | undefined {
  const pattern = requiredPattern(problem);
  const phrase = pattern === undefined ? undefined : patternPhrase(pattern);
  return phrase === undefined ? undefined : `Required form: ${phrase}.`;
}

type Code = LocalFinding["code"];
type FindingOf<C extends Code> = Extract<LocalFinding, { readonly code: C }>;

/** The wording for each code. The compiler requires an entry for every code. */
const PROBLEM_TEXT: { readonly [C in Code]: (finding: FindingOf<C>) => string } = {
  required: () => "A value is required here.",
  null: () => "Must not be null.",
  blank: () => "Must not be empty.",
  invalid: ({ expected, written }) =>
    written === undefined ? EXPECTED_TEXT[expected] : describeWrittenForm(expected, written),
  invalid_choice: ({ choices }) =>
    choices.length === 0
      ? "No value is allowed, because there are no choices."
      : `Must be one of: ${choiceList(choices)}.`,
  schema_mismatch: ({ keyword, name }) => schemaText(plainText(keyword), name),
  max_length: ({ limit, unit }) => `Must have at most ${counted(limit, NOUNS[unit])}.`,
  min_length: ({ limit, unit }) => `Must have at least ${counted(limit, NOUNS[unit])}.`,
  max_value: ({ limit, exclusive }) => `Must be ${exclusive ? "less than" : "at most"} ${limit}.`,
  min_value: ({ limit, exclusive }) => `Must be ${exclusive ? "more than" : "at least"} ${limit}.`,
  max_digits: ({ limit }) => `Must have at most ${counted(limit, "digit")} in total.`,
  max_decimal_places: ({ limit }) => `Must have at most ${counted(limit, "digit")} after the decimal point.`,
  max_whole_digits: ({ limit }) => `Must have at most ${counted(limit, "digit")} before the decimal point.`,
  not_a_list: () => "Must be a list.",
  not_a_dict: () => "Must be an object with named values.",
  empty: () => "The list must not be empty.",
  null_characters_not_allowed: () => "Contains a null character (U+0000), which is not allowed.",
  surrogate_characters_not_allowed: () => "Contains half a character (a lone surrogate), which is not allowed.",
  unique: ({ acceptedAt, isPartial = false }) => {
    if (acceptedAt === undefined) return "The items of the list must be unique.";
    return isPartial
      ? `On the platform since ${plainText(acceptedAt)} with incomplete or different content. If the platform accepts changes, --revise sends the record again.`
      : `Already accepted at ${plainText(acceptedAt)} with different content; --revise sends the change.`;
  },
  corrected_since: ({ acceptedAt }) =>
    `A corrected version has been on the platform since ${plainText(acceptedAt)}. This row is the version that was invalid or rejected earlier.`,
  changed_since_export: ({ run }) =>
    `Push ${plainText(run)} contains other values for this record than the exported row, so this row is older, except for its corrections. To migrate the other values, keep the corrections (\`migrate corrections add\`) and push the latest extract.`,
  account_not_found: ({ after }) =>
    `Belongs to a record of ${plainText(after)} that has not been accepted. This record can be sent once that record is accepted.`,
  circular_dependency: ({ after }) =>
    `Waits for a record of ${plainText(after)} that in turn waits for this one, directly or through other records.`,
  unknown_field: ({ suggestion }) =>
    `The contract does not document this field.${suggestion === undefined ? "" : ` Did you mean ${plainText(suggestion)}?`}`,
  duplicate_key: ({ other, sameContent }) =>
    `The same business key as ${placeText(other)}, ${sameContent ? "with the same content: sent once" : "with different content"}.`,
  near_duplicate_key: ({ other }) =>
    `The business key may be the same as the one at ${placeText(other)}: the two keys differ only in details such as case, spaces, leading zeros or dashes.`,
  near_known_key: ({ key, known, corruption, wasSent }) =>
    `The key (${shapeOf(key)}) is new, but similar to the key of another record (${shapeOf(known)}), which ${wasSent ? "was already sent" : "was in an earlier run"}: ${KEY_CORRUPTION_TEXT[corruption]}. Restore the key. If both keys are right, --new-keys sends the record.`,
  damaged_key: ({ key, corruption }) =>
    `The key (${shapeOf(key)}) is not the original one: ${KEY_CORRUPTION_TEXT[corruption]}. Restore the key from the old system. If the key is right, --new-keys sends the record.`,
  row_sent_under_other_key: ({ key, known, isExcluded = false }) => {
    const done = isExcluded ? "excluded from the migration" : "already sent";
    const result = isExcluded ? "the exclusion would have no effect" : "the platform would create a second account";
    return `This source row was ${done} under another key${known === undefined ? "" : ` (${shapeOf(known)})`}. Its key is now ${shapeOf(key)}, so ${result}. Restore the mapping, lookup lists and functions of the earlier run. If both keys are right, --new-keys sends the record.`;
  },
  key_differs_from_reject: ({ key, known }) =>
    `The key (${shapeOf(key)}) is not the key of the rejected record in the column migrate_key (${shapeOf(known)}). Restore the key, or push the rejects with --rejects <dir> --restore-keys. If the new key is right, --new-keys sends the record.`,
  stale: () =>
    "Older than content already sent for this record. To send it anyway, push it again with --allow-older; add --revise if an earlier version was accepted.",
  unsafe_document_path: ({ reason }) =>
    `Must be a plain path relative to the supplier's root: ${UNSAFE_PATH_TEXT[reason]}.`,
  path_does_not_exist_in_file_store: ({ under }) =>
    `There is no document with this path under ${plainText(under, 200)}.`,
  read_only: () =>
    "The contract marks this field as read-only: the value is sent, but the platform sets the field itself.",
  coerced: ({ from, to }) => coercedText(plainText(from), plainText(to)),
  source_ragged_row: ({ found, expected }) => `The row has ${counted(found, "cell")}, but the header has ${expected}.`,
  source_truncated_row: ({ found, expected }) =>
    `The file ends inside this row: ${counted(found, "cell")} of ${expected}. The file may have been cut short.`,
  source_stray_quote: () =>
    "There is a quotation mark inside an unquoted cell, or text after a closing quotation mark.",
  source_repeated_header: ({ line }) => `The row repeats the header in line ${line}.`,
  source_control_character: ({ character }) => `Contains the control character ${plainText(character)}.`,
  source_invalid_json: ({ reason }) => `Not valid JSON: ${plainLine(reason)}.`,
  source_not_an_object: ({ found }) => `A record must be a JSON object; this is ${withArticle(plainText(found))}.`,
  source_duplicate_name: ({ name }) => `The name "${plainText(name)}" occurs twice in the same object.`,
  source_forbidden_name: ({ name }) => `The name "${plainText(name)}" is not allowed.`,
  source_unsafe_number: () => "The number would lose digits. Write it as text (in JSON: in quotation marks).",
  source_bad_cell: ({ reason, shown }) =>
    `${BAD_CELL_TEXT[reason]}${shown === undefined ? "" : `: ${plainText(shown)}`}.`,
  source_rounded_number: () => "The number format of the cell shows a rounded number, and the rounded number is used.",
  source_lone_surrogate: () => "Contains half a character (a lone surrogate escape).",
  source_too_deep: ({ limit }) => `Nested more than ${limit} levels deep.`,
  source_record_too_large: ({ limitBytes }) => `The record is larger than ${counted(limitBytes, "byte")}.`,
  source_missing_key: ({ column }) => `The row has no value in the key column ${plainText(column)}.`,
  source_duplicate_key: ({ source, other }) =>
    `Another row of ${plainText(source)} has the same key: ${placeText(other)}.`,
  source_unselected_row: ({ source }) =>
    `This row of ${plainText(source)} is not sent, because no \`when\` selects it.`,
  source_repeated_row: ({ source, other }) => `Identical to another row of ${plainText(source)}: ${placeText(other)}.`,
  source_missing_row: ({ child }) => `No row of ${plainText(child)} has this key.`,
  source_bad_order: ({ wanted }) => `Rows are ordered by this column, so the cell must be ${plainText(wanted)}.`,
  source_bad_as_of: ({ wanted }) =>
    `The cell contains the date of the row's content, so it must be ${plainText(wanted)}.`,
  source_child_left_out: ({ child, other }) =>
    `A row of ${plainText(child)} has a similar key, and would be omitted: ${placeText(other)}.`,
  source_orphan_row: ({ parent, omitted, near, alsoNear = [] }) => {
    if (omitted !== undefined)
      return `The row of ${plainText(parent)} with this key (${placeText(omitted)}) is omitted by \`pick\` or \`distinct\`.`;
    const more = alsoNear.length === 0 ? "" : ` and ${alsoNear.length} more`;
    const almost = near === undefined ? "" : ` Similar key: ${placeText(near)}${more}.`;
    return `No row of ${plainText(parent)} has this key.${almost}`;
  },
};

const KEY_CORRUPTION_TEXT: Readonly<Record<KeyCorruptionKind, string>> = {
  characters: "the keys differ only in characters that look alike",
  case: "the keys differ only in case",
  spaces: "the keys differ only in spaces",
  formula: "a spreadsheet wrote one of the keys as a formula",
  apostrophe: "a spreadsheet put an apostrophe in front of the key",
  thousands: "a spreadsheet puts commas into large numbers",
  decimals: "a spreadsheet adds decimal places to numbers",
  fraction: "a spreadsheet drops trailing zeros from decimal numbers",
  scientific: "a spreadsheet writes long numbers in scientific notation, which loses digits",
  plus: "a spreadsheet drops a leading plus sign",
  dash: "the keys differ only in dashes",
  zeros: "a spreadsheet drops leading zeros",
  date: "a spreadsheet rewrites keys that look like dates",
  digits: "a spreadsheet keeps only 15 digits of a number",
};

const BAD_CELL_TEXT: Readonly<Record<BadCellReason, string>> = {
  error_value: "The cell contains an error value",
  not_calculated: "The result of the cell's formula was not saved; open the workbook and save it again",
  impossible_date: "The date does not exist, or is before March 1900; write it as text",
};

const EXPECTED_TEXT: Readonly<Record<Expected, string>> = {
  boolean: "Must be true or false.",
  date: "Must be a valid date in the format YYYY-MM-DD.",
  datetime:
    "Must be a date and time with a time zone, such as 2026-01-31T09:30:00Z, between the years 1 and 9999 in UTC.",
  decimal: "Must be a decimal number, such as 12.50.",
  email: "Must be an e-mail address.",
  "exact number": "Has too many digits: the number would lose digits when it is sent.",
  header: "Cannot be sent in a header: it contains a character that is not allowed there.",
  integer: "Must be a whole number.",
  multiple: "Must be a multiple of the step in the contract.",
  number: "Must be a number.",
  object: "Must be an object with fields.",
  path: "Cannot be part of a request URL: the value is empty, `.` or `..`.",
  pattern: "Does not match the format that the contract requires.",
  string: "Must be text.",
  time: "Must be a time, such as 09:30:00.",
  uri: "Must be a complete web address, such as https://example.com/page.",
  uuid: "Must be a UUID, such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301.",
};

/**
 * Describes the required format as the data owner must write it in the cell: the mapping's format, not the payload's.
 * For a pattern or a multiple, describes the requirement of the contract.
 */
function describeWrittenForm(expected: Expected, { as, zone, readings }: WrittenForm): string {
  if (readings !== undefined) {
    const [one, other] = readings.map((pattern) => plainText(pattern));
    return `Ambiguous: the formats ${one} and ${other} both match, but give different ${expected === "date" ? "days" : "times"}.`;
  }
  if (expected === "pattern") return `Does not match the format that the contract requires: ${plainText(as, 200)}`;
  if (expected === "multiple") return `Must be a multiple of ${as}.`;
  const form = `written as ${plainText(as)}`;
  if (expected === "date") return `Must be a valid date, ${form}.`;
  if (expected !== "datetime") return `Must be a number, ${form}.`;
  if (zone === "UTC") return `Must be a valid date and time, ${form}.`;
  const clocks = zone === undefined ? "" : ` A clock change in ${plainText(zone)} must not skip or repeat it.`;
  return `Must be a valid date and time, ${form}, between the years 1 and 9999 in UTC.${clocks}`;
}

const UNSAFE_PATH_TEXT: Readonly<Record<UnsafePathReason, string>> = {
  absolute: "it is an absolute path",
  backslash: "it contains a backslash",
  control_character: "it contains a control character",
  empty_segment: "it contains an empty part (//)",
  encoded: "it contains an encoded character (%2e, %2f...)",
  not_normalised: "it is not in Unicode normalisation form C (NFC)",
  parent_segment: 'it contains a part "." or ".."',
  repeats_root: "it repeats the supplier's root",
  scheme: "it starts with a scheme or a drive",
  too_long: "it is too long",
  trailing_dot_or_space: "it starts with a space, or a part of it ends in a dot or a space",
};

function describeLocalFinding<C extends Code>(finding: FindingOf<C>): string {
  return PROBLEM_TEXT[finding.code](finding);
}

const NOUNS = { characters: "character", items: "item" } as const;

const MAX_LISTED_CHOICES = 12;

function choiceList(choices: readonly string[]): string {
  const shown = choices.slice(0, MAX_LISTED_CHOICES).map((choice) => (choice === "" ? '""' : plainText(choice, 80)));
  const more = choices.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/iu.test(noun) ? "an" : "a"} ${noun}`;
}

function coercedText(from: string, to: string): string {
  if (to === WHOLE_SECONDS) return `The ${from} is dropped, because date-times are sent in whole seconds.`;
  if (to === TRIMMED_TEXT) return "The platform would silently remove the whitespace around this value.";
  return `The platform would silently convert this ${from} to ${withArticle(to)}.`;
}

function placeText(other: Place): string {
  return plainText(formatPlace(other));
}
