import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { PlatformProblem, Problem } from "../../../src/model/problem.ts";
import { reporters } from "../../../src/report/formats/reporters.ts";
import { MIXED, rendered, reportOf } from "../reports.ts";

describe("text", () => {
  it("groups problems by cause, with errors and frequent causes first, and one example each", async () => {
    const frequent = numbered(1234, (at) => mobile(at % 10 === 0 ? "+9{10}" : "9{9}", at));
    expect(await rendered(reporters.text, reportOf([...frequent, ...renumbered(MIXED, 1234)]))).toBe(
      `1,237 errors, 3 causes

  1,235  invalid_phone_number  customers.*.mobile
         The platform: Not a phone number.
         1,111 like 9{9}, e.g. customers.csv:4, column MOBILE
           124 like +9{10}, e.g. customers.csv:3, column MOBILE

      1  invalid  customers.*.date_of_birth
         Must be a valid date in the format YYYY-MM-DD.
         like 99/99/9{4}, e.g. customers.csv:9, column DOB

      1  required  billing_address
         A value is required here.
         e.g. accounts.csv:3

1 warning, 1 cause

      1  coerced  notes.*.body
         The platform would silently convert this number to a string.
         e.g. more.json:12, at /3/notes/0/body

1 ambiguous record (outcome unknown)

         record 1238  accounts.csv:5

`,
    );
  });

  it("separates values with too many digits from other values that are no number", async () => {
    const outcomes = [amount("exact number", 2), amount("number", 3)].map((problem, at): Outcome => ({
      record: at + 1,
      source: { file: "accounts.csv", line: at + 2 },
      status: "invalid",
      problems: [problem],
    }));
    const text = await rendered(reporters.text, reportOf(outcomes));
    expect(text).toMatch(/amount\n +Has too many digits: .*\n +e\.g\. accounts\.csv:2/);
    expect(text).toMatch(/amount\n +Must be a number\.\n +e\.g\. accounts\.csv:3/);
  });

  it("shows why the outcome of an ambiguous record is unknown", async () => {
    const ambiguous = MIXED.filter(({ status }) => status === "ambiguous");
    const text = await rendered(
      reporters.text,
      reportOf(ambiguous, { reasonOf: async ({ record }) => `timeout of record ${record}` }),
    );
    expect(text).toMatch(/\n {7}record (\d+) {2}accounts\.csv:5\n {9}timeout of record \1\n/);
  });

  it("shows why records that were sent are still pending, without the records that were not sent", async () => {
    const pending = [0, 1, 2].map((attempts) => ({
      record: attempts + 1,
      key: `EXT-${attempts}`,
      source: { file: "accounts.csv", line: attempts + 2 },
      status: "pending" as const,
      problems: [],
      attempts,
    }));
    const reasons = new Map([[2, "HTTP 409: the record may already exist"]]);
    const reasonOf = async ({ record }: Outcome): Promise<string | undefined> => reasons.get(record);
    expect(await rendered(reporters.text, reportOf(pending, { reasonOf }))).toBe(
      `3 pending records (not sent, or not finished on the platform)

       EXT-1  accounts.csv:3
         HTTP 409: the record may already exist
       and 2 more

`,
    );
    expect(await rendered(reporters.text, reportOf(pending))).toBe("");
  });

  it("shows the value of the example next to its shape only on request", async () => {
    const record = numbered(1, (at) => mobile("9{9}", at));
    expect(await rendered(reporters.text, reportOf(record))).not.toContain("077009001");
    expect(await rendered(reporters.text, reportOf(record, { showValues: true }))).toContain(
      'like 9{9}, "077009001", e.g. customers.csv:3, column MOBILE',
    );
  });

  it("counts the shapes beyond the three most frequent", async () => {
    const outcomes = numbered(20, (at) => mobile(["a", "b", "c", "d", "e"][Math.min(at, 4)] ?? "", at));
    expect(await rendered(reporters.text, reportOf(outcomes))).toContain(
      `       16 like e, e.g. customers.csv:7, column MOBILE
        1 like a, e.g. customers.csv:3, column MOBILE
        1 like b, e.g. customers.csv:4, column MOBILE
        2 with other shapes
`,
    );
  });

  it.each([60, 80, 120])("stays within %i columns", async (width) => {
    const outcomes = numbered(3, (at) => ({
      ...mobile("9{9}", at),
      attr: `supply_addresses.${at}.meter_points.0.meters.1.registers.0.readings.3.reading_type`,
      detail: "This reading type is not one of those that the register of this meter knows, or it is too long. ".repeat(
        3,
      ),
    }));
    const text = await rendered(reporters.text, reportOf([...outcomes, ...renumbered(MIXED, 3)], { width }));
    const longest = Math.max(...text.split("\n").map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(width);
  });

  it("shows 20 causes, keeps at most 1,000 groups, and counts the rest", async () => {
    const outcomes = numbered(1500, (at) => ({ ...mobile("9{9}", at), code: `code_${at}` }));
    const text = await rendered(reporters.text, reportOf([...outcomes, ...numbered(1, (at) => mobile("x", at), 1500)]));
    expect(text).toMatch(/^1,501 errors, 1,000\+ causes\n/);
    expect(text.match(/code_/g)).toHaveLength(20);
    expect(text).toMatch(/\n {2}1,481 {2}with other causes: add --out <dir> for a list\n\n$/);
  });

  it("refers to errors.csv if there is a report folder", async () => {
    const outcomes = numbered(30, (at) => ({ ...mobile("9{9}", at), code: `code_${at}` }));
    const text = await rendered(reporters.text, reportOf(outcomes, { folder: "out" }));
    expect(text).toMatch(/\n +10 {2}with other causes: see errors.csv\n\n$/);
  });

  it("uses colours only on request", async () => {
    expect(await rendered(reporters.text, reportOf(MIXED))).not.toContain("\u001b");
    const coloured = await rendered(reporters.text, reportOf(MIXED, { colour: true }));
    expect(coloured).toContain("\u001b[31minvalid_phone_number\u001b[39m");
    expect(coloured).toContain("\u001b[33mcoerced\u001b[39m");
  });

  it("is empty if there are no problems", async () => {
    expect(await rendered(reporters.text, reportOf(MIXED.slice(0, 1)))).toBe("");
  });
});

function mobile(shape: string, at: number): PlatformProblem {
  const place = { file: "customers.csv", line: at + 3, column: "MOBILE", columnNumber: 5 };
  const attr = `customers.${at % 3}.mobile`;
  const shown = { place, shape, value: "077009001" };
  return {
    attr,
    code: "invalid_phone_number",
    detail: "Not a phone number.",
    severity: "error",
    by: "platform",
    ...shown,
  };
}

function numbered(count: number, problem: (at: number) => Problem, from = 0): readonly Outcome[] {
  return Array.from({ length: count }, (_, at) => ({
    record: from + at + 1,
    source: { file: "accounts.csv", line: from + at + 2 },
    status: "rejected" as const,
    problems: [problem(from + at)],
  }));
}

function renumbered(outcomes: readonly Outcome[], from: number): readonly Outcome[] {
  return outcomes.map((outcome) => ({ ...outcome, record: outcome.record + from }));
}

/** A problem of a number at this line. */
function amount(expected: "exact number" | "number", line: number): Problem {
  return {
    attr: "amount",
    code: "invalid",
    expected,
    severity: "error",
    by: "local",
    place: { file: "accounts.csv", line, column: "AMOUNT" },
  };
}
