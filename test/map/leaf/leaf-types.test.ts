import { describe, expect, test } from "vitest";
import { boolean, compile, date, datetime, decimal, integer, number, object, rowOf, text, time } from "../rows.ts";
import { mapLeaf, leafError } from "./leaf.ts";

describe("true and false:", () => {
  const leaf = '{ from: A, true: [Y, 1], false: [N, 0, ""] }';
  test("the source's words for true and false are converted", () => {
    expect(mapLeaf(leaf, boolean, { A: "Y" })).toEqual([true]);
    expect(mapLeaf(leaf, boolean, { A: "0" })).toEqual([false]);
    expect(mapLeaf(leaf, boolean, { A: " " })).toEqual([false]);
    expect(mapLeaf(leaf, boolean, { A: "y" })).toEqual(["y", "invalid_choice"]);
    expect(mapLeaf("{ from: A, upper: true, true: Y, false: N }", boolean, { A: "y" })).toEqual([true]);
  });
  test("without such words, only true and false are accepted", () => {
    expect(mapLeaf("A", boolean, { A: "TRUE" })).toEqual([true]);
    expect(mapLeaf("A", boolean, { A: "false" })).toEqual([false]);
    expect(mapLeaf("A", boolean, { A: "1" })).toEqual(["1", "invalid"]);
  });
  test("invalid options are rejected", () => {
    expect(leafError("{ from: A, true: [Y], false: [Y] }", boolean)).toContain("is also one of the values for true");
    expect(leafError("{ from: A, true: [Y] }", text)).toContain("produce a boolean, but the contract requires text");
    expect(leafError("{ from: A, true: {} }", boolean)).toContain("a string or a list of strings");
  });
});

describe("date and datetime:", () => {
  test("a date is read in the format of the source", () => {
    expect(mapLeaf('{ from: A, date: "dd/MM/yyyy" }', date, { A: "29/02/2024" })).toEqual(["2024-02-29"]);
    expect(mapLeaf('{ from: A, date: "dd/MM/yyyy" }', date, { A: "29/02/2023" })).toEqual(["29/02/2023", "invalid"]);
    expect(mapLeaf('{ from: A, date: "dd/MM/yyyy" }', date, { A: "2024-02-29" })).toEqual(["2024-02-29", "invalid"]);
    expect(mapLeaf('{ from: A, date: "d-MMM-yy" }', text, { A: "1-jan-99" })).toEqual(["1999-01-01"]);
  });
  test("without a pattern, ISO 8601 is required", () => {
    expect(mapLeaf("A", date, { A: "2024-02-29" })).toEqual(["2024-02-29"]);
    expect(mapLeaf("A", date, { A: "2023-02-29" })).toEqual(["2023-02-29", "invalid"]);
    expect(mapLeaf("A", datetime, { A: "2024-02-29T23:59:59Z" })).toEqual(["2024-02-29T23:59:59Z"]);
    expect(mapLeaf("A", datetime, { A: "2024-02-29 23:59" })).toEqual(["2024-02-29 23:59", "invalid"]);
    expect(mapLeaf("A", time, { A: "09:30" })).toEqual(["09:30"]);
    expect(mapLeaf("A", time, { A: "24:00" })).toEqual(["24:00", "invalid"]);
  });
  const london = '{ from: A, datetime: "dd/MM/yyyy HH:mm", zone: Europe/London }';
  test("a local time is converted to UTC", () => {
    expect(mapLeaf(london, datetime, { A: "01/07/2024 12:30" })).toEqual(["2024-07-01T11:30:00Z"]);
    expect(mapLeaf(london, datetime, { A: "01/12/2024 12:30" })).toEqual(["2024-12-01T12:30:00Z"]);
    expect(mapLeaf('{ from: A, datetime: "yyyy-MM-dd", zone: UTC }', datetime, { A: "2024-12-01" })).toEqual([
      "2024-12-01T00:00:00Z",
    ]);
  });
  test("a local time that is skipped or repeated in the zone is invalid", () => {
    expect(mapLeaf(london, datetime, { A: "31/03/2024 01:30" })).toEqual(["31/03/2024 01:30", "invalid"]);
    expect(mapLeaf(london, datetime, { A: "27/10/2024 01:30" })).toEqual(["27/10/2024 01:30", "invalid"]);
  });
  test("the first matching pattern is used, and a cell that two patterns read differently is reported", () => {
    const leaf = "{ from: A, date: [dd/MM/yyyy, MM/dd/yyyy, yyyyMMdd] }";
    expect(mapLeaf(leaf, date, { A: "31/12/2020" })).toEqual(["2020-12-31"]);
    expect(mapLeaf(leaf, date, { A: "12/31/2020" })).toEqual(["2020-12-31"]);
    expect(mapLeaf(leaf, date, { A: "20201231" })).toEqual(["2020-12-31"]);
    expect(mapLeaf(leaf, date, { A: "04/04/2020" })).toEqual(["2020-04-04"]);
    expect(mapLeaf(leaf, date, { A: "03/04/2020" })).toEqual(["03/04/2020", "invalid"]);
    const mapping = compile(`payload: { a: ${leaf} }`, object({ a: date }));
    expect(mapping.map(rowOf({ A: "03/04/2020" })).problems).toMatchObject([
      { code: "invalid", expected: "date", written: { readings: ["dd/MM/yyyy", "MM/dd/yyyy"] } },
    ]);
    expect(mapping.map(rowOf({ A: "x" })).problems).toMatchObject([
      { written: { as: "dd/MM/yyyy or MM/dd/yyyy or yyyyMMdd" } },
    ]);
  });
  test("several date-time patterns are accepted, with and without an offset", () => {
    const leaf = `{ from: A, datetime: ["dd/MM/yyyy HH:mm", "yyyy-MM-dd HH:mmXXX"], zone: Europe/London }`;
    expect(mapLeaf(leaf, datetime, { A: "01/07/2024 12:30" })).toEqual(["2024-07-01T11:30:00Z"]);
    expect(mapLeaf(leaf, datetime, { A: "2024-07-01 12:30+02:00" })).toEqual(["2024-07-01T10:30:00Z"]);
    const skipped = `{ from: A, datetime: ["dd/MM/yyyy HH:mm", "MM/dd/yyyy HH:mm"], zone: Europe/London }`;
    expect(mapLeaf(skipped, datetime, { A: "02/04/2023 01:30" })).toEqual(["02/04/2023 01:30", "invalid"]);
    expect(mapLeaf(skipped, datetime, { A: "26/03/2023 01:30" })).toEqual(["26/03/2023 01:30", "invalid"]);
  });
  test("two-digit years up to the pivot belong to the 2000s", () => {
    const born = "{ from: A, date: [dd/MM/yyyy, dd/MM/yy], pivot: 25 }";
    expect(mapLeaf(born, date, { A: "01/02/25" })).toEqual(["2025-02-01"]);
    expect(mapLeaf(born, date, { A: "01/02/26" })).toEqual(["1926-02-01"]);
    expect(mapLeaf(born, date, { A: "01/02/1926" })).toEqual(["1926-02-01"]);
    expect(mapLeaf("{ from: A, date: dd/MM/yy, pivot: 0 }", date, { A: "01/02/00" })).toEqual(["2000-02-01"]);
    expect(mapLeaf("{ from: A, date: dd/MM/yy, pivot: 99 }", date, { A: "01/02/99" })).toEqual(["2099-02-01"]);
  });
  test.each([
    ["{ from: A, date: dd/MM/yyyy, pivot: 25 }", "leaf.pivot: has no effect without yy in the pattern"],
    [`{ from: A, date: "'yy'yyyy-MM-dd", pivot: 25 }`, "leaf.pivot: has no effect without yy in the pattern"],
    ["{ from: A, date: dd/MM/yy, pivot: 2025 }", "leaf.pivot: must be a whole number from 0 to 99"],
    ["{ from: A, pivot: 25 }", "leaf.pivot: has no effect without `date` or `datetime`"],
    ["{ from: A, date: dd/MM/yy, pivott: 25 }", "leaf.pivott: is unknown"],
    ["{ from: A, date: [] }", "leaf.date: must be a pattern, such as dd/MM/yyyy, or a list of them"],
    ["{ from: A, date: [dd/MM/yyyy, dd.MM] }", 'leaf.date: "dd.MM": the year is missing'],
  ])("%s is rejected", (leaf, message) => expect(leafError(leaf, date)).toContain(message));
  test("a cell with an offset does not need a zone", () => {
    const leaf = `{ from: A, datetime: "yyyy-MM-dd'T'HH:mm:ssXXX" }`;
    expect(mapLeaf(leaf, datetime, { A: "2024-01-01T00:30:00+01:00" })).toEqual(["2023-12-31T23:30:00Z"]);
    expect(mapLeaf(leaf, datetime, { A: "2024-01-01T00:30:00Z" })).toEqual(["2024-01-01T00:30:00Z"]);
    expect(mapLeaf(leaf, datetime, { A: "2024-01-01T00:30:00" })).toEqual(["2024-01-01T00:30:00", "invalid"]);
  });
  test("`datetime` and `zone` are suggested if a date-time has a date pattern", () => {
    expect(leafError('{ from: A, date: "dd/MM/yyyy HH:mm" }', datetime)).toContain(
      'use `datetime: "dd/MM/yyyy HH:mm"` with `zone: Europe/London`',
    );
    expect(leafError('{ from: A, datetime: "dd/MM/yyyy" }', date)).toContain("use `date:` without `zone:`");
  });
  test("invalid options are rejected", () => {
    expect(leafError('{ from: A, date: "dd/mm/yyyy" }', date)).toContain("the month is missing");
    expect(leafError('{ from: A, date: "dd/MM/yyyy" }', integer)).toContain(
      "produces a date, but the contract requires a whole number",
    );
    expect(leafError('{ from: A, datetime: "dd/MM/yyyy" }', date)).toContain("produces a date-time");
    expect(leafError('{ from: A, datetime: "dd/MM/yyyy" }', datetime)).toContain("has no time zone");
    expect(leafError('{ from: A, datetime: "dd/MM/yyyy", zone: Europe/Lundun }', datetime)).toContain(
      "not a time zone",
    );
    expect(leafError('{ from: A, datetime: "dd/MM/yyyyXXX", zone: UTC }', datetime)).toContain(
      "already gives the offset",
    );
    expect(leafError("{ from: A, zone: UTC }", datetime)).toContain("has no effect without `datetime`");
    expect(leafError("{ from: A, date: [5] }", date)).toContain("must be a pattern");
  });
});

describe("number", () => {
  const german = '{ from: A, number: { decimal: ",", group: "." } }';
  test("accepts the decimal and group separators of the source", () => {
    expect(mapLeaf(german, decimal, { A: "1.234.567,50" })).toEqual(["1234567.50"]);
    expect(mapLeaf(german, decimal, { A: "-0,5" })).toEqual(["-0.5"]);
    expect(mapLeaf(german, number, { A: "1.234,5" })).toEqual([1234.5]);
    expect(mapLeaf(german, decimal, { A: "12.34,50" })).toEqual(["12.34,50", "invalid"]);
    expect(mapLeaf(german, integer, { A: "1.234,5" })).toEqual(["1.234,5", "invalid"]);
    expect(mapLeaf('{ from: A, number: { group: "," } }', integer, { A: "+1,234" })).toEqual([1234]);
    expect(mapLeaf('{ from: A, number: { group: " " } }', integer, { A: "1\u00a0234" })).toEqual([1234]);
  });
  test("ignores leading zeros", () => {
    expect(mapLeaf("{ from: A, number: {} }", integer, { A: "007" })).toEqual([7]);
    expect(mapLeaf(german, decimal, { A: "01.234,50" })).toEqual(["1234.50"]);
  });
  test("rejects a first group of zeros, which is probably the whole part of a fraction", () => {
    for (const A of ["0.125", "-0.001", "000.125", "0.125,5", "0.000.001"])
      expect(mapLeaf(german, decimal, { A })).toEqual([A, "invalid"]);
    expect(mapLeaf('{ from: A, number: { group: " " } }', decimal, { A: "0\u00a0125" })).toEqual([
      "0\u00a0125",
      "invalid",
    ]);
    expect(mapLeaf(german, decimal, { A: "0,125" })).toEqual(["0.125"]);
    expect(mapLeaf(german, decimal, { A: "10.125" })).toEqual(["10125"]);
  });
  test("accepts a minus sign after the number, as in SAP exports", () => {
    expect(mapLeaf(german, decimal, { A: "1.234,50-" })).toEqual(["-1234.50"]);
    expect(mapLeaf("{ from: A, number: {} }", integer, { A: "7-" })).toEqual([-7]);
    for (const A of ["-7-", "+7-", "7--", "-", "7 -"])
      expect(mapLeaf("{ from: A, number: {} }", integer, { A })).toEqual([A, "invalid"]);
    expect(mapLeaf("A", integer, { A: "007" })).toEqual(["007", "invalid"]);
  });
  test("keeps every digit", () => {
    expect(mapLeaf("A", integer, { A: "9007199254740993" })).toEqual(["9007199254740993", "invalid"]);
    expect(mapLeaf("A", number, { A: "0.10000000000000000001" })).toEqual(["0.10000000000000000001", "invalid"]);
    expect(mapLeaf("A", number, { A: "1.50" })).toEqual([1.5]);
    expect(mapLeaf("A", number, { A: "1e400" })).toEqual(["1e400", "invalid"]);
    expect(mapLeaf("A", decimal, { A: "0.10" })).toEqual(["0.10"]);
    expect(mapLeaf("A", decimal, { A: "12345678901234567890.10" })).toEqual(["12345678901234567890.10"]);
    expect(mapLeaf("A", decimal, { A: "1,5" })).toEqual(["1,5", "invalid"]);
    expect(mapLeaf("A", integer, { A: "0" })).toEqual([0]);
  });
  test("rejects invalid options", () => {
    expect(leafError('{ from: A, number: { decimal: ",", group: "," } }', decimal)).toContain(
      "two different characters",
    );
    expect(leafError("{ from: A, number: true }", decimal)).toContain("two different characters");
    expect(leafError("{ from: A, number: {} }", boolean)).toContain("produces a number");
  });
});

describe("an invalid cell", () => {
  test.each([
    ['{ from: A, date: "dd/MM/yyyy" }', date, { as: "dd/MM/yyyy" }],
    [
      '{ from: A, datetime: "dd/MM HH:mm yyyy", zone: Europe/London }',
      datetime,
      { as: "dd/MM HH:mm yyyy", zone: "Europe/London" },
    ],
    ['{ from: A, number: { decimal: ",", group: "." } }', decimal, { as: "1.234,50" }],
    ["A", date, undefined],
  ])("is reported with the format that the mapping declares for the source, if any: %s", (leaf, type, written) => {
    const { problems } = compile(`payload: { leaf: ${leaf} }`, object({ leaf: type })).map(rowOf({ A: "?" }));
    expect(
      problems.map((problem) => (problem.code === "invalid" && "written" in problem ? problem.written : undefined)),
    ).toEqual([written]);
  });
});
