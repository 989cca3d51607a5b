import { describe, expect, it } from "vitest";
import { summaryText } from "../../src/report/run-summary.ts";
import { MIXED, reportOf } from "./reports.ts";

describe("summaryText", () => {
  it("says how many records are missing from the rejects", () => {
    expect(summaryText(reportOf(MIXED, { folder: "out", leftOut: 3 }))).toContain(
      "(rejects: 2 records to fix; 3 records cannot be copied unchanged: see errors.csv, and fix them in the extract)",
    );
  });

  it("mentions no rejects if none were written", () => {
    expect(summaryText(reportOf(MIXED, { folder: "out" }))).toMatch(/\nReport {2}out\n$/);
  });

  it("says how many records have each status, where the report is, and how to continue", () => {
    const next = "migrate push out/rejects.csv";
    expect(summaryText(reportOf(MIXED, { folder: "out", next, leftOut: 0 }))).toBe(
      `validate accounts.csv: 5 records
  1  valid      no errors
  1  invalid    not sent: the data has errors
  1  accepted   on the platform
  1  rejected   rejected by the platform: the data has errors
  1  ambiguous  outcome unknown: the platform may have received it

Report  out (rejects: 2 records to fix)
Next    migrate push out/rejects.csv
`,
    );
  });

  it("omits statuses without records, and the Report and Next lines if there is no report or next command", () => {
    expect(summaryText(reportOf(MIXED.slice(0, 1)))).toBe("validate accounts.csv: 1 record\n  1  valid  no errors\n");
  });

  it("omits the meanings of statuses on a narrow screen", () => {
    expect(summaryText(reportOf(MIXED.slice(0, 1), { width: 20 }))).toBe(
      "validate accounts.csv: 1 record\n  1  valid\n",
    );
  });

  it("shows the meaning of blocked records if others were rejected", () => {
    const waits = {
      attr: "ref",
      code: "account_not_found",
      after: "import-account",
      severity: "error",
      by: "local",
    } as const;
    const blocked = { record: 6, source: { file: "a.csv", line: 7 }, status: "blocked", problems: [waits] } as const;
    expect(summaryText(reportOf([...MIXED, blocked]))).toContain(
      "  1  blocked    stopped by the platform, or waits for another record\n",
    );
  });

  it("escapes control characters in file names", () => {
    const text = summaryText(reportOf(MIXED.slice(0, 1), { title: "validate a\u001b[31m\n.csv", folder: "o\u202Eut" }));
    expect(text).toBe("validate a\\u001b[31m\\u000a.csv: 1 record\n  1  valid  no errors\n\nReport  o\\u202eut\n");
  });
});
