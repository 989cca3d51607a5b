import { distance } from "fastest-levenshtein";

/**
 * "Did you mean": the candidate that a slip of the finger turns into the word, or else the one that says more or less
 * than the word (`serial_number` -> `meter_serial_number`), if there is one. Case does not count.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  let longer: string | undefined;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const steps = Math.min(distance(wanted, known), swaps(wanted, known));
    if (steps < least) [best, least] = [candidate, steps];
    const isNearer = longer === undefined || candidate.length < longer.length;
    if (isNearer && (hasWords(known, wanted) || hasWords(wanted, known))) longer = candidate;
  }
  return best ?? longer;
}

/** How many slips make one word of another of the same length, where two letters that change places are one. */
function swaps(one: string, other: string): number {
  if (one.length !== other.length) return Number.POSITIVE_INFINITY;
  let steps = 0;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] === other[index]) continue;
    steps += 1;
    if (one[index] === other[index + 1] && one[index + 1] === other[index]) index += 1;
  }
  return steps;
}

/** A name of which the other one is some of the words, and not the least of them. */
function hasWords(name: string, words: string): boolean {
  return words.length >= LEAST_WORDS && separated(name).includes(separated(words));
}

function separated(name: string): string {
  return `_${name.replaceAll(/[^\p{L}\p{N}]+/gu, "_")}_`;
}

/** A shorter word stands in too many names. */
const LEAST_WORDS = 4;

/** `; did you mean "post"?`, to be put behind a message; empty where no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = suggest(word, candidates);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** The hint for an unknown name: `did you mean "post"?`, or what else can be said where no candidate is near. */
export function suggestionOr(otherwise: string, word: string, candidates: Iterable<string>): string {
  const near = suggest(word, candidates);
  return near === undefined ? otherwise : `did you mean "${near}"?`;
}
