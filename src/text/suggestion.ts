import { distance } from "fastest-levenshtein";

/**
 * Returns the candidate for "did you mean": the candidate with the fewest typing errors, if there are only a few.
 * Otherwise returns the shortest candidate that contains the word or is contained in it (`serial_number` ->
 * `meter_serial_number`), if there is one. Ignores case and the Unicode form of accents.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = folded(word);
  let best: string | undefined;
  let minSteps = Math.max(1, Math.floor(word.length / 3)) + 1;
  let longer: string | undefined;
  for (const candidate of candidates) {
    const known = folded(candidate);
    const steps = Math.min(distance(wanted, known), countTypos(wanted, known));
    const isSimilar = steps < Math.max(wanted.length, known.length);
    if (isSimilar && steps < minSteps) [best, minSteps] = [candidate, steps];
    const isNearer = longer === undefined || candidate.length < longer.length;
    if (isNearer && (hasWords(known, wanted) || hasWords(wanted, known))) longer = candidate;
  }
  return best ?? longer;
}

function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * Counts the typing errors between two words; two transposed letters count as one. Infinite for words of different
 * lengths.
 */
function countTypos(one: string, other: string): number {
  if (one.length !== other.length) return Number.POSITIVE_INFINITY;
  let steps = 0;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] === other[index]) continue;
    steps += 1;
    if (one[index] === other[index + 1] && one[index + 1] === other[index]) index += 1;
  }
  return steps;
}

/** Whether a name contains these words as complete words. False for short words. */
function hasWords(name: string, words: string): boolean {
  return words.length >= MIN_WORDS && separated(name).includes(separated(words));
}

function separated(name: string): string {
  return `_${name.replaceAll(/[^\p{L}\p{N}]+/gu, "_")}_`;
}

/** Minimum length of the words to search for in a name. Shorter words occur in too many names. */
const MIN_WORDS = 4;

/** Returns `; did you mean "post"?`, to append to a message; empty if no candidate is similar. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = suggest(word, candidates);
  return near === undefined ? "" : `; ${meantText(word, near)}`;
}

/** Returns the hint for an unknown name: `did you mean "post"?`, or `otherwise` if no candidate is similar. */
export function suggestionOr(otherwise: string, word: string, candidates: Iterable<string>): string {
  const near = suggest(word, candidates);
  return near === undefined ? otherwise : meantText(word, near);
}

/** Returns `did you mean "post"?`, with a note if the two names look the same. */
export function meantText(word: string, near: string): string {
  return `did you mean "${near}"?${looksSame(word, near) ? ` (${SAME_LOOK})` : ""}`;
}

/** Whether two different names look the same, because they differ only in the Unicode form of accents. */
export function looksSame(one: string, other: string): boolean {
  return one !== other && one.normalize("NFC") === other.normalize("NFC");
}

const SAME_LOOK = "it looks the same, but stores accents in another Unicode form: copy the name from the file";

/** Returns the first words, separated by commas, and the number of remaining words; `none` if there are no words. */
export function listed(words: readonly string[]): string {
  const shown = words.slice(0, MAX_WORDS).join(", ");
  return words.length > MAX_WORDS ? `${shown} and ${words.length - MAX_WORDS} more` : shown || "none";
}

const MAX_WORDS = 20;
