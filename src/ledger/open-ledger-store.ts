import { Failure } from "../model/failure.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** Where runs are remembered unless another place is named. */
export const DEFAULT_LEDGER = ".migrate/ledger.db";

/**
 * The store that a locator names: the path of a file. Nothing is opened yet.
 * @throws Failure `config` as `requireLedgerLocator` does
 */
export async function openLedgerStore(locator: string): Promise<LedgerStore> {
  const path = requireLedgerLocator(locator);
  const { sqliteLedgerStore } = await import("./sqlite/sqlite-store.ts");
  return sqliteLedgerStore(path);
}

/**
 * Gives the locator back when `openLedgerStore` knows its kind.
 * @throws Failure `config` for an address
 */
export function requireLedgerLocator(locator: string): string {
  if (!isAddress(locator)) return locator;
  throw new Failure("config", "the ledger is an address, and not a file", {
    hint: "name a file: --ledger path/to/ledger.db; this version keeps ledgers in SQLite files only",
  });
}

/** Whether a locator has a scheme, as `postgres://host/name` has, and is therefore no path. */
export function isAddress(locator: string): boolean {
  return locator.includes("://");
}
