import { DatabaseSync, type Statement as PreparedStatement } from "../../files/sqlite.ts";
import { pathToFileURL } from "node:url";
import { atExit } from "../../files/at-exit.ts";
import { type Statement, statement } from "../tables/tables.ts";
import { ledgerFailure, primaryCode } from "./ledger-file.ts";

export type SqlValue = string | number | Uint8Array | null;

/** A query of a SQLite file. Uses `cross join`, so that SQLite reads the tables in the given order. */
type Query<Row> = Statement<Row, string>;

/** One SQLite file. Every error except a bug is a `Failure` (`storage`, `ledger_damaged`, `ledger_in_use`). */
export interface SqliteDatabase {
  readonly path: string;
  /** Runs several statements without parameters. */
  readonly execute: (sql: string) => void;
  /** Returns the number of changed rows. */
  readonly run: (sql: string, ...values: readonly SqlValue[]) => number;
  readonly rows: <Row>(query: Query<Row>, ...values: readonly SqlValue[]) => readonly Row[];
  readonly row: <Row>(query: Query<Row>, ...values: readonly SqlValue[]) => Row | undefined;
  /** Transactions cannot be nested. */
  readonly transaction: <Result>(work: () => Result) => Result;
  readonly close: () => void;
  /**
   * Leaves the file open, without another write, until the process ends. The next process that opens the file does the
   * work that SQLite would do on closing.
   */
  readonly abandon: () => void;
}

/** Returns a number from the file's header. */
export function pragma(
  database: SqliteDatabase,
  name: "page_size" | "page_count" | "user_version" | "application_id",
): number {
  return database.row(statement<Readonly<Record<string, number>>>(`pragma ${name}`))?.[name] ?? 0;
}

/**
 * Returns at most `limit` findings from SQLite's own check of the file. Returns an empty list if the file is intact.
 */
export function integrityErrors(database: SqliteDatabase, limit: number): readonly string[] {
  const query = statement<{ integrity_check: string }>(`pragma integrity_check(${limit})`);
  const found = database.rows(query).map(({ integrity_check }) => integrity_check);
  return found.length === 1 && found[0] === "ok" ? [] : found;
}

/**
 * Milliseconds to wait for another process. Readers also wait, because they write when they recover the log after a
 * crash.
 */
export const BUSY_TIMEOUT = 5000;

export interface OpenOptions {
  /** Allows SQLite to work without a journal. A crash would then corrupt the file. */
  readonly temporary?: boolean;
  /** Whether to write nothing into the file, not even the log left by a crash. */
  readonly readOnly?: boolean;
  /** Whether to fail if the file is missing, instead of creating it. */
  readonly mustExist?: boolean;
  /** Milliseconds to wait for another process that is writing. */
  readonly timeout?: number;
}

export function openDatabase(path: string, options: OpenOptions = {}): SqliteDatabase {
  const { temporary = false, readOnly = false, mustExist = false, timeout = BUSY_TIMEOUT } = options;
  const guard = failureGuard(path);
  const location = mustExist ? `${pathToFileURL(path).href}?mode=rw` : path;
  const database = guard(() => new DatabaseSync(location, { timeout, defensive: !temporary, readOnly }));
  const statements = new Map<string, PreparedStatement>();

  function prepared(sql: string): PreparedStatement {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = database.prepare(sql);
    statements.set(sql, made);
    return made;
  }

  function transaction<Result>(work: () => Result): Result {
    database.exec("begin immediate");
    try {
      const result = work();
      database.exec("commit");
      return result;
    } catch (error) {
      // On a full disk, SQLite itself rolls back.
      if (database.isTransaction) database.exec("rollback");
      throw error;
    }
  }

  /**
   * Call this only if the log is empty. Otherwise, SQLite writes the log into the file when the last statement of this
   * connection is released.
   */
  function close(): void {
    statements.clear();
    if (database.isOpen) database.close();
  }

  /** Keeps the database open without using it. The database closes when the process ends, without a final write. */
  function abandon(): void {
    atExit(() => void database.isOpen);
  }

  return {
    path,
    execute: (sql) => guard(() => database.exec(sql)),
    run: (sql, ...values) => guard(() => prepared(sql).run(...values).changes),
    rows: ({ sql }, ...values) => guard(() => prepared(sql).all(...values)),
    row: ({ sql }, ...values) => guard(() => prepared(sql).get(...values)),
    transaction: (work) => guard(() => transaction(work)),
    close: () => guard(close),
    abandon,
  };
}

const INPUT_OUTPUT_ERROR = 10;

/**
 * Returns a function that converts SQLite's errors into failures. After an I/O error, every further call fails in the
 * same way. After a failed fsync, the contents of the disk are unknown, and the next fsync may report success for data
 * that was lost.
 */
function failureGuard(path: string): <Result>(work: () => Result) => Result {
  let broken: unknown;
  return (work) => {
    if (broken !== undefined) throw broken;
    try {
      return work();
    } catch (error) {
      const failure = ledgerFailure(error, path);
      if (primaryCode(error) === INPUT_OUTPUT_ERROR) broken = failure;
      throw failure;
    }
  };
}
