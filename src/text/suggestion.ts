import { distance } from "fastest-levenshtein";

/** "Did you mean": the candidate that a slip of the finger turns into the word, if there is one. Case does not count. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = distance(wanted, candidate.toLowerCase());
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

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
