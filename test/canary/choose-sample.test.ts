import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSampler } from "../../src/canary/choose-sample.ts";
import type { JsonObject } from "../../src/json/json-value.ts";

interface Given {
  readonly payload: JsonObject;
  readonly file?: string;
}

function sampleOf(size: number, records: readonly Given[]): readonly number[] {
  const sampler = createSampler(size, records.length);
  for (const [index, { payload, file = "a.csv" }] of records.entries())
    sampler.add({ record: index + 1, file, payload });
  return sampler.chosen();
}

const named = (index: number, more: JsonObject = {}): Given => ({ payload: { name: `N${index}`, ...more } });
const hundred = (more: (index: number) => JsonObject): readonly Given[] =>
  Array.from({ length: 100 }, (_, index) => named(index, more(index)));

describe("the sample of a canary", () => {
  test("covers every file, rare attrs, and rare values of attrs that have few distinct values", () => {
    const records = [
      ...hundred((index) => ({ kind: index === 70 ? "BUSINESS" : "DOMESTIC", ...(index === 33 && { email: "x" }) })),
      { payload: { name: "last", kind: "DOMESTIC" }, file: "b.csv" },
    ];
    expect(sampleOf(5, records)).toEqual(expect.arrayContaining([34, 71, 101]));
  });

  test("includes records with an empty list, with a list of one item, and with a longer list", () => {
    const records = hundred((index) => ({ meters: index === 50 ? [] : index === 60 ? ["E", "E"] : ["E"] }));
    expect(sampleOf(3, records)).toEqual(expect.arrayContaining([51, 61]));
  });

  test("is spread evenly over the input if all records have the same form", () => {
    const sample = sampleOf(
      4,
      hundred(() => ({})),
    );
    expect(sample).toEqual([1, 26, 51, 76]);
  });

  test("fills its remaining places with records that are spread over the input", () => {
    const kinds = hundred((index) => ({ kind: index < 5 ? `K${index}` : "K5" }));
    const sample = sampleOf(8, kinds);
    expect(sample).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6]));
    expect(sample.filter((record) => record > 50)).toHaveLength(1);
    expect(sample).toHaveLength(8);
  });

  test("contains the requested number of distinct records if the input has enough, and is always the same", () => {
    const value = fc.oneof(fc.constantFrom("A", "B", null, true, 1), fc.string({ maxLength: 3 }));
    const payload = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(value, fc.array(value, { maxLength: 3 })), {
      noNullPrototype: true,
    });
    const records = fc.array(fc.record({ payload, file: fc.constantFrom("a.csv", "b.csv") }), { maxLength: 60 });
    fc.assert(
      fc.property(records, fc.integer({ min: 1, max: 30 }), (given, size) => {
        const sample = sampleOf(size, given);
        expect(sample).toEqual([...new Set(sample)].toSorted((a, b) => a - b));
        expect(sample.every((record) => record >= 1 && record <= given.length)).toBe(true);
        expect(sample).toHaveLength(Math.min(size, given.length));
        expect(sampleOf(size, given)).toEqual(sample);
      }),
    );
  });
});
