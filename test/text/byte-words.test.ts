import fc from "fast-check";
import { expect, it } from "vitest";
import { countEqualBytes, equalBytes, firstByte, nonPlainBytes, wordsOf } from "../../src/text/byte-words.ts";

const word = fc.uint8Array({ minLength: 4, maxLength: 4 });
const near = fc.array(fc.constantFrom(0x00, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x7e, 0x7f, 0x80, 0xa2, 0xff), {
  minLength: 4,
  maxLength: 4,
});
const anyWord = fc.oneof(
  word,
  near.map((bytes) => Uint8Array.from(bytes)),
);

it("a search in a word finds the first matching byte and the number of matching bytes", () => {
  fc.assert(
    fc.property(anyWord, fc.integer({ min: 0, max: 255 }), (bytes, wanted) => {
      const value = wordsOf(bytes).getInt32(0, true);
      const ascii = wanted & 0x7f;
      const times4 = Math.imul(ascii, 0x01010101);
      const found = equalBytes(value, times4);
      expect(found === 0 ? -1 : firstByte(found)).toBe(bytes.indexOf(ascii));
      expect(countEqualBytes(value, times4)).toBe(bytes.filter((byte) => byte === ascii).length);
      const odd = nonPlainBytes(value);
      expect(odd === 0 ? -1 : firstByte(odd)).toBe(bytes.findIndex((byte) => byte < 0x20 || byte > 0x7e));
    }),
    { numRuns: 1000 },
  );
});
