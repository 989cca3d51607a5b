import { join } from "node:path";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Moves a SQLite ledger to a thread. */
export function inThread(ledger: Ledger): Ledger {
  const moved = ledger.inThread?.("immediately");
  if (moved === undefined) throw new Error("the SQLite ledger has no thread");
  return moved;
}

/** Opens a new SQLite ledger in a thread. */
export async function openInThread(): Promise<Ledger> {
  return inThread(await openLedger({ path: join(temporaryFolder(), "ledger.db") }));
}
