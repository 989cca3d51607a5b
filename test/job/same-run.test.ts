import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { JobSettings } from "../../src/job/settings/job-settings.ts";
import { changedFiles, filesChanged } from "../../src/job/settings/recorded-files.ts";
import { describeRun, type RunSettings, settingsOf } from "../../src/job/settings/recorded-settings.ts";
import { differencesOf } from "../../src/job/settings/same-run.ts";
import type { NewRun } from "../../src/ledger/records/run.ts";
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

/** Returns a run with its settings as the ledger returns them. */
async function recorded(folder: string): Promise<NewRun> {
  const run = await described(folder, { supplier: "ACME" });
  return { ...run, settings: JSON.parse(JSON.stringify(run.settings)) };
}

const ROWS = ["A,Ann,,", "B,Ben,,"];

test("a push with the same files but another folder and report folder has the same settings", async () => {
  const other = await recorded(thingsFolder(ROWS));
  const own = await described(thingsFolder(ROWS), { supplier: "ACME" }, { out: "elsewhere", threads: 4 });
  expect(differencesOf(own, other)).toEqual([]);
});

const LIMITS: Partial<RunSettings> = { pace: { concurrency: 3, maxConcurrency: 4, rps: 2 }, maxErrors: { count: 5 } };

test("a push that sets no limits has the same settings as a run with limits", async () => {
  const folder = thingsFolder(ROWS);
  const other = await described(folder, {}, LIMITS);
  expect(differencesOf(await described(folder), other)).toEqual([]);
  expect(differencesOf(await described(folder, {}, LIMITS), other)).toEqual([]);
});

test.each<readonly [name: string, more: Partial<JobSettings>, settings: Partial<RunSettings>]>([
  ["the import supplier", { supplier: "OTHER" }, {}],
  ["--limit", { limit: 1 }, {}],
  ["--only", { only: ["A"] }, {}],
  ["--delimiter", { delimiter: "," }, {}],
  ["the document folders", { documentRoot: "root" }, {}],
  ["--revise", {}, { revise: true }],
  ["--new-keys", {}, { newKeys: true }],
  ["--until", {}, { until: "validate" }],
  ["--send-invalid", {}, { sendInvalid: true }],
  ["--canary", {}, { canary: 5 }],
  ["--max-errors", {}, { maxErrors: { count: 1 } }],
  ["--concurrency", {}, { pace: { concurrency: 1, maxConcurrency: 16 } }],
  ["--rps", {}, { pace: { concurrency: "auto", maxConcurrency: 16, rps: 1 } }],
  ["the target", {}, { target: { ...PUSH_SETTINGS.target, baseUrl: "https://other.example/v1/" } }],
  ["the target", {}, { target: { ...PUSH_SETTINGS.target, baseUrl: "https://t.example/sandbox/v1/" } }],
])("a push with another value differs in %s", async (name, more, settings) => {
  const other = await recorded(thingsFolder(ROWS));
  const own = await described(thingsFolder(ROWS), { supplier: "ACME", ...more }, settings);
  expect(differencesOf(own, other)).toEqual([name]);
});

test("a push with other files differs, and each difference names the kind of file", async () => {
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

test("a run with other lookup lists or functions cannot be joined, and each changed file is named", async () => {
  const folder = thingsFolder(ROWS);
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  const mapping = readFileSync(path.join(folder, "mapping.yaml"), "utf8");
  const named = mapping
    .replace("name: NAME", "name: { from: NAME, call: nameOf }")
    .replace("file: FILE", "file: { from: FILE, lookup: names.csv, otherwise: keep }");
  write("mapping.yaml", `functions: ./functions.mjs\n${named}`);
  write("names.csv", "from,to\nAnn,Anna\n");
  write("functions.mjs", 'export { nameOf } from "./inner/names.mjs";\n');
  mkdirSync(path.join(folder, "inner"));
  write("inner/names.mjs", "export const nameOf = (value) => value;\n");
  const other = await recorded(folder);
  for (const [file, difference, kind] of [
    ["names.csv", "the lookup lists", "the lookup list"],
    ["inner/names.mjs", "the function files", "the function file"],
  ] as const) {
    const before = readFileSync(path.join(folder, file), "utf8");
    writeFileSync(path.join(folder, file), "\n", { flag: "a" });
    expect(differencesOf(await described(folder, { supplier: "ACME" }), other)).toEqual([difference]);
    const changed = await changedFiles(settingsOf({ ...other, id: "1", state: "sending" }));
    expect(filesChanged(changed)).toMatchObject({
      message: expect.stringMatching(new RegExp(`${kind} .*${path.basename(file)} has changed$`)),
      hint: expect.stringContaining("may give records different keys"),
    });
    writeFileSync(path.join(folder, file), before);
  }
});

test("a run whose settings cannot be parsed cannot be joined", async () => {
  const own = await described(thingsFolder(ROWS));
  expect(differencesOf(own, { ...own, settings: { job: 1 } })).toEqual(["the recorded settings"]);
});
