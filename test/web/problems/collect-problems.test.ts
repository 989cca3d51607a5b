import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Problem } from "../../../src/model/problem.ts";
import { createProblemCollector, type ProblemRecord } from "../../../src/web/problems/collect-problems.ts";

const NOW = Date.parse("2026-11-20T00:00:00Z");

function blank(attr: string, place: Partial<ProblemRecord["source"]> = {}): Problem {
  const cell = { file: "customers.csv", line: 2, column: "MOBILE", ...place };
  return { code: "blank", attr, by: "local", severity: "error", shape: "(empty)", place: cell };
}

function record(more: Partial<ProblemRecord> = {}): ProblemRecord {
  const source = { file: "accounts.csv", line: 2 };
  return { key: "K-1", source, problems: [], state: "invalid", since: "2026-11-10T08:00:00Z", ...more };
}

describe("the collected problems", () => {
  it("group records by cause, with indexes replaced by *, and by owner and file", () => {
    const collector = createProblemCollector({ fieldTitle: undefined, now: NOW });
    const data = { name: "Data team", days: 3 };
    collector.add([
      record({ problems: [blank("customers.0.mobile")], owner: data }),
      record({ problems: [blank("customers.1.mobile")], owner: { name: "Data team", days: 30 } }),
      record({ problems: [blank("customers.0.mobile", { file: "more.csv" })] }),
    ]);
    expect(collector.records()).toBe(3);
    expect(collector.causes()).toMatchObject([
      {
        code: "blank",
        attr: "customers.*.mobile",
        by: "local",
        title: "Mobile is missing",
        words: "Must not be empty.",
        advice: "Fill in the cell.",
        shapes: [{ shape: "(empty)", count: 3 }],
        records: 3,
        groups: [
          { owner: "Data team", file: "customers.csv", records: 2, overdue: 1 },
          { owner: "", file: "more.csv", records: 1, overdue: 0 },
        ],
      },
    ]);
  });

  it("count a record only once for a cause that it has several times, and omit warnings", () => {
    const collector = createProblemCollector({ fieldTitle: undefined, now: NOW });
    const warning: Problem = { ...blank("name"), severity: "warning" };
    collector.add([record({ problems: [blank("customers.0.mobile"), blank("customers.1.mobile"), warning] })]);
    expect(collector.causes()).toMatchObject([{ attr: "customers.*.mobile", records: 1 }]);
  });

  it("name the state of a record without a problem, and the next step", () => {
    const collector = createProblemCollector({ fieldTitle: undefined, now: NOW });
    collector.add([record({ state: "ambiguous" })]);
    const [cause] = collector.causes();
    expect(cause).toMatchObject({ id: "ambiguous", code: "ambiguous", by: "state", records: 1 });
    expect(cause?.advice).toContain("migrate reconcile");
    expect(collector.rows("ambiguous")).toMatchObject([{ key: "K-1", place: "accounts.csv:2", state: "ambiguous" }]);
  });

  it("show only the rows of the requested cause, with the place of each cell", () => {
    const collector = createProblemCollector({ fieldTitle: undefined, now: NOW });
    collector.add([record({ problems: [blank("customers.0.mobile"), blank("billing_name", { column: "NAME" })] })]);
    const [first] = collector.causes();
    expect(collector.rows(first?.id ?? "")).toMatchObject([
      { place: "customers.csv:2", column: "MOBILE", shape: "(empty)", since: "2026-11-10T08:00:00Z" },
    ]);
    expect(collector.rows("no such cause")).toEqual([]);
  });

  it("add up: a cause's groups contain all of its records, and no group keeps more than 200 rows", () => {
    const files = fc.constantFrom("a.csv", "b.csv");
    const owners = fc.constantFrom(undefined, { name: "A" }, { name: "B" });
    const problems = fc.uniqueArray(fc.constantFrom("name", "customers.0.mobile", "customers.1.mobile"));
    const records = fc.array(fc.tuple(problems, files, owners), { maxLength: 600 });
    fc.assert(
      fc.property(records, (drawn) => {
        const collector = createProblemCollector({ fieldTitle: undefined, now: NOW });
        const added = drawn.map(([attrs, file, owner]) =>
          record({ owner, source: { file, line: 3 }, problems: attrs.map((attr) => blank(attr, { file })) }),
        );
        collector.add(added);
        const patterns = added.map((each) => new Set(each.problems.map(({ attr }) => attr.replace(/\d/, "*"))));
        expect(collector.records()).toBe(drawn.length);
        for (const { id, attr, records: count, groups } of collector.causes()) {
          const expected = patterns.filter((own) => (attr === undefined ? own.size === 0 : own.has(attr))).length;
          expect(count).toBe(expected);
          expect(groups.reduce((sum, group) => sum + group.records, 0)).toBe(count);
          const kept = groups.reduce((sum, group) => sum + Math.min(group.records, 200), 0);
          expect(collector.rows(id)).toHaveLength(kept);
        }
      }),
    );
  });
});
