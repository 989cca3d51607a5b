import type { TextType } from "../../../contract/types/field-type.ts";
import { matcherOf } from "../../../text/linear-pattern.ts";
import { type ColumnProfile, dateForm, shareOf } from "../profile/column-profile.ts";
import type { ValueKind } from "../profile/value-kinds.ts";
import { type LeafForm, PLAIN, sampleShare, type ValueFit } from "./leaf-form.ts";

/**
 * Kinds of values that occur only in certain fields, with a word in the names of these fields and the strength of the
 * evidence.
 */
const TELLING: readonly (readonly [kind: ValueKind, word: string, evidence: number])[] = [
  ["email", "email", 0.8],
  ["postcode", "postcode", 0.6],
  ["phone", "phone", 0.5],
  ["street", "address", 0.3],
];
/** Fit of a column whose values as a whole are hardly ever text. */
const UNTEXTLIKE = 0.35;

export function textFit(type: TextType, words: readonly string[], column: ColumnProfile): ValueFit {
  const matches = type.pattern === undefined ? undefined : matcherOf(type.pattern);
  const right = matches === undefined ? 1 : sampleShare(column, matches);
  const upper = matches === undefined ? right : sampleShare(column, (value) => matches(value.toUpperCase()));
  const length = sampleShare(column, (value) => value.length <= (type.maxLength ?? Number.POSITIVE_INFINITY));
  const evident = TELLING.find(([kind]) => shareOf(column, kind) >= 0.7);
  const wanted = TELLING.find(([, word]) => words.includes(word) || (type.format === "email" && word === "email"));
  const form: LeafForm = upper > right ? { kind: "upper" } : PLAIN;
  const kindFit = kindsAgree({ evident, wanted, words, column });
  const evidence = evident !== undefined && evident === wanted ? evident[2] : 0;
  return { fit: Math.max(right, upper * 0.98) * length * kindFit * formatFit(type, column), evidence, form };
}

function formatFit({ format }: TextType, column: ColumnProfile): number {
  if (format === "uuid") return shareOf(column, "uuid");
  return format === "uri" ? sampleShare(column, (value) => value.includes(":")) : 1;
}

type Telling = (typeof TELLING)[number];

interface TextFacts {
  /** The kind that the values suggest. */
  readonly evident: Telling | undefined;
  /** The kind that the field's name suggests. */
  readonly wanted: Telling | undefined;
  readonly words: readonly string[];
  readonly column: ColumnProfile;
}

/** How well the kind of the values agrees with the field's name. */
function kindsAgree({ evident, wanted, words, column }: TextFacts): number {
  if (evident !== undefined) return evident === wanted ? 1 : fitOfOther(evident, words);
  if (wanted?.[0] === "email") return 0.1;
  if (wanted?.[0] === "phone") return shareOf(column, "integer") > 0.8 ? 0.6 : 0.2;
  if (words.includes("name") && shareOf(column, "number") > 0.5) return 0.2;
  return dateForm(column) !== undefined && shareOf(column, "integer") < 0.5 ? UNTEXTLIKE : 1;
}

/** Account numbers look like phone numbers, and house names look like streets. */
function fitOfOther([kind]: Telling, words: readonly string[]): number {
  if (kind === "street") return 0.6;
  return words.includes("id") ? 0.9 : 0.3;
}
