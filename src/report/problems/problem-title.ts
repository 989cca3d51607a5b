import { NON_FIELD_ERRORS, parseAttr } from "../../json/attr.ts";
import {
  isRuleProblem,
  type LocalFinding,
  type LocalProblem,
  type PlatformProblem,
  type Problem,
} from "../../model/problem.ts";
import { plainText } from "../../text/plain-text.ts";
import { describeReported } from "./problem-text.ts";

/** Returns the title of a field in the contract; undefined if it has none. */
export type FieldTitle = (attr: string) => string | undefined;

/**
 * Returns a short title that names the field, such as `Postcode is not valid`. Some problems that concern an entire
 * record have a fixed title. The title of a source problem, or of any other problem without a field name, is its
 * description without the full stop.
 */
export function problemTitle(problem: Problem, fieldTitle: FieldTitle | undefined): string {
  const { attr, code, by } = problem;
  if (by === "local" && Object.hasOwn(RECORD_TITLES, code)) return RECORD_TITLES[code] ?? "";
  const name = fieldTitle?.(attr) ?? fieldWords(attr);
  if (name === undefined || code.startsWith("source_")) {
    return describeReported(problem).replace(/(?<!\.)\.$/, "");
  }
  const field = plainText(name, 80);
  const predicate = predicateOf(problem);
  return `${field} ${isPlural(field) ? inPlural(predicate) : predicate}`;
}

/** Converts the last name in an attr to words: `customers.0.billing_address1` -> `Billing address 1`. */
export function fieldWords(attr: string): string | undefined {
  if (attr === NON_FIELD_ERRORS) return undefined;
  const name = parseAttr(attr).findLast((part) => typeof part === "string" && part !== "*");
  const words = String(name ?? "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{L})(\d+)(?!\p{L})/gu, "$1 $2")
    .split(/[\s_.-]+/u)
    .filter((word) => word !== "")
    .map((word) => (/\p{Ll}/u.test(word) ? word.toLowerCase() : word))
    .join(" ");
  return words === "" ? undefined : words.slice(0, 1).toUpperCase() + words.slice(1);
}

type RecordCode =
  | "corrected_since"
  | "changed_since_export"
  | "account_not_found"
  | "circular_dependency"
  | "row_sent_under_other_key"
  | "stale"
  | `source_${string}`;
type FieldCode = Exclude<LocalFinding["code"], RecordCode>;

const RECORD_TITLES: Readonly<Record<string, string>> = {
  corrected_since: "The record has already been corrected",
  changed_since_export: "The record has changed since its rejects were exported",
  account_not_found: "The account of the record is not on the platform yet",
  circular_dependency: "Records wait for each other",
  row_sent_under_other_key: "The record is known under another key",
  stale: "The record is older than content already sent",
} satisfies Record<Exclude<RecordCode, `source_${string}`>, string>;

/**
 * The predicate for each code. The compiler requires an entry for every code. The platform's codes use the same
 * predicates.
 */
const PREDICATES: Readonly<Record<FieldCode, string>> = {
  required: "is missing",
  null: "is missing",
  blank: "is missing",
  empty: "has no entries",
  invalid: "is not valid",
  invalid_choice: "is not one of the allowed values",
  schema_mismatch: "is not valid",
  max_length: "is too long",
  min_length: "is too short",
  max_value: "is too high",
  min_value: "is too low",
  max_digits: "has too many digits",
  max_decimal_places: "has too many decimal places",
  max_whole_digits: "has too many digits before the decimal point",
  not_a_list: "is not a list",
  not_a_dict: "is not an object",
  null_characters_not_allowed: "contains an invisible character",
  surrogate_characters_not_allowed: "contains half a character",
  unique: "is not unique",
  unknown_field: "is not a known field",
  read_only: "is set by the platform",
  duplicate_key: "occurs twice",
  near_duplicate_key: "occurs twice in similar forms",
  near_known_key: "differs slightly from a known key",
  damaged_key: "was changed by a spreadsheet",
  key_differs_from_reject: "was changed",
  unsafe_document_path: "is not an allowed path",
  path_does_not_exist_in_file_store: "does not exist",
  coerced: "is not in the expected form",
};

const RULE_PREDICATES: Readonly<Record<string, string>> = {
  "required-when": "is missing",
  requires: "is missing",
  "forbidden-when": "is not allowed here",
  "forbids-together": "is not allowed here",
  "in-set": "is not a known value",
  "in-set: negate": "is not allowed here",
  lookup: "is not a known value",
  "not-future": "is in the future",
  "not-past": "is in the past",
  within: "is out of range",
  "unique-by": "occurs twice",
  "count-limit": "has the wrong number of entries",
  "no-overlap": "overlaps another period",
};

const PLATFORM_PREDICATES: Readonly<Record<string, string>> = {
  does_not_exist: "does not exist",
  conflict: "is different on the platform",
};

function predicateOf(problem: Problem): string {
  if (isRuleProblem(problem)) return entryOf(RULE_PREDICATES, problem.rule) ?? "is not valid";
  return problem.by === "platform" ? platformPredicate(problem) : localPredicate(problem);
}

function platformPredicate({ code }: PlatformProblem): string {
  const known = entryOf(PLATFORM_PREDICATES, code) ?? entryOf(PREDICATES, code);
  return known ?? (/^invalid(?:_|$)/.test(code) ? "is not valid" : "is not accepted by the platform");
}

function localPredicate(problem: LocalProblem): string {
  const { code } = problem;
  if (code === "unique" && problem.isPartial === true) return "is on the platform with incomplete or different content";
  if (code === "unique" && problem.acceptedAt !== undefined) return "was already accepted with different content";
  if (code === "max_length" && problem.unit === "items") return "has too many entries";
  if (code === "min_length" && problem.unit === "items") return "has too few entries";
  return entryOf(PREDICATES, code) ?? "is not valid";
}

function entryOf(entries: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function isPlural(name: string): boolean {
  return /[^aius]s$/.test(name);
}

function inPlural(predicate: string): string {
  const [verb = "", ...rest] = predicate.split(" ");
  return [PLURAL_VERBS.get(verb) ?? verb.replace(/s$/, ""), ...rest].join(" ");
}

const PLURAL_VERBS: ReadonlyMap<string, string> = new Map([
  ["is", "are"],
  ["has", "have"],
  ["was", "were"],
  ["does", "do"],
]);
