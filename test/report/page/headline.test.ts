import { describe, expect, it } from "vitest";
import type { Summary } from "../../../src/model/outcome.ts";
import { headline } from "../../../src/report/page/report-page.ts";
import { reportOf } from "../reports.ts";

type Counts = Summary["counts"];

function said(counts: Counts, command: "validate" | "push" = "validate", dryRun = false): string {
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const summary = { records, counts, errors: {}, warnings: {}, exitCode: 0 };
  const facts = { startedAt: "2026-11-22T21:03:00.000Z", target: "", supplier: "", operation: "", dryRun };
  return headline({ ...reportOf([]), summary, run: { command, ...facts } });
}

describe("headline", () => {
  it.each<[string, Counts, "validate" | "push"]>([
    ["No records were read.", {}, "validate"],
    ["All 2,000 records are ready to be sent.", { valid: 2000 }, "validate"],
    ["204 of 223 records are ready to be sent, and 19 need work.", { valid: 204, invalid: 19 }, "validate"],
    ["The only record is on the platform.", { accepted: 1 }, "push"],
    ["Both records are on the platform.", { accepted: 1, skipped: 1 }, "push"],
    [
      "197 of 226 records are on the platform, 26 need work, 1 has an unknown outcome, and 2 are still to be sent or finished.",
      { accepted: 190, skipped: 7, invalid: 18, rejected: 7, duplicate: 1, ambiguous: 1, blocked: 1, pending: 1 },
      "push",
    ],
  ])("summarises the counts: %s", (sentence, counts, command) => {
    expect(said(counts, command)).toBe(sentence);
  });

  it("counts the records that a dry run could send", () => {
    expect(said({ valid: 3 }, "push", true)).toBe("All 3 records are ready to be sent.");
  });
});
