import { describe, expect, test } from "vitest";
import { readMapping, type SourceEntry } from "../../../src/map/document/mapping-document.ts";
import type { RowOrder } from "../../../src/model/source-spec.ts";
import { failureOf } from "../rows.ts";

function source(options: string): SourceEntry | undefined {
  const text = `payload: {}\nsources:\n  calls: { ${options} }\n`;
  return readMapping({ file: "mapping.yaml", text }).sources.get("calls");
}

function ranks(order: RowOrder | undefined, texts: readonly string[]): readonly unknown[] {
  return texts.map((text) => order?.cells?.rank(text));
}

describe("orderBy:", () => {
  test.each(["orderBy: SEQ", "orderBy: { column: SEQ }"])(
    "%s declares no type for the cells of the column",
    (options) => {
      expect(source(options)?.orderBy).toEqual({ column: "SEQ" });
    },
  );

  test("`as: number` ranks only decimal numbers", () => {
    const order = source("orderBy: { column: SEQ, as: number }")?.orderBy;
    expect(order).toMatchObject({ column: "SEQ", cells: { wanted: "a number" } });
    expect(ranks(order, ["10", "9", "+12.25", "-3", "007"])).toEqual([10, 9, 12.25, -3, 7]);
    expect(ranks(order, ["", "1.", ".5", "1,5", "1e3", "x1", "1x", " 1"])).toEqual(Array(8).fill(undefined));
  });

  test("`as: text` ranks every cell that is not empty", () => {
    const order = source("orderBy: { column: CODE, as: text }")?.orderBy;
    expect(order).toMatchObject({ column: "CODE", cells: { wanted: "text" } });
    expect(ranks(order, ["10", "a", " ", ""])).toEqual(["10", "a", " ", undefined]);
  });

  test("a date pattern ranks instants, and takes their offsets into account", () => {
    const order = source(`orderBy: { column: AT, date: "dd/MM/yyyy HH:mmXXX" }`)?.orderBy;
    expect(ranks(order, ["01/02/2026 10:00+02:00", "01/02/2026 09:00Z", "01/02/2026 25:00Z"])).toEqual([
      Date.UTC(2026, 1, 1, 8),
      Date.UTC(2026, 1, 1, 9),
      undefined,
    ]);
  });

  test("a date pattern ranks fractions of a second, and dates before the year 100", () => {
    const order = source("orderBy: { column: AT, date: 'yyyy-MM-dd HH:mm:ss.SS' }")?.orderBy;
    const texts = [
      "0001-01-01 00:00:00.00",
      "1900-06-01 00:00:00.00",
      "2024-01-01 10:00:00.09",
      "2024-01-01 10:00:00.10",
    ];
    expect(ranks(order, texts)).toEqual([
      Date.parse("0001-01-01T00:00:00Z"),
      Date.UTC(1900, 5, 1),
      Date.UTC(2024, 0, 1, 10, 0, 0, 90),
      Date.UTC(2024, 0, 1, 10, 0, 0, 100),
    ]);
  });

  test("a date pattern reads two-digit years relative to the pivot", () => {
    const order = source("orderBy: { column: AT, date: dd/MM/yy, pivot: 30 }")?.orderBy;
    expect(ranks(order, ["01/01/30", "01/01/31"])).toEqual([Date.UTC(2030, 0, 1), Date.UTC(1931, 0, 1)]);
  });
});

describe("pick:", () => {
  test.each([
    ["first", { take: "first" }],
    ["' last '", { take: "last" }],
    ["first by SEQ", { take: "first", by: { column: "SEQ" } }],
    ["'last  by   CHANGED ON '", { take: "last", by: { column: "CHANGED ON" } }],
    ["{ first: SEQ }", { take: "first", by: { column: "SEQ" } }],
    ["{ last: SEQ, per: MPAN }", { take: "last", by: { column: "SEQ" }, per: "MPAN" }],
  ])("%s is accepted", (pick, choice) => {
    expect(source(`pick: ${pick}`)?.pick).toEqual(choice);
  });

  test.each(["at last", "last by", "last SEQ", "lastly", "newest", "''", "5", "[last]", "{}", "{ first: A, last: B }"])(
    "%s is rejected, because it does not state which row to use",
    (pick) => {
      const failure = failureOf(() => source(`pick: ${pick}`));
      expect(failure.message).toMatch(/^mapping.yaml:3:\d+: sources.calls.pick: must state which row to use$/);
      expect(failure.hint).toContain("write first, last, last by <column>, or { last: <column>, per: <column> }");
    },
  );
});

test.each([
  ["on: CUST_ID", { on: "CUST_ID" }],
  ["on: { CUST_ID: CUSTOMER }", { on: "CUST_ID", parentKey: "CUSTOMER" }],
])("%s names the columns of the join", (options, columns) => {
  expect(source(options)).toEqual(columns);
});

const JOIN =
  "write on: CUST_ID, or on: { CUST_ID: CUSTOMER } with the column of this source and the column of its parent";
const ORDER = "{ column: SEQ, as: number }, or { column: SINCE, date: dd/MM/yyyy }";

test.each([
  ["on: ''", "3:12: sources.calls.on: must be a column", JOIN],
  ["on: {}", "3:12: sources.calls.on: must be a column", JOIN],
  ["on: { A: [B] }", "3:12: sources.calls.on: must be a column", JOIN],
  ["on: { A: B, C: D }", "3:12: sources.calls.on: must have exactly one pair of columns", JOIN],
  [
    "orderBy: ''",
    "3:12: sources.calls.orderBy: must be a column",
    `write its name, or also state the type of its cells: ${ORDER}`,
  ],
  ["orderBy: {}", "3:12: sources.calls.orderBy.column: must be a column", `write, for example, ${ORDER}`],
  [
    "orderBy: { column: A, as: number, date: dd/MM/yyyy }",
    "3:12: sources.calls.orderBy: `as` and `date` cannot be used together",
    "docs/mapping.md describes every entry of a mapping",
  ],
  ["orderBy: { column: A, as: tex }", "3:34: sources.calls.orderBy.as: must be `number` or `text`", '"text"?'],
  ["orderBy: { column: A, as: [x] }", "3:34: sources.calls.orderBy.as: must be `number` or `text`", "number, text"],
  [
    "orderBy: { column: A, date: 5 }",
    "3:34: sources.calls.orderBy.date: must be a pattern, such as dd/MM/yyyy",
    "docs/mapping.md describes every entry of a mapping",
  ],
  [
    "orderBy: { column: A, date: dd/MM/yy, pivot: 100 }",
    "3:50: sources.calls.orderBy.pivot: must be a whole number from 0 to 99: the highest two-digit year that is read as 20yy",
    "docs/mapping.md describes every entry of a mapping",
  ],
  [
    "orderBy: { column: A, date: dd/MM/yyyy, pivot: 30 }",
    "3:52: sources.calls.orderBy.pivot: has no effect without yy in the pattern",
    "docs/mapping.md describes every entry of a mapping",
  ],
  [
    "orderBy: { column: A, as: number, pivot: 30 }",
    "3:46: sources.calls.orderBy.pivot: has no effect without `date`",
    "docs/mapping.md describes every entry of a mapping",
  ],
  [
    "pick: { last: { column: A, as: numbr } }",
    "3:39: sources.calls.pick.last.as: must be `number` or `text`",
    'did you mean "number"?',
  ],
  [
    "pick: { first: [A] }",
    "3:20: sources.calls.pick.first: must be a column",
    `write its name, or also state the type of its cells: ${ORDER}`,
  ],
])("%s is rejected: %s", (options, message, hint) => {
  const failure = failureOf(() => source(options));
  expect(failure.message).toBe(`mapping.yaml:${message}`);
  expect(failure.hint).toContain(hint);
});
