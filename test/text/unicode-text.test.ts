import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { countCharacters, isPlain, strip } from "../../src/text/unicode-text.ts";

const CODE_UNITS = Array.from({ length: 0x1_0000 }, (_, code) => code);

/** The characters for which Python 3's `str.isspace` returns true. */
const PYTHON_SPACES = [
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
  0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
];

describe("strip", () => {
  it("removes the characters that Python considers whitespace, and no others", () => {
    const removed = CODE_UNITS.filter((code) => strip(`${String.fromCharCode(code)}a`) === "a");
    expect(removed).toEqual(PYTHON_SPACES);
  });

  it("removes whitespace on both sides, but not within the text", () => {
    expect(strip("\u0085 \u001fa b\u001c \u3000")).toBe("a b");
    expect(strip(" \t\n")).toBe("");
    expect(strip("")).toBe("");
  });
});

describe("the number of characters", () => {
  it("is the number of code points, even for text with unpaired surrogates", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "\ud800", "\udbff", "\udc00", "\udfff", "\ue000") }),
        (text) => {
          expect(countCharacters(text)).toBe(Array.from(text).length);
        },
      ),
    );
  });
});

describe("plain text", () => {
  it("contains neither null characters nor surrogates", () => {
    const special = CODE_UNITS.filter((code) => !isPlain(`a${String.fromCharCode(code)}`));
    expect(special).toEqual([0, ...CODE_UNITS.slice(0xd800, 0xe000)]);
  });
});
