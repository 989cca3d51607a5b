import { statSync } from "node:fs";
import { Failure } from "../../../model/failure.ts";
import { formatCount } from "../../../text/count.ts";
import { contradictionQueries, countRows, NO_ROWS } from "../../contradictions.ts";
import type { LedgerCheck } from "../../ledger-store.ts";
import { REQUIRED_RUN_COLUMNS } from "../../runs/recorded-run.ts";
import { corruptLedger, lostLedger, statOf } from "../ledger-file.ts";
import { hasSchema } from "../ledger-schema.ts";
import { PLANNED_PUSHES } from "../../tables/planned-records.ts";
import { MISCOUNTED } from "../tables/count-schema.ts";
import { integrityErrors, openDatabase, pragma, type SqliteDatabase } from "../sqlite-database.ts";
import { findCorruption, matchesStamp, readChecksums, type PageChecksums, checksumsPath } from "./page-checksums.ts";
import { committed } from "./checksummed-database.ts";
import { statement } from "../../tables/tables.ts";

/**
 * Checks every page and every row of the ledger at this path, without changing it. Compares the checksums, runs
 * SQLite's own check, and finds contradictions between the tables.
 * @param isBusy returns whether another process may be writing to the ledger
 * @throws Failure `storage`; `config` for a file that is not a ledger
 */
export function checkLedger(path: string, isBusy: () => boolean): LedgerCheck {
  const database = openDatabase(path, { readOnly: true });
  try {
    const corruption = corruptionOf(database, isBusy);
    const findings = corruption.length > 0 ? corruption : contradictions(database);
    const counts = findings.length > 0 ? undefined : database.row(countRows(""));
    return { findings, counts: counts ?? NO_ROWS };
  } finally {
    database.close();
  }
}

function corruptionOf(database: SqliteDatabase, isBusy: () => boolean): readonly string[] {
  try {
    requireIntact(database, { isBusy });
    if (!hasSchema(database)) return ["The ledger is empty."];
    return integrityErrors(database, 20);
  } catch (error) {
    if (error instanceof Failure && error.code === "ledger_damaged") return [error.message];
    throw error;
  }
}

function contradictions(database: SqliteDatabase): readonly string[] {
  return contradictionQueries("", VIOLATIONS).flatMap(({ sql, sentences }) =>
    sentences(database.row(statement<{ count: number }>(sql))?.count ?? 0),
  );
}

/** SQL for the identities of records whose acceptance is confirmed by a request or a decision. */
export const CONFIRMED = `(select identity from attempts where status = 'accepted' union all
  select identity from decisions where decision = 'accepted')`;

const VIOLATIONS = {
  unconfirmedRecord: `select 1 from records where state = 'accepted' and identity not in ${CONFIRMED}`,
  missingRecord: `select 1 from items where status in ('pending', 'sending', 'accepted', 'existing', 'ambiguous', 'skipped', 'blocked')
    and awaits is null and identity not in (select identity from records)
    and run in (select id from runs where ${PLANNED_PUSHES})`,
  unreadableValue: `select 1 from runs
    where json_valid(settings) is not 1 or ${REQUIRED_RUN_COLUMNS.map((column) => `${column} is null`).join(" or ")}
    union all select 1 from problems where json_valid(problem) is not 1`,
  miscounted: MISCOUNTED,
};

/**
 * Up to this size, every page of a ledger without checksums is checked when the ledger is opened. The check takes about
 * 100 ms.
 */
const FULLY_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Up to this size, the pages of a ledger with checksums are always checked when the ledger is opened. The check takes
 * about 100 ms.
 */
const LARGE_BYTES = 128 * 1024 * 1024;

export interface IntegrityOptions {
  /** Returns whether another process may be writing to the ledger. */
  readonly isBusy?: () => boolean;
  /**
   * Whether to trust a large file that has not been modified since its checksums were recorded, instead of checking its
   * pages.
   */
  readonly trustsTime?: boolean;
  /** Receives messages about slow work. */
  readonly notice?: ((message: string) => void) | undefined;
}

/**
 * Refuses a ledger that differs from its last written state. The checksums detect a single changed bit. Without a
 * checksum file, SQLite's own check detects a truncated or torn file.
 * @returns `trusted` if the pages of a large file were not checked, because the file was not modified
 * @throws Failure `ledger_damaged`
 */
export function requireIntact(database: SqliteDatabase, options: IntegrityOptions = {}): "checked" | "trusted" {
  const { path } = database;
  const checksums = readChecksums(checksumsPath(path));
  const logSize = statOf(`${path}-wal`)?.size ?? 0;
  if (statSync(path).size === 0) {
    if (logSize > 0 || checksums !== undefined) throw lostLedger(path, "it is empty, but its other files are not");
    return "checked";
  }
  if (checksums !== undefined && checksums !== "corrupt")
    return requireChecksums(database, { checksums, logSize }, options);
  requireWhole(database, logSize);
  return "checked";
}

function requireChecksums(
  database: SqliteDatabase,
  { checksums, logSize }: { readonly checksums: PageChecksums; readonly logSize: number },
  { isBusy = () => false, trustsTime = false, notice }: IntegrityOptions,
): "checked" | "trusted" {
  const { path } = database;
  const bytes = checksums.pages.length * checksums.pageSize;
  const isTrusted = trustsTime && bytes > LARGE_BYTES && matchesStamp(path, checksums);
  if (!isTrusted && !isBusy()) {
    if (bytes > NOTICE_BYTES) notice?.(longCheckText(path, bytes));
    requireUnbroken(path, isBusy);
  }
  if (committed(database) < checksums.commits) throw corruptLedger(path, "the last writes are missing from its log");
  if (checksums.pages.length === 0) requireWhole(database, logSize);
  return isTrusted ? "trusted" : "checked";
}

/** Checking a larger ledger may take more than two seconds. */
const NOTICE_BYTES = 1024 * 1024 * 1024;

function longCheckText(path: string, bytes: number): string {
  const size = `${formatCount(Math.round(bytes / 1_000_000))} MB`;
  return `Checking the whole ledger ${path} (${size}), because it is a copy or has changed since it was last closed`;
}

function requireUnbroken(path: string, isBusy: () => boolean): void {
  const broken = findCorruption(path);
  // Another process may have begun to write during the check, and may have changed only one of the two files so far.
  if (broken !== undefined && !isBusy() && findCorruption(path) !== undefined) throw corruptLedger(path, broken);
}

function requireWhole(database: SqliteDatabase, logSize: number): void {
  const { path } = database;
  const { size } = statSync(path);
  const expected = pragma(database, "page_count") * pragma(database, "page_size");
  if (logSize === 0 && size < expected) throw corruptLedger(path, `it has only ${size} of ${expected} bytes`);
  if (size > FULLY_CHECKED_BYTES) return;
  const [found] = integrityErrors(database, 1);
  if (found !== undefined) throw corruptLedger(path, found);
}
