import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import { createCauseCollector, type PageCause } from "../../../src/report/page/collect-rows.ts";
import { invalidCell } from "./pages.ts";

function causesOf(outcomes: readonly Outcome[]): readonly PageCause[] {
  const collector = createCauseCollector({ showValues: false });
  collector.add(outcomes);
  return collector.causes();
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

  it("keeps the first rows of each place, so that a filter finds some rows of every file", () => {
    const lines = Array.from({ length: 300 }, (_, at) => invalidCell(at + 2));
    const [cause] = causesOf([...lines, invalidCell(999, { file: "last.csv" })]);
    expect(cause?.places.map(({ file, problems, rows }) => [file, problems, rows.length])).toEqual([
      ["accounts.csv", 300, 100],
      ["last.csv", 1, 1],
    ]);
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
