import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { RunFacts } from "../../../src/report/report.ts";
import { corpus } from "../../conformance/corpora.ts";
import { MIXED } from "../reports.ts";
import { describeInChromium } from "./chromium.ts";
import { axeViolations, invalidCell, pageFile, pageText } from "./pages.ts";

const RUN: RunFacts = {
  command: "push",
  id: "20261122-2103-7f3a",
  startedAt: "2026-11-22T21:03:00.000Z",
  finishedAt: "2026-11-22T21:05:30.000Z",
  target: "api.example.com",
  supplier: "ACME",
  operation: "import-account",
  dryRun: false,
  timeline: {
    slotSeconds: 5,
    slots: [
      { at: "2026-11-22T21:03:00.000Z", counts: { accepted: 40, rejected: 2 } },
      { at: "2026-11-22T21:03:20.000Z", counts: { accepted: 12, ambiguous: 1, pending: 3 } },
    ],
  },
};

/** Three causes: two in columns of one file, and one in another file. */
const THREE_CAUSES: readonly Outcome[] = [
  ...[2, 3, 4, 5].map((line) => invalidCell(line)),
  ...[6, 7].map((line) => invalidCell(line, { column: "POSTCODE", code: "no_postcode", detail: "Not a postcode." })),
  invalidCell(8, { file: "customers.csv", column: "DOB", code: "no_date", detail: "Not a date.", shape: "99-99" }),
];

describe("the page of a report", () => {
  it("says in one sentence what happened, ranks the causes by records, and says how to fix each", async () => {
    const text = await pageText([...THREE_CAUSES, ...MIXED.map((one) => ({ ...one, record: one.record + 100 }))]);
    expect(text).toContain(
      "<h1>1 of 12 records is on the platform, 1 is ready to be sent, 9 need work, and 1 has an unknown",
    );
    const titles = [...text.matchAll(/<h3[^>]*>([^<]*)</g)].map(([, title]) => title);
    expect(titles.slice(0, 2)).toEqual(["The platform: Not a phone number.", "The platform: Not a postcode."]);
    expect(titles).toHaveLength(7);
    expect(text.split("What to do").length - 1).toBe(7);
  });

  it("contains values only on request", async () => {
    expect(await pageText(MIXED)).not.toContain("31/12/1980");
    expect(await pageText(MIXED)).toContain("99/99/9{4}");
    const shown = await pageText(MIXED, { showValues: true });
    expect(shown).toContain("31/12/1980");
    expect(shown).toContain("This page contains customer data.");
  });

  it("renders a report without errors, and one without records", async () => {
    const [valid] = MIXED;
    expect(await pageText(valid ? [valid] : [])).toContain("<h1>The only record is ready to be sent.</h1>");
    expect(await pageText([])).toContain("<h1>No record was read.</h1>");
  });

  it("is the same each time it is written", async () => {
    expect(await pageText(MIXED, { run: RUN })).toBe(await pageText(MIXED, { run: RUN }));
  });

  it("forbids everything except its own style and script", async () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(await pageText(MIXED))?.[1];
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^ ]+'; script-src 'sha256-[^ ]+'; base-uri 'none'; /,
    );
    expect(policy).not.toContain("unsafe");
  });
});

describeInChromium("the page of a report", (open) => {
  it.each([
    ["light", 1280],
    ["light", 375],
    ["dark", 1280],
    ["dark", 375],
  ] as const)("has no axe violations, %s and %d wide, with all rows open", async (colorScheme, width) => {
    const file = await pageFile([...MIXED, ...THREE_CAUSES], { run: RUN, showValues: true });
    const { page, complaints, requests } = await open(file, { colorScheme, width });
    for (const summary of await page.locator("summary").all()) await summary.click();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });

  it("filters by file, column and code, and says how many rows are shown", async () => {
    const { page } = await open(await pageFile(THREE_CAUSES));
    const shown = page.locator(".cause:visible h3");
    const found = page.getByRole("status");
    await page.locator("#file").selectOption("accounts.csv");
    await expect.poll(() => found.textContent()).toBe("6 places in 2 causes, of 7 in 3.");
    expect(await shown.allTextContents()).toEqual([
      "The platform: Not a phone number.",
      "The platform: Not a postcode.",
    ]);
    await page.locator("#column").selectOption("POSTCODE");
    await expect.poll(() => found.textContent()).toBe("2 places in 1 cause, of 7 in 3.");
    await page.locator("#code").selectOption("no_date");
    await expect.poll(() => found.textContent()).toBe("No matches.");
    expect(await shown.count()).toBe(0);
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => shown.count()).toBe(3);
    expect(await found.textContent()).toBe("");
  });

  it("opens the rows that a search finds", async () => {
    const { page } = await open(await pageFile(THREE_CAUSES));
    await page.getByLabel("Search").fill("k-7");
    await expect.poll(() => page.getByRole("status").textContent()).toBe("1 place in 1 cause, of 7 in 3.");
    const cells = page.locator(".cause:visible tbody td");
    expect(await cells.allTextContents()).toEqual(["K-7", "accounts.csv", "7", "POSTCODE", "9{5}"]);
  });

  it("closes the causes that a search has opened when it no longer finds them, and when it is cleared", async () => {
    const { page } = await open(await pageFile(THREE_CAUSES));
    const opened = page.locator(".cause details[open]");
    await page.locator("#cause-2 summary").click();
    await page.getByLabel("Search").fill("p");
    await expect.poll(() => opened.count()).toBe(2);
    await page.getByLabel("Search").fill("postcode");
    await expect.poll(() => page.locator(".cause:visible").count()).toBe(1);
    expect(await page.locator("#cause-1 details[open]").count()).toBe(0);
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => page.locator(".cause:visible").count()).toBe(3);
    // The user opened this one.
    expect(await opened.count()).toBe(1);
    expect(await page.locator("#cause-2 details[open]").count()).toBe(1);
    await page.getByLabel("Search").fill("p");
    await expect.poll(() => opened.count()).toBe(2);
  });

  it("can be used with the keyboard alone", async () => {
    const { page } = await open(await pageFile(THREE_CAUSES));
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.getByLabel("Search").focus();
    await page.keyboard.type("postcode");
    await expect.poll(() => page.locator(".cause:visible").count()).toBe(1);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Clear");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".cause:visible").count()).toBe(3);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#cause-1 tbody tr").count()).toBe(4);
    const outline = "getComputedStyle(document.activeElement).outlineStyle";
    expect(await page.evaluate(outline)).toBe("solid");
  });

  it("shows more rows on request, and says where the others are", async () => {
    const { page } = await open(await pageFile(Array.from({ length: 150 }, (_, at) => invalidCell(at + 2))));
    await page.locator("summary").first().click();
    const rows = page.locator("#cause-1 tbody tr");
    await expect.poll(() => rows.count()).toBe(25);
    expect(await page.locator(".more").textContent()).toContain(
      "The first 25 of 100 rows on this page; 50 more are in errors.csv.",
    );
    await page.getByRole("button", { name: "Show more" }).click();
    expect(await rows.count()).toBe(100);
    expect(await page.evaluate("document.activeElement.textContent")).toContain("K-27");
  });

  it("opens and filters 100,000 errors in a small page", async () => {
    const outcomes = Array.from({ length: 100_000 }, (_, at) => {
      const cause = at % 150;
      return invalidCell(at + 2, { column: `COLUMN_${cause}`, code: `code_${cause}`, file: `file${at % 3}.csv` });
    });
    const { page, complaints } = await open(await pageFile(outcomes));
    const nodes = "document.querySelectorAll('*').length";
    expect(await page.evaluate(nodes)).toBeLessThan(5000);
    expect(await page.locator(".left-out").textContent()).toMatch(
      /33,300 problems of 50 further causes\.\s+They\s+are\s+in errors\.csv/,
    );
    await page.getByLabel("Search").fill("file1.csv");
    await expect
      .poll(() => page.getByRole("status").textContent())
      .toContain("rows on this page; errors.csv contains all rows.");
    expect(await page.evaluate(nodes)).toBeLessThan(8000);
    expect(complaints).toEqual([]);
  });

  it("prints the rows without the filters", async () => {
    const { page } = await open(await pageFile(THREE_CAUSES));
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("tbody tr:visible").count()).toBeGreaterThanOrEqual(7);
    expect(await page.locator(".filters").isVisible()).toBe(false);
  });

  it("runs no data as code, makes no request, and shows every naughty string as text", async () => {
    const { page, complaints, requests } = await open(
      await pageFile(naughty().map(hostile), { showValues: true, title: naughty().slice(0, 50).join(" ") }),
    );
    const titles = await page.locator("h3").allTextContents();
    expect(titles).toContain("The platform: </script><script>alert(1)</script>");
    expect(titles).toContain(String.raw`The platform: \u202egpj.exe`);
    for (const details of await page.locator("details").all()) {
      await details.evaluate((element) => element.setAttribute("open", ""));
    }
    await page.getByLabel("Search").fill("<script>");
    await expect.poll(() => page.getByRole("status").textContent()).not.toBe("");
    expect(await page.locator("script").count()).toBe(2);
    expect(await page.locator("body img, body iframe, body object, body embed, body link, body base").count()).toBe(0);
    const handlers =
      "[...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => name.startsWith('on'))).length";
    expect(await page.evaluate(handlers)).toBe(0);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });
});

const OWN = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  "\u202Egpj.exe",
  '"><img src=x onerror=alert(1)>',
  "${1}",
];

function naughty(): readonly string[] {
  const list = corpus("naughty-strings/blns.json");
  const loaded: unknown = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  return [...OWN, ...(Array.isArray(loaded) ? loaded.map(String) : [])];
}

/** Headers, keys, codes and messages of the platform. */
function hostile(text: string, at: number): Outcome {
  const place = { file: `f${text}`, line: 3, column: text, columnNumber: 1 };
  const problem = { attr: text, code: text, detail: text, place, shape: text, value: text } as const;
  return {
    record: at + 1,
    key: text,
    source: { file: text, line: 2 },
    status: "rejected",
    problems: [{ ...problem, severity: "error", by: "platform" }],
  };
}
