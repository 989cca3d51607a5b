import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Failure } from "../../../src/model/failure.ts";
import { sqliteLedgerStore } from "../../../src/ledger/sqlite/sqlite-store.ts";
import { createTestFolder, temporaryFolder } from "../../temporary-folder.ts";
import { openForWriting } from "../../../src/ledger/sqlite/open-for-writing.ts";
import { item, planned, sendAll, statusesOf } from "../ledger-input.ts";

const PAGE = 4096;
let whole: Buffer;
let checksums: Buffer;
/** The ledger before its second run. */
let older: Buffer;
/** Number of pages of a ledger without runs. If one of these pages is lost, the table definitions may be lost, too. */
let schemaPages: number;

beforeAll(async () => {
  const { folder, remove } = createTestFolder();
  const path = join(folder, "ledger.db");
  await (await sqliteLedgerStore(path).write("push", { create: true })).close();
  schemaPages = readFileSync(path).length / PAGE;
  for (const keys of [40, 160]) {
    if (keys === 160) older = readFileSync(path);
    const ledger = await sqliteLedgerStore(path).write("push", { create: true });
    const items = Array.from({ length: keys }, (_, index) => item(index + 1, `K${index}`));
    await sendAll(ledger, await planned(ledger, items), "accepted");
    await ledger.close();
  }
  whole = readFileSync(path);
  checksums = readFileSync(`${path}-checksums`);
  remove();
});

function corruptedLedger(bytes: Uint8Array | undefined): string {
  const path = join(temporaryFolder(), "ledger.db");
  if (bytes !== undefined) writeFileSync(path, bytes);
  writeFileSync(`${path}-checksums`, checksums);
  return path;
}

async function refusalOf(work: () => Promise<unknown>): Promise<Partial<Failure>> {
  return work().then(
    () => ({}),
    (error: Failure) => error,
  );
}

/** Returns the findings of a check, and opens the ledger for writing to test that this is possible. */
async function findingsOf(path: string): Promise<readonly string[]> {
  const store = sqliteLedgerStore(path);
  const { findings } = await store.check();
  const ledger = await store.write("resume", { create: false });
  await ledger.close();
  return findings;
}

/** Repairs a ledger. Returns `sound` if it is intact, `lost` if the failure states what to do, or else the problems. */
async function repairOf(path: string): Promise<string> {
  const store = sqliteLedgerStore(path);
  expect(await refusalOf(store.read)).toMatchObject({ code: "ledger_damaged" });
  const { code, message, hint } = await refusalOf(async () => store.repair?.("20261120"));
  if (code === "ledger_damaged" && hint?.includes("latest copy")) return "lost";
  return [message ?? [], await findingsOf(path)].flat().join(" ") || "sound";
}

test("a ledger truncated after any page is repaired, or reported as lost with instructions", async () => {
  let repaired = 0;
  for (let pages = 1; pages < whole.length / PAGE; pages += 1) {
    const path = corruptedLedger(whole.subarray(0, pages * PAGE));
    const outcome = await repairOf(path);
    if (outcome === "sound") repaired += 1;
    expect(outcome, `cut off after page ${pages}`).toMatch(/^(sound|lost)$/);
    expect(readdirSync(dirname(path)).filter((name) => /repaired|lengthened/.test(name))).toEqual([]);
  }
  expect(repaired).toBeGreaterThan(0.9 * (whole.length / PAGE - schemaPages) - 2);
});

test.each([
  ["is missing", undefined, "it is missing"],
  ["is empty", new Uint8Array(), "it is empty"],
])("every command reports a ledger that %s as lost, and an older copy can be repaired", async (_, bytes, found) => {
  const path = corruptedLedger(bytes);
  const store = sqliteLedgerStore(path);
  for (const work of [store.read, () => store.write("push", { create: true })]) {
    const refusal = await refusalOf(work);
    expect(refusal.message).toContain(found);
    expect(refusal.hint).toContain("restore the latest copy and run `migrate ledger repair`");
  }
  expect(await refusalOf(async () => store.repair?.("1"))).toMatchObject({ code: "ledger_damaged" });
  writeFileSync(path, older);
  expect(await refusalOf(store.read)).toMatchObject({ code: "ledger_damaged" });
  await store.repair?.("2");
  expect(await findingsOf(path)).toEqual([]);
});

test("without a copy of a lost ledger, `ledger repair --some-lost` creates a new one", async () => {
  const path = corruptedLedger(undefined);
  const { hint } = await refusalOf(sqliteLedgerStore(path).read);
  expect(hint).toContain("migrate ledger repair --some-lost");
  await sqliteLedgerStore(path).repair?.("4", { mayCreate: true });
  const ledger = await sqliteLedgerStore(path).write("push", { create: false });
  expect(await ledger.runs()).toEqual([]);
  await ledger.close();
});

test("a repair that was killed while it was changing the files can be repeated", async () => {
  const path = corruptedLedger(whole.subarray(0, whole.length - PAGE));
  copyFileSync(path, `${path}.lengthened`);
  copyFileSync(path, `${path}.repaired`);
  await sqliteLedgerStore(path).repair?.("3");
  expect(await findingsOf(path)).toEqual([]);
});

test.each(["records", "runs", "files"])(
  "a ledger in which a corrupt schema makes the keys of %s unreadable is repaired, or reported as lost",
  async (table) => {
    const bytes = Buffer.from(whole);
    const schema = bytes.indexOf(`CREATE TABLE ${table}(`, 0, "latin1");
    bytes.write("intxger", bytes.indexOf("integer primary key", schema, "latin1"), "latin1");
    expect(await repairOf(corruptedLedger(bytes))).toMatch(/^(sound|lost)$/);
  },
);

test("records stay excluded after a repair, even if the table of exclusions is lost", async () => {
  const path = join(temporaryFolder(), "ledger.db");
  const store = sqliteLedgerStore(path);
  const first = await store.write("push", { create: true });
  const { identity = new Uint8Array() } = item(1, "K1");
  const exclusion = { identity, key: "K1", at: "2026-11-24T00:00:00.000Z", who: "ann", reason: "closed" };
  await first.excludeRecords([exclusion]);
  await planned(first, [item(1, "K1"), item(2, "K2")]);
  await first.close();
  const file = openForWriting(path);
  file.execute("drop table exclusions");
  file.close();
  rmSync(`${path}-checksums`);

  expect((await store.repair?.("now"))?.tables).toContainEqual({ table: "exclusions", rows: 0, isWhole: false });
  const repaired = await store.write("push", { create: false });
  expect(await repaired.exclusions()).toMatchObject([{ key: "K1", who: "ledger repair" }]);
  expect(await statusesOf(repaired, await planned(repaired, [item(1, "K1")]))).toEqual(["excluded"]);
  await repaired.close();
});
