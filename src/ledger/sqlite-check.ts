import { statSync } from "node:fs";
import type { Query, SqliteDatabase } from "./sqlite-database.ts";
import { damagedLedger } from "./sqlite-failure.ts";
import { statOf } from "./private-file.ts";

/** Up to this size every page is looked at when the ledger is opened: some 100 ms. */
const FULLY_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Refuses a ledger that is cut off or torn: Failure `ledger_damaged`. SQLite itself finds damage in a large one only
 * when it comes upon it.
 */
export function requireSound(database: SqliteDatabase): void {
  const { path } = database;
  const size = statSync(path).size;
  const logSize = statOf(`${path}-wal`)?.size ?? 0;
  if (size === 0) {
    if (logSize > 0) throw damagedLedger(path, "it is empty, but its log is not");
    return;
  }
  const expected = expectedSize(database);
  if (logSize === 0 && size < expected) throw damagedLedger(path, `it has ${size} bytes of ${expected}`);
  if (size > FULLY_CHECKED_BYTES) return;
  const found = database.row(QUICK_CHECK)?.quick_check;
  if (found !== "ok") throw damagedLedger(path, found ?? "it cannot be checked");
}

const QUICK_CHECK: Query<{ quick_check: string }> = { sql: "pragma quick_check(1)" };
const PAGE_COUNT: Query<{ page_count: number }> = { sql: "pragma page_count" };
const PAGE_SIZE: Query<{ page_size: number }> = { sql: "pragma page_size" };

function expectedSize(database: SqliteDatabase): number {
  const pages = database.row(PAGE_COUNT)?.page_count ?? 0;
  const pageSize = database.row(PAGE_SIZE)?.page_size ?? 0;
  return pages * pageSize;
}
