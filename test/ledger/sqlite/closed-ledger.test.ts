import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { ended, firstLine, useLedgerProcess } from "../ledger-processes.ts";
import { item, planned } from "../ledger-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const { start } = useLedgerProcess();
/** The number of records in the run that `linger` plans. */
const LINGERING = 2000;

/** Collects garbage, including closed connections, as may happen at any time in a long-running program. */
async function collectAll(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  for (let round = 0; round < 5; round += 1) {
    collect();
    await nextTurn();
  }
}

test("a ledger stays intact if another process is killed before this process garbage-collects its closed connection", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "ledger.db");
  const first = await openLedger({ path });
  const items = Array.from({ length: 2000 }, (_, index) => item(index + 1, `K${index}`));
  const run = await planned(first, items);
  await first.close();

  for (let kill = 0; kill < 3; kill += 1) {
    const child = start("push", path, run, join(folder, "received"));
    expect(await firstLine(child)).toBe("pushing");
    child.kill("SIGKILL");
    await ended(child);
    await collectAll();
    const ledger = await openLedger({ path });
    expect((await ledger.summary(run)).records).toBe(items.length);
    await ledger.close();
  }
});

test("a ledger stays intact if another process is killed while the program that closed the ledger is still running", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "ledger.db");
  const program = start("linger", path);
  const run = await firstLine(program);
  const child = start("push", path, run, join(folder, "received"));
  expect(await firstLine(child)).toBe("pushing");
  child.kill("SIGKILL");
  await ended(child);
  program.kill("SIGUSR2");
  await ended(program);
  const ledger = await openLedger({ path });
  expect((await ledger.summary(run)).records).toBe(LINGERING);
  await ledger.close();
});
