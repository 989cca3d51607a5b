import { type ColumnProfile, isUnique } from "../profile/column-profile.ts";
import type { SourceProfile } from "../source-profile.ts";
import { nameWords } from "./field-names.ts";
import { nameLikeness } from "./name-likeness.ts";
import type { Guess, Slot } from "./region.ts";
import { valueFit } from "./value-fit.ts";

/** How much evidence in the values counts where the name says nothing. */
const EVIDENCE_WEIGHT = 0.7;

/** How likely each column fills each field; asked once, remembered. */
export interface Scores {
  readonly of: (slot: Slot, column: ColumnProfile, source: SourceProfile) => Guess;
}

/** @param key the attr of the business key: its column has another value in every row */
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
  const likeness = nameLikeness(
    { own: slot.words, around: slot.around },
    { own: nameWords(column.name), around: nameWords(source.name) },
  );
  const { fit, evidence, form } = valueFit(slot.type, slot.words, column);
  const isKey = key !== undefined && slot.path.join(".") === key.join(".");
  const unique = isKey && !isUnique(column) ? (column.distinct ?? 0) / Math.max(1, column.filled + column.empty) : 1;
  const score = fit * unique * (likeness + (1 - likeness) * evidence * EVIDENCE_WEIGHT);
  return { column, form, score };
}
