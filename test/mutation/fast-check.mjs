// fast-check with at most 100 cases and a fixed seed, so that the tests of a mutant are fast and deterministic.
import * as all from "fast-check";

export * from "fast-check";

const LIMIT = 100;

const assert = (property, { numRuns = LIMIT, ...parameters } = {}) =>
  all.assert(property, { seed: 1, endOnFailure: true, ...parameters, numRuns: Math.min(numRuns, LIMIT) });

const limited = { ...all.default, assert };
export default limited;
