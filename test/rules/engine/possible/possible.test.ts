import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { all, any, atLeast, type Possible } from "../../../../src/rules/engine/possible/possible.ts";

/** Whether a part is possible in the payload, and whether this is known without a payload. */
interface Part {
  readonly value: boolean;
  readonly isKnown: boolean;
}

const parts = fc.array(fc.record({ value: fc.boolean(), isKnown: fc.boolean() }), { maxLength: 6 });

function possibleOf({ value, isKnown }: Part): Possible {
  return isKnown ? value : () => value;
}

function valueOf(possible: Possible): boolean {
  return typeof possible === "function" ? possible() : possible;
}

/** Returns the results for every combination of values of the unknown parts. */
function resultsFor(list: readonly Part[], combine: (values: readonly boolean[]) => boolean): ReadonlySet<boolean> {
  const unknown = list.filter(({ isKnown }) => !isKnown).length;
  const results = new Set<boolean>();
  for (let bits = 0; bits < 2 ** unknown; bits += 1) {
    let next = 0;
    results.add(combine(list.map(({ value, isKnown }) => (isKnown ? value : ((bits >> next++) & 1) === 1))));
  }
  return results;
}

const COMBINATIONS: Readonly<
  Record<string, readonly [(list: readonly Possible[]) => Possible, (values: readonly boolean[]) => boolean]>
> = {
  all: [all, (values) => values.every(Boolean)],
  any: [any, (values) => values.some(Boolean)],
  "at least 0": [(list) => atLeast(0, list), () => true],
  "at least 1": [(list) => atLeast(1, list), (values) => values.some(Boolean)],
  "at least 2": [(list) => atLeast(2, list), (values) => values.filter(Boolean).length >= 2],
  "at least 3": [(list) => atLeast(3, list), (values) => values.filter(Boolean).length >= 3],
};

describe.each(Object.entries(COMBINATIONS))("%s of several conditions", (_name, [combined, oracle]) => {
  it("is true exactly for the payloads with enough true conditions, and is constant if it has the same value for all payloads", () => {
    fc.assert(
      fc.property(parts, (list) => {
        const possible = combined(list.map(possibleOf));
        expect(valueOf(possible)).toBe(oracle(list.map(({ value }) => value)));
        expect(typeof possible === "function").toBe(resultsFor(list, oracle).size === 2);
      }),
      { numRuns: 200 },
    );
  });
});
