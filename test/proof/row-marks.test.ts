import fc from "fast-check";
import { expect, it } from "vitest";
import { createRowMarks } from "../../src/proof/row-counter.ts";

it("row marks behave like a set of the marked numbers", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(20), fc.nat(100_000))), (numbers) => {
      const marks = createRowMarks();
      const known = new Set<number>();
      for (const number of numbers) {
        expect(marks.has(number)).toBe(known.has(number));
        expect(marks.mark(number)).toBe(!known.has(number));
        known.add(number);
      }
      expect([...known].every(marks.has)).toBe(true);
    }),
  );
});
