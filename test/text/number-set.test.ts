import fc from "fast-check";
import { expect, it } from "vitest";
import { createNumberSet } from "../../src/text/number-set.ts";

it("behaves like a set of numbers", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(20), fc.nat(100_000))), (numbers) => {
      const set = createNumberSet();
      const known = new Set<number>();
      for (const number of numbers) {
        expect(set.has(number)).toBe(known.has(number));
        expect(set.add(number)).toBe(!known.has(number));
        known.add(number);
      }
      expect([...known].every(set.has)).toBe(true);
    }),
  );
});
