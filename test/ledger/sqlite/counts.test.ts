import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { checkLedger } from "../../../src/ledger/sqlite/integrity/ledger-check.ts";
import { repairLedger } from "../../../src/ledger/sqlite/integrity/ledger-repair.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { describeCounts, invalid } from "../behaviour/count-behaviour.ts";
import { item, planned, PUSH, sendAll } from "../ledger-input.ts";

const newPath = (): string => join(temporaryFolder(), "ledger.db");
const findingsOf = (path: string): readonly string[] => checkLedger(path, () => false).findings;

describeCounts("a SQLite ledger", () => openLedgerStore(newPath()));

test.each([
  "update counts set count = count + 1 where kind = 'status'",
  "delete from counts where kind = 'requests'",
  "insert into counts values (1, 'error', 'invented', 1)",
  "update coverage set accepted = 0",
])("finds wrong counts, and a repair recalculates them: %s", async (sql) => {
  const path = newPath();
  const ledger = await openLedger({ path });
  await sendAll(ledger, await planned(ledger, [item(1, "K1"), invalid(2)]), "accepted");
  await ledger.close();
  const direct = new DatabaseSync(path);
  direct.exec(sql);
  direct.close();
  rmSync(`${path}-checksums`);
  expect(findingsOf(path)).toEqual([expect.stringMatching(/stored counts? differ/)]);
  repairLedger(path, "test");
  expect(findingsOf(path)).toEqual([]);
});

test.each([
  ["the plan of a push is", "delete from items where run = 1", 1],
  [
    "a push and its requests are",
    "delete from runs where id = 1; delete from items where run = 1; delete from attempts",
    0,
  ],
])("a repaired ledger counts its records in every later push even if %s lost", async (_, sql, recorded) => {
  const path = newPath();
  const ledger = await openLedger({ path });
  await sendAll(ledger, await planned(ledger, [item(1, "K1")]), "accepted");
  await planned(ledger, [item(1, "K9")], { run: { supplier: "OTHER" } });
  await ledger.close();
  const direct = new DatabaseSync(path);
  direct.exec(sql);
  direct.close();
  rmSync(`${path}-checksums`);
  repairLedger(path, "test");
  expect(findingsOf(path)).toEqual([]);

  const repaired = await openLedger({ path });
  const migrated = async () => (await repaired.migration()).find(({ supplier }) => supplier === PUSH.supplier);
  const state = (await migrated()) ?? { records: 0, counts: { accepted: 0, ambiguous: 0 } };
  expect(state).toMatchObject({ records: recorded });
  expect(state.counts.accepted + state.counts.ambiguous).toBe(recorded);
  await planned(repaired, [item(1, "K1"), item(2, "K2")]);
  expect(await migrated()).toMatchObject({ records: 2 });
  await repaired.close();
  expect(findingsOf(path)).toEqual([]);
});
