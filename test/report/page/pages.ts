import { writeFileSync } from "node:fs";
import path from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import { createCauseCollector } from "../../../src/report/page/collect-rows.ts";
import { writeReportPage } from "../../../src/report/page/report-page.ts";
import type { Rejects } from "../../../src/report/rejects/write-rejects.ts";
import { outcomesWithProblems, type Report } from "../../../src/report/report.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { rendered, reportOf } from "../reports.ts";

/** Returns the HTML page of a report on these outcomes. */
export async function pageText(
  outcomes: readonly Outcome[],
  { rejects, ...more }: Partial<Report> & { readonly rejects?: Rejects } = {},
): Promise<string> {
  const report = reportOf(outcomes, more);
  const collector = createCauseCollector(report);
  for await (const batch of outcomesWithProblems(report)) collector.add(batch);
  return rendered((shown, write) => writeReportPage(shown, collector, rejects, write), report);
}

/** Writes the page of a report on these outcomes to a file, and returns its path. */
export async function pageFile(
  outcomes: readonly Outcome[],
  more: Parameters<typeof pageText>[1] = {},
): Promise<string> {
  const file = path.join(temporaryFolder(), "report.html");
  writeFileSync(file, await pageText(outcomes, more));
  return file;
}

/** Returns the violations that axe finds in a page: each rule, with the first element that breaks it. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const found: unknown = await page.evaluate(`${axe.source}
    axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`);
  if (!Array.isArray(found)) throw new Error("axe returned no list");
  return found.map(String);
}

/** Expects no accessibility violations in light, dark and narrow pages. */
export async function expectAccessible(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  expect(await axeViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await axeViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 768, height: 1000 });
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  await page.setViewportSize({ width, height });
}

/** Returns the outcome of the record at this line, with a problem in a column of a file. */
export function invalidCell(
  line: number,
  { file = "accounts.csv", column = "PHONE", code = "no_phone", shape = "9{5}", detail = "Not a phone number." } = {},
): Outcome {
  return {
    record: line,
    key: `K-${line}`,
    source: { file: "accounts.csv", line },
    status: "rejected",
    problems: [
      {
        attr: column.toLowerCase(),
        code,
        detail,
        severity: "error",
        by: "platform",
        shape,
        place: { file, line, column, columnNumber: 1 },
      },
    ],
  };
}
