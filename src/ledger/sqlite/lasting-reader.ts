import { statSync } from "node:fs";
import { resolve } from "node:path";
import { atExit } from "../../files/at-exit.ts";
import { closesAtOnce } from "../../files/sqlite.ts";
import { statOf } from "./ledger-file.ts";
import { openDatabase, type SqliteDatabase } from "./sqlite-database.ts";

interface Reader {
  readonly inode: number;
  readonly database: SqliteDatabase;
}

/** Of each ledger that this process has written to, where closing lets go of it later. */
const readers = new Map<string, Reader>();

/**
 * Opens a ledger to write to it. SQLite's package lets go of a closed file only when its statements are collected; were
 * it the last to do so, SQLite would write into the file what another process has left in the log, past its seal. So a
 * connection that only reads stays open beside it: then it is not the last one.
 */
export function openToWriteTo(path: string): SqliteDatabase {
  if (closesAtOnce) return openDatabase(path);
  // When the process ends, what was opened first is let go last.
  const reader = readerOf(resolve(path));
  const database = openDatabase(path);
  return {
    ...database,
    close() {
      hold(reader);
      database.close();
    },
  };
}

function readerOf(path: string): Reader {
  const inode = statSync(path).ino;
  const known = readers.get(path);
  if (known?.inode === inode) return known;
  known?.database.close();
  if (known === undefined) atExit(() => endReader(path));
  const reader = { inode, database: openDatabase(path, { readOnly: true }) };
  readers.set(path, reader);
  return reader;
}

/** The file is opened with the first reading, which leaves no statement. */
function hold({ database }: Reader): void {
  try {
    database.execute("select 1 from sqlite_schema limit 1");
  } catch {
    // Whoever opens the ledger next says what is wrong with it.
  }
}

/** Where the log holds nothing, the last one may remove it. */
function endReader(path: string): void {
  if ((statOf(`${path}-wal`)?.size ?? 0) === 0) readers.get(path)?.database.close();
}
