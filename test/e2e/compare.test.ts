import { appendFileSync, copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestFolder } from "../temporary-folder.ts";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import {
  type AccountCells,
  type Admin,
  adminOf,
  CONTRACT,
  goodAccounts,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";

/** An overlay that makes the read-back return two fields of the account, so that their values can be compared. */
const COMPARING = `
overlay: 1.0.0
info: { title: A platform that returns some of the content, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][0]
    update: { match: { name: billing_name, address: billing_address1 } }
`;
const BLIND = COMPARING.replace("[0]", "").replace(/update: .*/, "remove: true");
const { folder: contracts, remove } = createTestFolder();
const comparing = path.join(contracts, "comparing.yaml");
const WITH_CONTENT = ["--contract", comparing];

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  writeFileSync(comparing, COMPARING);
  sandbox = await startTestSandbox({ flags: ["--contract", CONTRACT, "--contract", comparing] });
  admin = adminOf(sandbox);
});
afterAll(async () => {
  await sandbox.stop();
  remove();
});
beforeEach(() => admin.reset());

async function pushed(accounts: readonly AccountCells[], flags: readonly string[] = WITH_CONTENT): Promise<Workplace> {
  const work = workplace({ accounts }, sandbox);
  expect((await work.push(flags)).code).toBe(0);
  return work;
}

/** Removes all accounts from the platform, then pushes these accounts with another ledger. */
async function platformHas(accounts: readonly AccountCells[]): Promise<void> {
  await admin.reset();
  await pushed(accounts);
}

/** Number of requests that create accounts. */
async function posts(): Promise<number> {
  return (await admin.imports()).filter(({ method }) => method === "POST").length;
}

describe("compare", () => {
  test("reads accepted records back, changes nothing, and reports that they are the same", async () => {
    const work = await pushed(goodAccounts(3));
    const before = await posts();
    const { code, stdout } = await work.migrate(["compare"]);
    expect([code, stdout]).toEqual([0, "3 accepted records compared: 3 same\n"]);
    expect(await posts()).toBe(before);
    const all = await work.migrate(["compare", "--all", "--format", "csv"]);
    expect(all.stdout.split("\n").slice(0, 2)).toEqual([
      "key,result,attrs,reason,file,line,run",
      expect.stringMatching(/^EXT-00001,same,,,accounts\.csv,2,\d{8}-/),
    ]);
  });

  test("uses another certificate authority than the run if --ca or MIGRATE_CA names one (both used to be ignored)", async () => {
    const work = workplace({ accounts: goodAccounts(1) }, sandbox);
    const { MIGRATE_CA: ca = "" } = sandbox.env;
    copyFileSync(ca, work.file("ca.pem"));
    expect((await work.push([...WITH_CONTENT, "--ca", "ca.pem"])).code).toBe(0);
    rmSync(work.file("ca.pem"));
    const unset = { env: { MIGRATE_CA: undefined } };
    const { code, stderr } = await work.migrate(["compare"], unset);
    expect([code, stderr]).toEqual([2, expect.stringContaining("pass its file with --ca")]);
    expect((await work.migrate(["compare"])).code).toBe(0);
    expect((await work.migrate(["compare", "--ca", ca], unset)).code).toBe(0);
    expect((await work.migrate(["proof", "--read-back", "--out", "proof", "--ca", ca], unset)).code).toBe(0);
  });

  test("accepts --base-url only if it names the platform of the run, and ignores MIGRATE_BASE_URL", async () => {
    const work = await pushed(goodAccounts(1));
    const { MIGRATE_BASE_URL: own = "" } = sandbox.env;
    const other = "https://other.example/v1/";
    const { code, stderr } = await work.migrate(["compare", "--base-url", other]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`belongs to the platform ${own}, not to ${other}`)]);
    const named = { env: { MIGRATE_BASE_URL: other } };
    expect((await work.migrate(["compare", "--base-url", own], named)).code).toBe(0);
    expect((await work.migrate(["compare", "--base-url", other], named)).code).toBe(2);
    expect((await work.migrate(["compare"], named)).code).toBe(0);
  });

  test("lists records that differ on the platform or are missing there, without showing values", async () => {
    const work = await pushed([{ REF: "EXT-1" }, { REF: "EXT-2", ADDRESS: "1 Old Lane" }, { REF: "ÄXT-3" }]);
    await platformHas([{ REF: "EXT-1" }, { REF: "EXT-2", ADDRESS: "2 New Lane" }]);
    const { code, stdout } = await work.migrate(["compare", "--format", "ndjson"]);
    expect(code).toBe(1);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
    ).toMatchObject([
      { key: "EXT-1", result: "same" },
      { key: "EXT-2", result: "different", attrs: ["billing_address1"], source: { file: "accounts.csv", line: 3 } },
      { key: "ÄXT-3", result: "absent" },
    ]);
    const text = await work.migrate(["compare"]);
    expect(text.stdout).toContain("3 accepted records compared: 1 same, 1 different, 1 absent");
    expect(text.stdout).toMatch(/EXT-2 +different +accounts\.csv:3 +billing_address1/);
    expect(text.stdout).not.toContain("EXT-1 ");
    expect(text.stdout).not.toContain("Lane");
  });

  test("stores its results for status, and can continue with the records that were not compared", async () => {
    const work = await pushed([{ REF: "EXT-1" }, { REF: "EXT-2" }]);
    await platformHas([{ REF: "EXT-1" }]);
    expect((await work.migrate(["compare"])).code).toBe(1);
    const { migration }: { migration: unknown } = JSON.parse(
      (await work.migrate(["status", "--format", "json"])).stdout,
    );
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(migration).toMatchObject([{ verified: { same: 1, different: 0, absent: 1, at } }]);
    const { stdout } = await work.migrate(["status"]);
    expect(stdout).toMatch(/compared, last on \d{4}-\d\d-\d\d +2 +100%\n +same +1\n +absent +1\n/);

    writeExtract(work.folder, { accounts: [{ REF: "EXT-1" }, { REF: "EXT-2" }, { REF: "EXT-3" }] });
    expect((await work.push(WITH_CONTENT)).code).toBe(0);
    const left = await work.migrate(["compare", "--unverified"]);
    expect(left.code).toBe(1);
    expect(left.stdout).toMatch(/EXT-2 +absent/);
    expect(left.stdout).toContain(
      "2 accepted records compared: 1 same, 1 absent\n1 record skipped: already compared\n",
    );
  });

  test("compares a record only in the run that sent the content that the platform accepted last", async () => {
    const work = await pushed([{ REF: "EXT-1", ADDRESS: "1 Old Lane" }, { REF: "EXT-2" }]);
    await admin.reset();
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1", ADDRESS: "2 New Lane" }, { REF: "EXT-2" }] });
    expect((await work.push([...WITH_CONTENT, "--revise"])).code).toBe(0);
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1", ADDRESS: "1 Old Lane" }, { REF: "EXT-2" }] });
    const { runs }: { runs: readonly { id: string }[] } = JSON.parse(
      (await work.migrate(["status", "--format", "json"])).stdout,
    );
    const first = await work.migrate(["compare", runs[1]?.id ?? ""]);
    expect(first.stdout).toContain("EXT-2  absent");
    expect(first.stdout).toContain("1 accepted record compared: 1 absent\n");
    expect(first.stdout).toContain("1 record not compared, because a later run has replaced the content");
  });

  test("does not count replaced or compared records as unknown if the sources of the run have changed", async () => {
    const work = await pushed([{ REF: "EXT-1", ADDRESS: "1 Old Lane" }, { REF: "EXT-2" }, { REF: "EXT-3" }]);
    await admin.reset();
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1", ADDRESS: "2 New Lane" }, { REF: "EXT-3" }] });
    expect((await work.push([...WITH_CONTENT, "--revise"])).code).toBe(0);
    const { stdout } = await work.migrate(["compare", "--all"]);
    expect(stdout).toContain("3 accepted records compared: 1 same, 1 absent, 1 unknown\n");
    const rest = await work.migrate(["compare", "--all", "--unverified"]);
    expect(rest.stdout).toContain("2 accepted records compared: 1 absent, 1 unknown\n");
  });

  test.each(["compare", "proof"])(
    "%s --all reports a changed file only once, even if it has changed since several runs",
    async (command) => {
      const work = await pushed([{ REF: "EXT-1" }]);
      renameSync(work.file("accounts.csv"), work.file("first.csv"));
      writeExtract(work.folder, { accounts: goodAccounts(2) });
      await work.push(WITH_CONTENT);
      appendFileSync(work.file("mapping.yaml"), "# changed\n");
      const { stderr } = await work.migrate([command, "--all", ...(command === "proof" ? ["--out", "proof"] : [])]);
      expect(stderr.match(/the mapping mapping\.yaml has changed/g)).toHaveLength(1);
    },
  );

  test.each([
    ["compare", ["compare", "--all"], /2 accepted records compared: 2 same/],
    ["proof", ["proof", "--all", "--out", "proof"], /Everything is accounted for/],
  ])("%s --all ignores a push that ended because its input could not be read", async (_, command, expected) => {
    const work = await pushed(goodAccounts(2));
    writeFileSync(work.file("wrong.csv"), "REF,OTHER\nEXT-00009,x\n");
    expect((await work.migrate(["push", ...WITH_CONTENT, "--source", "accounts=wrong.csv"])).code).toBe(2);
    const { code, stdout, stderr } = await work.migrate(command);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("OTHER")]);
    expect(stdout).toMatch(expected);
  });

  test("suggests --all after a run without accepted records", async () => {
    const work = await pushed(goodAccounts(1));
    writeExtract(work.folder, { accounts: [{ REF: "EXT-2", TYPE: "?" }] });
    expect((await work.push(WITH_CONTENT)).code).toBe(1);
    const { code, stdout, stderr } = await work.migrate(["compare"]);
    expect([code, stdout]).toEqual([0, "0 accepted records compared\n"]);
    expect(stderr).toContain("--all compares the accepted records of all runs");
  });

  test("cannot compare a record whose sources have changed, or for which the platform returns only the key", async () => {
    const work = await pushed(goodAccounts(2));
    writeExtract(work.folder, { accounts: goodAccounts(1) });
    const changed = await work.migrate(["compare", "--format", "ndjson"]);
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.stdout.split("\n")[0] ?? "")).toMatchObject({
      result: "unknown",
      reason: expect.stringContaining("accounts.csv has changed"),
    });

    await admin.reset();
    const keysOnly = await pushed(goodAccounts(1), []);
    const { code, stdout } = await keysOnly.migrate(["compare"]);
    expect([code, stdout]).toEqual([
      1,
      "1 accepted record compared: 1 unknown\n  1 unknown: only its key could be compared\n",
    ]);
  });

  test("--all reports records that cannot be read back as `unknown`, and compares all other records", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    writeFileSync(work.file("blind.yaml"), BLIND);
    await work.push([...WITH_CONTENT, "--only", "EXT-00001,EXT-00002"]);
    await work.push(["--contract", "blind.yaml"]);
    const { code, stdout } = await work.migrate(["compare", "--all", "--format", "csv"]);
    expect(code).toBe(1);
    expect(stdout.split("\n").slice(1, -1)).toEqual([
      expect.stringMatching(/^EXT-00001,same,/),
      expect.stringMatching(/^EXT-00002,same,/),
      expect.stringMatching(/^EXT-00003,unknown,,.*how to read back the records of ""import-account""/),
    ]);
  });

  test("is refused without a read-back operation, and for a run together with --all", async () => {
    const work = workplace({ accounts: goodAccounts(1) }, sandbox);
    writeFileSync(work.file("blind.yaml"), BLIND);
    await work.push(["--contract", "blind.yaml"]);
    const blind = await work.migrate(["compare"]);
    expect([blind.code, blind.stderr]).toEqual([2, expect.stringContaining("x-migrate-read-back")]);
    const both = await work.migrate(["compare", "--all", "20260101"]);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("--all cannot be combined with a run")]);
  });
});
