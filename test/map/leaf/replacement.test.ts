import { describe, expect, test } from "vitest";
import { text } from "../rows.ts";
import { leafIssue, mapLeaf } from "./leaf.ts";

const REFERENCE = "docs/mapping.md describes every entry of a mapping";
const FORM = "must be { from: <text>, to: <text> } or { pattern: <regular expression>, to: <text> }";
const LITERAL = "must replace a string with a string; put numbers in quotes";
const ADVICE = "replace literal text instead, or use a function (call)";

describe("an invalid replacement is reported at its place", () => {
  test.each([
    ["5", "leaf.replace", FORM],
    ["[a]", "leaf.replace.0", FORM],
    ["[ab]", "leaf.replace.0", FORM],
    ["[[a, b], [a]]", "leaf.replace.1", FORM],
    ["[[a, b, c]]", "leaf.replace.0", FORM],
    ["{ a: 5 }", "leaf.replace.a", LITERAL],
    ["[{ from: a, to: b }, { from: 5, to: c }]", "leaf.replace.1", LITERAL],
    ["{ from: '', to: a }", "leaf.replace", LITERAL],
    ["{ from: a }", "leaf.replace", LITERAL],
    ["{ from: a, to: 5 }", "leaf.replace", LITERAL],
    ["{ pattern: a }", "leaf.replace", "must be { pattern: <regular expression>, to: <text> }"],
    ["{ pattern: 5, to: a }", "leaf.replace", "must be { pattern: <regular expression>, to: <text> }"],
    ["{ pattern: a, from: b, to: c }", "leaf.replace", "`from` and `pattern` cannot be used together"],
  ])("%s", (replace, path, error) =>
    expect(leafIssue(`{ from: A, replace: ${replace} }`)).toEqual({ error: `${path}: ${error}`, hint: REFERENCE }),
  );
  test.each([
    ["(", "the expression is invalid"],
    ["a*", "the expression also matches empty text"],
    ["a".repeat(201), "the expression is longer than 200 characters"],
  ])("%s", (pattern, error) =>
    expect(leafIssue(`{ from: A, replace: [{ pattern: '${pattern}', to: x }] }`)).toEqual({
      error: `leaf.replace.0.pattern: ${error}`,
      hint: ADVICE,
    }),
  );
});

test("a reference to a group that did not match is empty", () => {
  expect(mapLeaf('{ from: A, replace: { pattern: "(a)?b", to: "[$1]" } }', text, { A: "b" })).toEqual(["[]"]);
  expect(mapLeaf('{ from: A, replace: { pattern: "(a)?b", to: "[$12]" } }', text, { A: "b" })).toEqual(["[2]"]);
});

test.each([
  ["(a)b", "$2", "$2"],
  ["(a)b", "x$1$3y", "$3"],
  ["a", "$0", "$0"],
  ["(?<n>a)", "$<m>", "$<m>"],
  ["a", "US$5", "$5"],
])("pattern %s with %s is refused, because the unknown group used to be sent as text", (pattern, to, group) =>
  expect(leafIssue(`{ from: A, replace: { pattern: "${pattern}", to: "${to}" } }`)).toEqual({
    error: `leaf.replace.to: the expression has no group ${group}`,
    hint: "number the groups from $1; $& is the whole match, and $$ a dollar sign",
  }),
);

test("a literal replacement produces at most 1 MiB", () => {
  const leaf = "{ from: A, replace: { a: aa } }";
  expect(mapLeaf(leaf, text, { A: "a".repeat(2 ** 19) })).toEqual(["a".repeat(2 ** 20)]);
  expect(() => mapLeaf(leaf, text, { A: "a".repeat(2 ** 19 + 1) })).toThrow(
    "accounts.csv:2: `replace` produces more than 1,048,576 characters",
  );
});
