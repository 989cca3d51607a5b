import { spawn } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { thisProcess } from "../../../src/ledger/lock-holder.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { type Lock, lockLedger } from "../../../src/ledger/sqlite/lock/ledger-lock.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { openDatabase } from "../../../src/ledger/sqlite/sqlite-database.ts";
import { sqliteLedgerStore } from "../../../src/ledger/sqlite/sqlite-store.ts";
import { processStart } from "../../../src/files/running-process.ts";
import { item, planned, sendAll } from "../ledger-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Creates a ledger without a lock file. Its recorded writer is a live process unless `more` changes the writer. */
async function ledgerOfOther(more: object = {}): Promise<string> {
  const file = path.join(temporaryFolder(), "ledger.db");
  const ledger = await sqliteLedgerStore(file).write("push", { create: true });
  await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
  await ledger.close();
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => void other.kill("SIGKILL"));
  const pid = other.pid ?? 0;
  const holder = { ...thisProcess("push", "kernel"), pid, processStart: processStart(pid) ?? null };
  const writer = { ...holder, lockInode: 1, ledgerInode: statSync(file).ino, ...more };
  const database = openDatabase(file);
  database.run("update ledger_state set writer = ?", JSON.stringify(writer));
  database.close();
  rmSync(`${file}-checksums`);
  return file;
}

test("refuses a ledger that a live process writes to, even if the lock file was removed", async () => {
  const store = sqliteLedgerStore(await ledgerOfOther());
  await expect(store.write("push", { create: true })).rejects.toMatchObject({ code: "ledger_in_use", exitCode: 7 });
  await expect(store.repair?.("20261123")).rejects.toMatchObject({ code: "ledger_in_use" });
});

test.each([
  ["of a copied ledger", { ledgerInode: 1 }],
  ["that has ended", { pid: 2 ** 22 + 1, processStart: "1" }],
])("takes over a ledger from the recorded writer %s", async (_, more) => {
  const store = sqliteLedgerStore(await ledgerOfOther(more));
  const ledger = await store.write("push", { create: true });
  await sendAll(ledger, await planned(ledger, [item(1, "B")]), "accepted");
  await ledger.close();
  expect((await store.check()).findings).toEqual([]);
});

test("refuses the writes of a process that another writer has replaced", async () => {
  const file = path.join(temporaryFolder(), "ledger.db");
  const ledger = await sqliteLedgerStore(file).write("push", { create: true });
  const run = await planned(ledger, [item(1, "A")]);
  const database = openDatabase(file);
  database.run(
    "update ledger_state set writer = ?",
    JSON.stringify({ ...thisProcess("push", "kernel"), lockInode: 1 }),
  );
  await expect(sendAll(ledger, run, "accepted")).rejects.toMatchObject({ code: "ledger_in_use" });
  database.abandon();
  await ledger.close();
});

test("a replaced process closes the ledger without changing the checksums of the process that took over", async () => {
  const file = path.join(temporaryFolder(), "ledger.db");
  const open = async (): Promise<{ readonly ledger: Ledger; readonly lock: Lock }> => {
    const lock = await lockLedger(file, "push");
    return { lock, ledger: await openLedger({ path: file, writer: lock.writer }) };
  };
  const first = await open();
  await planned(first.ledger, [item(1, "A")]);
  await first.lock.release();
  const second = await open();
  await sendAll(second.ledger, await planned(second.ledger, [item(1, "A")]), "accepted");
  await first.ledger.close();
  await planned(second.ledger, [item(1, "B")]);
  await second.ledger.close();
  await second.lock.release();
  expect((await sqliteLedgerStore(file).check()).findings).toEqual([]);
});

test("a process stops writing when another file replaces its ledger", async () => {
  const file = path.join(temporaryFolder(), "ledger.db");
  const ledger = await sqliteLedgerStore(file).write("push", { create: true });
  const run = await planned(ledger, [item(1, "A")]);
  const bytes = readFileSync(file);
  rmSync(file);
  writeFileSync(file, bytes);
  await expect(sendAll(ledger, run, "accepted")).rejects.toMatchObject({ code: "ledger_lost", exitCode: 6 });
  await expect.poll(() => ledger.lease?.lost.aborted).toBe(true);
  await ledger.close();
  expect(readFileSync(file)).toEqual(bytes);
});
