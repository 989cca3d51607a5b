import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { ledgerCheck, ledgerRepair } from "../../src/commands/ledger/ledger-maintenance.ts";
import type { Journal } from "../../src/ledger/journal/open-journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { sqliteLedgerStore } from "../../src/ledger/sqlite/sqlite-store.ts";
import { openRunJournal } from "../../src/pipeline/run/run-journal.ts";
import { systemClock } from "../../src/time/system-clock.ts";
import { intentOf, attemptOutcomeOf, item, outcomesOf, planned, POLICY, statusesOf } from "../ledger/ledger-input.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const DEPENDENCIES = {
  clock: systemClock,
  rescueFolder: tmpdir(),
  stateFolder: tmpdir,
  notice: (): void => undefined,
};
const FILES = ["ledger.db", "ledger.db-checksums"];

/** Plans and sends a record with each of these keys, as a separate process would. */
async function pushKeys(folder: string, keys: readonly string[], { isKilled = false } = {}): Promise<void> {
  await withLedger(folder, async (ledger) => {
    const journal = await openRunJournal(storeIn(folder), ledger, DEPENDENCIES);
    const run = await planKeys(ledger, keys);
    await journal.begin(run);
    await sendAll(ledger, run, journal);
    if (!isKilled) await journal.end();
  });
}

function planKeys(ledger: Ledger, keys: readonly string[], policy = {}): Promise<string> {
  return planned(
    ledger,
    keys.map((key, index) => item(index + 1, key)),
    { policy },
  );
}

async function sendAll(ledger: Ledger, run: string, journal: Journal): Promise<void> {
  const intents = (await ledger.sendable(run, 1, 1_000_000)).map(intentOf);
  await ledger.saveIntents(run, intents);
  journal.add(intents);
  await ledger.saveOutcomes(
    run,
    intents.map((intent) => attemptOutcomeOf(intent, "accepted")),
  );
}

async function withLedger<T>(folder: string, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await storeIn(folder).write("push", { create: true });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

function storeIn(folder: string): ReturnType<typeof sqliteLedgerStore> {
  return sqliteLedgerStore(path.join(folder, "ledger.db"));
}

function repair(folder: string): ReturnType<typeof ledgerRepair> {
  return ledgerRepair({ ledger: path.join(folder, "ledger.db") }, DEPENDENCIES);
}

function copyLedger(from: string, to: string, files: readonly string[] = FILES): void {
  mkdirSync(to, { recursive: true });
  for (const name of files) copyFileSync(path.join(from, name), path.join(to, name));
}

function removeLedger(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.startsWith("ledger.db")))
    rmSync(path.join(folder, name));
}

function journalIn(folder: string): string {
  const [name = ""] = readdirSync(path.join(folder, "journal"));
  return path.join(folder, "journal", name);
}

/** Replaces a ledger that contains A to E with an older copy that contains A and B. Returns its folder. */
async function outdatedFolder(): Promise<string> {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A", "B"]);
  copyLedger(folder, path.join(folder, "backup"));
  await pushKeys(folder, ["C", "D", "E"]);
  copyLedger(path.join(folder, "backup"), folder);
  return folder;
}

it("refuses an older copy of the ledger, and names the number of missing requests", async () => {
  const folder = await outdatedFolder();
  await expect(pushKeys(folder, ["C"])).rejects.toMatchObject({
    code: "ledger_outdated",
    exitCode: 6,
    message: expect.stringMatching(/older copy .*has 2 requests, and lacks 3 requests that the journal .* contains/),
    hint: expect.stringContaining("migrate ledger repair"),
  });
});

it("refuses a copy of the ledger from before a push that was killed right after its start", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A"]);
  copyLedger(folder, path.join(folder, "backup"));
  await withLedger(folder, async (ledger) => {
    const journal = await openRunJournal(storeIn(folder), ledger, DEPENDENCIES);
    await journal.begin(await planKeys(ledger, ["B"]));
  });
  copyLedger(path.join(folder, "backup"), folder);
  await expect(pushKeys(folder, ["B"])).rejects.toMatchObject({
    code: "ledger_outdated",
    message: expect.stringMatching(/has 1 request, and is older than the journal .*; the last run in the journal is /),
  });
});

it("accepts the newest ledger, even after a kill", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A"], { isKilled: true });
  await pushKeys(folder, ["B"]);
  await pushKeys(folder, ["C"], { isKilled: true });
  await expect(pushKeys(folder, ["D"])).resolves.toBeUndefined();
});

it("tolerates an entry truncated by a kill, and continues after the last complete entry", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A", "B"], { isKilled: true });
  const journal = journalIn(folder);
  writeFileSync(journal, readFileSync(journal).subarray(0, -5));
  await pushKeys(folder, ["C"]);
  copyLedger(folder, path.join(folder, "backup"));
  await pushKeys(folder, ["D"]);
  copyLedger(path.join(folder, "backup"), folder);
  await expect(pushKeys(folder, ["D"])).rejects.toThrow(/lacks 1 request that the journal/);
});

it.skipIf(process.platform === "win32")("keeps the journal private to its owner", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A"]);
  expect(statSync(journalIn(folder)).mode & 0o777).toBe(0o600);
  expect(statSync(path.join(folder, "journal")).mode & 0o777).toBe(0o700);
});

it("refuses a new ledger next to a journal with requests", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A", "B"]);
  removeLedger(folder);
  await expect(pushKeys(folder, ["A"])).rejects.toThrow(/has 0 requests, and lacks 2 requests/);
  rmSync(journalIn(folder));
  await expect(pushKeys(folder, ["A"])).resolves.toBeUndefined();
});

it("repairs a ledger twice within a second (the second repair used to fail, because the kept ledger exists)", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A"]);
  const start = Date.now();
  for (const now of [start, start + 1]) {
    const dependencies = { ...DEPENDENCIES, clock: { ...systemClock, now: () => now } };
    const { kept } = await ledgerRepair({ ledger: path.join(folder, "ledger.db") }, dependencies);
    expect(statSync(kept ?? "").isFile()).toBe(true);
  }
});

it("refuses an older copy of the ledger under another name", async () => {
  const folder = await outdatedFolder();
  for (const name of FILES) copyFileSync(path.join(folder, name), path.join(folder, name.replace("ledger", "other")));
  const store = sqliteLedgerStore(path.join(folder, "other.db"));
  const ledger = await store.write("push", { create: false });
  await expect(openRunJournal(store, ledger, DEPENDENCIES)).rejects.toMatchObject({ code: "ledger_outdated" });
  await ledger.close();
});

/** Plans the next push of these keys, and returns their statuses. */
async function planAgain(folder: string, keys: readonly string[]): Promise<readonly string[]> {
  return withLedger(folder, async (ledger) => {
    await openRunJournal(storeIn(folder), ledger, DEPENDENCIES);
    return statusesOf(ledger, await planKeys(ledger, keys));
  });
}

const KEYS = ["A", "B", "C", "D", "E", "F"];
const HELD = ["skipped", "skipped", "ambiguous", "ambiguous", "ambiguous", "pending"];

it("treats records that only the journal contains as ambiguous after the repair of an older copy", async () => {
  const folder = await outdatedFolder();
  expect(await repair(folder)).toMatchObject({ noted: 3, isUncertain: false });
  expect(await planAgain(folder, KEYS)).toEqual(HELD);
  expect((await ledgerCheck({ ledger: path.join(folder, "ledger.db") }, {})).findings).toEqual([]);
});

it.each([
  ["with its checksum file", FILES],
  ["without its checksum file", ["ledger.db"]],
])("treats records found only in the journal as ambiguous after a lost ledger was restored %s", async (_, files) => {
  const folder = await outdatedFolder();
  removeLedger(folder);
  copyLedger(path.join(folder, "backup"), folder, files);
  await repair(folder);
  const statuses = await planAgain(folder, KEYS);
  expect(statuses.slice(0, 5)).toEqual(HELD.slice(0, 5));
  expect((await ledgerCheck({ ledger: path.join(folder, "ledger.db") }, {})).findings).toEqual([]);
});

it("treats records found only in the journal as ambiguous after a corrupt older copy was repaired", async () => {
  const folder = await outdatedFolder();
  const file = path.join(folder, "ledger.db");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 4096));
  await repair(folder);
  const statuses = await planAgain(folder, KEYS);
  expect(statuses.slice(2, 5)).toEqual(["ambiguous", "ambiguous", "ambiguous"]);
  expect(statuses.slice(0, 2)).not.toContain("pending");
});

it("creates a ledger from the journal if no copy is left", async () => {
  const folder = await outdatedFolder();
  removeLedger(folder);
  expect(await repair(folder)).toMatchObject({ noted: 5, isUncertain: false });
  expect(await planAgain(folder, KEYS)).toEqual([...Array<string>(5).fill("ambiguous"), "pending"]);
  expect((await ledgerCheck({ ledger: path.join(folder, "ledger.db") }, {})).findings).toEqual([]);
});

it("still refuses an older copy after another copy was repaired", async () => {
  const folder = await outdatedFolder();
  await repair(folder);
  copyLedger(path.join(folder, "backup"), folder);
  await expect(pushKeys(folder, ["C"])).rejects.toMatchObject({ code: "ledger_outdated" });
});

it("makes every record that is new to the ledger ambiguous if the journal is corrupt", async () => {
  const folder = await outdatedFolder();
  const journal = journalIn(folder);
  const bytes = readFileSync(journal);
  bytes.writeUInt8(bytes.readUInt8(400) ^ 1, 400);
  writeFileSync(journal, bytes);
  // The journal is corrupt before the first missing request, so no missing request can be counted.
  await expect(pushKeys(folder, ["C"])).rejects.toThrow(
    /may lack some, because the journal \S+ is corrupt or incomplete/,
  );
  expect(await repair(folder)).toMatchObject({ isUncertain: true });
  expect(await planAgain(folder, KEYS)).toEqual(["skipped", "skipped", ...Array<string>(4).fill("ambiguous")]);
  copyLedger(path.join(folder, "backup"), folder);
  await expect(pushKeys(folder, ["C"])).rejects.toMatchObject({ code: "ledger_outdated" });
});

it("counts the readable requests of a corrupt journal that are missing from the ledger", async () => {
  const folder = await outdatedFolder();
  const journal = journalIn(folder);
  const bytes = readFileSync(journal);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 20) ^ 1, bytes.length - 20);
  writeFileSync(journal, bytes);
  await expect(pushKeys(folder, ["C"])).rejects.toThrow(
    /lacks at least \d+ requests? that the corrupt or incomplete journal/,
  );
});

it("sends a record again once the restored ledger has been reconciled", async () => {
  const folder = await outdatedFolder();
  await repair(folder);
  const made = { by: "operator", who: "me", reason: "looked", at: "2026-11-22T10:00:00.000Z" } as const;
  await withLedger(folder, async (ledger) => {
    const journal = await openRunJournal(storeIn(folder), ledger, DEPENDENCIES);
    const run = await planKeys(ledger, ["C", "D"]);
    const [first, second] = await ledger.undecidedByKey(run, "ambiguous", ["C", "D"]);
    if (first === undefined || second === undefined) throw new Error("The records are not ambiguous.");
    expect(first.isAsSent).toBe(true);
    const decisions = [
      { ...made, record: first.record, identity: first.identity, decision: "accepted", account: "A-1" } as const,
      { ...made, record: second.record, identity: second.identity, decision: "resend" } as const,
    ];
    await ledger.saveDecisions(run, decisions, POLICY);
    await ledger.resumeRun(run, POLICY);
    await journal.begin(run);
    await sendAll(ledger, run, journal);
    await journal.end();
    expect((await outcomesOf(ledger, run)).map(({ status }) => status)).toEqual(["accepted", "accepted"]);
  });
  await expect(pushKeys(folder, ["F"])).resolves.toBeUndefined();
  expect((await ledgerCheck({ ledger: path.join(folder, "ledger.db") }, {})).findings).toEqual([]);
});
