import fc from "fast-check";
import { expect, it } from "vitest";
import { byteKinds, findRecordBoundaries, lastRecordEnd } from "../../../src/read/csv/record-boundaries.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", " ", "\t", ",", ",", '"', '"', "\n", "\n", "\r", "\u0007"),
  maxLength: 60,
});

it.each([",", "\t", ";"])(
  "the end of the last record is the one that looking at each byte finds, between %j",
  (delimiter) => {
    const kinds = byteKinds(delimiter);
    fc.assert(
      fc.property(text, (content) => {
        const bytes = Buffer.from(content);
        const end = lastRecordEnd(bytes, kinds);
        const all = findRecordBoundaries(bytes, kinds, false);
        expect([undefined, all.end]).toContain(end);
      }),
      { numRuns: 1000 },
    );
  },
);
