import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slowPatternReason } from "../../src/text/slow-pattern.ts";
import { codes, text } from "../validate/field-types.ts";
import { fieldOf } from "../contract/contract-of.ts";
import { scaledTimeout } from "../scaled-timeout.ts";

const QUICK = [
  "^-?\\d{0,10}(?:\\.\\d{0,10})?$",
  "^-?\\d{0,18}(?:\\.\\d{0,18})?$",
  "^[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}$",
  "^\\+?[0-9 ]{7,19}$",
  "^\\w+@\\w+\\.[a-z]+$",
  "^[A-Z]+-\\d+$",
  "^(?:a+b){3}$",
  "^(?:a+b){0,3}c$",
  "\\d{2}",
];
const SLOW = [
  "^(a+)+$",
  "^(a|a)*$",
  "^([a-zA-Z0-9]+\\s?)*$",
  "(a+b)",
  "^a+a+$",
  "^\\d+\\d{1,3}\\d*$",
  "^\\w+[a-z]+@x$",
  "^[^x]+[^z]+z$",
  "^(?=a)b$",
];

it("a pattern of more than 1,000 characters counts as slow", () => {
  expect(slowPatternReason("a".repeat(1000))).toBeUndefined();
  expect(slowPatternReason("a".repeat(1001))).toContain("longer than 1000 characters");
});

describe("a pattern in the contract:", () => {
  it.each(QUICK)("%s is enforced, and takes limited time on 100 kB of adversarial text", (source) => {
    expect(slowPatternReason(source)).toBeUndefined();
    const type = text({ pattern: new RegExp(source, "u") });
    const pieces = fc.constantFrom("a", "1", "0", ".", " ", "A1", "-", "b@", "ab", "\u00e9");
    fc.assert(
      fc.property(pieces, pieces, (body, end) => {
        const startedAt = performance.now();
        codes(type, body.repeat(100_000 / body.length) + end);
        expect(performance.now() - startedAt).toBeLessThan(scaledTimeout(20_000));
      }),
      { numRuns: 30 },
    );
  });

  it.each(SLOW)("%s is not enforced by JavaScript's own engine, because one cell could take hours", (source) => {
    expect(slowPatternReason(source)).toEqual(expect.any(String));
  });

  it("a slow pattern is matched by RE2, or reported as left to the platform with RE2's reason", () => {
    const re2 = fieldOf({ type: "string", pattern: "^(a+)+$" });
    expect(re2.type).toMatchObject({ pattern: { source: "^(a+)+$", engine: "re2" } });
    expect(re2.findings).toEqual([]);
    const { type, findings, messages } = fieldOf({ type: "string", pattern: "^(?=.*a)(b+)+$" });
    expect(type).not.toHaveProperty("pattern");
    expect(findings).toEqual(["warning not-enforced"]);
    expect(messages[0]).toContain("look-around");
  });
});
