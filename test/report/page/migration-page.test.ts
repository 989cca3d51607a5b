import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { MigrationReport } from "../../../src/model/migration-report.ts";
import { headline, writeMigrationPage } from "../../../src/report/page/migration-page.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { describeInChromium } from "./chromium.ts";
import { axeViolations } from "./pages.ts";

const HOSTILE = '</style><script>alert(1)</script><img src=x onerror="alert(2)">';

const REPORT: MigrationReport = {
  format: "migrate-migration/1",
  tool: "energy-migrate/1.0.0",
  madeAt: "2026-11-27T01:59:00.000Z",
  destinations: [
    {
      target: "api.example.com",
      supplier: "SPRING",
      operation: "import-account",
      records: 160,
      states: { accepted: 135, outdated: 20, rejected: 2, excluded: 3 },
      accepted: [
        { day: "2026-11-20", records: 100 },
        { day: "2026-11-23", records: 55 },
      ],
    },
    { target: "other.example", supplier: "", operation: HOSTILE, records: 0, states: {}, accepted: [] },
  ],
  open: [
    { cause: "unique external_account_number", owner: "Migration team", records: 20, ages: [18, 2, 0] },
    { cause: HOSTILE, owner: HOSTILE, records: 2, ages: [0, 0, 2] },
  ],
  runs: [
    {
      id: "20261127-0159-05f2",
      startedAt: "2026-11-27T01:59:00.000Z",
      by: HOSTILE,
      state: "complete",
      records: 160,
      counts: { skipped: 128, invalid: 19 },
    },
  ],
};

async function fileOf(report: MigrationReport): Promise<string> {
  const pieces: string[] = [];
  await writeMigrationPage(report, (piece) => {
    pieces.push(String(piece));
  });
  const path = join(temporaryFolder(), "migration.html");
  writeFileSync(path, pieces.join(""));
  return path;
}

describeInChromium("the page of a migration", (open) => {
  it.each([
    ["light", 1280],
    ["dark", 375],
  ] as const)("has no axe violations and loads nothing (%s, %d pixels wide)", async (colorScheme, width) => {
    const { page, complaints, requests } = await open(await fileOf(REPORT), { colorScheme, width });
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });

  it("states how many records are done, and shows names as text", async () => {
    const { page } = await open(await fileOf(REPORT), { colorScheme: "light", width: 1280 });
    expect(await page.textContent("h1")).toBe(
      "135 of 160 records are on the platform with the latest content; 22 are open.",
    );
    expect(await page.locator("script, img").count()).toBe(0);
    expect(await page.locator("td", { hasText: "<script>" }).count()).toBe(2);
    expect(await page.locator(".timeline rect").count()).toBe(4);
  });

  it.each([
    [1, { accepted: 1 }, "1 of 1 record is on the platform with the latest content, and nothing is open."],
    [1, { rejected: 1 }, "0 of 1 record is on the platform with the latest content; 1 is open."],
    [3, { accepted: 1, invalid: 2 }, "1 of 3 records is on the platform with the latest content; 2 are open."],
  ])("has a headline for %d records in the states %j", (records, states, expected) => {
    const [first] = REPORT.destinations;
    expect(headline(first === undefined ? [] : [{ ...first, records, states }])).toBe(expected);
  });

  it("says that nothing is open", async () => {
    const [first] = REPORT.destinations;
    if (first === undefined) throw new Error("no destination");
    const done = { ...first, records: 138, states: { accepted: 135, excluded: 3 } };
    const { page } = await open(await fileOf({ ...REPORT, destinations: [done], open: [] }), {
      colorScheme: "light",
      width: 1280,
    });
    expect(await page.textContent("h1")).toBe(
      "135 of 138 records are on the platform with the latest content, and nothing is open.",
    );
    expect(await page.textContent("main")).toContain("No records are open.");
  });
});
