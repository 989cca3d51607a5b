import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameDecimal } from "../../../src/json/decimal-arithmetic.ts";
import { numberFrom } from "../../../src/map/leaf/number-text.ts";

/** Text that is a JSON number, or nearly one, with fewer and more digits than a JavaScript number keeps. */
const numbers = fc
  .tuple(
    fc.constantFrom("", "-", "+", "0"),
    fc.stringMatching(/^\d{1,18}$/),
    fc.stringMatching(/^(?:\.\d{1,18})?$/),
    fc.constantFrom("", "e3", "E-7", "e+400", " "),
  )
  .map((parts) => parts.join(""));

/** Returns the number if JSON allows the text; otherwise undefined. */
function parsed(text: string): number | undefined {
  try {
    return text.trim() === text ? Number(JSON.parse(text)) : undefined;
  } catch {
    return undefined;
  }
}

test("reads a JSON number if and only if no digit is lost", () => {
  fc.assert(
    fc.property(numbers, (text) => {
      const value = parsed(text);
      const isKept = value !== undefined && Number.isFinite(value) && isSameDecimal(text, String(value));
      expect(numberFrom(text)).toBe(isKept ? value + 0 : undefined);
    }),
    { numRuns: 3000 },
  );
});
