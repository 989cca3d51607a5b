import { closeSync, copyFileSync, openSync, readSync, rmSync, statSync, utimesSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLedger } from "../../../src/ledger/sqlite/integrity/ledger-check.ts";
import { matchesStamp, readChecksums } from "../../../src/ledger/sqlite/integrity/page-checksums.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { createTestFolder } from "../../temporary-folder.ts";
import { item, planned, POLICY, sendAll } from "../ledger-input.ts";

const { folder, remove } = createTestFolder();
afterAll(remove);
const path = join(folder, "ledger.db");
const LARGE = 130 * 1024 * 1024;

/** Creates a ledger with one file name of 130 MB, which fills the middle of the ledger file and is never read. */
beforeAll(async () => {
  const ledger = await openLedger({ path });
  await planned(ledger, [item(1, "K1"), item(2, "K2")]);
  await ledger.close();
  const direct = new DatabaseSync(path);
  direct.exec(`insert into files (id, name) values (99, cast(randomblob(${LARGE}) as text))`);
  direct.exec("pragma wal_checkpoint(truncate)");
  direct.close();
  rmSync(`${path}-checksums`);
  await write();
});

async function write(): Promise<void> {
  const ledger = await openLedger({ path });
  await planned(ledger, [item(1, "K3")]);
  await ledger.close();
}

function isTrusted(): boolean {
  const checksums = readChecksums(`${path}-checksums`);
  return checksums !== undefined && checksums !== "corrupt" && matchesStamp(path, checksums);
}

/** Changes a byte in the middle of the file, or restores it. */
function flip(): void {
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, LARGE / 2);
  writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, LARGE / 2);
  closeSync(file);
}

const corrupt = expect.objectContaining({
  code: "ledger_damaged",
  message: expect.stringContaining("has the wrong checksum"),
});

test("a large ledger that was closed properly is trusted each time it is opened", async () => {
  for (const readOnly of [true, false, true]) {
    expect(isTrusted()).toBe(true);
    await (await openLedger({ path, readOnly })).close();
  }
  await write();
  expect(isTrusted()).toBe(true);
});

test("a large ledger that another program wrote to is refused before use, even if its modification time was reset", async () => {
  const { atime, mtime } = statSync(path);
  flip();
  try {
    utimesSync(path, atime, mtime);
    expect(isTrusted()).toBe(false);
    for (const readOnly of [true, false]) await expect(openLedger({ path, readOnly })).rejects.toEqual(corrupt);
    expect(checkLedger(path, () => false).findings).toHaveLength(1);
  } finally {
    flip();
  }
  await write();
});

test("a copy of a large ledger is checked completely, and then used normally", async () => {
  const copy = join(folder, "copy.db");
  for (const side of ["", "-checksums"]) copyFileSync(path + side, copy + side);
  const ledger = await openLedger({ path: copy, readOnly: true });
  expect((await ledger.runs()).length).toBeGreaterThan(1);
  await ledger.close();
  rmSync(copy);
});

test("corruption that SQLite cannot detect is found while a large ledger is in use, and nothing more is written", async () => {
  const ledger = await openLedger({ path });
  const run = await planned(ledger, [item(1, "K9")]);
  flip();
  await expect.poll(() => ledger.resumeRun(run, POLICY).catch((error: unknown) => error)).toEqual(corrupt);
  await expect(sendAll(ledger, run, "accepted")).rejects.toEqual(corrupt);
  await ledger.close();
  await expect(openLedger({ path })).rejects.toEqual(corrupt);
  flip();
  const again = await openLedger({ path });
  expect((await again.summary(run)).counts).toEqual({ pending: 1 });
  await again.close();
});
