import {
  COMMON_WORDS,
  FIRST_ADDRESS_PARTS,
  LATER_ADDRESS_PARTS,
  NEAR_WORDS,
  OPPOSITES,
  SMALL_UNITS,
  OTHER_PARTIES,
} from "./field-words.ts";

/** The words of a name and of its context: the object or list of a field, or the file of a column. */
export interface NamedThing {
  readonly own: readonly string[];
  readonly around: readonly string[];
}

const COMMON_WEIGHT = 0.5;
const AROUND_WEIGHT = 0.25;
/** A column without a number usually means the first item, so a missing `1` counts little. */
const FIRST_WEIGHT = 0.2;

/**
 * Similarity of two names, 0 to 1: the share of the field's words in the column or its file name, and of the column's
 * words in the field or its context.
 */
export function nameLikeness(field: NamedThing, named: NamedThing): number {
  if (areOpposites(field, named) || hasOtherUnit(field, named)) return 0;
  const column = isCommon(named.own) ? { own: [...named.own, ...named.around], around: [] } : named;
  const columnWords = [...column.own, ...column.around];
  const numbered = column.own.some(isNumber);
  const recalled = field.own.map(
    (word) =>
      [word === "1" && !numbered ? FIRST_WEIGHT : weightOf(word), found(word, column.own, column.around)] as const,
  );
  const around = field.around.map((word) => [AROUND_WEIGHT * weightOf(word), nearest(word, columnWords)] as const);
  const precise = column.own.map((word) => [weightOf(word), found(word, field.own, field.around)] as const);
  const recall = average([...recalled, ...around]);
  const precision = average(precise);
  const likeness = recall === 0 || precision === 0 ? 0 : (2 * recall * precision) / (recall + precision);
  const party = isOfOtherParty(field, columnWords) ? OTHER_PARTY : 1;
  return party * Math.max(likeness * numbersAgree(field.own, column.own), addressPart(field.own, column.own));
}

const OTHER_PARTY = 0.5;

function isOfOtherParty({ own, around }: NamedThing, columnWords: readonly string[]): boolean {
  return OTHER_PARTIES.some((party) => [...own, ...around].includes(party) && !columnWords.includes(party));
}

/** Names such as `ID` and `TYPE` describe the subject of the file. */
function isCommon(words: readonly string[]): boolean {
  return words.every((word) => COMMON_WORDS.has(word));
}

/** Words in the name itself count most; words in its context count slightly less. */
function found(word: string, own: readonly string[], around: readonly string[]): number {
  return Math.max(nearest(word, own), 0.8 * nearest(word, around));
}

function nearest(word: string, words: readonly string[]): number {
  return words.includes(word) ? 1 : Math.max(0, ...words.map((other) => NEARNESS.get(`${word} ${other}`) ?? 0));
}

const NEARNESS: ReadonlyMap<string, number> = new Map(
  NEAR_WORDS.flatMap(([one, other, likeness]) => [
    [`${one} ${other}`, likeness] as const,
    [`${other} ${one}`, likeness] as const,
  ]),
);

function weightOf(word: string): number {
  return COMMON_WORDS.has(word) ? COMMON_WEIGHT : 1;
}

function average(weighted: readonly (readonly [weight: number, share: number])[]): number {
  const total = weighted.reduce((sum, [weight]) => sum + weight, 0);
  return total === 0 ? 0 : weighted.reduce((sum, [weight, share]) => sum + weight * share, 0) / total;
}

function areOpposites(field: NamedThing, column: NamedThing): boolean {
  return OPPOSITES.some(
    ([one, other]) =>
      (isOnly(field.own, one, other) && isOnly(column.own, other, one)) ||
      (isOnly(field.own, other, one) && isOnly(column.own, one, other)),
  );
}

/** A balance in pence is a different field: its value would be a hundred times too high, without any error. */
function hasOtherUnit(field: NamedThing, column: NamedThing): boolean {
  return SMALL_UNITS.some((unit) => column.own.includes(unit) && !field.own.includes(unit));
}

function isOnly(words: readonly string[], word: string, without: string): boolean {
  return words.includes(word) && !words.includes(without);
}

/** `ADDR2` is not the first line of an address, while a column without a number may be. */
function numbersAgree(field: readonly string[], column: readonly string[]): number {
  const own = field.filter(isNumber);
  const other = column.filter(isNumber);
  if (own.length === 0 || other.length === 0) return own.length > 0 && !own.includes("1") ? 0.3 : 1;
  return own.some((number) => other.includes(number)) ? 1 : 0.1;
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}

/** Address columns without numbers fill the lines of an address in written order. */
function addressPart(field: readonly string[], column: readonly string[]): number {
  const line = Number(field.find(isNumber) ?? 0);
  if (!field.includes("address") || line < 1 || column.some(isNumber)) return 0;
  const part = (line === 1 ? FIRST_ADDRESS_PARTS : LATER_ADDRESS_PARTS).findIndex((word) => column.includes(word));
  return part < 0 ? 0 : 0.72 - 0.02 * line - 0.01 * part;
}
