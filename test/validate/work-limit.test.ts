import { describe, expect, it } from "vitest";
import {
  countMatches,
  countTrial,
  createWork,
  startWork,
  type Work,
  withinWork,
} from "../../src/validate/work-limit.ts";

/** Returns whether a payload that needs this work exceeds its limit. */
function exceeds(limit: { trials: number; matches: number }, use: (work: Work) => void): boolean {
  const work = createWork();
  startWork(work, limit);
  try {
    use(work);
    return false;
  } catch {
    return true;
  }
}

describe("the work on a payload", () => {
  it("may reach its limit of alternatives, but not exceed it", () => {
    for (const times of [3, 4]) {
      const isTooMuch = exceeds({ trials: 3, matches: 0 }, (work) => {
        for (let time = 0; time < times; time += 1) countTrial(work);
      });
      expect(isTooMuch).toBe(times > 3);
    }
  });

  it.each([
    [31, 1, 1],
    [32, 1, 2],
    [95, 1, 3],
    [96, 16, 64],
  ])("for a string of %i characters and a pattern of cost %i counts as %i comparisons", (length, cost, matches) => {
    const compare = (work: Work): void => countMatches(work, "x".repeat(length), cost);
    expect(exceeds({ trials: 0, matches }, compare)).toBe(false);
    expect(exceeds({ trials: 0, matches: matches - 1 }, compare)).toBe(true);
  });

  it("has no limit outside of payloads", () => {
    const work = createWork();
    countMatches(work, "x".repeat(100_000_000), 16);
    countTrial(work);
    expect(work).toMatchObject({ trials: 1 });
  });

  it("counts from zero for the next payload", () => {
    const work = createWork();
    for (const _ of [1, 2]) {
      startWork(work, { trials: 1, matches: 1 });
      countTrial(work);
      countMatches(work, "x", 1);
    }
    expect(work).toMatchObject({ trials: 1, matches: 1 });
  });

  it.each([
    [
      "alternatives",
      countTrial,
      "use an overlay to add a discriminator to the schema, or to reduce nested alternatives",
    ],
    [
      "comparisons",
      (work: Work) => countMatches(work, "", 1),
      "use an overlay to reduce or simplify the patterns in the schema (patternProperties)",
    ],
  ])("with too many %s ends the run, with a hint about overlays", (_, use, hint) => {
    const find = withinWork((_payload, limit) => {
      const work = createWork();
      startWork(work, limit);
      for (;;) use(work);
    });
    expect(() => find({})).toThrow(expect.objectContaining({ code: "contract_invalid", hint }));
  });

  it("is not repeated after an unexpected error", () => {
    let calls = 0;
    const find = withinWork(() => {
      calls += 1;
      throw new Error("a bug");
    });
    expect(() => find({})).toThrow("a bug");
    expect(calls).toBe(1);
  });
});
