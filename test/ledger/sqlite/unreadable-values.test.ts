import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { sqliteLedgerStore } from "../../../src/ledger/sqlite/sqlite-store.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { item, planned } from "../ledger-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const PROBLEM = { attr: "name", severity: "error", by: "platform", code: "blank", detail: "" } as const;

/**
 * Changes a ledger with a tool that does not update the checksums. The ledger has a run with an invalid record, and a
 * run for each of the other keys.
 */
async function changedLedger(sql: string, otherRuns: readonly string[] = []): Promise<string> {
  const path = join(temporaryFolder(), "ledger.db");
  const ledger = await openLedger({ path });
  await planned(ledger, [item(1, "A", "same", { status: "invalid", problems: [PROBLEM] })]);
  for (const key of otherRuns) await planned(ledger, [item(1, key)]);
  await ledger.close();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  rmSync(`${path}-checksums`);
  return path;
}

test.each([
  "update runs set settings = '{{{'",
  "update runs set target = null",
  "update problems set problem = x'ff00'",
  "update problems set problem = null",
  "update items set status = 'other'",
])("a check reports a value that no command can read: %s", async (sql) => {
  const { findings } = await sqliteLedgerStore(await changedLedger(sql)).check();
  const text = /^1 (run or problem cannot be read|record has an unknown state)\.$/;
  expect(findings).toContainEqual(expect.stringMatching(text));
});

test("a value that is not JSON causes a failure, because the ledger is corrupt", async () => {
  const ledger = await openLedger({ path: await changedLedger("update runs set settings = '{{{'") });
  await expect(ledger.runs()).rejects.toMatchObject({ code: "ledger_damaged", exitCode: 6 });
  await ledger.close();
});

test.each(["name", "command", "target", "supplier", "operation", "endpoint", "state", "started_at"])(
  "a run without a value in the column %s causes a failure, because the ledger is corrupt",
  async (column) => {
    const ledger = await openLedger({ path: await changedLedger(`update runs set ${column} = null`) });
    await expect(ledger.runs()).rejects.toMatchObject({
      code: "ledger_damaged",
      exitCode: 6,
      message: expect.stringContaining(`no value in the column "${column}"`),
    });
    await ledger.close();
  },
);

test("a repair leaves out a run without a required value, so that commands can read the ledger again", async () => {
  const store = sqliteLedgerStore(await changedLedger("update runs set target = null where id = 1", ["B"]));
  const { tables } = (await store.repair?.("1")) ?? {};
  expect(tables).toContainEqual({ table: "runs", rows: 1, isWhole: false });
  expect((await store.check()).findings).toEqual([]);
  const ledger = await store.read();
  expect(await ledger.runs()).toHaveLength(1);
  await ledger.close();
});
