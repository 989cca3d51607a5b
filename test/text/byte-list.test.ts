import fc from "fast-check";
import { expect, test } from "vitest";
import { addNumber, createByteList } from "../../src/text/byte-list.ts";

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.constantFrom("\ud800", "a\udc00b", "\ufeff"));

test("strings, bytes and numbers are appended in order, in UTF-8 and decimal digits", () => {
  const part = fc.oneof(text, fc.uint8Array({ maxLength: 300 }), fc.maxSafeNat(), fc.nat(1000));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const list = createByteList(1);
      for (const each of parts) {
        if (typeof each === "string") list.addText(each);
        else if (typeof each === "number") addNumber(list, each);
        else list.addBytes(each);
      }
      const expected = Buffer.concat(
        parts.map((each) => (typeof each === "object" ? each : Buffer.from(String(each)))),
      );
      expect(list.length()).toBe(expected.length);
      expect(Buffer.from(list.bytes()).equals(expected)).toBe(true);
      expect(Buffer.from(list.take()).equals(expected)).toBe(true);
      expect(list.length()).toBe(0);
    }),
  );
});

test.each([0, 9, 10, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER])("%d is written in decimal digits", (number) => {
  const list = createByteList();
  addNumber(list, number);
  expect(Buffer.from(list.bytes()).toString()).toBe(String(number));
});
