import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { openForWriting } from "../../../src/ledger/sqlite/open-for-writing.ts";
import { RECOUNT } from "../../../src/ledger/sqlite/tables/count-schema.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { describeMigration } from "../behaviour/migration-behaviour.ts";

let path = "";

async function openLedger(): Promise<Ledger> {
  return (await openLedgerStore(path)).write("push", { create: true });
}

describeMigration(
  "a SQLite ledger",
  {
    empty() {
      path = join(temporaryFolder(), "ledger.db");
      return openLedger();
    },
    async recounted(ledger) {
      await ledger.close();
      const file = openForWriting(path);
      file.execute(RECOUNT);
      file.close();
      rmSync(`${path}-checksums`);
      return openLedger();
    },
    leave: (ledger) => ledger.close(),
  },
  Number(process.env["RUNS"] ?? 40),
);
