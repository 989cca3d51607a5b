import { chmodSync, copyFileSync, linkSync, readSync, rmSync, truncateSync } from "node:fs";
import { withFile } from "../../../files/open-file.ts";
import { renameDurably } from "../../../files/replace-file.ts";
import type { Failure } from "../../../model/failure.ts";
import type { LedgerRepair } from "../../ledger-store.ts";
import {
  ledgerFailure,
  lostLedger,
  preparePrivateFile,
  removeDatabase,
  statOf,
  unlessFailing,
  unreadableLedger,
} from "../ledger-file.ts";
import { createSchema } from "../ledger-schema.ts";
import { RECOUNT } from "../tables/count-schema.ts";
import { FIND_UNCOVERED, recoveriesOf, saveRecoveries, MARK_ALL_UNCERTAIN } from "../tables/recovery.ts";
import { openDatabase, type SqliteDatabase } from "../sqlite-database.ts";
import { CONFIRMED } from "./ledger-check.ts";
import { readChecksums, checksumsPath } from "./page-checksums.ts";
import { committed } from "./checksummed-database.ts";
import { HAS_NO_STATE, salvage, unlessCorrupt } from "./salvage-rows.ts";
import { statement } from "../../tables/tables.ts";

/**
 * Replaces a corrupt ledger with a repaired copy that contains every readable record. Keeps the corrupt ledger next to
 * the copy. Uncertain records become `ambiguous`. A record stays `accepted` only if a request or a decision confirms
 * it. Other states are not trusted if any data was lost. Callers must hold the lock.
 * @param stamp suffix for the name under which the corrupt ledger is kept
 * @param mayRecreate whether to create an empty ledger if neither a run nor an intact ledger without runs can be read
 * @throws Failure `ledger_damaged` if no run can be read; `storage`
 */
export function repairLedger(path: string, stamp: string, mayRecreate = false): LedgerRepair {
  const draft = `${path}.repaired`;
  try {
    removeDatabase(draft);
    preparePrivateFile(draft);
    const made = rebuild(openDatabase(draft), path, mayRecreate);
    return { ...made, kept: swap(path, draft, stamp) };
  } catch (error) {
    // The original error is reported. The next repair removes the draft.
    unlessFailing(() => removeDatabase(draft));
    throw ledgerFailure(error, path);
  }
}

function rebuild(intact: SqliteDatabase, path: string, mayRecreate: boolean): LedgerRepair {
  try {
    const { tables, isCertain } = copyInto(intact, path, mayRecreate);
    intact.transaction(() => {
      for (const sql of [...UNCONFIRMED, ...(isCertain ? MARK_ONE_UNCERTAIN : MARK_ALL_UNCERTAIN), ...FOLLOWING])
        intact.run(sql);
      intact.execute(FIND_UNCOVERED + RECOUNT);
    });
    return { tables, ambiguous: intact.row(AMBIGUOUS)?.count ?? 0 };
  } finally {
    intact.close();
  }
}

function copyInto(
  intact: SqliteDatabase,
  path: string,
  mayRecreate: boolean,
): { readonly tables: LedgerRepair["tables"]; readonly isCertain: boolean } {
  createSchema(intact);
  if (mayRecreate && (statOf(path)?.size ?? 0) === 0) return { tables: [], isCertain: true };
  const source = lengthened(path);
  const corrupt = openDatabase(source, { readOnly: true });
  try {
    const tables = salvage(corrupt, intact);
    saveRecoveries(intact, unlessCorrupt(() => recoveriesOf(corrupt)) ?? []);
    const hasRuns = tables.some(({ table, rows }) => table === "runs" && rows > 0);
    const isCertain =
      tables.every(({ table, isWhole }) => isWhole || HAS_NO_STATE.has(table)) && isComplete(corrupt, path);
    if (!hasRuns && !isCertain && !mayRecreate) throw unreadable(path);
    return { tables, isCertain };
  } finally {
    corrupt.close();
    if (source !== path) removeDatabase(source);
  }
}

function unreadable(path: string): Failure {
  const found = "no part of it can be read";
  return statOf(checksumsPath(path)) === undefined ? unreadableLedger(path, found) : lostLedger(path, found);
}

/**
 * Returns the file to read from. SQLite refuses a file that is shorter than its header states, even if the rest is
 * readable. Such a file is copied, and empty pages are appended to the copy.
 */
function lengthened(path: string): string {
  const expected = expectedBytes(path);
  if (expected <= (statOf(path)?.size ?? 0)) return path;
  const copy = `${path}.lengthened`;
  removeDatabase(copy);
  copyFileSync(path, copy);
  chmodSync(copy, 0o600);
  if (statOf(`${path}-wal`) !== undefined) copyFileSync(`${path}-wal`, `${copy}-wal`);
  truncateSync(copy, expected);
  return copy;
}

/**
 * Returns the size given in the header: page size times number of pages
 * (https://sqlite.org/fileformat2.html#the_database_header). Returns 0 if the file does not have the header of a
 * database.
 */
function expectedBytes(path: string): number {
  const header = Buffer.alloc(32);
  const read = withFile(path, (file) => readSync(file, header, 0, header.length, 0));
  if (read < header.length || header.toString("latin1", 0, 15) !== "SQLite format 3") return 0;
  const pageSize = header.readUInt16BE(16);
  return (pageSize === 1 ? 65_536 : pageSize) * Math.min(header.readUInt32BE(28), MAX_PAGES);
}

/** The number of pages of 4 KB in 64 GB. A header with a larger number is considered corrupt. */
const MAX_PAGES = 16_777_216;

/** Whether every committed transaction is present. */
function isComplete(corrupt: SqliteDatabase, path: string): boolean {
  const checksums = readChecksums(checksumsPath(path));
  if (checksums === undefined || checksums === "corrupt") return false;
  return unlessFailing(() => committed(corrupt) >= checksums.commits) ?? false;
}

/** Makes a state `ambiguous` if one table still contains it but another table has lost it. */
const UNCONFIRMED = [
  `update attempts set status = 'ambiguous' where status = 'sending' and not exists (
     select 1 from items where items.run = attempts.run and items.record = attempts.record and status = 'sending')`,
  `update records set state = 'ambiguous' where state = 'sending'
     and identity not in (select identity from attempts where status = 'sending')`,
  `update items set status = 'ambiguous' where status = 'sending' and not exists (
     select 1 from attempts where attempts.run = items.run and attempts.record = items.record and status = 'sending')`,
  `update records set state = 'ambiguous' where state = 'accepted' and identity not in ${CONFIRMED}`,
];

/** Used if all rows could be read. A state is then trusted if two tables agree on it. */
const MARK_ONE_UNCERTAIN = [
  `update records set state = 'ambiguous'
   where state not in ('accepted', 'sending') and attempts > 0 and not exists (
     select 1 from attempts where attempts.identity = records.identity and attempts.attempt = records.attempts
       and (attempts.status = records.state or records.state in ('pending', 'blocked')))
     and not exists (select 1 from decisions where decisions.identity = records.identity)`,
  `update records set state = 'ambiguous' where attempts <> coalesce(
     (select max(attempt) from attempts where attempts.identity = records.identity), 0)`,
];

/**
 * Derives the status of a run's items from the state of the records. A record without a known state may have been sent.
 */
const FOLLOWING = [
  `insert or ignore into records (identity, content, state, attempts, other_content)
   select identity, x'', 'ambiguous', max(attempt), 1 from attempts group by identity`,
  `insert or ignore into records (identity, content, state, attempts, other_content)
   select identity, coalesce(content, x''), 'ambiguous',
     coalesce((select max(attempt) from attempts where attempts.identity = items.identity), 0), 1
   from items where identity is not null and status not in ('invalid', 'duplicate', 'valid', 'excluded')`,
  `update records set attempts = coalesce(
     (select max(attempt) from attempts where attempts.identity = records.identity), 0)`,
  `update items set status = 'ambiguous' where status in ('pending', 'blocked', 'rejected', 'existing', 'accepted', 'skipped')
     and identity in (select identity from records where state = 'ambiguous')`,
  `update items set status = 'skipped' where status = 'accepted'
     and not exists (select 1 from attempts where attempts.run = items.run and attempts.record = items.record
       and status = 'accepted')
     and not exists (select 1 from decisions where decisions.run = items.run and decisions.record = items.record
       and decision = 'accepted')`,
  // If a run did not send a record because the record was excluded, the record stays excluded, even if its exclusion is
  // lost.
  `insert or ignore into exclusions (identity, key, excluded_at, who, reason)
   select identity, key, coalesce(min(started_at), ''), 'ledger repair', 'the original exclusion was lost'
   from items left join runs on runs.id = items.run
   where items.status = 'excluded' and identity not in (select identity from exclusions) group by identity`,
  "insert or ignore into files (id, name) select distinct file, 'lost' || file from items",
];

const AMBIGUOUS = statement<{ count: number }>(
  "select count(*) as count from records where state in ('ambiguous', 'sending')",
);

/**
 * Replaces the ledger with the draft. Removes the old checksum file last. If the swap is interrupted before that, the
 * ledger does not match the checksum file and is refused. Removes the old log before the new ledger is in place,
 * because SQLite would apply the log to the new ledger.
 */
function swap(path: string, draft: string, stamp: string): string | undefined {
  const kept = statOf(path) === undefined ? undefined : `${path}.corrupt-${stamp}`;
  for (const side of kept === undefined ? [] : ["", "-wal", "-checksums"]) {
    if (statOf(path + side) !== undefined) linkSync(path + side, kept + side);
  }
  for (const side of ["-wal", "-shm"]) rmSync(path + side, { force: true });
  renameDurably(draft, path);
  rmSync(checksumsPath(path), { force: true });
  return kept;
}
