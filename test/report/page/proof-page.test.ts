import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Proof, RunProof } from "../../../src/model/proof.ts";
import { writeProofPage } from "../../../src/report/page/proof-page.ts";
import { corpus } from "../../conformance/corpora.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { describeInChromium } from "./chromium.ts";
import { axeViolations } from "./pages.ts";

const SHA = "588806563a9a0ad18fd5d9c4cce2b88787f08365cd9a8b29698b237ff278c2db";
const COUNTS = { inRecords: 218, orphans: 1, duplicates: 1, leftOut: 0, notPicked: 0, unaccounted: 0, blankLines: 2 };
const RUN: RunProof = {
  run: "20261122-1819-0fee",
  startedAt: "2026-11-22T18:19:00.000Z",
  finishedAt: "2026-11-22T18:25:00.000Z",
  exitCode: 1,
  dryRun: false,
  target: "api.example.com",
  supplier: "ACME",
  operation: "import-account",
  endpoint: "POST api.example.com/data-import/accounts",
  sources: [{ source: "accounts", file: "accounts.csv", bytes: 18_228, sha256: SHA, rows: 220, ...COUNTS }],
  setup: [{ file: "mapping.yaml", bytes: 2888, sha256: SHA }],
  records: { total: 220, byStatus: { accepted: 210, rejected: 10 }, leftOut: 0 },
  payloads: { same: 219, different: 0 },
  measures: [
    {
      name: "balance",
      attr: "balance",
      by: "currency",
      unreadable: 1,
      sums: [{ by: "GBP", source: "12.50", payloads: "12.50", sent: "12.50", accepted: "10.00", platform: "10.00" }],
    },
  ],
  differences: 3,
  platform: {
    askedAt: "2026-11-22T18:30:00.000Z",
    compared: ["billing_name", "balance"],
    found: 205,
    notCompared: 4,
    different: 0,
    absent: 1,
    unknown: 0,
    replaced: 2,
  },
};

function proofOf(run: Partial<RunProof> = {}): Proof {
  const coverage = [{ target: "api.example.com", supplier: "ACME", operation: "import", records: 220, accepted: 210 }];
  const files = { "rows-20261122-1819-0fee.csv": SHA };
  const made = { tool: "energy-migrate/0.1.0", madeAt: "2026-11-22T18:31:00.000Z" };
  return { format: "migrate-proof/1", ...made, runs: [{ ...RUN, ...run }], coverage, files };
}

async function pageOf(proof: Proof): Promise<string> {
  let text = "";
  await writeProofPage(proof, (piece) => {
    text += piece;
  });
  return text;
}

async function fileOf(proof: Proof): Promise<string> {
  const file = path.join(temporaryFolder(), "proof.html");
  writeFileSync(file, await pageOf(proof));
  return file;
}

describe("the page of a proof", () => {
  it("says in one sentence whether every record is accounted for", async () => {
    expect(await pageOf(proofOf())).toContain("<h1>All 220 rows are accounted for.</h1>");
    const [source] = RUN.sources;
    const lost = source && { sources: [{ ...source, inRecords: 217, unaccounted: 1 }] };
    expect(await pageOf(proofOf(lost))).toContain("<h1>Not proved: 1 row cannot be accounted for.</h1>");
    expect(await pageOf(proofOf({ payloads: { same: 218, different: 1 } }))).toContain("Not proved: 1 payload differs");
    expect(await pageOf(proofOf({ unreadable: "a.csv has changed", sources: [] }))).toContain("a.csv has changed");
  });

  it("contains no script", async () => {
    const text = await pageOf(proofOf());
    expect(text).not.toContain("<script");
    expect(text).toContain("script-src 'none'");
  });
});

describeInChromium("the page of a proof", (open) => {
  it.each([
    ["light", 1280],
    ["dark", 375],
  ] as const)("has no axe violations (%s, %d pixels wide)", async (colorScheme, width) => {
    const second = { ...RUN, run: "20261123-0900-aaaa" };
    const proof = { ...proofOf(), runs: [RUN, second] };
    const { page, complaints, requests } = await open(await fileOf(proof), { colorScheme, width });
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });

  it("prints every column of its tables on A4 paper", async () => {
    const file = `${"a_long_name_".repeat(8)}.csv`;
    const sources = RUN.sources.map((source) => ({ ...source, file, leftOut: 12_345_678, notPicked: 1 }));
    const { page } = await open(await fileOf(proofOf({ sources })), { width: 718 });
    await page.emulateMedia({ media: "print" });
    const cut = await page.evaluate(
      '[...document.querySelectorAll(".sheet")].filter((sheet) => sheet.scrollWidth > sheet.clientWidth).length',
    );
    expect({ cut, width: await page.evaluate("document.documentElement.scrollWidth") }).toEqual({ cut: 0, width: 718 });
  });

  it("shows every naughty string as text", async () => {
    const list = corpus("naughty-strings/blns.json");
    const loaded: unknown = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
    const naughty = ["</style><script>alert(1)</script>", ...(Array.isArray(loaded) ? loaded.map(String) : [])];
    const sources = naughty.map((text) => ({ source: text, file: text, bytes: 1, sha256: SHA, rows: 220, ...COUNTS }));
    const sums = naughty.map((by) => ({ by, source: "1", payloads: "1", sent: "1", accepted: "1" }));
    const measures = [{ name: naughty.join(" "), attr: naughty.join("."), unreadable: 0, sums }];
    const { page, complaints, requests } = await open(await fileOf(proofOf({ sources, measures })));
    expect(await page.locator("th").allTextContents()).toContain("</style><script>alert(1)</script>");
    expect(await page.locator("script, img, iframe, body link").count()).toBe(0);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });
});
