import { descriptionText } from "./description-text.ts";
import { type PublishedCode, publishedCodes } from "./published-codes.ts";
import type { FieldType } from "../types/field-type.ts";
import { NON_FIELD_ERRORS } from "../../json/attr.ts";

/**
 * A proposed overlay action, which a person must review. With this action, local validation would find the problems
 * that only the platform reported.
 */
export interface RuleProposal {
  /** JSONPath of the schema. */
  readonly target: string;
  readonly rule: {
    readonly code: string;
    readonly kind: string;
    readonly message: string;
    /** The members of this kind of rule: the validated property, or the fields that the description mentions. */
    readonly [member: string]: string | readonly string[];
  };
}

/**
 * Derives a rule from the operator's description of a code (docs/rules.md, "Kinds"), for the published location nearest
 * to the attr of the rejection. Returns undefined if the code is not published, if the schema at that location has no
 * name, or if the description suggests no rule.
 */
export function proposeRule(body: FieldType, code: string, attr: string): RuleProposal | undefined {
  const place = nearest(publishedCodes(body, code), attr);
  if (place?.schema === undefined) return undefined;
  const message = descriptionText(place.validator.description) ?? "";
  const kind = KIND_PATTERNS.find(([, words]) =>
    words.test(`${descriptionText(place.validator.name)} ${message}`),
  )?.[0];
  if (kind === undefined) return undefined;
  const schema = `$.components.schemas[${JSON.stringify(place.schema)}]`;
  const fields = place.property === undefined ? namedIn(message, place.fields) : [place.property];
  return { target: schema, rule: { code, kind, ...membersOf(kind, fields), message } };
}

/** Assigns fields to the members of the kind. A person must add the other members, such as the list to examine. */
function membersOf(kind: string, fields: readonly string[]): Readonly<Record<string, string | readonly string[]>> {
  const [first, second] = fields;
  if (first === undefined) return {};
  if (VALUE_KINDS.has(kind)) return { value: first };
  if (FIELD_KINDS.has(kind)) return { fields };
  if (kind === "date-order" && second !== undefined) return { earlier: first, later: second };
  if (kind === "requires" && second !== undefined) return { "all-or-none": fields };
  return kind === "unique-by" ? { key: fields } : {};
}

const VALUE_KINDS: ReadonlySet<string> = new Set(["not-future", "not-past", "matches-format"]);
const FIELD_KINDS: ReadonlySet<string> = new Set([
  "required-when",
  "forbidden-when",
  "requires-one-of",
  "forbids-together",
]);

/** Words in a description that suggest a kind of rule, most specific words first. */
const KIND_PATTERNS: readonly (readonly [kind: string, words: RegExp])[] = [
  ["no-overlap", /overlap/i],
  ["contiguous", /\bgaps?\b|contiguous|consecutive/i],
  ["unique-by", /duplicate|unique|more than once|appears? twice/i],
  ["sum-equals", /\bsum\b|add up|total of|\bbalances?\b.*\b(?:match|equal)/i],
  ["not-future", /in the future|future date/i],
  ["not-past", /in the past/i],
  ["date-order", /\b(?:before|after|later than|earlier than|precede)\b.*|start date.*end date/i],
  ["forbids-together", /mutually exclusive|cannot both|not both|both (?:be )?(?:provided|present|set)|only one of/i],
  ["requires-one-of", /at least one|either|one of .* (?:required|provided)/i],
  ["required-when", /(?:required|must be (?:provided|present|set|given)|mandatory)\b.*\b(?:if|when|for|unless)\b/i],
  ["forbidden-when", /(?:must not|cannot|should not|may not) be (?:provided|present|set|given|used)/i],
  ["matches-format", /format|valid (?:phone|post|e-?mail|number|mpan|mprn|nmi|mirn|identifier|code)/i],
  ["count-limit", /more than (?:one|\d+)|at most|exactly one|maximum of/i],
  ["requires", /required|must be (?:provided|present|set|given)/i],
];

/**
 * Returns the published location nearest to `attr`. The distance is the number of parts that the two attrs have after
 * their common prefix.
 */
function nearest(places: readonly PublishedCode[], attr: string): PublishedCode | undefined {
  const wanted = attr.split(".").filter((part) => part !== NON_FIELD_ERRORS);
  const scored = places.map((place) => ({
    place,
    score: similarity(place.attr === "" ? [] : place.attr.split("."), wanted),
  }));
  return scored.toSorted((one, other) => other.score - one.score)[0]?.place;
}

function similarity(one: readonly string[], other: readonly string[]): number {
  const shared = one.findIndex((part, index) => part !== other[index]);
  const same = shared === -1 ? one.length : shared;
  return 2 * same - one.length - other.length;
}

function namedIn(text: string, fields: readonly string[]): readonly string[] {
  const words = new Set(text.split(/[^\w]+/));
  return fields.filter((field) => words.has(field));
}
