import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { createCauseCollector, type PageCause } from "../../../src/report/page/collect-rows.ts";
import { invalidCell } from "./pages.ts";

function causesOf(outcomes: readonly Outcome[]): readonly PageCause[] {
  const collector = createCauseCollector({ showValues: false });
  collector.add(outcomes);
  return collector.causes();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

describe("createCauseCollector", () => {
  it("ranks causes by affected records, not by the number of errors", () => {
    const [first] = invalidCell(2).problems;
    const often = { ...invalidCell(2), problems: first ? Array.from({ length: 9 }, () => first) : [] };
    const others = [3, 4].map((line) => invalidCell(line, { column: "DOB", code: "no_date" }));
    const causes = causesOf([often, ...others]);
    expect(causes.map(({ code, records, problems }) => [code, records, problems])).toEqual([
      ["no_date", 2, 2],
      ["no_phone", 1, 9],
    ]);
  });

  it("puts warnings after errors, and counts problems that a record does not list", () => {
    const warned: Outcome = {
      ...invalidCell(2),
      problems: [{ attr: "a.0", code: "required", severity: "warning", by: "local", unlisted: 40 }],
    };
    const causes = causesOf([warned, { ...warned, record: 3 }, invalidCell(4)]);
    expect(causes.map(({ severity, problems, attr }) => [severity, problems, attr])).toEqual([
      ["error", 1, "phone"],
      ["warning", 82, "a.*"],
    ]);
    expect(causes[1]?.places[0]?.rows[0]?.note).toBe("A value is required here. (and 40 more like it in this record)");
  });

  it("keeps the first rows of each place (file and column), so that a filter finds some rows of every file", () => {
    const lines = Array.from({ length: 300 }, (_, at) => invalidCell(at + 2));
    const [cause] = causesOf([...lines, invalidCell(999, { file: "last.csv" })]);
    expect(cause?.places.map(({ file, count, rows }) => [file, count, rows.length])).toEqual([
      ["accounts.csv", 300, 100],
      ["last.csv", 1, 1],
    ]);
  });

  it("shows a cell with several findings only once, under the cause of its first error", () => {
    const place = { file: "accounts.csv", line: 2, column: "POSTCODE", columnNumber: 4 };
    const cell = { place, shape: "A{7}", by: "local" } as const;
    const invalid = { code: "invalid", expected: "pattern", severity: "error" } as const;
    const coerced = { code: "coerced", from: "number", to: "string", severity: "warning" } as const;
    const both: Outcome = {
      ...invalidCell(2),
      problems: [
        { ...cell, ...coerced, attr: "billing_postcode" },
        { ...cell, ...invalid, attr: "billing_postcode" },
        { ...cell, ...invalid, attr: "supply.0.postcode" },
        { ...cell, ...invalid, attr: "supply.1.postcode" },
      ],
    };
    const alone: Outcome = { ...both, record: 3, problems: both.problems.slice(1, 2) };
    const collector = createCauseCollector({ showValues: false });
    collector.add([both]);
    expect(collector.causes()[0]?.places[0]?.rows[0]).not.toHaveProperty("also");
    collector.add([alone]);
    const [cause, ...others] = collector.causes();
    expect(others).toEqual([]);
    expect(cause).toMatchObject({ attr: "billing_postcode", severity: "error", records: 2, count: 2, problems: 5 });
    expect(cause?.also.map(({ code, attr, count }) => [code, attr, count])).toEqual([
      ["coerced", "billing_postcode", 1],
      ["invalid", "supply.*.postcode", 1],
    ]);
    expect(cause?.places[0]?.rows.map(({ also }) => also)).toEqual([[0, 1], undefined]);
    expect(collector.totals()).toEqual({ places: 2, causes: 2 });
  });

  it("does not merge problems without a cell, or problems that represent other problems", () => {
    const record: Outcome = {
      ...invalidCell(2),
      problems: ["a", "b"].map((attr): Problem => ({ attr, code: "required", severity: "error", by: "local" })),
    };
    const json: Outcome = {
      ...record,
      problems: record.problems.map((problem) => ({ ...problem, place: { file: "a.json", line: 1, pointer: "/0" } })),
    };
    const { problems } = invalidCell(2, { code: "other" });
    const unlisted = problems.map((problem): Problem => ({ ...problem, unlisted: 3 }));
    const many: Outcome = { ...record, problems: [...invalidCell(2).problems, ...unlisted] };
    for (const one of [record, json, many]) expect(causesOf([one]).map(({ also }) => also)).toEqual([[], []]);
  });

  it("has no column for a problem with a whole JSON record", () => {
    const place = { file: "a.ndjson", line: 3, pointer: "" };
    const record: Outcome = {
      ...invalidCell(2),
      problems: [{ attr: "name", code: "required", severity: "error", by: "local", place }],
    };
    const [cause] = causesOf([record]);
    expect(cause?.places).toHaveLength(1);
    expect(cause?.places[0]).not.toHaveProperty("column");
    expect(cause?.places[0]?.rows[0]).not.toHaveProperty("pointer");
  });

  it("shows all distinct messages about a cell in its row", () => {
    const problems = ["Not a phone number.", "Too short."].flatMap((detail) => invalidCell(2, { detail }).problems);
    const two: Outcome = { ...invalidCell(2), problems };
    const [cause] = causesOf([two]);
    expect(cause).toMatchObject({ count: 1, problems: 2, also: [] });
    expect(cause?.places[0]?.rows[0]?.note).toBe("Not a phone number. Too short.");
  });

  it("counts each place and each problem once, for any problems", () => {
    const problem = fc.record({
      attr: fc.constantFrom("a", "b.0", "b.1"),
      code: fc.constantFrom("x", "y"),
      severity: fc.constantFrom("error" as const, "warning" as const),
      column: fc.constantFrom(undefined, "A", "B"),
    });
    fc.assert(
      fc.property(fc.array(fc.array(problem, { maxLength: 6 }), { maxLength: 6 }), (records) => {
        const outcomes = records.map((problems, at): Outcome => ({
          ...invalidCell(at + 2),
          problems: problems.map(({ column, ...each }) => ({
            ...each,
            by: "platform",
            detail: "",
            ...(column !== undefined && { place: { file: "a.csv", line: at + 2, column } }),
          })),
        }));
        const causes = causesOf(outcomes);
        const places = records.map((problems) => new Set(problems.map(({ column }, at) => column ?? at)).size);
        expect(sum(causes.map(({ count }) => count))).toBe(sum(places));
        expect(sum(causes.map(({ problems }) => problems))).toBe(records.flat().length);
        expect(sum(causes.flatMap((cause) => cause.places.map(({ rows }) => rows.length)))).toBe(sum(places));
      }),
    );
  });

  it("limits the number of rows and causes, and counts the rest", () => {
    const collector = createCauseCollector({ showValues: false });
    for (let at = 0; at < 3000; at += 1) {
      collector.add(Array.from({ length: 20 }, (_, line) => invalidCell(line + 2, { code: `c${at}` })));
    }
    const causes = collector.causes();
    const rows = causes.flatMap(({ places }) => places.flatMap((place) => place.rows));
    expect(causes).toHaveLength(1000);
    expect(rows.length).toBeLessThan(8000);
    expect(collector.others()).toEqual({ error: 40_000, warning: 0 });
  });
});
