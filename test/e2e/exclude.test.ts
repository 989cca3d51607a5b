import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { goodAccounts, latestRun, useSandbox, type Workplace, workplace, writeExtract } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

const REASON = ["--reason", "account closed"];

interface Migration {
  readonly migration: readonly { readonly records: number; readonly counts: Readonly<Record<string, number>> }[];
}

async function migrationOf(work: Workplace): Promise<Migration["migration"]> {
  const status: Migration = JSON.parse((await work.migrate(["status", "--format", "json"])).stdout);
  return status.migration;
}

/** Pushes three valid accounts and an invalid account. */
async function pushedWithRefusal(): Promise<Workplace> {
  const work = workplace({ accounts: [...goodAccounts(3), { REF: "EXT-BAD", TYPE: "?" }] }, sandbox);
  expect((await work.push()).code).toBe(1);
  return work;
}

describe("exclude", () => {
  test("omits records from later pushes and `open`, and counts them as excluded in `status`, `report` and `proof`", async () => {
    const work = await pushedWithRefusal();
    const { code, stdout } = await work.migrate(["exclude", "EXT-BAD", ...REASON]);
    expect([code, stdout]).toEqual([0, "1 record excluded from the migration\n"]);
    expect(await migrationOf(work)).toMatchObject([{ records: 4, counts: { accepted: 3, excluded: 1, invalid: 0 } }]);
    expect((await work.migrate(["open"])).code).toBe(0);

    const again = await work.push();
    expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/1 +excluded +excluded from the migration/)]);
    const outcomes = await work.migrate(["report", "--format", "ndjson"]);
    expect(outcomes.stdout).toMatch(/"key":"EXT-BAD".*"status":"excluded"/);
    const proof = await work.migrate(["proof", "--out", "proof"]);
    expect([proof.code, proof.stdout]).toEqual([0, expect.stringContaining("1 record excluded from the migration")]);
    const explained = await work.migrate(["explain", "EXT-BAD"]);
    expect(explained.stdout).toMatch(/Excluded from the migration since \S+ by \S+: account closed/);
    expect(await admin.accounts()).toHaveLength(3);
  });

  test("lists who excluded which records and why, and with --undo lets the next push send the record", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    await work.push(["--dry-run"]);
    writeFileSync(work.file("closed.txt"), "EXT-00001\nEXT-00003\n\n");
    expect((await work.migrate(["exclude", "--from", "closed.txt", ...REASON])).code).toBe(0);
    const list = await work.migrate(["exclude"]);
    expect(list.stdout).toMatch(/^EXT-00001 +\d{4}-\d\d-\d\d +\S+@\S+ +account closed$/m);
    expect((await work.push([], { env: { MIGRATE_OPERATOR: "Ann Lee" } })).code).toBe(0);
    const run = await latestRun(work);
    expect((await work.migrate(["status", run])).stdout).toMatch(/^ {2}by +Ann Lee$/m);
    expect(await admin.accounts()).toHaveLength(1);

    const exported = (await work.migrate(["ledger", "export"])).stdout
      .split("\n")
      .filter((line) => line.includes("closed"));
    expect(exported.map((line): unknown => JSON.parse(line))).toMatchObject([
      { row: "exclusion", reason: "account closed", undone_at: null },
      { row: "exclusion", reason: "account closed", undone_at: null },
    ]);

    const undone = await work.migrate(["exclude", "--undo", "EXT-00003", "EXT-00002"]);
    expect([undone.code, undone.stdout]).toEqual([
      1,
      "1 record no longer excluded: later pushes can send it\n  EXT-00002  was not excluded\n",
    ]);
    expect((await work.push()).code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(["EXT-00002", "EXT-00003"]);
    expect(await migrationOf(work)).toMatchObject([{ counts: { accepted: 2, excluded: 1, pending: 0 } }]);
  });

  test("prevents a resumed push from sending a record that was excluded after the plan", async () => {
    const work = workplace({ accounts: goodAccounts(4) }, sandbox);
    await admin.faults({ pauseAt: 1 });
    expect((await work.push()).code).toBe(4);
    await admin.supplier("Ongoing");
    expect((await work.migrate(["exclude", "EXT-00002", ...REASON])).code).toBe(0);
    expect((await work.migrate(["resume"])).code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(["EXT-00001", "EXT-00003", "EXT-00004"]);
  });

  test("refuses records that are on the platform, and names them", async () => {
    const work = await pushedWithRefusal();
    const { code, stdout } = await work.migrate(["exclude", "EXT-00001", "EXT-BAD", ...REASON]);
    expect([code, stdout]).toEqual([
      1,
      "1 record excluded from the migration\n  EXT-00001  not excluded: already on the platform\n",
    ]);
  });

  test("refuses ambiguous records, and excludes a record that `reconcile` has decided to send again", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    await admin.faults({ forgetful: true, resetBefore: { at: [2] } });
    const flags = ["--contract", "no-dedupe.yaml", "--concurrency", "1"];
    expect((await work.push(flags)).code).toBe(5);
    const refused = await work.migrate(["exclude", "EXT-00002", ...REASON]);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("EXT-00002  not excluded: ")]);
    expect((await work.migrate(["reconcile", "--resend", "EXT-00002"])).code).toBe(3);
    expect((await work.migrate(["exclude", "EXT-00002", ...REASON])).code).toBe(0);
    expect((await work.migrate(["resume"])).code).toBe(0);
    expect((await work.push(flags)).code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(["EXT-00001", "EXT-00003"]);
  });

  test.each([
    [["EXT-1"], "an exclusion needs a reason"],
    [["EXT-1", "--reason", " "], "The value is empty"],
    [[" ", ...REASON], "The value is empty"],
    [["--from", "none.txt", ...REASON], "none.txt"],
    [["--from", "empty.txt", ...REASON], "empty.txt contains no key"],
    [["--from", "utf-16.txt", ...REASON], "utf-16.txt:1: byte 0xff is not UTF-8"],
    [["--from", "outcomes.ndjson", ...REASON], "outcomes.ndjson:2: this line is JSON, not a key"],
    [["--from", "binary.txt", ...REASON], "binary.txt: this is a binary file, not text"],
    [["--from", "accounts.csv", ...REASON], 'no column "key"'],
    [["--undo", "EXT-1", ...REASON], "cannot be used with"],
  ])("refuses %j and changes nothing", async (args, message) => {
    const work = workplace({ accounts: goodAccounts(1) }, sandbox);
    await work.push(["--dry-run"]);
    writeFileSync(work.file("empty.txt"), "\n");
    writeFileSync(work.file("utf-16.txt"), "\uFEFFEXT-1\n", "utf16le");
    writeFileSync(work.file("outcomes.ndjson"), '\n{"key":"EXT-1","status":"accepted"}\n');
    writeFileSync(work.file("binary.txt"), "EXT-1\n\0\n");
    const { code, stderr } = await work.migrate(["exclude", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect((await work.migrate(["exclude"])).stdout).toBe("No records are excluded\n");
  });

  test("requires an earlier push or dry run, and a supplier if a key could belong to several suppliers", async () => {
    const work = workplace({ accounts: goodAccounts(1) }, sandbox);
    const early = await work.migrate(["exclude", "EXT-9", ...REASON]);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("ledger")]);
    await work.push(["--dry-run"]);
    writeExtract(work.folder, { accounts: [{ REF: "EXT-2" }] });
    await work.push(["--dry-run", "--supplier", "OTHER"]);
    const anySupplier = { env: { MIGRATE_SUPPLIER: "" } };
    const unclear = await work.migrate(["exclude", "EXT-9", ...REASON], anySupplier);
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining("several destinations")]);
    expect((await work.migrate(["exclude", "EXT-9", "--supplier", "OTHER", ...REASON])).stdout).toContain(
      "1 record excluded from the migration; no push has included it so far",
    );
    expect((await work.migrate(["exclude", "EXT-00001", ...REASON])).code).toBe(0);
  });

  test("excludes records whose keys `open --format csv` shows with an apostrophe or an escape", async () => {
    const keys = ["+4477", "=1+1", "'-5", "A\u200bB"];
    const work = workplace({ accounts: [...goodAccounts(1), ...keys.map((REF) => ({ REF, TYPE: "?" }))] }, sandbox);
    expect((await work.push(["--new-keys"])).code).toBe(1);
    const open = await work.migrate(["open", "--format", "csv"]);
    expect(open.stdout).toMatch(/^"'\+4477",/m);
    writeFileSync(work.file("open.csv"), open.stdout);

    const { code, stdout } = await work.migrate(["exclude", "--from", "open.csv", ...REASON]);
    expect([code, stdout]).toEqual([0, "4 records excluded from the migration\n"]);
    expect((await work.migrate(["open"])).code).toBe(0);
    expect((await work.migrate(["exclude", "--undo", "--from", "open.csv"])).code).toBe(0);
    expect((await work.migrate(["exclude", "--format", "json"])).stdout).toContain('"exclusions": []');
  });

  test("prefers a key of a table that a push has included as it is written", async () => {
    const work = workplace({ accounts: ["'+4477", "+4477"].map((REF) => ({ REF, TYPE: "?" })) }, sandbox);
    expect((await work.push(["--new-keys"])).code).toBe(1);
    writeFileSync(work.file("closed.csv"), `key\n'+4477\n`);
    expect((await work.migrate(["exclude", "--from", "closed.csv", ...REASON])).code).toBe(0);
    const open = await work.migrate(["open", "--format", "ndjson"]);
    expect(open.stdout.trim().split("\n")).toEqual([expect.stringContaining('"key":"+4477"')]);
  });
});
