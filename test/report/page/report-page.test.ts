import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { RunFacts } from "../../../src/report/report.ts";
import { corpus } from "../../conformance/corpora.ts";
import { reporters } from "../../../src/report/formats/reporters.ts";
import { MIXED, rendered, reportOf } from "../reports.ts";
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

/** Returns the text of a page, or of part of a page, without styles and scripts. */
function textOf(markup: string): string {
  return markup.replaceAll(/<(style|script)[^>]*>.*?<\/\1>|<[^>]*>|\s+/gs, " ").replaceAll(/ +/g, " ");
}

/** Returns the outcome of a record with a cell that does not match the pattern of the fields to which it is mapped. */
function patternCell(line: number, as: string, attrs: readonly string[] = ["post_code"]): Outcome {
  const place = { file: "accounts.csv", line, column: "POST_CODE", columnNumber: 2 };
  const problems = attrs.map(
    (attr) =>
      ({ attr, code: "invalid", expected: "pattern", written: { as }, severity: "error", by: "local", place }) as const,
  );
  return { ...invalidCell(line), status: "invalid", problems };
}

describe("the page of a report", () => {
  it("says what happened in one sentence, ranks the causes by records, and says how to fix each cause", async () => {
    const text = await pageText([...THREE_CAUSES, ...MIXED.map((one) => ({ ...one, record: one.record + 100 }))]);
    expect(text).toContain(
      "<h1>1 of 12 records is on the platform, 1 is ready to be sent, 9 need work, and 1 has an unknown",
    );
    const titles = [...text.matchAll(/<h3[^>]*>([^<]*)</g)].map(([, title]) => title);
    expect(titles.slice(0, 2)).toEqual([
      "Phone is not accepted by the platform",
      "Postcode is not accepted by the platform",
    ]);
    expect(titles).toHaveLength(7);
    expect(text.split("What to do</span>").length - 1).toBe(7);
  });

  it("distinguishes causes with the same title in the chart", async () => {
    const text = textOf(
      await pageText([patternCell(2, "^a$"), invalidCell(3, { column: "POST_CODE", code: "invalid" })]),
    );
    expect(text).toMatch(
      /Post code is not valid POST_CODE in accounts\.csv 1 .*POST_CODE in accounts\.csv, found by the platform/,
    );
  });

  it("contains values only on request", async () => {
    expect(await pageText(MIXED)).not.toContain("31/12/1980");
    expect(await pageText(MIXED)).toContain("99/99/9{4}");
    const shown = await pageText(MIXED, { showValues: true });
    expect(shown).toContain("31/12/1980");
    expect(shown).toContain("This page contains customer data.");
  });

  it("says first which files to correct and how to return them, with links", async () => {
    const rejects = {
      files: ["rejects.csv", "rejects.meter%20points.csv"].map((name) => ({
        path: `out/${name}`,
        rows: 1,
        sha256: "",
      })),
      leftOut: 1,
    };
    const steps = textOf(await pageText(MIXED, { rejects, run: RUN }));
    expect(steps).toMatch(/What to do first Open rejects\.csv and rejects\.meter%20points\.csv , next to this page\./);
    expect(steps).toContain("1 record is not in these files: see errors.csv.");
    expect(steps).toContain("Return the files to the migration team, which sends them with migrate push --rejects .");
    expect(steps.indexOf("What to do first")).toBeLessThan(steps.indexOf("Records"));
    expect(await pageText(MIXED, { rejects })).toContain('<a href="rejects.meter%2520points.csv">');
  });

  it("names the owner, the deadline and the workbook", async () => {
    const owner = { name: "Data office", address: "data@example.com", due: "2026-12-02" };
    const files = ["rejects.csv", "rejects.notes.ndjson"].map((name) => ({ path: name, rows: 1, sha256: "" }));
    const workbook = { sheets: {} };
    const text = textOf(await pageText(MIXED, { owner, rejects: { files, leftOut: 0, workbook } }));
    expect(text).toMatch(/Owner Data office Address data@example\.com Return by 2026-12-02/);
    expect(text).toMatch(
      /Open rejects\.xlsx , next .* You can correct rejects\.csv instead, but do not correct both\. Also correct rejects\.notes\.ndjson/,
    );
    expect(text).toContain("Return the folder to the sender by 2026-12-02.");
  });

  it("says what to do if there are no rejects files, and omits the advice if no record needs correction", async () => {
    expect(textOf(await pageText(MIXED))).toContain("Correct the cells listed below in the source files");
    expect(await pageText(MIXED.filter(({ status }) => status !== "invalid" && status !== "rejected"))).not.toContain(
      "What to do first",
    );
  });

  it("describes a pattern in words, or shows the pattern itself if there is no description", async () => {
    const [invalid, unclear] = [[patternCell(2, "^[A-Z]{1,2}[0-9]$")], [patternCell(3, "^(?=.*x).*$")]] as const;
    const described = textOf(await pageText(invalid));
    expect(described).toMatch(/Post code is not valid 1 record held back POST_CODE in accounts\.csv post_code invalid/);
    expect(described).toContain("Required form: 1-2 capital letters, then 1 digit.");
    expect(described).toContain("Pattern, for the migration team ^[A-Z]{1,2}[0-9]$");
    expect(textOf(await pageText(unclear))).toContain("Required pattern, for the migration team: ^(?=.*x).*$");
  });

  it("names fields as the contract does", async () => {
    const text = textOf(await pageText([patternCell(2, "^a$")], { fieldTitle: () => "Postal code" }));
    expect(text).toContain("Postal code is not valid");
  });

  it("shows a cell with two errors only once, and counts the errors in the same way as other formats", async () => {
    const cells = [2, 3].map((line) => patternCell(line, "^a$", ["post_code", "supply.0.code"]));
    const text = textOf(await pageText(cells));
    expect(text).toContain("4 errors in 2 places have 2 causes. Errors in the same cell are shown together.");
    expect(text).toContain("Also found in the same cells: Code is not valid supply.*.code invalid");
    expect(await rendered(reporters.text, reportOf(cells))).toContain("4 errors, 2 causes");
    expect(text.match(/records held back/g)).toHaveLength(1);
  });

  it("explains shapes only once, next to the first shape, and shows an example of each cause", async () => {
    const markup = await pageText(THREE_CAUSES);
    const cards = markup.split("<article").slice(1).map(textOf);
    expect(cards.map((card) => card.includes("The values themselves are not shown: A stands for"))).toEqual([
      true,
      false,
      false,
    ]);
    expect(cards[1]).toContain("First found in accounts.csv, line 6, column POSTCODE , record K-6.");
    expect(cards[2]).toContain("Found in customers.csv, line 8, column DOB , record K-8.");
    expect(markup.match(/<details class="places">/g)).toHaveLength(2);
  });

  it("renders a report without errors and a report without records", async () => {
    const [valid] = MIXED;
    expect(await pageText(valid ? [valid] : [])).toContain("<h1>The only record is ready to be sent.</h1>");
    expect(await pageText([])).toContain("<h1>No records were read.</h1>");
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
  ] as const)("has no axe violations with all rows open (%s, %d pixels wide)", async (colorScheme, width) => {
    const rejects = { files: [{ path: "rejects.csv", rows: 1, sha256: "" }], leftOut: 0 };
    const folded = patternCell(90, "^[A-Z]{2}$", ["post_code", "supply.0.code"]);
    const outcomes = [...MIXED, ...THREE_CAUSES, folded, { ...folded, record: 91 }];
    const file = await pageFile(outcomes, { run: RUN, showValues: true, rejects });
    const { page, complaints, requests } = await open(file, { colorScheme, width });
    for (const summary of await page.locator("summary").all()) await summary.click();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });

  it("filters by file, column and code, and says how many places and causes are shown", async () => {
    const { page } = await open(await pageFile(THREE_CAUSES));
    const shown = page.locator(".cause:visible h3");
    const found = page.getByRole("status");
    await page.locator("#file").selectOption("accounts.csv");
    await expect.poll(() => found.textContent()).toBe("6 places in 2 causes, out of 7 places in 3 causes.");
    expect(await shown.allTextContents()).toEqual([
      "Phone is not accepted by the platform",
      "Postcode is not accepted by the platform",
    ]);
    await page.locator("#column").selectOption("POSTCODE");
    await expect.poll(() => found.textContent()).toBe("2 places in 1 cause, out of 7 places in 3 causes.");
    await page.locator("#code").selectOption("no_date");
    await expect.poll(() => found.textContent()).toBe("No matches.");
    expect(await shown.count()).toBe(0);
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => shown.count()).toBe(3);
    expect(await found.textContent()).toBe("");
  });

  it("lists the rows of a JSON source under the filter by column (the list used to be empty)", async () => {
    const cells = [3, 4].map((line): Outcome => {
      const outcome = invalidCell(line);
      const place = { file: "accounts.ndjson", line, pointer: `/phones/${line}/number` };
      return { ...outcome, problems: outcome.problems.map((problem) => ({ ...problem, place })) };
    });
    const { page } = await open(await pageFile([...cells, invalidCell(5)]));
    await page.locator("#column").selectOption("/phones/*/number");
    await expect
      .poll(() => page.getByRole("status").textContent())
      .toBe("2 places in 1 cause, out of 3 places in 1 cause.");
    await page.locator("#cause-1 details.places summary").click();
    await expect
      .poll(() => page.locator("#cause-1 tbody td:nth-child(4)").allTextContents())
      .toEqual(["/phones/3/number", "/phones/4/number"]);
    await page.locator("#search").fill("phones/4");
    await expect.poll(() => page.locator("#cause-1 tbody tr").count()).toBe(1);
  });

  it("filters by the code of a cell's second finding, and shows this finding in the rows", async () => {
    const cells = [2, 3, 4].map((line) => patternCell(line, "^a$"));
    const [invalid] = patternCell(5, "^a$").problems;
    if (invalid?.place === undefined) throw new Error("no cell");
    const { place } = invalid;
    const rule = { attr: "post_code", code: "wrong_region", severity: "error", by: "platform", detail: "No." } as const;
    const both: Outcome = { ...invalidCell(5), problems: [invalid, { ...rule, place }] };
    const { page } = await open(await pageFile([...cells, both]));
    await page.locator("#code").selectOption("wrong_region");
    await expect
      .poll(() => page.getByRole("status").textContent())
      .toBe("1 place in 1 cause, out of 4 places in 1 cause.");
    await page.locator("#cause-1 details.places summary").click();
    await expect.poll(() => page.locator("tbody tr").count()).toBeGreaterThan(0);
    expect(await page.locator("#cause-1 tbody td").last().textContent()).toBe(
      "Also: Post code is not accepted by the platform.",
    );
  });

  it("opens the pattern with the keyboard", async () => {
    const { page } = await open(await pageFile([patternCell(2, "^[A-Z]{2}$")]));
    const pattern = page.getByText("^[A-Z]{2}$", { exact: true });
    expect(await pattern.isVisible()).toBe(false);
    await page.locator(".form summary").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => pattern.isVisible()).toBe(true);
  });

  it("opens the rows that a search finds", async () => {
    const { page } = await open(await pageFile(THREE_CAUSES));
    await page.getByLabel("Search").fill("k-7");
    await expect
      .poll(() => page.getByRole("status").textContent())
      .toBe("1 place in 1 cause, out of 7 places in 3 causes.");
    const cells = page.locator(".cause:visible tbody td");
    expect(await cells.allTextContents()).toEqual(["K-7", "accounts.csv", "7", "POSTCODE", "9{5}"]);
  });

  it("closes the causes that a search has opened when the search no longer finds them or is cleared", async () => {
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
    // The user opened this cause.
    expect(await opened.count()).toBe(1);
    expect(await page.locator("#cause-2 details[open]").count()).toBe(1);
    await page.getByLabel("Search").fill("p");
    await expect.poll(() => opened.count()).toBe(2);
  });

  it("can be used with only the keyboard", async () => {
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

  it("shows more rows on request, and says where the remaining rows are", async () => {
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
      /33,300 problems with 50 further causes\. See errors\.csv/,
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

  it("never runs data as code, makes no requests, and shows every naughty string as text", async () => {
    const { page, complaints, requests } = await open(
      await pageFile(naughty().map(hostile), { showValues: true, title: naughty().slice(0, 50).join(" ") }),
    );
    const titles = await page.locator(".words").allTextContents();
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

/** Returns an outcome with this text as file, header, key, attr, code, message and value. */
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
