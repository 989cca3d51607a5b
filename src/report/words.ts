import { formatPlace, type Place } from "../model/place.ts";
import {
  isRuleProblem,
  type Expected,
  type LocalFinding,
  type Problem,
  type UnsafePathReason,
  type WrittenForm,
} from "../model/problem.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { ruleWords } from "./rule-words.ts";

/**
 * A problem in words, one line: what was expected, the limits, what may have been meant. Never the value.
 * What the platform answered is passed on, made safe to show.
 */
export function wordsFor(problem: Problem): string {
  if (isRuleProblem(problem)) return ruleWords(problem);
  if (problem.by === "local") return localWords(problem);
  return plainLine(problem.detail) || "The platform gave no reason beside its code.";
}

type Code = LocalFinding["code"];
type FindingOf<C extends Code> = Extract<LocalFinding, { readonly code: C }>;
type Words = { readonly [C in Code]: (finding: FindingOf<C>) => string };

/** One entry a code: a code without words does not compile. */
const WORDS: Words = {
  required: () => "A value is required here.",
  null: () => "May not be null.",
  blank: () => "May not be empty.",
  invalid: ({ expected, written }) => (written === undefined ? EXPECTED[expected] : writtenWords(expected, written)),
  invalid_choice: ({ choices }) => `Must be one of: ${list(choices)}.`,
  max_length: ({ limit, unit }) => `Must have at most ${amount(limit, unit)}.`,
  min_length: ({ limit, unit }) => `Must have at least ${amount(limit, unit)}.`,
  max_value: ({ limit, exclusive }) => `Must be ${exclusive ? "less than" : "at most"} ${limit}.`,
  min_value: ({ limit, exclusive }) => `Must be ${exclusive ? "more than" : "at least"} ${limit}.`,
  max_digits: ({ limit }) => `Must have at most ${amount(limit, "digits")} in all.`,
  max_decimal_places: ({ limit }) => `Must have at most ${amount(limit, "digits")} after the decimal point.`,
  max_whole_digits: ({ limit }) => `Must have at most ${amount(limit, "digits")} before the decimal point.`,
  not_a_list: () => "Must be a list.",
  not_a_dict: () => "Must be an object with named values.",
  empty: () => "The list may not be empty.",
  null_characters_not_allowed: () => "Holds a null character (U+0000), which is not allowed.",
  surrogate_characters_not_allowed: () => "Holds half a character (a lone surrogate), which is not allowed.",
  unique: ({ acceptedAt }) =>
    acceptedAt === undefined
      ? "The items of the list must differ from each other."
      : `Already accepted at ${plainText(acceptedAt)} with other content; --revise sends the change.`,
  account_not_found: ({ after }) =>
    `Belongs to a record of ${plainText(after)} that is not accepted yet; sent once it is.`,
  unknown_field: ({ suggestion }) => `The contract does not document this field.${meant(suggestion)}`,
  duplicate_key: ({ other, sameContent }) =>
    `The same business key as ${place(other)}, ${sameContent ? "with the same content: sent once" : "with other content"}.`,
  near_duplicate_key: ({ other }) =>
    `The business key differs from the one at ${place(other)} only by case, spaces or leading zeros.`,
  unsafe_document_path: ({ reason }) => `Must be a plain path relative to the supplier's root: ${UNSAFE_PATH[reason]}.`,
  path_does_not_exist_in_file_store: ({ under }) => `There is no document by this path under ${plainText(under, 200)}.`,
  coerced: ({ from, to }) =>
    `The platform would turn this ${plainText(from)} into ${article(plainText(to))} without a word.`,
  source_ragged_row: ({ found, expected }) => `The row has ${amount(found, "cells")}, the header ${expected}.`,
  source_truncated_row: ({ found, expected }) =>
    `The file ends inside this row: ${amount(found, "cells")} of ${expected}. It may have been cut short.`,
  source_stray_quote: () => "A quotation mark stands inside an unquoted cell, or text follows a closing one.",
  source_control_character: ({ character }) => `Holds the control character ${plainText(character)}.`,
  source_invalid_json: ({ reason }) => `Not valid JSON: ${plainLine(reason)}.`,
  source_not_an_object: ({ found }) => `A record must be a JSON object; this is ${article(plainText(found))}.`,
  source_duplicate_name: ({ name }) => `The name "${plainText(name)}" stands twice in the same object.`,
  source_forbidden_name: ({ name }) => `The name "${plainText(name)}" is not allowed.`,
  source_unsafe_number: () => "The number would lose digits; write it as text, in quotation marks.",
  source_lone_surrogate: () => "Holds half a character (a lone surrogate escape).",
  source_too_deep: ({ limit }) => `Nested deeper than ${limit} levels.`,
  source_record_too_large: ({ limitBytes }) => `The record is larger than ${limitBytes.toLocaleString("en")} bytes.`,
  source_missing_key: ({ column }) => `The row has no value in the key column ${plainText(column)}.`,
  source_child_left_out: ({ child, other }) =>
    `A row of ${plainText(child)} has almost this key, and would be left out: ${place(other)}.`,
  source_orphan_row: ({ parent, near }) =>
    `No row of ${plainText(parent)} has this key.${near === undefined ? "" : ` Almost the same: ${place(near)}.`}`,
};

const EXPECTED: Readonly<Record<Expected, string>> = {
  boolean: "Must be true or false.",
  date: "Must be a date that exists, as YYYY-MM-DD.",
  datetime: "Must be a date and time with its zone, as 2026-01-31T09:30:00Z.",
  decimal: "Must be a decimal number, as 12.50.",
  email: "Must be an e-mail address.",
  integer: "Must be a whole number.",
  multiple: "Must be a multiple of the step that the contract names.",
  number: "Must be a number.",
  object: "Must be an object with fields.",
  pattern: "Does not have the form that the contract asks for.",
  string: "Must be text.",
  time: "Must be a time, as 09:30:00.",
  uri: "Must be a complete web address, as https://example.com/page.",
  uuid: "Must be a UUID, as 3f2504e0-4f89-41d3-9a0c-0305e82c3301.",
};

/** What is asked of the cell itself, which is what its owner can mend; not what becomes of it. */
function writtenWords(expected: Expected, { as, zone }: WrittenForm): string {
  if (expected === "pattern") return `Does not have the form that the contract asks for: ${plainText(as, 200)}`;
  if (expected === "multiple") return `Must be a multiple of ${as}.`;
  const form = `written as ${plainText(as)}`;
  if (expected === "date") return `Must be a date that exists, ${form}.`;
  if (expected !== "datetime") return `Must be a number, ${form}.`;
  const clocks =
    zone === undefined || zone === "UTC" ? "" : `, which the clocks of ${plainText(zone)} showed just once`;
  return `Must be a date and time that exist, ${form}${clocks}.`;
}

const UNSAFE_PATH: Readonly<Record<UnsafePathReason, string>> = {
  absolute: "it starts at a root",
  backslash: "it holds a backslash",
  control_character: "it holds a control character",
  empty_segment: "it holds an empty part (//)",
  encoded: "it holds an encoded character (%2e, %2f...)",
  not_normalised: "its letters are not in Unicode's composed form (NFC)",
  parent_segment: 'it holds a part "." or ".."',
  repeats_root: "it repeats the supplier's root",
  scheme: "it starts with a scheme or a drive",
  too_long: "it is too long",
  trailing_dot_or_space: "a part ends in a dot or a space",
};

function localWords<C extends Code>(finding: FindingOf<C>): string {
  return WORDS[finding.code](finding);
}

const LONGEST_LIST = 12;

function list(choices: readonly string[]): string {
  const shown = choices.slice(0, LONGEST_LIST).map((choice) => (choice === "" ? '""' : plainText(choice, 80)));
  const more = choices.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function amount(count: number, unit: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? unit.slice(0, -1) : unit}`;
}

function article(noun: string): string {
  return `${/^[aeiou]/iu.test(noun) ? "an" : "a"} ${noun}`;
}

function meant(suggestion: string | undefined): string {
  return suggestion === undefined ? "" : ` Did you mean ${plainText(suggestion)}?`;
}

function place(other: Place): string {
  return plainText(formatPlace(other));
}
