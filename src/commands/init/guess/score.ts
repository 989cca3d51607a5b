import { type ColumnProfile, isRowNumber, isUnique } from "../profile/column-profile.ts";
import type { SourceProfile } from "../source-profile.ts";
import { nameWords, writtenWords } from "./field-names.ts";
import { nameLikeness } from "./name-likeness.ts";
import type { Guess, Slot } from "./region.ts";
import { valueFit } from "./value-fit.ts";

/** Weight of the evidence in the values if the name says nothing. */
const EVIDENCE_WEIGHT = 0.7;

/** How likely each column fills each field. Results are cached. */
export interface Scores {
  readonly of: (slot: Slot, column: ColumnProfile, source: SourceProfile) => Guess;
}

/** @param key the attr of the business key: its column should have a different value in every row */
export function createScores(key: readonly string[] | undefined): Scores {
  const known = new Map<Slot, Map<ColumnProfile, Guess>>();
  return {
    of(slot, column, source) {
      const row = known.get(slot) ?? new Map<ColumnProfile, Guess>();
      known.set(slot, row);
      const guess = row.get(column) ?? guessOf(slot, column, { source, key });
      row.set(column, guess);
      return guess;
    },
  };
}

function guessOf(
  slot: Slot,
  column: ColumnProfile,
  { source, key }: { readonly source: SourceProfile; readonly key: readonly string[] | undefined },
): Guess {
  const meant = nameLikeness(
    { own: slot.words, around: slot.around },
    { own: nameWords(column.name), around: nameWords(source.name) },
  );
  const likeness =
    (1 - WRITTEN_WEIGHT) * meant + (meant === 0 ? 0 : WRITTEN_WEIGHT * sharedWords(slot.name, column.name));
  const { fit, evidence, form } = valueFit(slot.type, slot.words, column);
  const isKey = key !== undefined && slot.path.join(".") === key.join(".");
  const score = fit * (isKey ? keyLikeness(column) : 1) * (likeness + (1 - likeness) * evidence * EVIDENCE_WEIGHT);
  return { column, form, score };
}

/**
 * Weight of the same spelling compared with the same meaning: `account_number` is closer to a number than `account_id`.
 */
const WRITTEN_WEIGHT = 0.1;

function sharedWords(one: string, other: string): number {
  const [words, others] = [writtenWords(one), writtenWords(other)];
  const shared = words.filter((word) => others.includes(word)).length;
  return (2 * shared) / Math.max(1, words.length + others.length);
}

/** A business key differs in every row, and is more than a row number. */
function keyLikeness(column: ColumnProfile): number {
  const unique = isUnique(column) ? 1 : (column.distinct ?? 0) / Math.max(1, column.filled + column.empty);
  return isRowNumber(column) ? 0.85 * unique : unique;
}
