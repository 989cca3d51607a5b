import { describe, expect, test } from "vitest";
import { boolean, date, decimal, text } from "../rows.ts";
import { leafIssue, leafProblems, mapLeaf } from "./leaf.ts";

const REFERENCE = "docs/mapping.md describes every entry of a mapping";

function hintForColumns(from: string): string {
  return `write ${from}, join: " " } to join them, or ${from} } for the first column that is not empty`;
}

describe("an entry that is neither a column nor an object of options", () => {
  const column = "write { value: ... } for a constant, or put a column name that is a number in quotes";
  test.each([
    ['""', column],
    ["5", column],
    ["[A]", column],
    ["[A, 5]", column],
    ["[A, B]", hintForColumns("{ from: [A, B]")],
    ["[5, A, B]", hintForColumns("{ from: [A, B]")],
    ["[A, B, C]", hintForColumns("{ from: [A, B, C]")],
    ["[A, B, C, D]", hintForColumns("{ from: [A, B, C, ...]")],
  ])("is rejected with a hint that shows how to write it: %s", (leaf, hint) =>
    expect(leafIssue(leaf)).toEqual({ error: "leaf: must be a column (a string) or an object of options", hint }),
  );
});

describe("an option with an invalid value", () => {
  const pivot = "leaf.pivot: must be a whole number from 0 to 99: the highest two-digit year that is read as 20yy";
  const separators =
    'leaf.number: must be an object such as { decimal: ",", group: "." }: two different characters, neither digits nor signs; decimal is "." by default';
  test.each([
    ["{ from: [] }", "leaf.from: must be a string or a list of strings"],
    ["{ from: A, trim: 1 }", "leaf.trim: must be true or false"],
    ["{ from: A, call: 5 }", "leaf.call: must be a string"],
    ["{ from: A, split: 5 }", "leaf.split: must be a string"],
    ["{ from: A, lookup: { a: b }, otherwise: drop }", "leaf.otherwise: must be `keep`, `empty` or `error`"],
    ["{ from: A, lookup: [a] }", "leaf.lookup: must be a table (code: value) or the path of a table"],
    [
      "{ from: A, lookup: {}, otherwise: keep }",
      "leaf.lookup: has no effect without entries, because `otherwise` is `keep`",
    ],
    ["{ from: A, replace: {} }", "leaf.replace: has no effect without entries"],
    ["{ from: A, replace: [] }", "leaf.replace: has no effect without entries"],
    ["{ from: A, when: { column: K } }", "leaf.when: must be { column: <name>, in: [<value>, ...] }"],
    ["{ from: A, when: { column: K, in: [] } }", "leaf.when: must be { column: <name>, in: [<value>, ...] }"],
    [
      "{ from: A, when: { column: K, in: [N, ' Y'] } }",
      'leaf.when.in: " Y" never matches: cells are compared without the whitespace around them',
    ],
    ["{ from: A, when: K }", "leaf.when: must be { column: <name>, in: [<value>, ...] }"],
    ["{ from: A, date: [dd/MM/yyyy, 5] }", "leaf.date: must be a pattern, such as dd/MM/yyyy, or a list of them"],
    ["{ from: A, date: yy-MM-dd, pivot: -1 }", pivot],
    ["{ from: A, date: yy-MM-dd, pivot: 100 }", pivot],
    ["{ from: A, date: yy-MM-dd, pivot: 1.5 }", pivot],
    ["{ from: A, date: yy-MM-dd, pivot: x }", pivot],
    ["{ from: A, number: ',' }", separators],
    ["{ from: A, number: { decimal: '5' } }", separators],
    ["{ from: A, number: { decimal: '-' } }", separators],
    ["{ from: A, number: { decimal: ',,' } }", separators],
    ["{ from: A, number: { decimal: [','] } }", separators],
    ["{ from: A, number: { group: 5 } }", separators],
    ["{ from: A, number: { group: '.' } }", separators],
  ])("is reported at the option: %s", (leaf, error) =>
    expect(leafIssue(leaf, leaf.includes("date") ? date : decimal)).toEqual({ error, hint: REFERENCE }),
  );
});

describe("options that cannot be combined", () => {
  test.each([
    ["{ from: A, join: x }", "leaf.join: requires a list of at least two columns in `from`"],
    ["{ from: A, otherwise: keep }", "leaf.otherwise: has no effect without `lookup`"],
    ["{ from: A, pivot: 5 }", "leaf.pivot: has no effect without `date` or `datetime`"],
    ["{ trim: false }", "leaf: has no column (from), constant (value) or function (call)"],
    ["{ from: A, upper: true, lower: true }", "leaf: `upper` and `lower` cannot be used together"],
    ["{ value: x, upper: false, trim: true }", "leaf: a constant (value) cannot have trim, upper"],
    [
      "{ from: A, true: Y, date: yyyy-MM-dd }",
      "leaf: `true`/`false`, `date` cannot be used together: each converts the cell to a value",
    ],
    [
      "{ from: A, date: yyyy-MM-dd, call: f, number: {} }",
      "leaf: `date`, `number`, `call` cannot be used together: each converts the cell to a value",
    ],
  ])("are rejected: %s", (leaf, error) => {
    const type = leaf.includes("true: Y") ? boolean : leaf.includes("date") ? date : undefined;
    expect(leafIssue(leaf, type)).toEqual({ error, hint: REFERENCE });
  });
  test("do not include an option that is false", () =>
    expect(mapLeaf("{ from: A, keepEmpty: false, default: d }", text, { A: "" })).toEqual(["d"]));
});

describe("if words are given for only one of true and false,", () => {
  test("all other words are rejected", () => {
    expect(mapLeaf("{ from: A, true: Y }", boolean, { A: "Y" })).toEqual([true]);
    expect(mapLeaf("{ from: A, false: N }", boolean, { A: "N" })).toEqual([false]);
    expect(leafProblems("{ from: A, true: Y }", boolean, { A: "N" })).toMatchObject([{ choices: ["Y"], found: "N" }]);
    expect(leafProblems("{ from: A, false: N }", boolean, { A: "Y" })).toMatchObject([{ choices: ["N"], found: "Y" }]);
  });
});

test.each([
  ["{ fron: A, from: B }", "leaf.fron", 'did you mean "from"?'],
  ["{ from: A, when: { column: K, in: [x], im: y } }", "leaf.when.im", 'did you mean "in"?'],
  ["{ from: A, number: { decimals: ',' } }", "leaf.number.decimals", 'did you mean "decimal"?'],
])("an unknown name is reported at its place: %s", (leaf, path, hint) =>
  expect(leafIssue(leaf, decimal)).toEqual({ error: `${path}: is unknown`, hint }),
);
