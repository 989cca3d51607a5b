import { DatabaseSync } from "../../files/sqlite.ts";
import { pathToFileURL } from "node:url";
import { atExit } from "../../files/at-exit.ts";
import { ledgerFailure } from "./ledger-file.ts";

export type SqlValue = string | number | Uint8Array | null;

/**
 * A statement with the type of the rows that it selects; whoever writes it answers for the type.
 * Joins are written `cross join`: SQLite then takes the tables in the order in which they stand.
 */
export interface Query<Row> {
  readonly sql: string;
  /** Never there: carries the type. */
  readonly row?: Row;
}

/** One SQLite file. Everything it throws is a `Failure` (`storage`, `ledger_damaged`, `ledger_in_use`) or a bug. */
export interface SqliteDatabase {
  readonly path: string;
  /** Several statements without parameters. */
  readonly execute: (sql: string) => void;
  /** Returns the number of rows changed. */
  readonly run: (sql: string, ...values: readonly SqlValue[]) => number;
  readonly rows: <Row>(query: Query<Row>, ...values: readonly SqlValue[]) => readonly Row[];
  readonly row: <Row>(query: Query<Row>, ...values: readonly SqlValue[]) => Row | undefined;
  /** All of it or nothing. Not to be nested. */
  readonly transaction: <Result>(work: () => Result) => Result;
  readonly close: () => void;
  /** Lets go of the file without another write: what SQLite does when it closes is left to whoever opens it next. */
  readonly abandon: () => void;
}

/** A number of the file's header. */
export function pragma(
  database: Pick<SqliteDatabase, "row">,
  name: "page_size" | "page_count" | "user_version" | "application_id",
): number {
  const query: Query<Readonly<Record<string, number>>> = { sql: `pragma ${name}` };
  return database.row(query)?.[name] ?? 0;
}

/** What SQLite itself finds wrong with the file, at most so many findings; none when it is whole. */
export function integrityErrors(database: Pick<SqliteDatabase, "rows">, atMost: number): readonly string[] {
  const query: Query<{ integrity_check: string }> = { sql: `pragma integrity_check(${atMost})` };
  const found = database.rows(query).map(({ integrity_check }) => integrity_check);
  return found.length === 1 && found[0] === "ok" ? [] : found;
}

type Statement = ReturnType<InstanceType<typeof DatabaseSync>["prepare"]>;

/** Milliseconds to wait for another process: one that only reads writes too when it recovers the log after a crash. */
export const BUSY_TIMEOUT = 5000;

/**
 * Opens a file that is of no use after a crash. A plan is written and read from front to back, and sorted once, in
 * pieces of the size of the cache: 8 MB.
 */
export function openTemporary(path: string): SqliteDatabase {
  const database = openDatabase(path, { temporary: true });
  database.execute(
    "pragma page_size = 8192; pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8000",
  );
  return database;
}

export interface OpenOptions {
  /** SQLite is allowed to work without a journal, which a crash would turn into damage. */
  readonly temporary?: boolean;
  /** Not even what a crash has left in the log is written into the file. */
  readonly readOnly?: boolean;
  /** A file that is not there is not made. */
  readonly mustExist?: boolean;
  /** Milliseconds to wait for another process that writes. */
  readonly timeout?: number;
}

export function openDatabase(path: string, options: OpenOptions = {}): SqliteDatabase {
  const { temporary = false, readOnly = false, mustExist = false, timeout = BUSY_TIMEOUT } = options;
  const guard = failureGuard(path);
  const location = mustExist ? `${pathToFileURL(path).href}?mode=rw` : path;
  const database = guard(() => new DatabaseSync(location, { timeout, defensive: !temporary, readOnly }));
  const statements = new Map<string, Statement>();

  function prepared(sql: string): Statement {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  function transaction<Result>(work: () => Result): Result {
    database.exec("begin immediate");
    try {
      const result = work();
      database.exec("commit");
      return result;
    } catch (error) {
      // A full disk makes SQLite roll back by itself.
      if (database.isTransaction) database.exec("rollback");
      throw error;
    }
  }

  /** Only while nothing is left of the log: SQLite would write that into the file when its last statement goes. */
  function close(): void {
    statements.clear();
    if (database.isOpen) database.close();
  }

  /** An open database that nobody uses is closed by the end of the process, and without a last write. */
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
 * Turns SQLite's errors into failures. After an I/O error every further call fails likewise: what a failed fsync has
 * left on the disk is unknown, and a second one may report success for data that was lost.
 */
function failureGuard(path: string): <Result>(work: () => Result) => Result {
  let broken: unknown;
  return (work) => {
    if (broken !== undefined) throw broken;
    try {
      return work();
    } catch (error) {
      const failure = ledgerFailure(error, path);
      if (isInputOutputError(error)) broken = failure;
      throw failure;
    }
  };
}

function isInputOutputError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, "errcode");
  return typeof code === "number" && (code & 0xff) === INPUT_OUTPUT_ERROR;
}
