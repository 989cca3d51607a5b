import { describe, expect, it } from "vitest";
import type { TextType } from "../../src/contract/types/field-type.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { codes, problemsOf, text } from "./field-types.ts";

type Case = readonly [name: string, type: Partial<TextType>, value: JsonValue, expected: readonly string[]];

const CASES: readonly Case[] = [
  ["plain text", {}, "Ann", []],
  ["leading zeros", {}, "00123", []],
  ["empty", {}, "", ["blank"]],
  ["whitespace only", {}, " \t\u00a0\u2003\u0085", ["blank"]],
  ["a zero-width space is not whitespace", {}, "\u200b", []],
  ["a blank string, if allowed", { allowBlank: true, minLength: 3 }, "", []],
  ["null", {}, null, ["null"]],
  ["null, if allowed", { nullable: true }, null, []],
  ["number", {}, 7, ["~coerced"]],
  ["a number that is too long as a string", { maxLength: 2 }, 1234, ["~coerced", "max_length"]],
  ["boolean", {}, true, ["invalid"]],
  ["list", {}, ["a"], ["invalid"]],
  ["object", {}, { a: "b" }, ["invalid"]],
  ["exactly as long as allowed", { maxLength: 3, minLength: 3 }, "abc", []],
  ["too long", { maxLength: 3 }, "abcd", ["max_length"]],
  ["too short", { minLength: 3 }, "ab", ["min_length"]],
  [
    "surrounding whitespace does not count, with a warning",
    { maxLength: 3, pattern: /^\w+$/ },
    "  abc \n",
    ["~coerced"],
  ],
  ["only whitespace, if blank is allowed", { allowBlank: true }, " \t", ["~coerced"]],
  ["a character beyond 16 bits counts as one", { maxLength: 2 }, "😀😀", []],
  ["three characters beyond 16 bits are too many for a limit of two", { maxLength: 2 }, "😀😀😀", ["max_length"]],
  ["one character beyond 16 bits is too short for a minimum of two", { minLength: 2 }, "😀", ["min_length"]],
  ["combining marks count", { maxLength: 1 }, "e\u0301", ["max_length"]],
  ["a null character", {}, "a\0b", ["null_characters_not_allowed"]],
  ["a lone surrogate", {}, "a\ud800b", ["surrogate_characters_not_allowed"]],
  ["pattern", { pattern: /^[A-Z]+$/ }, "ABC", []],
  ["a pattern that does not match", { pattern: /^[A-Z]+$/ }, "abc", ["invalid"]],
  ["a pattern and a length that do not match", { pattern: /^[A-Z]+$/, maxLength: 2 }, "abc", ["max_length", "invalid"]],
  ["a UUID", { format: "uuid" }, "3F2504E0-4f89-41d3-9a0c-0305e82c3301", []],
  ["a UUID without dashes", { format: "uuid" }, "3f2504e04f8941d39a0c0305e82c3301", ["invalid"]],
  [
    "a UUID that is too long",
    { format: "uuid", maxLength: 32 },
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    ["max_length"],
  ],
  ["an empty UUID", { format: "uuid" }, "", ["invalid"]],
  ["a number instead of a UUID", { format: "uuid" }, 5, ["invalid"]],
  ["a URI", { format: "uri" }, "https://example.com/a?b=c#d", []],
  ["a URI with another scheme", { format: "uri" }, "urn:isbn:0451450523", []],
  ["a URI without a scheme", { format: "uri" }, "example.com/a", ["invalid"]],
  ["a URI with a space", { format: "uri" }, "https://example.com/a b", ["invalid"]],
  ["a URI with an invalid escape", { format: "uri" }, "https://example.com/%zz", ["invalid"]],
  ["an empty e-mail address", { format: "email" }, "", ["blank"]],
];

describe("text:", () => {
  it.each(CASES)("the problems are as expected: %s", (_name, type, value, expected) => {
    expect(codes(text(type), value)).toEqual(expected);
  });

  it("a problem contains the limit with its unit, or the expectation", () => {
    expect(problemsOf(text({ maxLength: 3 }), "abcd")).toEqual([
      {
        attr: "it",
        path: ["it"],
        code: "max_length",
        limit: 3,
        unit: "characters",
        severity: "error",
        by: "local",
        shape: "a{4}",
      },
    ]);
    expect(problemsOf(text({ pattern: /^x$/ }), "Ab1")).toMatchObject([{ expected: "pattern", shape: "Aa9" }]);
  });
});

const EMAILS: readonly (readonly [address: string, isRight: boolean])[] = [
  ["a@b.example", true],
  ["a.b+c@sub.example.co.uk", true],
  ["o'brien@example.com", true],
  ['"a b"@example.com', true],
  ["a@localhost", true],
  ["a@bücher.example", true],
  ["a@[127.0.0.1]", true],
  ["a@[::1]", true],
  ["a@example", false],
  ["a@-example.com", false],
  ["a@example.c", false],
  ["a b@example.com", false],
  ["a@example..com", false],
  ["ä@example.com", false],
  ["a@[127.0.0.256]", false],
  ["a@[:::::]", false],
  ["a@[255.255.255.255]", true],
  ["a@[IPv6:::1]", true],
  ["a@[x::1]", false],
  ["a@[::1/x]", false],
  ["a@[127]", false],
  ["a@[1.2.3.4.5]", false],
  ["a@[12.34.56.78x]", false],
  ["a@[::1", false],
  ["a@::1]", false],
  ["a@", false],
  [`${"a".repeat(308)}@example.com`, true],
  [`${"a".repeat(309)}@example.com`, false],
  ["@example.com", false],
  [`${"a".repeat(310)}@example.com`, false],
];

describe("e-mail", () => {
  it.each(EMAILS)("address %s is valid: %s", (address, isRight) => {
    expect(codes(text({ format: "email" }), address)).toEqual(isRight ? [] : ["invalid"]);
  });
});

describe("hostile text", () => {
  const LONG = 100_000;
  it.each([
    ["whitespace inside", {}, `a${" ".repeat(LONG)}b`],
    ["dots", { format: "email" }, `${".".repeat(LONG)}@`],
    ["at signs", { format: "email" }, "@a.".repeat(LONG)],
    ["quotes", { format: "email" }, `"${"\\".repeat(300)}@x`],
    ["uri", { format: "uri" }, `a:${"%".repeat(LONG)}`],
    ["slashes", { documentPath: true }, `${"/ ".repeat(LONG)}x`],
  ] as const)("is validated in less than a second: %s", (_name, type, value) => {
    expect(Math.min(...[1, 2, 3].map(() => timeOf(() => codes(text(type), value))))).toBeLessThan(1000);
  });
});

function timeOf(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
