import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  CONTRACT,
  type Extract,
  goodAccounts,
  latestRun,
  outcomeLines,
  useSandbox,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";

const { sandbox } = useSandbox();

/** The customers of EXT-00003 and EXT-00004 have no account. */
const EARLY: Extract = { accounts: goodAccounts(2), customers: goodAccounts(4) };

async function pushed(extract: Extract = EARLY): Promise<Workplace> {
  const work = workplace(extract, sandbox);
  expect((await work.push()).code).toBe(1);
  return work;
}

/** Returns the places of open rows without a key. */
async function openRows(work: Workplace): Promise<readonly string[]> {
  const { stdout } = await work.migrate(["open", "--format", "ndjson"]);
  const records = stdout.split("\n").flatMap((line): readonly OpenLine[] => (line === "" ? [] : [JSON.parse(line)]));
  return records.flatMap(({ key, source }) => (key === undefined ? [`${source.file}:${source.line}`] : [])).toSorted();
}

interface OpenLine {
  readonly key?: string;
  readonly source: { readonly file: string; readonly line: number };
}

/** Pushes an extract whose files have different names. */
async function pushSecond(work: Workplace, extract: Extract): Promise<void> {
  const files = ["accounts.csv", "customers.csv"];
  for (const name of files) renameSync(work.file(name), work.file(`first-${name}`));
  writeExtract(work.folder, extract);
  for (const name of files) {
    renameSync(work.file(name), work.file(`second-${name}`));
    renameSync(work.file(`first-${name}`), work.file(name));
  }
  await pushFiles(work, "second-accounts.csv", "second-customers.csv");
}

async function pushFiles(work: Workplace, accounts: string, customers: string): Promise<void> {
  const sources = [accounts, "--source", `customers=${customers}`];
  const { stderr } = await work.migrate(["push", ...sources, "--contract", CONTRACT, "--mapping", "mapping.yaml"]);
  expect(stderr).toContain(`push ${accounts}`);
}

const BOTH = ["customers.csv:4", "customers.csv:5"];

test("rows without a parent are open until their parents arrive in files with the same names", async () => {
  const work = await pushed();
  expect(await openRows(work)).toEqual(BOTH);
  writeExtract(work.folder, { accounts: goodAccounts(3), customers: goodAccounts(4) });
  await work.push();
  expect(await openRows(work)).toEqual(["customers.csv:5"]);
  writeExtract(work.folder, { accounts: goodAccounts(4) });
  await work.push();
  expect(await openRows(work)).toEqual([]);
});

test("rows without a parent are open until their parents arrive in files with other names", async () => {
  const work = await pushed();
  await pushSecond(work, { accounts: goodAccounts(3), customers: goodAccounts(4) });
  expect(await openRows(work)).toEqual(["second-customers.csv:5"]);
  await pushSecond(work, { accounts: goodAccounts(4) });
  expect(await openRows(work)).toEqual([]);
});

test("objects without a parent are open until their parents arrive in files with other names", async () => {
  const work = workplace({ accounts: goodAccounts(2) }, sandbox);
  const customers = [1, 2, 3, 4].map((number) => ({ REF: `EXT-0000${number}`, LAST: "Hughes", FIRST: "Amina" }));
  writeFileSync(work.file("one.ndjson"), customers.map((each) => `${JSON.stringify(each)}\n`).join(""));
  await pushFiles(work, "accounts.csv", "one.ndjson");
  expect(await openRows(work)).toEqual(["one.ndjson:3", "one.ndjson:4"]);
  writeExtract(work.folder, { accounts: goodAccounts(3) });
  writeFileSync(work.file("two.json"), JSON.stringify(customers.toReversed(), undefined, 2));
  await pushFiles(work, "accounts.csv", "two.json");
  expect(await openRows(work)).toEqual([expect.stringContaining("two.json:")]);
});

test("a row that was corrected or removed in a file with the same name is no longer open", async () => {
  const work = await pushed();
  writeExtract(work.folder, {
    accounts: goodAccounts(2),
    customers: [...goodAccounts(2), { REF: "EXT-00001", SEQ: "2" }],
  });
  await work.push();
  expect(await openRows(work)).toEqual([]);
});

test("a row stays open if a file with another name does not contain the row", async () => {
  const work = await pushed();
  await pushSecond(work, { accounts: goodAccounts(4), customers: goodAccounts(2) });
  expect(await openRows(work)).toEqual(BOTH);
});

test("a row stays open when another folder contains a file with the same name", async () => {
  const [north, south] = [workplace(EARLY, sandbox), workplace({ accounts: goodAccounts(2) }, sandbox)];
  expect((await north.push()).code).toBe(1);
  expect((await south.push(["--ledger", north.file(".migrate/ledger.db")])).code).toBe(0);
  expect(await openRows(north)).toEqual(BOTH);
});

test("a push of only some records closes no open rows", async () => {
  const work = await pushed({ ...EARLY, accounts: [...goodAccounts(2), { REF: "" }] });
  const open = ["accounts.csv:4", ...BOTH];
  expect(await openRows(work)).toEqual(open);
  await work.push(["--limit", "1"]);
  expect(await openRows(work)).toEqual(open);
  await work.push(["--only", "EXT-00002"]);
  expect(await openRows(work)).toEqual(open);
  await work.push(["--dry-run"]);
  expect(await openRows(work)).toEqual(open);
});

test("exported rows are no longer open after the rejects are re-imported, unless they still have no parent", async () => {
  const work = await pushed();
  cpSync(work.file(`.migrate/runs/${await latestRun(work)}`), work.file("rejects"), { recursive: true });
  const file = work.file("rejects/rejects.customers.csv");
  const [header = "", corrected = "", left = ""] = readFileSync(file, "utf8").trimEnd().split(/\r?\n/);
  expect([header, corrected, left]).toEqual([
    expect.stringMatching(/^REF,/),
    expect.stringMatching(/^EXT-00003,/),
    expect.stringMatching(/^EXT-00004,/),
  ]);
  writeFileSync(file, [header, left, ""].join("\n"));
  await work.migrate(["push", "--rejects", "rejects"]);
  expect(await openRows(work)).toEqual(["rejects/rejects.customers.csv:2"]);
});

test("a record whose key was corrected in the rejects is open under its new key only", async () => {
  const work = await pushed({ accounts: [{ REF: "EXT-1" }, { REF: "1.5E+06" }, { REF: "2.5E+06" }] });
  cpSync(work.file(`.migrate/runs/${await latestRun(work)}`), work.file("rejects"), { recursive: true });
  const openKeys = async (): Promise<readonly (string | undefined)[]> =>
    outcomeLines((await work.migrate(["open", "--format", "ndjson"])).stdout).map(({ key }) => key);
  expect(await openKeys()).toEqual(["1.5E+06", "2.5E+06"]);
  for (const name of ["rejects.csv", "rejects.customers.csv"]) {
    const rows = readFileSync(work.file("rejects", name), "utf8").split("\n");
    const kept = rows.filter((row) => !row.startsWith("2.5E+06"));
    writeFileSync(work.file("rejects", name), kept.join("\n").replaceAll(/^1\.5E\+06/gm, "1500001"));
  }
  const again = await work.migrate(["push", "--rejects", "rejects", "--accept-changes"]);
  expect(again.stderr).toContain("1  accepted");
  expect(await openKeys()).toEqual(["2.5E+06"]);
  expect((await work.migrate(["status"])).stdout).toContain("2 of 3 records");
  expect((await work.migrate(["ledger", "check"])).code).toBe(0);
});

test("a row without a key can be excluded by its place, and the exclusion can be undone", async () => {
  const work = await pushed();
  const excluded = await work.migrate(["exclude", "customers.csv:4", "--reason", "corrected in the second extract"]);
  expect([excluded.code, excluded.stdout]).toEqual([0, "1 record excluded from the migration\n"]);
  expect(await openRows(work)).toEqual(["customers.csv:5"]);
  expect((await work.migrate(["status"])).stdout).toMatch(/rows without a key +1$/m);
  expect((await work.migrate(["exclude"])).stdout).toMatch(/^customers\.csv:4 .* corrected in the second extract$/m);
  const repeated = await work.migrate(["exclude", "customers.csv:4", "--reason", "again"]);
  expect([repeated.code, repeated.stdout]).toEqual([0, expect.stringContaining("already excluded")]);
  expect(await work.migrate(["ledger", "check"])).toMatchObject({ code: 0 });
  expect((await work.migrate(["exclude", "--undo", "customers.csv:4"])).code).toBe(0);
  expect(await openRows(work)).toEqual(BOTH);
});

test("rows without a key that begin on the same line cannot be excluded by their place", async () => {
  const work = workplace({ accounts: goodAccounts(2) }, sandbox);
  const customers = [...goodAccounts(2).map(({ REF }) => REF), "EXT-3", "EXT-4"].map((REF) => ({
    REF,
    LAST: "Hughes",
    FIRST: "Amina",
  }));
  writeFileSync(work.file("one.json"), JSON.stringify(customers));
  await pushFiles(work, "accounts.csv", "one.json");
  const open = await openRows(work);
  expect(open).toEqual(["one.json:1", "one.json:1"]);
  const { code, stderr } = await work.migrate(["exclude", "one.json:1", "--reason", "closed"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("several open rows without a key begin at one.json:1")]);
  expect(await openRows(work)).toEqual(open);
});

test("a repaired ledger keeps the exclusion of a row without a key", async () => {
  const work = await pushed();
  await work.migrate(["exclude", "customers.csv:4", "--reason", "corrected"]);
  rmSync(work.file(".migrate/ledger.db-checksums"), { force: true });
  expect(existsSync(work.file(".migrate/ledger.db"))).toBe(true);
  await work.migrate(["ledger", "repair"]);
  expect(await openRows(work)).toEqual(["customers.csv:5"]);
});
