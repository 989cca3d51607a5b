import { existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { goodAccounts, outcomeLines, statusCounts, useSandbox, type Workplace, workplace } from "./push-scene.ts";

const RECORDS = 40;
const { sandbox } = useSandbox();

async function pushed(): Promise<Workplace> {
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  expect((await work.push()).code).toBe(0);
  return work;
}

test("an intact ledger is reported as intact, and exported with all its contents except values", async () => {
  const work = await pushed();
  const check = await work.migrate(["ledger", "check"]);
  expect(check.code).toBe(0);
  expect(check.stdout).toMatch(/is intact: 1 run, 40 records, 40 attempts, 0 decisions\n$/);
  const { code, stdout } = await work.migrate(["ledger", "export"]);
  expect(code).toBe(0);
  const rows: readonly { row: string; state?: string; account?: string }[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const tables = Object.fromEntries(
    ["run", "record", "item", "attempt"].map((name) => [name, rows.filter(({ row }) => row === name).length]),
  );
  expect(tables).toEqual({ run: 1, record: RECORDS, item: RECORDS, attempt: RECORDS });
  expect(rows.find(({ row }) => row === "record")).toMatchObject({
    state: "accepted",
    account: expect.stringMatching(/^A-/),
  });
  expect(stdout).not.toMatch(/Amina|Station Road/);
  expect(stdout).toContain("import-account");
  // Anyone with the secret could guess values from their fingerprints.
  expect(stdout).not.toMatch(/rejectsSecret/);
});

test("a ledger with one wrong byte is refused, and repaired without inventing records", async () => {
  const work = await pushed();
  const ledger = work.file(".migrate/ledger.db");
  const at = readFileSync(ledger).indexOf("accepted");
  writeSync(openSync(ledger, "r+"), Buffer.from("b"), 0, 1, at);
  for (const command of [["status"], ["resume"], ["ledger", "check"]]) {
    const { code, stdout, stderr } = await work.migrate(command);
    expect([command, code]).toEqual([command, 6]);
    expect(stdout + stderr).toMatch(/corrupt: page \d+ has the wrong checksum/);
  }
  const repair = await work.migrate(["ledger", "repair"]);
  expect([0, 5]).toContain(repair.code);
  expect(repair.stdout).toMatch(/The original ledger is stored in .*ledger\.db\.corrupt-\d{17}\n$/);
  const kept = readdirSync(work.file(".migrate")).find((name) => /corrupt-\d+$/.test(name)) ?? "";
  expect(statSync(work.file(".migrate", kept)).mode & 0o777).toBe(0o600);
  expect(statSync(ledger).mode & 0o777).toBe(0o600);
  expect((await work.migrate(["ledger", "check"])).code).toBe(0);

  const { stdout } = await work.migrate(["report", "--format", "ndjson"]);
  const counts = statusCounts(outcomeLines(stdout));
  expect((counts["accepted"] ?? 0) + (counts["ambiguous"] ?? 0)).toBe(RECORDS);
  expect(counts["accepted"]).toBeGreaterThanOrEqual(RECORDS - 1);
});

test("a truncated or empty ledger is not treated as a new ledger", async () => {
  const work = await pushed();
  const ledger = work.file(".migrate/ledger.db");
  for (const size of [statSync(ledger).size / 2, 0]) {
    truncateSync(ledger, size);
    const { code, stderr } = await work.push();
    expect(code).toBe(6);
    expect(stderr).toMatch(/migrate ledger repair/);
  }
  rmSync(work.file(".migrate/journal"), { recursive: true });
  const repair = await work.migrate(["ledger", "repair"]);
  expect(repair.code).toBe(6);
  expect(repair.stderr).toMatch(/no part of it can be read/);
  expect(existsSync(ledger)).toBe(true);
  const drafts = readdirSync(work.file(".migrate")).filter((name) => name.includes("repaired"));
  expect(drafts).toEqual([]);
});

test("a file that is not a ledger is neither reported as corrupt nor changed", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  const before = readFileSync(work.file("accounts.csv"), "utf8");
  for (const command of [["status"], ["ledger", "repair"], ["ledger", "repair", "--some-lost"]]) {
    const { code, stderr } = await work.migrate([...command, "--ledger", "accounts.csv"]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/accounts\.csv is not a ledger/);
    expect(stderr).toMatch(/check --ledger; if it is the right file/);
    expect(stderr).not.toMatch(/migrate ledger repair/);
  }
  expect(readFileSync(work.file("accounts.csv"), "utf8")).toBe(before);
});

test("an intact ledger without runs can be repaired again (it used to be reported as lost)", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  for (const [words, code] of [
    [["--some-lost"], 5],
    [["--some-lost"], 5],
    [[], 0],
  ] as const) {
    expect((await work.migrate(["ledger", "repair", ...words])).code).toBe(code);
    expect((await work.migrate(["ledger", "check"])).code).toBe(0);
  }
});

test("ledger check does not create a missing ledger, and ledger repair refuses a ledger in use", async () => {
  const work = workplace({ accounts: goodAccounts(300) }, sandbox);
  expect((await work.migrate(["ledger", "check"])).code).toBe(2);
  expect(existsSync(work.file(".migrate/ledger.db"))).toBe(false);
  const pushing = work.startPush(["--rps", "20"]);
  await pushing.waitForOutput(/sen[dt]|push|\d/);
  const seen = await work.migrate(["ledger", "repair"]);
  pushing.kill("SIGKILL");
  await pushing.ended;
  expect([2, 7]).toContain(seen.code);
});
