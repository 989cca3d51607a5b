import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileReplacePattern } from "../../../src/map/leaf/replacement.ts";

const ADMITTED = [
  "[^0-9]",
  "\\s+",
  "[-\\s]+",
  "^0",
  "^\\s+x",
  "(?:Mr|Mrs|Dr)\\.? ",
  "(\\d{2})(\\d{2})",
  "a{2,5}b",
  "(?<year>\\d{4})",
  "x(?:a+|b)",
  "\\p{L}+",
  "[[\\]]",
  "\\u0041",
  "a".repeat(200),
];
const REFUSED = [
  ["(a+)+$", "single character"],
  ["(a|a)*b", "single character"],
  ["(?:)+x", "single character"],
  ["a*", "matches empty text"],
  ["\\s+$", "before the end"],
  ["a+b", "before the end"],
  ["a+b+", "before the end"],
  ["(?:a+b|c+)", "before the end"],
  ["(?:a+){3}", "must not be repeated"],
  ["x{0,90}y{0,90}z{0,90}q", "too many ways"],
  ["((a|b){9}){9}", "too many ways"],
  ["a{300}", "at most 200"],
  ["a{300,}", "at most 200"],
  ["(a)\\1", "back-reference"],
  ["(?<n>a)\\k<n>", "back-reference"],
  ["(?=a)b", "look-around"],
  ["(?<!a)b", "look-around"],
  ["(", "is invalid"],
  ["a".repeat(201), "longer than 200"],
] as const;

describe("compileReplacePattern:", () => {
  test.each(ADMITTED)("%s is accepted", (source) => expect(compileReplacePattern(source)).toBeInstanceOf(RegExp));
  test.each(REFUSED)("%s is rejected", (source, words) => expect(compileReplacePattern(source)).toContain(words));

  test("an accepted pattern matches 100 kB of adversarial text in limited time", () => {
    const characters = fc.constantFrom(" ", "a", "ab", "0", "-", "x", "Mr", "]");
    fc.assert(
      fc.property(fc.constantFrom(...ADMITTED), characters, characters, (source, body, end) => {
        const expression = compileReplacePattern(source);
        const text = body.repeat(100_000 / body.length) + end;
        const start = performance.now();
        if (typeof expression !== "string") text.replace(expression, "");
        expect(performance.now() - start).toBeLessThan(30_000);
      }),
    );
  });
});
