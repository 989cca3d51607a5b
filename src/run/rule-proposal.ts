import type { FieldType } from "../contract/field-type.ts";
import type { PublishedCode } from "../contract/published-codes.ts";
import { publishedCodes } from "../contract/published-codes.ts";
import { NON_FIELD_ERRORS } from "../model/attr.ts";

/** An action for an overlay that would let local validation find what the platform refused; to be read by a person. */
export interface RuleProposal {
  /** JSONPath of the schema. */
  readonly target: string;
  readonly rule: {
    readonly code: string;
    readonly kind: string;
    readonly message: string;
    /** The members of the kind, as far as fields that the operator's text names fill them. */
    readonly [member: string]: string | readonly string[];
  };
}

/**
 * What the operator's own words about a code suggest as a rule (docs/rules.md, "Kinds"), for the published place that is
 * nearest to where the platform answered with it. Undefined where the code is not published, or its text says of no
 * rule.
 */
export function proposeRule(body: FieldType, code: string, attr: string): RuleProposal | undefined {
  const place = nearest(publishedCodes(body, code), attr);
  if (place?.schema === undefined) return undefined;
  const message = plain(place.validator.description);
  const kind = KINDS.find(([, words]) => words.test(`${plain(place.validator.name)} ${message}`))?.[0];
  if (kind === undefined) return undefined;
  const schema = `$.components.schemas[${JSON.stringify(place.schema)}]`;
  const fields = place.property === undefined ? namedIn(message, place.fields) : [place.property];
  return { target: schema, rule: { code, kind, ...membersOf(kind, fields), message } };
}

/** Fields in the places that the kind has for them; of kinds that look at lists, a person has to say which. */
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

/** The most telling words first. */
const KINDS: readonly (readonly [kind: string, words: RegExp])[] = [
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

/** The published place whose attr shares most of its beginning with the one in question. */
function nearest(places: readonly PublishedCode[], attr: string): PublishedCode | undefined {
  const wanted = attr.split(".").filter((part) => part !== NON_FIELD_ERRORS);
  const scored = places.map((place) => ({
    place,
    score: likeness(place.attr === "" ? [] : place.attr.split("."), wanted),
  }));
  return scored.toSorted((one, other) => other.score - one.score)[0]?.place;
}

function likeness(one: readonly string[], other: readonly string[]): number {
  const shared = one.findIndex((part, index) => part !== other[index]);
  const same = shared === -1 ? one.length : shared;
  return 2 * same - one.length - other.length;
}

function namedIn(text: string, fields: readonly string[]): readonly string[] {
  const words = new Set(text.split(/[^\w]+/));
  return fields.filter((field) => words.has(field));
}

/** Operators write HTML. */
function plain(text: string): string {
  return text
    .replaceAll(/<\/?[a-z][^<>]*>/gi, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
