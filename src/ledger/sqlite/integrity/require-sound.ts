import { statSync } from "node:fs";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";
import { damagedLedger } from "../ledger-file.ts";
import { statOf } from "../ledger-file.ts";
import { readSeal, type Seal, sealPath } from "./seal-file.ts";
import { findDamage } from "./seal.ts";
import { committed } from "./sealed-database.ts";

/** Up to this size every page of a ledger without a seal is looked at when it is opened: some 100 ms. */
const FULLY_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Refuses a ledger that is not what was written last: Failure `ledger_damaged`. Its seal tells that, down to a single
 * bit; a ledger of an older version has none, and then SQLite is asked, which finds what is cut off or torn.
 * @param isBusy another process may be writing to it just now
 */
export function requireSound(database: SqliteDatabase, isBusy: () => boolean = () => false): void {
  const { path } = database;
  const seal = readSeal(sealPath(path));
  const logSize = statOf(`${path}-wal`)?.size ?? 0;
  if (statSync(path).size === 0) {
    if (logSize > 0 || seal !== undefined) throw damagedLedger(path, "it is empty, but the files beside it are not");
  } else if (seal === undefined || seal === "damaged") requireWhole(database, logSize);
  else {
    requireUnbroken(database, seal, isBusy);
    if (seal.pages.length === 0) requireWhole(database, logSize);
  }
}

function requireUnbroken(database: SqliteDatabase, seal: Seal, isBusy: () => boolean): void {
  const { path } = database;
  const broken = isBusy() ? undefined : findDamage(path);
  // Whoever has begun to write meanwhile has changed the one and not yet the other.
  if (broken !== undefined && !isBusy() && findDamage(path) !== undefined) throw damagedLedger(path, broken);
  if (committed(database) < seal.commits) throw damagedLedger(path, "what was written last is missing from its log");
}

function requireWhole(database: SqliteDatabase, logSize: number): void {
  const { path } = database;
  const { size } = statSync(path);
  const expected = expectedSize(database);
  if (logSize === 0 && size < expected) throw damagedLedger(path, `it has ${size} bytes of ${expected}`);
  if (size > FULLY_CHECKED_BYTES) return;
  const found = database.row(INTEGRITY_CHECK)?.integrity_check;
  if (found !== "ok") throw damagedLedger(path, found ?? "it cannot be checked");
}

const INTEGRITY_CHECK: Query<{ integrity_check: string }> = { sql: "pragma integrity_check(1)" };
const PAGE_COUNT: Query<{ page_count: number }> = { sql: "pragma page_count" };
const PAGE_SIZE: Query<{ page_size: number }> = { sql: "pragma page_size" };

function expectedSize(database: SqliteDatabase): number {
  const pages = database.row(PAGE_COUNT)?.page_count ?? 0;
  const pageSize = database.row(PAGE_SIZE)?.page_size ?? 0;
  return pages * pageSize;
}
