import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { sqliteLedgerStore } from "../../src/ledger/sqlite/sqlite-store.ts";
import { forgetJournal, openRunJournal } from "../../src/pipeline/run/run-journal.ts";
import { systemClock } from "../../src/time/system-clock.ts";
import { item, planned, sendAll } from "../ledger/ledger-input.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const FILES = ["ledger.db", "ledger.db-seal"];

/** One run that sends a record under each of these keys, by a process of its own. */
async function pushKeys(folder: string, keys: readonly string[], { isKilled = false } = {}): Promise<void> {
  await withLedger(folder, async (ledger) => {
    const journal = await openRunJournal(storeIn(folder), ledger, systemClock);
    const run = await planned(
      ledger,
      keys.map((key, index) => item(index + 1, key)),
    );
    await journal.begin(run);
    await sendAll(ledger, run, "accepted");
    journal.add(keys.length);
    if (!isKilled) await journal.end();
  });
}

async function withLedger(folder: string, work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const ledger = await storeIn(folder).write("push", { create: true });
  try {
    await work(ledger);
  } finally {
    await ledger.close();
  }
}

function storeIn(folder: string): ReturnType<typeof sqliteLedgerStore> {
  return sqliteLedgerStore(path.join(folder, "ledger.db"));
}

function copyLedger(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of FILES) copyFileSync(path.join(from, name), path.join(to, name));
}

it("a ledger that is put back as it was before a later push is refused, and the refusal says what it lacks", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A", "B"]);
  copyLedger(folder, path.join(folder, "backup"));
  await pushKeys(folder, ["C", "D", "E"]);
  copyLedger(path.join(folder, "backup"), folder);
  await expect(pushKeys(folder, ["C"])).rejects.toMatchObject({
    code: "ledger_outdated",
    exitCode: 6,
    message: expect.stringMatching(/older copy: it knows 2 requests, and by 20.* 5 requests had been made, in run /),
    hint: expect.stringContaining(path.join(folder, "journal")),
  });
});

it("a copy from before a push that was killed right after its start is noticed by its missing run", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A"]);
  copyLedger(folder, path.join(folder, "backup"));
  await withLedger(folder, async (ledger) => {
    const journal = await openRunJournal(storeIn(folder), ledger, systemClock);
    await journal.begin(await planned(ledger, [item(1, "B")]));
  });
  copyLedger(path.join(folder, "backup"), folder);
  await expect(pushKeys(folder, ["B"])).rejects.toMatchObject({ code: "ledger_outdated" });
});

it("the newest ledger is never taken for an older copy, killed or not", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A"], { isKilled: true });
  await pushKeys(folder, ["B"]);
  await expect(pushKeys(folder, ["C"])).resolves.toBeUndefined();
});

it("another ledger in the same folder has a journal of its own, private to its owner", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A", "B"]);
  for (const name of readdirSync(folder).filter((file) => file.startsWith("ledger.db"))) {
    rmSync(path.join(folder, name));
  }
  await pushKeys(folder, ["C"]);
  expect(readdirSync(path.join(folder, "journal"))).toHaveLength(2);
});

it("a journal that cannot be understood proves nothing", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A"]);
  const [name = ""] = readdirSync(path.join(folder, "journal"));
  writeFileSync(path.join(folder, "journal", name), readFileSync(path.join(folder, "journal", name)).subarray(0, 9));
  await expect(pushKeys(folder, ["B"])).resolves.toBeUndefined();
});

it("a repaired ledger may know fewer requests: its journal begins anew", async () => {
  const folder = temporaryFolder();
  await pushKeys(folder, ["A", "B"]);
  await forgetJournal(storeIn(folder));
  expect(readdirSync(path.join(folder, "journal"))).toEqual([]);
});
