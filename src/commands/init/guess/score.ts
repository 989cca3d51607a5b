import { type ColumnProfile, isRowNumber, isUnique } from "../profile/column-profile.ts";
import { getOrAdd } from "../../../model/groups.ts";
import type { SourceProfile } from "../profile/profile-sources.ts";
import { nameWords, writtenWords } from "./field-names.ts";
import type { Guess, Slot } from "./region.ts";
import { isYesNo, valueFit } from "./value-fit.ts";
import {
  COMMON_WORDS,
  EARLIER_STATES,
  FIRST_ADDRESS_PARTS,
  LATER_ADDRESS_PARTS,
  NEAR_WORDS,
  NEGATION,
  OPPOSITES,
  SMALL_UNITS,
  OTHER_PARTIES,
} from "./field-words.ts";

/** Weight of the evidence in the values if the name says nothing. */
const EVIDENCE_WEIGHT = 0.7;

const guesses = new WeakMap<Slot, Map<ColumnProfile, Guess>>();

/** Returns the likelihood that a column fills a field. Results are cached. */
export function guessOf(slot: Slot, column: ColumnProfile, source: SourceProfile): Guess {
  const row = getOrAdd(guesses, slot, () => new Map<ColumnProfile, Guess>());
  return getOrAdd(row, column, () => newGuess(slot, column, source));
}

function newGuess(slot: Slot, column: ColumnProfile, source: SourceProfile): Guess {
  const shared = sharedWords(slot.name, column.name);
  const similarity = nameLikeness(
    { own: slot.words, around: slot.around },
    { own: nameWords(column.name), around: nameWords(source.name) },
    shared === 1,
  );
  const likeness = (1 - WRITTEN_WEIGHT) * similarity + (similarity === 0 ? 0 : WRITTEN_WEIGHT * shared);
  const { fit, evidence, form } = valueFit(slot.type, slot.words, column);
  if (isOfOther(slot, column, source) || isMaybeOpposite(slot, column)) return { column, form, score: 0 };
  const score = fit * (slot.isKey ? keyLikeness(column) : 1) * (likeness + (1 - likeness) * evidence * EVIDENCE_WEIGHT);
  return { column, form, score };
}

/** Whether only the field or only the column is about another party, or only the column contains an earlier state. */
function isOfOther({ path, words }: Slot, column: ColumnProfile, source: SourceProfile): boolean {
  const [field, own] = [path.flatMap(nameWords), nameWords(column.name)];
  const columnWords = [...own, ...nameWords(source.name)];
  const isEarlier = writtenWords(column.name).some((word) => EARLIER_STATES.has(word));
  if (isEarlier && !words.includes("previous") && !words.includes("external")) return true;
  // The root source can be named after the party that provides it, such as an agency, so its name proves nothing.
  return namesOtherParty(own, field) || namesOtherParty(field, columnWords);
}

/** Whether the first name contains a party other than the customer that the second name does not contain. */
export function namesOtherParty(name: readonly string[], other: readonly string[]): boolean {
  return OTHER_PARTIES.some((party) => name.includes(party) && !other.includes(party));
}

/**
 * Whether a yes in the column can be a no in the field: only one of the names is negated, or the column has a word that
 * the field lacks, such as `revoked`.
 */
function isMaybeOpposite({ name, type, words, around }: Slot, column: ColumnProfile): boolean {
  if (!isYesNo(type)) return false;
  if (negations(name) !== negations(column.name)) return true;
  return nameWords(column.name).some((word) => found(word, words, [...around, "customer", "account"]) === 0);
}

function negations(name: string): number {
  return writtenWords(name).filter((word) => NEGATION.test(word)).length;
}

/**
 * Weight of shared words as written, relative to shared meanings: `account_number` matches a field with `number` better
 * than `account_id` does, although both mean an id.
 */
const WRITTEN_WEIGHT = 0.1;

function sharedWords(one: string, other: string): number {
  const [words, others] = [writtenWords(one), writtenWords(other)];
  const shared = words.filter((word) => others.includes(word)).length;
  return (2 * shared) / Math.max(1, words.length + others.length);
}

/** Returns how likely a column is the business key. A key differs in every row and is rarely a row number. */
function keyLikeness(column: ColumnProfile): number {
  const unique = isUnique(column) ? 1 : (column.distinct ?? 0) / Math.max(1, column.filled + column.empty);
  return isRowNumber(column) ? 0.85 * unique : unique;
}

/** The words in a name and in its context: the object or list of a field, or the file of a column. */
interface NamedThing {
  readonly own: readonly string[];
  readonly around: readonly string[];
}

const COMMON_WEIGHT = 0.5;
const AROUND_WEIGHT = 0.25;
/**
 * The weight of a missing `1` in a column name. The weight is low, because a column without a number usually means the
 * first item.
 */
const FIRST_WEIGHT = 0.2;

/**
 * Returns the similarity of two names, from 0 to 1. Combines two shares: the share of the field's words that occur in
 * the names of the column and its file, and the share of the column's words that occur in the names of the field and
 * its context.
 * @param isSameName whether the column and the field have the same words as written
 */
export function nameLikeness(field: NamedThing, named: NamedThing, isSameName = false): number {
  // A column in pence must not match a field in pounds: values that are a hundred times too large cause no error.
  const hasSmallUnit = SMALL_UNITS.some((unit) => named.own.includes(unit) && !field.own.includes(unit));
  if (hasSmallUnit || areOpposites(field.own, named.own)) return 0;
  // A name that consists only of common words, such as `ID` or `TYPE`, refers to the subject of the file.
  const isCommon = named.own.every((word) => COMMON_WORDS.has(word));
  if (!isCommon) return columnLikeness(field, named);
  const likeness = columnLikeness(field, { own: [...named.own, ...named.around], around: [] });
  // A file name can contain words that have nothing to do with the subject, such as `load_v2`.
  return isSameName ? Math.max(likeness, columnLikeness(field, named)) : likeness;
}

function columnLikeness(field: NamedThing, column: NamedThing): number {
  const columnWords = [...column.own, ...column.around];
  const numbered = column.own.some(isNumber);
  const recalled = field.own.map((word) => {
    const weight = word === "1" && !numbered ? FIRST_WEIGHT : weightOf(word);
    return [weight, found(word, column.own, column.around)] as const;
  });
  const around = field.around.map((word) => [AROUND_WEIGHT * weightOf(word), nearest(word, columnWords)] as const);
  const precise = column.own.map((word) => [weightOf(word), found(word, field.own, field.around)] as const);
  const recall = average([...recalled, ...around]);
  const precision = average(precise);
  const likeness = recall === 0 || precision === 0 ? 0 : (2 * recall * precision) / (recall + precision);
  return Math.max(likeness * numbersAgree(field.own, column.own), addressPart(field.own, column.own));
}

/** Scores a word. A match in the name itself counts most; a match in its context counts slightly less. */
function found(word: string, own: readonly string[], around: readonly string[]): number {
  return Math.max(nearest(word, own), 0.8 * nearest(word, around));
}

function nearest(word: string, words: readonly string[]): number {
  return words.includes(word) ? 1 : Math.max(0, ...words.map((other) => NEARNESS.get(`${word} ${other}`) ?? 0));
}

const NEARNESS: ReadonlyMap<string, number> = new Map(
  NEAR_WORDS.flatMap(([one, other, likeness]) =>
    [`${one} ${other}`, `${other} ${one}`].map((key) => [key, likeness] as const),
  ),
);

function weightOf(word: string): number {
  return COMMON_WORDS.has(word) ? COMMON_WEIGHT : 1;
}

function average(weighted: readonly (readonly [weight: number, share: number])[]): number {
  const total = weighted.reduce((sum, [weight]) => sum + weight, 0);
  return total === 0 ? 0 : weighted.reduce((sum, [weight, share]) => sum + weight * share, 0) / total;
}

function areOpposites(field: readonly string[], column: readonly string[]): boolean {
  return OPPOSITES.some((pair) => {
    const [inField, inColumn] = [field, column].map((words) => pair.filter((word) => words.includes(word)));
    return inField?.length === 1 && inColumn?.length === 1 && inField[0] !== inColumn[0];
  });
}

/**
 * Returns how well the numbers in the names agree, from 0 to 1. `ADDR2` is not the first line of an address, but a
 * column without a number may be the first line.
 */
function numbersAgree(field: readonly string[], column: readonly string[]): number {
  const own = field.filter(isNumber);
  const other = column.filter(isNumber);
  if (own.length === 0 || other.length === 0) return own.length > 0 && !own.includes("1") ? 0.3 : 1;
  return own.some((number) => other.includes(number)) ? 1 : 0.1;
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}

/** Scores address columns without numbers, so that they fill the lines of an address in the usual order. */
function addressPart(field: readonly string[], column: readonly string[]): number {
  const line = Number(field.find(isNumber) ?? 0);
  if (!field.includes("address") || line < 1 || column.some(isNumber)) return 0;
  const part = (line === 1 ? FIRST_ADDRESS_PARTS : LATER_ADDRESS_PARTS).findIndex((word) => column.includes(word));
  return part < 0 ? 0 : 0.72 - 0.02 * line - 0.01 * part;
}
