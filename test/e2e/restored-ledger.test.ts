import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { framesOf, MAGIC } from "../../src/ledger/journal/journal-format.ts";
import { startTestSandbox, type TestSandbox } from "./cli.ts";
import {
  type Admin,
  adminOf,
  goodAccounts,
  outcomeLines,
  statusCounts,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";

const PUSH = ["--contract", "no-dedupe.yaml"];

const NO_EXISTS = `
overlay: 1.0.0
info: { title: A platform whose replies do not show that a record exists, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-outcomes'][?(@.outcome == 'exists')]
    remove: true
`;

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox({ flags: ["--forgetful"] });
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
  await admin.reset();
  await admin.faults({ forgetful: true });
});

/** Pushes six accounts, then restores the ledger from a copy that contains only three of them. */
async function restoredWorkplace(): Promise<Workplace> {
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  expect((await work.push(PUSH)).code).toBe(0);
  cpSync(work.file(".migrate"), work.file("backup"), { recursive: true });
  writeExtract(work.folder, { accounts: goodAccounts(6) });
  expect((await work.push(PUSH)).code).toBe(0);
  for (const name of readdirSync(work.file("backup")).filter((file) => file.startsWith("ledger.db"))) {
    cpSync(work.file("backup", name), work.file(".migrate", name));
  }
  return work;
}

async function posts(): ReturnType<Admin["imports"]> {
  return (await admin.imports()).filter(({ method }) => method === "POST");
}

test("a push with an older copy of the ledger is refused because the journal contains more requests", async () => {
  const work = await restoredWorkplace();
  const before = (await admin.imports()).length;
  const { code, stderr } = await work.push(PUSH);
  expect(code).toBe(6);
  expect(stderr).toMatch(/it has 3 requests, and lacks 3 requests that the journal .* contains/);
  expect((await work.migrate(["resume"])).code).toBe(6);
  expect(await admin.imports()).toHaveLength(before);
  expect((await work.migrate(["status"])).code).toBe(0);
});

test("an exclusion in an older copy of the ledger is refused, because the record may have been sent", async () => {
  const work = await restoredWorkplace();
  for (const args of [
    ["EXT-00005", "--reason", "closed"],
    ["--undo", "EXT-00005"],
  ]) {
    const { code, stderr } = await work.migrate(["exclude", ...args]);
    expect([code, stderr]).toEqual([6, expect.stringContaining("lacks 3 requests that the journal")]);
  }
  expect((await work.migrate(["exclude"])).stdout).toBe("No records are excluded\n");
});

test("a push after the repair of an older copy of the ledger sends no record again", async () => {
  const work = await restoredWorkplace();
  const before = (await posts()).length;
  expect((await work.migrate(["ledger", "repair"])).code).toBe(5);
  const { code, stdout } = await work.push(PUSH);
  expect(code).toBe(5);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ skipped: 3, ambiguous: 3 });
  expect(await posts()).toHaveLength(before);
  expect(await admin.accounts()).toHaveLength(6);
});

test("requests that only a journal contained are reported until a push plans their records", async () => {
  const work = await restoredWorkplace();
  expect((await work.migrate(["ledger", "repair"])).code).toBe(5);
  writeExtract(work.folder, { accounts: goodAccounts(3) });
  const notice = /^3 ambiguous records with unknown keys: `migrate ledger repair` found only their requests\./m;
  const commands = [["status"], ["open"], ["report", "--all"], ["proof", "--all", "--out", "proof"]];
  const reported = async (): Promise<readonly (readonly [number | null, boolean])[]> => {
    const ends = [];
    for (const words of commands) ends.push(await work.migrate(words));
    return ends.map(({ code, stderr }) => [code, notice.test(stderr)] as const);
  };
  expect(await reported()).toEqual([0, 5, 0, 1].map((code) => [code, true]));
  expect((await work.migrate(["open"])).stdout).toBe("3 open records: 3 ambiguous\n");
  expect(JSON.parse(readFileSync(work.file("proof/proof.json"), "utf8"))).toMatchObject({ unplanned: 3 });
  expect(JSON.parse((await work.migrate(["status", "--json"])).stdout)).toMatchObject({ unplanned: 3 });
  expect((await work.migrate(["proof", "verify", "proof"])).code).toBe(0);
  writeExtract(work.folder, { accounts: goodAccounts(6) });
  expect((await work.push(PUSH)).code).toBe(5);
  expect((await reported()).map(([, isReported]) => isReported)).toEqual([false, false, false, false]);
  expect(JSON.parse((await work.migrate(["status", "--json"])).stdout)).not.toHaveProperty("unplanned");
});

test("a changed key after the repair of an older copy of the ledger creates no second account", async () => {
  const work = await restoredWorkplace();
  expect((await work.migrate(["ledger", "repair"])).code).toBe(5);
  writeExtract(work.folder, { accounts: goodAccounts(7) });
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const changed = "external_account_number: { from: REF, replace: { EXT: ALT } }";
  writeFileSync(work.file("mapping.yaml"), mapping.replace("external_account_number: REF", changed));
  const { code, stdout } = await work.push(PUSH);
  expect(code).toBe(1);
  const lines = outcomeLines(stdout);
  expect(statusCounts(lines)).toEqual({ invalid: 6, accepted: 1 });
  const codes = new Set(lines.flatMap(({ errors = [] }) => errors.map((error) => error.code)));
  expect([...codes]).toEqual(["row_sent_under_other_key"]);
  expect(await admin.accounts()).toHaveLength(7);
});

test.each([["resume"], ["reconcile"], ["status"]])(
  "%s suggests `ledger repair` if only the journal exists",
  async (command) => {
    const { migrate, folder } = workplace({ accounts: [] });
    mkdirSync(path.join(folder, ".migrate/journal"), { recursive: true });
    const entry = framesOf({ kind: "ledger", name: "ledger.db", id: "20261123-1000-0001" });
    writeFileSync(
      path.join(folder, ".migrate/journal/ledger.db-20261123-1000-0001.log"),
      Buffer.concat([MAGIC, entry]),
    );
    const { code, stderr } = await migrate([command]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/is lost: only its journal .* exists/);
    expect(stderr).toMatch(/`migrate ledger repair`/);
  },
);

test("--resend-all sends the new records of an uncertain period once their number is confirmed", async () => {
  const work = await restoredWorkplace();
  const [journal = ""] = readdirSync(work.file(".migrate/journal"));
  const file = work.file(".migrate/journal", journal);
  const bytes = readFileSync(file);
  bytes[300] = (bytes[300] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const repaired = await work.migrate(["ledger", "repair"]);
  expect(repaired.code).toBe(5);
  expect(repaired.stdout).toContain("Requests may be missing from the ledger and its journals");

  writeExtract(work.folder, { accounts: [...goodAccounts(3), ...goodAccounts(9).slice(6)] });
  const { code, stdout } = await work.push(PUSH);
  expect(code).toBe(5);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ skipped: 3, ambiguous: 3 });
  expect(await admin.accounts()).toHaveLength(6);

  const wrong = await work.migrate(["reconcile", "--resend-all", "2"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("--resend-all 3");
  expect((await work.migrate(["reconcile", "--resend-all", "3"])).code).toBe(3);
  expect((await work.migrate(["resume"])).code).toBe(0);
  const keys = (await admin.accounts()).map(({ key }) => key);
  expect(keys.toSorted()).toEqual(goodAccounts(9).map(({ REF }) => REF));
});

test("a push with older copies of both the ledger and its journal is refused because of the platform's records", async () => {
  const work = await restoredWorkplace();
  rmSync(work.file(".migrate"), { recursive: true });
  cpSync(work.file("backup"), work.file(".migrate"), { recursive: true });
  const { code, stderr, stdout } = await work.push(PUSH);
  expect(stderr).toMatch(/the platform already has 3 of 3 records .*starting with record 4/);
  expect(code).toBe(6);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ skipped: 3, pending: 3 });
  expect(await admin.accounts()).toHaveLength(6);
});

test("a push with a new ledger sends nothing if the platform has the records and the contract has no outcome `exists`", async () => {
  const flags = [...PUSH, "--contract", "no-exists.yaml"];
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  writeFileSync(work.file("no-exists.yaml"), NO_EXISTS);
  expect((await work.push(flags)).code).toBe(0);
  expect((await admin.imports()).filter(({ method }) => method === "GET")).toHaveLength(3);
  rmSync(work.file(".migrate"), { recursive: true });
  const { code, stderr, stdout } = await work.push(flags);
  expect(stderr).toMatch(/the platform already has 3 of 3 records .*starting with record 1/);
  expect(code).toBe(6);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 3 });
  expect(await admin.accounts()).toHaveLength(3);
});

test.each(["resume", "push"])(
  "after the ledger is lost, `ledger repair --some-lost`, %s and `reconcile` send only the records that the platform lacks",
  async (command) => {
    const flags = [...PUSH, "--contract", "no-exists.yaml"];
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    writeFileSync(work.file("no-exists.yaml"), NO_EXISTS);
    expect((await work.push(flags)).code).toBe(0);
    rmSync(work.file(".migrate"), { recursive: true });
    writeExtract(work.folder, { accounts: goodAccounts(6) });
    const refused = await work.push(flags);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("ledger repair --some-lost")]);

    expect((await work.migrate(["ledger", "repair", "--some-lost"])).code).toBe(5);
    const again = await (command === "push" ? work.push(flags) : work.migrate(["resume", "--format", "ndjson"]));
    expect([again.code, statusCounts(outcomeLines(again.stdout))]).toEqual([5, { ambiguous: 6 }]);
    expect(await posts()).toHaveLength(3);
    const asking = ["reconcile", "--quiet-period", "0s", "--format", "ndjson"];
    const asked = await work.migrate(asking);
    expect([asked.code, statusCounts(outcomeLines(asked.stdout))]).toEqual([5, { ambiguous: 3, pending: 3 }]);
    expect(asked.stderr).toContain("only its key could be compared");
    const settled = await work.migrate([...asking, "--accept-found"]);
    expect([settled.code, statusCounts(outcomeLines(settled.stdout))]).toEqual([3, { accepted: 3, pending: 3 }]);
    expect((await work.migrate(["resume"])).code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(goodAccounts(6).map(({ REF }) => REF));
    expect(await posts()).toHaveLength(6);
    expect((await work.migrate(["ledger", "check"])).code).toBe(0);
  },
);

test("a push with --revise sends a change of a record that `reconcile` accepted (it used to end with ledger_outdated)", async () => {
  const flags = [...PUSH, "--contract", "no-exists.yaml"];
  const work = workplace({ accounts: goodAccounts(2) }, sandbox);
  writeFileSync(work.file("no-exists.yaml"), NO_EXISTS);
  expect((await work.push(flags)).code).toBe(0);
  rmSync(work.file(".migrate"), { recursive: true });
  expect((await work.migrate(["ledger", "repair", "--some-lost"])).code).toBe(5);
  expect((await work.push(flags)).code).toBe(5);
  expect((await work.migrate(["reconcile", "--quiet-period", "0s", "--accept-found"])).code).toBe(0);
  writeExtract(work.folder, { accounts: goodAccounts(2).map((account) => ({ ...account, POSTCODE: "CB2 3QJ" })) });
  const { code } = await work.push([...flags, "--revise", "--yes"]);
  // The replies have new account numbers, because the forgetful sandbox creates each account again.
  expect([code, (await posts()).length]).toEqual([5, 4]);
});

test("a push of new records with an up-to-date ledger looks up a few of these records on the platform, and continues", async () => {
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  expect((await work.push(PUSH)).code).toBe(0);
  writeExtract(work.folder, { accounts: goodAccounts(20) });
  const { code, stdout } = await work.push(PUSH);
  expect(code).toBe(0);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ skipped: 3, accepted: 17 });
  expect((await admin.imports()).filter(({ method }) => method === "GET")).toHaveLength(5);
});
