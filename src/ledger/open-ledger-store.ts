import { Failure } from "../model/failure.ts";
import type { LedgerStore, StoreOptions } from "./ledger-store.ts";
import { parsePostgresUrl } from "./postgres/connection/postgres-url.ts";

/** The ledger that commands use by default. */
export const DEFAULT_LEDGER = ".migrate/ledger.db";

/** Returns the flag that a suggested command needs to use this ledger; none for the default ledger. */
export function ledgerFlag(locator: string | undefined): readonly string[] {
  return locator === undefined || locator === DEFAULT_LEDGER ? [] : ["--ledger", locator];
}

/**
 * Returns the store for a locator: the path of a file, or the URL of a PostgreSQL database. Does not open the ledger.
 * @throws Failure `config`, as in `requireLedgerLocator`
 */
export async function openLedgerStore(locator: string, options: StoreOptions = {}): Promise<LedgerStore> {
  if (isAddress(requireLedgerLocator(locator))) {
    const { postgresLedgerStore } = await import("./postgres/postgres-store.ts");
    return postgresLedgerStore(locator, options);
  }
  const { sqliteLedgerStore } = await import("./sqlite/sqlite-store.ts");
  return sqliteLedgerStore(locator, options);
}

/**
 * Returns the locator if `openLedgerStore` supports it.
 * @throws Failure `config` for another kind of address, or for an unusable URL, such as a URL with a password
 */
export function requireLedgerLocator(locator: string): string {
  if (!isAddress(locator)) return locator;
  if (POSTGRES.test(locator)) {
    parsePostgresUrl(locator);
    return locator;
  }
  throw new Failure("config", "unknown kind of ledger address", {
    hint: "use a file, --ledger path/to/ledger.db, or a PostgreSQL database, --ledger postgres://user@host/database",
  });
}

/**
 * Checks that several processes can share the runs of a ledger.
 * @throws Failure `usage` for a ledger that other machines cannot reach
 */
export function requireSharedLedger(locator: string): void {
  if (isAddress(locator)) return;
  throw new Failure("usage", `workers need a ledger that they can reach, but ${locator} is a file on this machine`, {
    hint: "use a PostgreSQL database: --ledger postgres://user@host/database (docs/cluster.md)",
  });
}

/**
 * Whether a locator has a scheme, such as `postgres://host/name`, and is therefore not a path. A PostgreSQL URL without
 * slashes may contain a password, so it is not a path either.
 */
export function isAddress(locator: string): boolean {
  return locator.includes("://") || POSTGRES.test(locator);
}

const POSTGRES = /^postgres(?:ql)?:/i;
