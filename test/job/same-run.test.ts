import { copyFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { JobSettings } from "../../src/job/job.ts";
import { describeRun, type RunSettings } from "../../src/job/settings/recorded-settings.ts";
import { differencesOf } from "../../src/job/settings/same-run.ts";
import type { NewRun } from "../../src/ledger/ledger.ts";
import { openThings, PUSH_SETTINGS, thingsFolder, writeThings } from "./sample-job.ts";

const clock = { now: () => 0 };

async function described(
  folder: string,
  more: Partial<JobSettings> = {},
  settings: Partial<RunSettings> = {},
): Promise<NewRun> {
  const job = await openThings(folder, more);
  return describeRun({ ...PUSH_SETTINGS, ...settings, dryRun: false }, { job, host: "t.example", clock });
}

/** As it comes out of a ledger. */
async function recorded(folder: string): Promise<NewRun> {
  const run = await described(folder, { supplier: "ACME" });
  return { ...run, settings: JSON.parse(JSON.stringify(run.settings)) };
}

const ROWS = ["A,Ann,,", "B,Ben,,"];

test("the same files in another folder, at another pace, with another report, are the same push", async () => {
  const other = await recorded(thingsFolder(ROWS));
  const pace = { concurrency: 3, maxConcurrency: 4, rps: 2 };
  const own = await described(thingsFolder(ROWS), { supplier: "ACME" }, { pace, out: "elsewhere", threads: 4 });
  expect(differencesOf(own, other)).toEqual([]);
});

test.each<readonly [name: string, more: Partial<JobSettings>, settings: Partial<RunSettings>]>([
  ["the import supplier", { supplier: "OTHER" }, {}],
  ["--limit", { limit: 1 }, {}],
  ["--only", { only: ["A"] }, {}],
  ["--delimiter", { delimiter: "," }, {}],
  ["the folders of documents", { documentRoot: "root" }, {}],
  ["--revise", {}, { revise: true }],
  ["--new-keys", {}, { newKeys: true }],
  ["--until", {}, { until: "validate" }],
  ["--send-invalid", {}, { sendInvalid: true }],
  ["the target", {}, { target: { ...PUSH_SETTINGS.target, baseUrl: "https://other.example/v1/" } }],
  ["the target", {}, { target: { ...PUSH_SETTINGS.target, baseUrl: "https://t.example/sandbox/v1/" } }],
])("another push differs in %s", async (name, more, settings) => {
  const other = await recorded(thingsFolder(ROWS));
  const own = await described(thingsFolder(ROWS), { supplier: "ACME", ...more }, settings);
  expect(differencesOf(own, other)).toEqual([name]);
});

test("another push differs in its files, each of which is named for what it is", async () => {
  const [one, two] = [thingsFolder(ROWS), thingsFolder(ROWS)];
  const other = await recorded(one);
  const differ = async (): Promise<readonly string[]> =>
    differencesOf(await described(two, { supplier: "ACME" }), other);
  writeThings(two, ROWS.toReversed());
  expect(await differ()).toEqual(["the input"]);
  writeThings(two, ROWS);
  for (const [file, name] of [
    ["mapping.yaml", "the mapping"],
    ["contract.yaml", "the contract"],
  ] as const) {
    writeFileSync(path.join(two, file), "\n", { flag: "a" });
    expect(await differ()).toEqual([name]);
    copyFileSync(path.join(one, file), path.join(two, file));
    expect(await differ()).toEqual([]);
  }
});

test("a run whose settings cannot be understood is no run to join", async () => {
  const own = await described(thingsFolder(ROWS));
  expect(differencesOf(own, { ...own, settings: { job: 1 } })).toEqual(["its settings"]);
});
