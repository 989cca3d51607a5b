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
import { item, planned, sendAll } from "../ledger-input.ts";

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
