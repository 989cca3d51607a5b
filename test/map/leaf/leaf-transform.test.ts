import { describe, expect, test } from "vitest";
import {
  anything,
  boolean,
  compile,
  date,
  datetime,
  decimal,
  integer,
  jsonRow,
  number,
  object,
  rowOf,
  text,
} from "../rows.ts";
import { leafIssue, leafProblems, mapLeaf } from "./leaf.ts";

const REFERENCE = "docs/mapping.md describes every entry of a mapping";
const DATES = "{ from: A, date: [dd/MM/yyyy, yyyyMMdd] }";

describe("a conversion to a type that the contract does not allow", () => {
  const zone = 'use `datetime: "dd/MM/yyyy"` with `zone: Europe/London` (or another time zone)';
  test.each([
    ["{ from: A, true: Y }", text, "`true`/`false` produce a boolean, but the contract requires text here", REFERENCE],
    ["{ from: A, number: {} }", date, "`number` produces a number, but the contract requires a date here", REFERENCE],
    [
      "{ from: A, number: {} }",
      datetime,
      "`number` produces a number, but the contract requires a date-time here",
      REFERENCE,
    ],
    [
      "{ from: A, date: dd/MM/yyyy }",
      integer,
      "`date` produces a date, but the contract requires a whole number here",
      REFERENCE,
    ],
    [
      "{ from: A, date: dd/MM/yyyy }",
      datetime,
      "`date` produces a date, but the contract requires a date-time here",
      zone,
    ],
    [
      "{ from: A, datetime: dd/MM/yyyy, zone: UTC }",
      integer,
      "`datetime` produces a date-time, but the contract requires a whole number here",
      REFERENCE,
    ],
    [
      "{ from: A, datetime: dd/MM/yyyy, zone: UTC }",
      date,
      "`datetime` produces a date-time, but the contract requires a date here",
      "use `date:` without `zone:`",
    ],
  ])("is rejected: %s", (leaf, type, error, hint) =>
    expect(leafIssue(leaf, type)).toEqual({ error: `leaf: ${error}`, hint }),
  );
  test.each([
    ["{ from: A, true: Y }", "Y", true],
    ["{ from: A, number: {} }", "01", "1"],
    ["{ from: A, date: dd/MM/yyyy }", "31/12/2024", "2024-12-31"],
    ["{ from: A, datetime: dd/MM/yyyy, zone: UTC }", "31/12/2024", "2024-12-31T00:00:00Z"],
  ])("is accepted if the contract allows any type: %s", (leaf, cell, value) =>
    expect(mapLeaf(leaf, anything, { A: cell })).toEqual([value]),
  );
});

describe("an error in a conversion is reported at its option", () => {
  const never = 'leaf.default: never applies: the mapping defines a value for an empty cell ("")';
  test.each([
    ["{ from: A, lookup: { a: x } }", integer, 'leaf.lookup.a: the value for "a" is not an integer', REFERENCE],
    ["{ from: A, lookup: codes.csv }", text, "leaf.lookup: the table codes.csv was not read", REFERENCE],
    ["{ from: A, lookup: { '': a }, default: b }", text, never, REFERENCE],
    ["{ from: A, true: [''], default: true }", boolean, never, REFERENCE],
    [
      "{ from: A, true: [Y, X], false: [N, X] }",
      boolean,
      'leaf.false: "X" is also one of the values for true',
      REFERENCE,
    ],
    ["{ from: A, date: dd/MM/yyyy, pivot: 5 }", date, "leaf.pivot: has no effect without yy in the pattern", REFERENCE],
    ["{ from: A, date: dd.MM, pivot: 5 }", date, 'leaf.date: "dd.MM": the year is missing', REFERENCE],
    ["{ from: A, datetime: dd.MM, zone: UTC }", datetime, 'leaf.datetime: "dd.MM": the year is missing', REFERENCE],
    [
      "{ from: A, datetime: dd/MM/yyyyXXX, zone: UTC }",
      datetime,
      "leaf.zone: cannot be used with XXX in the pattern, which already gives the offset",
      REFERENCE,
    ],
    [
      "{ from: A, datetime: dd/MM/yyyy }",
      datetime,
      "leaf.datetime: has no time zone",
      'add zone: Europe/London (or UTC), or XXX to the pattern if the cells contain an offset such as "+01:00"',
    ],
    [
      "{ from: A, datetime: dd/MM/yyyy, zone: Europe/Lundun }",
      datetime,
      'leaf.zone: "Europe/Lundun" is not a time zone',
      "use a name such as Europe/London, or UTC",
    ],
  ])("%s", (leaf, type, error, hint) => expect(leafIssue(leaf, type)).toEqual({ error, hint }));
});

describe("an empty cell", () => {
  test.each([
    ["{ from: A, number: {} }", integer],
    ["{ from: A, date: dd/MM/yyyy }", date],
    [DATES, date],
    ["{ from: A, datetime: dd/MM/yyyy, zone: UTC }", datetime],
    ["{ from: A, true: Y, false: N }", boolean],
    ["{ from: A, lookup: { a: b } }", text],
  ])("is omitted without a problem: %s", (leaf, type) => expect(mapLeaf(leaf, type, { A: " " })).toEqual([undefined]));
  test("can be the result of a lookup, for any type", () => {
    expect(mapLeaf('{ from: A, lookup: { X: "", Y: 1 } }', integer, { A: "X" })).toEqual([undefined]);
    expect(mapLeaf('{ from: A, lookup: { X: "", Y: 1 }, default: 7 }', integer, { A: "X" })).toEqual([7]);
  });
});

describe("a cell that cannot be converted", () => {
  test.each([
    ["integer", integer],
    ["decimal", decimal],
    ["number", number],
    ["number", text],
  ] as const)(
    "is reported with the type %s of the contract and an example of the mapping's notation",
    (expected, type) =>
      expect(leafProblems('{ from: A, number: { decimal: "," } }', type, { A: "?" })).toMatchObject([
        { code: "invalid", expected, written: { as: "1234,50" } },
      ]),
  );
  test.each([
    ["{ from: A, number: {} }", integer, "integer"],
    ["{ from: A, date: dd/MM/yyyy }", date, "date"],
    [DATES, date, "date"],
    ["{ from: A, upper: true }", text, "string"],
  ])("is reported if it contains JSON: %s", (leaf, type, expected) => {
    const mapped = compile(`payload: { leaf: ${leaf} }`, object({ leaf: type })).map(jsonRow({ A: { a: 1 } }));
    expect(mapped.payload).toEqual({ leaf: { a: 1 } });
    expect(mapped.problems).toMatchObject([{ attr: "leaf", code: "invalid", expected, shape: "object" }]);
  });
  test("is reported with the first 50 codes of a large lookup", () => {
    const codes = Array.from({ length: 51 }, (_, index) => `C${index}`);
    const leaf = `{ from: A, lookup: { ${codes.map((code) => `${code}: x`).join(", ")} } }`;
    expect(leafProblems(leaf, text, { A: "D" })).toMatchObject([{ choices: codes.slice(0, 50) }]);
  });
  test("is reported without a time zone in the notation if the mapping declares none", () => {
    const [problem] = leafProblems("{ from: A, date: dd/MM/yyyy }", date, { A: "?" });
    expect(problem).toHaveProperty("written");
    expect(problem).not.toHaveProperty("written.zone");
  });
});

test.each([
  ["{ from: A, number: {} }", "1"],
  ["{ from: A, true: Y, false: 1 }", "1"],
  ["{ from: A, date: dd/MM/yyyy }", "31/12/2024"],
  [DATES, "20241231"],
])("the origin of a converted value is its column: %s", (leaf, cell) => {
  const origins = compile(`payload: { leaf: ${leaf} }`, object({ leaf: anything })).origins(rowOf({ A: cell }));
  expect(origins).toMatchObject([{ attr: "leaf", from: "column", place: { column: "A" } }]);
});
