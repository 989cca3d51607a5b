import { statSync } from "node:fs";
import { resolve } from "node:path";
import { atExit } from "../../files/at-exit.ts";
import { closesImmediately } from "../../files/sqlite.ts";
import { statOf, unlessFailing } from "./ledger-file.ts";
import { openDatabase, type SqliteDatabase } from "./sqlite-database.ts";

interface Reader {
  readonly inode: number;
  readonly database: SqliteDatabase;
}

/**
 * A reader for each ledger that this process has written to. Needed only if closing a ledger does not release its file
 * immediately.
 */
const readers = new Map<string, Reader>();

/**
 * The SQLite package releases a closed file only when its statements are garbage-collected. If the released connection
 * were the last connection, SQLite would write the log of another process into the file without updating the checksums.
 * An additional read-only connection therefore stays open.
 */
export function openForWriting(path: string): SqliteDatabase {
  if (closesImmediately) return openDatabase(path);
  // When the process ends, the connection that was opened first is released last.
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

/**
 * Makes the connection open the file by reading from it. Uses `execute`, which leaves no statement that would be
 * garbage-collected later.
 */
function hold({ database }: Reader): void {
  unlessFailing(() => database.execute("select 1 from sqlite_schema limit 1"));
}

/** Closes the reader if the log is empty. The last connection may then remove the log. */
function endReader(path: string): void {
  if ((statOf(`${path}-wal`)?.size ?? 0) === 0) readers.get(path)?.database.close();
}
