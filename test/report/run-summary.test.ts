import { describe, expect, it } from "vitest";
import { summaryText } from "../../src/report/run-summary.ts";
import { MIXED, reportOf } from "./reports.ts";

describe("summaryText", () => {
  it("says how many rows are missing from the rejects", () => {
    expect(summaryText(reportOf(MIXED, { folder: "out", leftOut: 3 }))).toContain(
      "(rejects: 2 records to mend, but for 3 that cannot be copied unchanged: mend them in the extract, ",
    );
  });

  it("says how many records of which status, where the report lies, and how to go on", () => {
    const next = "migrate push out/rejects.csv";
    expect(summaryText(reportOf(MIXED, { folder: "out", next }))).toBe(
      `validate accounts.csv: 5 records
  1  valid      nothing to mend
  1  invalid    not sent: the data has errors
  1  accepted   on the platform
  1  rejected   refused by the platform: the data has errors
  1  ambiguous  sent without a clear answer: may have arrived

Report  out (rejects: 2 records to mend)
Next    migrate push out/rejects.csv
`,
    );
  });

  it("leaves out statuses without records, and a report or next command that does not exist", () => {
    expect(summaryText(reportOf(MIXED.slice(0, 1)))).toBe(
      "validate accounts.csv: 1 record\n  1  valid  nothing to mend\n",
    );
  });

  it("leaves out the meanings of statuses on a narrow screen", () => {
    expect(summaryText(reportOf(MIXED.slice(0, 1), { width: 20 }))).toBe(
      "validate accounts.csv: 1 record\n  1  valid\n",
    );
  });

  it("shows no control characters of a file's name", () => {
    const text = summaryText(reportOf(MIXED.slice(0, 1), { title: "validate a\u001b[31m\n.csv", folder: "o\u202Eut" }));
    expect(text).toBe(
      "validate a\\u001b[31m\\u000a.csv: 1 record\n  1  valid  nothing to mend\n\nReport  o\\u202eut\n",
    );
  });
});
