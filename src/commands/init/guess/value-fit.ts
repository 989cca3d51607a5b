import {
  type ChoiceType,
  type FieldType,
  isNumeric,
  type NumericType,
  type TextType,
  type UnionType,
} from "../../../contract/types/field-type.ts";
import { type ColumnProfile, dateForm, shareOf, type ValueKind } from "../profile/column-profile.ts";
import { matchChoices } from "./match-choices.ts";
import { matcherOf } from "../../../text/linear-pattern.ts";

/** How the cells of a column are converted to values of a field. */
export type LeafForm =
  | { readonly kind: "plain" }
  | { readonly kind: "upper" }
  | {
      readonly kind: "date" | "datetime";
      readonly pattern: string;
      readonly hasOffset: boolean;
      /** A pattern with another order of day and month that fits equally well. */
      readonly also: string | undefined;
    }
  | { readonly kind: "number"; readonly decimal: string; readonly group: string | undefined }
  | { readonly kind: "boolean"; readonly yes: readonly string[]; readonly no: readonly string[] }
  | LookupForm;

export interface LookupForm {
  readonly kind: "lookup";
  readonly table: ReadonlyMap<string, string>;
  /** Codes that match no choice and may be written to a file. */
  readonly unknown: readonly string[];
  /**
   * The number of codes in neither `table` nor `unknown`: codes beyond the maximum, and rare or long codes, which could
   * be personal data.
   */
  readonly withheld: number;
}

interface ValueFit {
  /** How well the cells can be used as values of the field, from 0 to 1. */
  readonly fit: number;
  /** How strongly the cells suggest the field if the name of the column is ignored, from 0 to 1. */
  readonly evidence: number;
  readonly form: LeafForm;
}

const PLAIN: LeafForm = { kind: "plain" };

/** @param words the words of the field's name */
export function valueFit(type: FieldType, words: readonly string[], column: ColumnProfile): ValueFit {
  if (column.analysed === 0) return onlyFit(UNKNOWN);
  if (isNumeric(type)) return numberFit(type, column);
  if (type.kind === "date" || type.kind === "datetime") return dateFit(type.kind, column);
  if (type.kind === "boolean") return booleanFit(column);
  if (type.kind === "choice") return choiceFit(type, column);
  if (type.kind === "text") return textFit(type, words, column);
  if (type.kind === "time") return onlyFit(sampleShare(column, (value) => /^\d\d?:\d\d/.test(value)));
  if (type.kind === "union") return unionFit(type, words, column);
  return onlyFit(type.kind === "any" ? 0.6 : 0);
}

/**
 * Returns the best fit of an option. Prefers a number in another notation to text: the platform would not read the text
 * `1.500,00` as this number.
 */
function unionFit({ options }: UnionType, words: readonly string[], column: ColumnProfile): ValueFit {
  const scalars = options.filter(({ kind }) => kind !== "object" && kind !== "list" && kind !== "union");
  const fits = scalars.map((option) => valueFit(option, words, column));
  const converted = fits.find(({ form, fit }) => form.kind === "number" && fit >= MIN_NUMBER_FIT);
  return converted ?? fits.toSorted((one, other) => other.fit - one.fit)[0] ?? onlyFit(0);
}

const MIN_NUMBER_FIT = 0.9;

/** Fit of an empty column. Only its name can be scored. */
const UNKNOWN = 0.85;

function onlyFit(fit: number): ValueFit {
  return { fit, evidence: 0, form: PLAIN };
}

function dateFit(kind: "date" | "datetime", column: ColumnProfile): ValueFit {
  const form = dateForm(column);
  if (form === undefined) return onlyFit(0.02);
  const { pattern, hasTime, hasOffset } = form;
  const also = column.dates.find(
    (other) => other !== form && other.fits === form.fits && orderOf(other.pattern) !== orderOf(pattern),
  );
  const fit = kind === "datetime" && !hasTime ? 0.9 : 1;
  const isIso = kind === "date" ? pattern === "yyyy-MM-dd" : pattern.startsWith("yyyy-MM-dd'T'") && hasOffset;
  return { fit, evidence: 0.15, form: isIso ? PLAIN : { kind, pattern, hasOffset, also: also?.pattern } };
}

/** Returns the order of day and month in a pattern. */
function orderOf(pattern: string): string {
  return pattern.replaceAll(/[^dM]/g, "").replaceAll(/(.)\1+/g, "$1");
}

/** Cell values that mean yes and no in legacy systems. */
const YES_WORDS: ReadonlySet<string> = new Set(["y", "yes", "true", "t", "1", "x", "j", "on"]);
const NO_WORDS: ReadonlySet<string> = new Set(["n", "no", "false", "f", "0", "-", "off"]);

/** Whether the values of a field include a yes and a no. */
export function isYesNo(type: FieldType): boolean {
  if (type.kind === "union") return type.options.some(isYesNo);
  const choices = type.kind === "choice" ? type.choices.map((choice) => String(choice).toLowerCase()) : [];
  const isChoice = choices.some((choice) => YES_WORDS.has(choice)) && choices.some((choice) => NO_WORDS.has(choice));
  return type.kind === "boolean" || isChoice;
}

function booleanFit({ codes }: ColumnProfile): ValueFit {
  if (codes === undefined || codes.size === 0 || codes.size > 6) return onlyFit(0.02);
  const values = [...codes.keys()];
  const yes = values.filter((value) => YES_WORDS.has(value.toLowerCase()));
  const no = values.filter((value) => NO_WORDS.has(value.toLowerCase()));
  if (yes.length + no.length < values.length) return onlyFit(0.02);
  const isWritten = values.every((value) => /^(?:true|false)$/i.test(value));
  const fit = values.every((value) => /^\d$/.test(value)) ? 0.85 : 1;
  return { fit, evidence: 0.1, form: isWritten ? PLAIN : { kind: "boolean", yes, no } };
}

function choiceFit({ choices }: ChoiceType, column: ColumnProfile): ValueFit {
  const { codes } = column;
  const known = new Set(choices.map(String));
  if (codes === undefined || codes.size === 0) return onlyFit(sampleShare(column, (value) => known.has(value)));
  const { table, unknown, uncertain, same, evidence } = matchChoices([...codes.keys()], choices);
  const mapped = table.size / codes.size;
  const fit = codes.size <= choices.length + MORE_CODES ? 0.5 + 0.5 * mapped : Math.max(0.15, mapped);
  const isPublic = (code: string): boolean => code.length <= LONGEST_CODE && (codes.get(code) ?? 0) >= MIN_ROWS;
  const shown = new Map([...table].filter(([code]) => !uncertain.has(code) || isPublic(code)));
  const listed = unknown.filter(isPublic).slice(0, MAX_CODES);
  const withheld = codes.size - shown.size - listed.length;
  const form: LeafForm = { kind: "lookup", table: shown, unknown: listed, withheld };
  return { fit, evidence: mapped < 0.6 ? 0 : evidence * mapped, form: same ? PLAIN : form };
}

/**
 * Maximum number by which the codes of a column may exceed the choices. Legacy systems have a few codes without a
 * matching choice, but a column with many more codes contains something else.
 */
const MORE_CODES = 4;

/**
 * A code is written to a file only if at least this number of rows contain it. A value in fewer rows may be personal
 * data.
 */
const MIN_ROWS = 5;
const LONGEST_CODE = 12;
const MAX_CODES = 20;

function numberFit(type: NumericType, column: ColumnProfile): ValueFit {
  const wanted: ValueKind = type.kind === "integer" ? "integer" : "number";
  const plain = shareOf(column, wanted);
  const isSigned = sampleShare(column, (value) => value.startsWith("+")) > 0;
  const padded = type.kind !== "decimal" && sampleShare(column, (value) => /^-?0\d/.test(value)) > 0;
  if (plain >= 0.9) {
    const isDate = dateForm(column) !== undefined ? 0.4 : 1;
    const fit = plain * isDate * sampleShare(column, (value) => isWithin(Number(value), type));
    return { fit, evidence: 0, form: padded && !isSigned ? number(".", undefined) : PLAIN };
  }
  const form = numberFormat(type.kind, column, plain);
  if (form !== undefined) return { fit: 0.95, evidence: 0.1, form };
  return onlyFit(plain < 0.5 ? 0.02 : plain * 0.6);
}

/**
 * Returns the format of numbers that must be converted, because they have a decimal comma, a trailing minus or grouped
 * thousands. Returns undefined if no format fits.
 */
function numberFormat(kind: NumericType["kind"], column: ColumnProfile, plain: number): LeafForm | undefined {
  const isWithComma = shareOf(column, "commaNumber") + shareOf(column, "integer") >= 0.9;
  if (kind !== "integer" && isWithComma) return number(",", ".");
  const trailing = shareOf(column, "trailingMinus");
  if (trailing > 0 && trailing + plain >= 0.9) return number(".", undefined);
  const grouped = shareOf(column, "groupedNumber");
  return grouped > 0.05 && grouped + plain + trailing >= 0.9 ? number(".", ",") : undefined;
}

function number(decimal: string, group: string | undefined): LeafForm {
  return { kind: "number", decimal, group };
}

function isWithin(value: number, { minimum, maximum }: NumericType): boolean {
  const above = minimum === undefined || (minimum.exclusive ? value > minimum.value : value >= minimum.value);
  return above && (maximum === undefined || (maximum.exclusive ? value < maximum.value : value <= maximum.value));
}

/**
 * Kinds of values that occur only in certain fields. Each entry contains a word from the names of these fields, and the
 * strength of the evidence.
 */
const KIND_WORDS: readonly (readonly [kind: ValueKind, word: string, evidence: number])[] = [
  ["email", "email", 0.8],
  ["postcode", "postcode", 0.6],
  ["phone", "phone", 0.5],
  ["street", "address", 0.3],
];
/** Fit of a date column for a text field. The fit is low, because text fields rarely contain dates. */
const NON_TEXT_SCORE = 0.35;

function textFit(type: TextType, words: readonly string[], column: ColumnProfile): ValueFit {
  const matches = type.pattern === undefined ? undefined : matcherOf(type.pattern);
  const right = matches === undefined ? 1 : sampleShare(column, matches);
  const upper = matches === undefined ? right : sampleShare(column, (value) => matches(value.toUpperCase()));
  const length = sampleShare(column, (value) => value.length <= (type.maxLength ?? Number.POSITIVE_INFINITY));
  const dominant = KIND_WORDS.find(([kind]) => shareOf(column, kind) >= 0.7);
  const wanted = KIND_WORDS.find(([, word]) => words.includes(word) || (type.format === "email" && word === "email"));
  const form: LeafForm = upper > right ? { kind: "upper" } : PLAIN;
  const kindFit = kindsAgree(dominant, wanted, words, column);
  const evidence = dominant !== undefined && dominant === wanted ? dominant[2] : 0;
  return { fit: Math.max(right, upper * 0.98) * length * kindFit * formatFit(type, column), evidence, form };
}

function formatFit({ format }: TextType, column: ColumnProfile): number {
  if (format === "uuid") return shareOf(column, "uuid");
  return format === "uri" ? sampleShare(column, (value) => value.includes(":")) : 1;
}

type KindWord = (typeof KIND_WORDS)[number];

/**
 * Returns how well the kind of the values agrees with the name of the field.
 * @param dominant the kind that the values suggest
 * @param wanted the kind that the field's name suggests
 */
function kindsAgree(
  dominant: KindWord | undefined,
  wanted: KindWord | undefined,
  words: readonly string[],
  column: ColumnProfile,
): number {
  if (dominant !== undefined) return dominant === wanted ? 1 : fitOfOther(dominant, words);
  if (wanted?.[0] === "email") return 0.1;
  if (wanted?.[0] === "phone") return phoneFit(column);
  if (words.includes("name") && shareOf(column, "number") > 0.5) return 0.2;
  return dateForm(column) !== undefined && shareOf(column, "integer") < 0.5 ? NON_TEXT_SCORE : 1;
}

/**
 * Returns the fit for a phone field if most values do not look like phone numbers. A column of phone numbers often
 * contains some numbers in an unusual form.
 */
function phoneFit(column: ColumnProfile): number {
  return shareOf(column, "phone") >= 0.4 || shareOf(column, "integer") > 0.8 ? 0.6 : 0.2;
}

/**
 * Returns the fit if the values suggest a different kind from the field's name. Account numbers look like phone
 * numbers, and house names look like streets.
 */
function fitOfOther([kind]: KindWord, words: readonly string[]): number {
  if (kind === "street") return 0.6;
  return words.includes("id") ? 0.9 : 0.3;
}

function sampleShare({ sample }: ColumnProfile, fits: (value: string) => boolean): number {
  return sample.length === 0 ? 0 : sample.filter(fits).length / sample.length;
}
