import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPattern, matcherOf } from "../../src/text/linear-pattern.ts";

/** Patterns that are slow on some strings in JavaScript's own engine. */
const SLOW: readonly string[] = [
  "^(a+)+$",
  "f.*o",
  "^(\\w+\\s?)*$",
  "^\\p{L}+(?:[-\\s]\\p{L}+)*$",
  "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
  "^(?:[a-z[]|\\d)+\\.(?:\\S|\\/)+$",
  "(?<name>a|b)*?c$",
  "^(?:\\u{1F4A9}|.)*x",
  "^\\s*\\S+\\s*$",
];

describe("a pattern that can be very slow in JavaScript's own engine", () => {
  it.each(SLOW)("is matched by RE2, with the same results: %s", (source) => {
    const expression = new RegExp(source, "u");
    const pattern = linearPattern(expression);
    expect(pattern).toEqual({ source, flags: "u", engine: "re2" });
    const matches = matcherOf(pattern ?? expression);
    const piece = fc.constantFrom(
      ..."aabfox@.[]/-1 \n\r\t\v\u00a0\u2028\u3000\ufeffé💩_".split(/(?:)/u),
      "\u1680",
      "\x85",
    );
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 12 }), (text) => {
        expect(matches(text)).toBe(expression.test(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("is matched in linear time", () => {
    const matches = matcherOf({ source: "^(a+)+$", flags: "u", engine: "re2" });
    expect(matches(`${"a".repeat(20_000)}b`)).toBe(false);
  });

  it.each([
    ["has a lookaround", "^(?=.*a)(b+)+$"],
    ["has a back-reference", "^(a+)\\1+$"],
    ["repeats more than a thousand times", "^(a{1001})+$"],
    ["has a negated whitespace class", "^([\\S-]+)+$"],
  ])("is not supported if it %s", (_name, source) => {
    expect(linearPattern(new RegExp(source, "u"))).toBeUndefined();
  });

  it("is not supported in the older syntax, which RE2 interprets differently", () => {
    expect(linearPattern(/^(a+)+-$/)).toBeUndefined();
  });
});

it("a fast pattern is unchanged", () => {
  expect(linearPattern(/^[A-Z]+$/u)).toEqual(/^[A-Z]+$/u);
  expect(matcherOf({ source: "^[A-Z]+$", flags: "u" })("AB")).toBe(true);
});
