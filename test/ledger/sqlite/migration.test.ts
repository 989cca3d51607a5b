import { join } from "node:path";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { describeMigration } from "../behaviour/migration-behaviour.ts";

describeMigration("a SQLite ledger", () => openLedgerStore(join(temporaryFolder(), "ledger.db")), 40);
