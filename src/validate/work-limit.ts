import { interruptible } from "../model/interruptible.ts";
import { Failure } from "../model/failure.ts";
import { formatCount } from "../text/count.ts";
import type { LinearPattern } from "../text/linear-pattern.ts";

/** Work on one payload that grows faster than the payload itself. */
export interface Work {
  /** Number of alternatives that were tried for this payload. */
  trials: number;
  /** Number of comparisons of names and values with patterns, weighted by length and regular expression engine. */
  matches: number;
  limit: WorkLimit;
}

interface WorkLimit {
  readonly trials: number;
  readonly matches: number;
}

/** Maximum number of alternatives that are tried for one payload. */
export const MAX_TRIALS = 250_000;

/**
 * Maximum number of comparisons of names and values with patterns for one payload. Every 32 characters of the text
 * count as an additional comparison, and each comparison with RE2 counts as 16.
 */
export const MAX_MATCHES = 2_000_000;

const FULL: WorkLimit = { trials: MAX_TRIALS, matches: MAX_MATCHES };

/** Work within this limit takes no noticeable time. */
const QUICK: WorkLimit = { trials: 5000, matches: 20_000 };

/** Thrown if a payload needs more work than its limit allows. */
class TooMuchWork extends Error {
  readonly of: keyof WorkLimit;
  constructor(of: keyof WorkLimit) {
    super();
    this.of = of;
  }
}

export function createWork(): Work {
  return { trials: 0, matches: 0, limit: { trials: Infinity, matches: Infinity } };
}

/** Resets the counts for a payload, and sets its limit. */
export function startWork(work: Work, limit: WorkLimit): void {
  work.trials = 0;
  work.matches = 0;
  work.limit = limit;
}

export function countTrial(work: Work): void {
  work.trials += 1;
  if (work.trials > work.limit.trials) throw new TooMuchWork("trials");
}

/** Returns the cost of one comparison with the pattern. RE2 is slower. */
export function matchCost({ engine }: LinearPattern): number {
  return engine === "re2" ? 16 : 1;
}

/** Counts the comparison of a value with patterns that have this cost. */
export function countMatches(work: Work, text: string, cost: number): void {
  work.matches += cost * (1 + (text.length >> 5));
  if (work.matches > work.limit.matches) throw new TooMuchWork("matches");
}

/**
 * Processes a value with a small limit first, and again with the full limit if the small limit is exceeded. A signal
 * can end the process during the second attempt (`interruptible`).
 * @throws Failure `contract_invalid` beyond `MAX_TRIALS` or `MAX_MATCHES`
 */
export function withinWork<Value, Found>(find: (value: Value, limit: WorkLimit) => Found): (value: Value) => Found {
  return (value) => {
    try {
      return find(value, QUICK);
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
    }
    try {
      return interruptible(() => find(value, FULL));
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      const [message, hint] = EXCEEDED[error.of];
      throw new Failure("contract_invalid", message, { hint });
    }
  };
}

const EXCEEDED: Readonly<Record<keyof WorkLimit, readonly [message: string, hint: string]>> = {
  trials: [
    `one record has more than ${formatCount(MAX_TRIALS)} alternatives to check (oneOf, anyOf)`,
    "use an overlay to add a discriminator to the schema, or to reduce nested alternatives",
  ],
  matches: [
    `one record needs more than ${formatCount(MAX_MATCHES)} comparisons of names and values with patterns`,
    "use an overlay to reduce or simplify the patterns in the schema (patternProperties)",
  ],
};
