import type { ColumnProfile } from "../profile/column-profile.ts";
import { joinColumn, keyColumns, type SourceNode } from "../joins.ts";
import type { SourceProfile } from "../profile/profile-sources.ts";
import { isIndustryNumber } from "./place-sources.ts";
import { type Container, containersIn, type Guess, type Slot, slotsIn } from "./region.ts";
import { guessOf } from "./score.ts";

/** Minimum score at which a guess is shown. */
const SHOWN = 0.35;
/** Minimum score to fill a required field. */
const REQUIRED = 0.42;
/** Minimum score to fill an optional field. */
const OPTIONAL = 0.58;
const MAX_OTHERS = 3;

/**
 * Fills the fields that are built from the rows of one source. Each column fills the field that it fits best. The same
 * column may also fill a required field, or the same field of another object. An optional object is included if one of
 * its fields is the best fit for a column.
 */
export function fillFields(container: Container, node: SourceNode): void {
  const { source } = node;
  const own = joinColumn(node);
  const columns = source.columns.filter((column) => column !== own && !LATER_ITEM.test(column.name));
  const slots = slotsIn(container);
  const pairs = slots
    .flatMap((slot) => columns.map((column) => ({ slot, guess: withJoins(slot, guessOf(slot, column, source), node) })))
    .filter(({ guess }) => guess.score >= SHOWN);
  const complete = completeness(container, pairs);
  const ranked = pairs
    .map((pair) => ({ ...pair, rank: pair.guess.score * complete(pair.slot) + (isKeyColumn(pair, source) ? 2 : 0) }))
    .toSorted((one, other) => other.rank - one.rank || one.slot.path.length - other.slot.path.length);
  claimColumns(ranked);
  include(container);
  for (const slot of slots) {
    if (!slot.required || !slot.container.included) continue;
    const isFree = ({ guess }: Pair): boolean => guess.score >= REQUIRED && !isUsedIn(slot.container, guess.column);
    slot.guess ??= ranked.find((pair) => pair.slot === slot && isFree(pair))?.guess ?? otherAddress(slot, slots);
  }
  for (const slot of slots) slot.others = othersFor(slot, ranked, slots);
}

/**
 * Matches the columns of the second and later items of a JSON list of objects, such as `meters.1.serial`. An object
 * that is built from several items would mix their values.
 */
const LATER_ITEM = /\.[1-9]\d*\./;

/**
 * Returns alternative columns. Their score is at least `TIE_SHARE` times the score of the guess, and no other field
 * uses them with a better score.
 */
function othersFor(slot: Slot, ranked: readonly RankedPair[], slots: readonly Slot[]): readonly Guess[] {
  const better = (guess: Guess): boolean =>
    slots.some((other) => other !== slot && other.guess?.column === guess.column && other.guess.score > guess.score);
  const minScore = TIE_SHARE * (slot.guess?.score ?? 0);
  return ranked
    .flatMap((pair) => (pair.slot === slot ? [pair.guess] : []))
    .filter((guess) => guess.column !== slot.guess?.column && guess.score >= minScore && !better(guess))
    .slice(0, MAX_OTHERS);
}

const TIE_SHARE = 0.6;

/** Whether a column can fill the business key, which takes its column before any other field does. */
function isKeyColumn({ slot, guess }: Pair, source: SourceProfile): boolean {
  return slot.isKey && guess.score >= REQUIRED && keyColumns(source).includes(guess.column);
}

interface Pair {
  readonly slot: Slot;
  readonly guess: Guess;
}

/**
 * For an id field, raises the score of a column that other sources join on. Raises the score of a column of
 * industry-wide numbers, such as meter point numbers, by twice as much, even if no source joins on it.
 */
function withJoins({ words, container }: Slot, guess: Guess, { key }: SourceNode): Guess {
  if (!words.includes("id") || guess.score <= SHOWN / 2) return guess;
  if (isIndustryNumber(guess.column.name)) return { ...guess, score: guess.score + 2 * JOIN_KEY };
  if (guess.column !== key) return guess;
  return { ...guess, score: Math.max(guess.score + JOIN_KEY, container.parent === undefined ? RECORD_KEY_SCORE : 0) };
}

const JOIN_KEY = 0.05;
/**
 * Minimum score, for the record's own id field, of a column by which other sources refer to the records. The platform
 * can also identify records by such a column.
 */
const RECORD_KEY_SCORE = 0.6;

interface RankedPair extends Pair {
  readonly rank: number;
}

function claimColumns(ranked: readonly RankedPair[]): void {
  const claimed = new Map<ColumnProfile, RankedPair>();
  for (const pair of ranked) {
    const { slot, guess, rank } = pair;
    if (slot.guess !== undefined || isUsedIn(slot.container, guess.column)) continue;
    const before = claimed.get(guess.column);
    // Whether every record must contain the field.
    const needed = slot.required && isAlways(slot.container);
    if (before !== undefined && !needed && !isSameField(slot, before.slot)) continue;
    if (rank < (needed ? REQUIRED : OPTIONAL)) continue;
    slot.guess = guess;
    slot.isShared = before !== undefined && !needed;
    claimed.set(guess.column, before ?? pair);
  }
}

/**
 * Whether the fields are the same field of two objects, or the same line of two addresses. One column may fill both
 * fields.
 */
function isSameField(slot: Slot, other: Slot): boolean {
  return slot.name === other.name || (isOfAddress(slot) && plainWords(slot) === plainWords(other));
}

/**
 * Returns the guess for the same line of another address. If an extract has a single address, that address is used for
 * both billing and supply.
 */
function otherAddress(slot: Slot, slots: readonly Slot[]): Guess | undefined {
  if (!isOfAddress(slot)) return undefined;
  const other = slots.find((each) => each.guess !== undefined && plainWords(each) === plainWords(slot));
  return other?.guess && { ...other.guess, score: OTHER_ADDRESS * other.guess.score };
}

const OTHER_ADDRESS = 0.6;

const ADDRESS_KINDS: ReadonlySet<string> = new Set(["billing", "supply"]);

function isOfAddress({ words }: Slot): boolean {
  return words.includes("address") || words.includes("postcode");
}

function plainWords({ words }: Slot): string {
  return words.filter((word) => !ADDRESS_KINDS.has(word)).join(" ");
}

function isAlways({ required, parent, source }: Container): boolean {
  return source !== undefined || parent === undefined || (required && isAlways(parent));
}

/** Whether a field of the object uses the column. Two fields of one object never share a column. */
function isUsedIn({ fields }: Container, column: ColumnProfile): boolean {
  return fields.some((field) => field.kind === "slot" && field.guess?.column === column);
}

/**
 * Returns a function that computes a factor for the score of a field. The factor of an optional object decreases with
 * each of its required fields that no column fits.
 */
function completeness(container: Container, pairs: readonly Pair[]): (slot: Slot) => number {
  const fitted = new Set(pairs.filter(({ guess }) => guess.score >= REQUIRED).map(({ slot }) => slot));
  const factors = new Map<Container, number>([[container, 1]]);
  for (const inner of containersIn(container)) {
    const above = factors.get(inner.parent ?? container) ?? 1;
    const slots = inner.fields.filter((field) => field.kind === "slot");
    const needed = slots.filter(({ required, constant }) => required && constant === undefined);
    const share = needed.filter((slot) => fitted.has(slot)).length / Math.max(1, needed.length);
    const whole = needed.length === 0 ? 1 : 0.65 + 0.35 * share;
    factors.set(inner, isAlways(inner) ? above : above * whole * (inner.required ? 1 : OPTIONAL_OBJECT));
  }
  return (slot) => factors.get(slot.container) ?? 1;
}

const OPTIONAL_OBJECT = 0.93;

/**
 * Marks the containers that the mapping must include: required containers, lists with a source, and containers with a
 * filled field at any depth. Returns whether `container` is marked.
 */
function include(container: Container): boolean {
  let some = container.source !== undefined || isAlways(container);
  for (const field of container.fields) {
    if (field.kind === "slot") some ||= field.guess !== undefined && !field.isShared;
    else if (field.source !== undefined || include(field)) some = true;
  }
  container.included = some;
  return some;
}
