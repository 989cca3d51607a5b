export type Scalar = string | number | boolean | Uint8Array | null;

/** A value for a statement. A list is used with `= any($n)`, and cannot contain bytes. */
export type TableValue = Scalar | readonly Scalar[];

/**
 * The SQL of a statement. It is written for PostgreSQL, with the schema `migrate` and parameters such as `$1`, and
 * converted for SQLite (`sqlite/sqlite-tables.ts`). SQLite reads the tables of an `inner join` in the given order, and
 * uses the hints in comments that begin with a plus sign. A statement has two versions only if the databases need
 * different SQL.
 */
export type Sql = string | { readonly sqlite: string; readonly postgres: string };

/** A statement with the type of its rows. The type is not checked against the results. */
export interface Statement<Row, Text extends Sql = Sql> {
  readonly sql: Text;
  /**
   * Whether the statement reads or changes only a few rows. If the server of a ledger does not reply to such a
   * statement in time, the connection is considered dead.
   */
  readonly isQuick?: boolean;
  /** This member is never present. It only carries the type. */
  readonly row?: Row;
}

export function statement<Row>(sql: string): Statement<Row, string>;
export function statement<Row>(sql: Sql): Statement<Row>;
export function statement<Row>(sql: Sql): Statement<Row> {
  return { sql };
}

/** Returns a statement that reads or changes only a few rows. */
export function quickStatement<Row>(sql: string): Statement<Row, string> {
  return { sql, isQuick: true };
}

/**
 * Work on the tables of a ledger, called with `yield*`. The same work runs on SQLite, which responds synchronously, and
 * on PostgreSQL, where the work yields the promises to wait for. A transaction on SQLite is never suspended, so that no
 * other work can become part of it.
 */
export type Work<Result> = Generator<Promise<void>, Result, void>;

/** The tables of a ledger, either within a transaction or outside of one. */
export interface Tables {
  readonly dialect: "sqlite" | "postgres";
  /** For messages: the path of the file, or the address without its password. */
  readonly name: string;
  readonly rows: <Row>(statement: Statement<Row>, ...values: readonly TableValue[]) => Work<readonly Row[]>;
  readonly row: <Row>(statement: Statement<Row>, ...values: readonly TableValue[]) => Work<Row | undefined>;
  /** Returns the number of changed rows. */
  readonly run: (sql: Sql, ...values: readonly TableValue[]) => Work<number>;
  readonly runEach: (statement: EachStatement, run: number, rows: readonly (readonly Scalar[])[]) => Work<void>;
  /** Handles the rows of a query in batches. The work may change the tables that the query reads. */
  readonly eachBatch: <Row>(
    statement: Statement<Row>,
    values: readonly number[],
    handle: (rows: readonly Row[]) => Work<void>,
  ) => Work<void>;
  /** Returns the stored form of a key: in NFC, because keys that differ only in Unicode form are the same key. */
  readonly writtenKey: (key: string) => string;
  readonly readKey: <Key extends string | null>(key: Key) => Key | string;
}

/**
 * A statement that runs for each row of values. Parameter 1 is the run. The values of a row start at parameter 2. On
 * PostgreSQL, each of these parameters is a list with the values of all rows.
 */
export interface EachStatement {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * Returns a query over parameter 1, a list of identities in hexadecimal, because a list cannot contain bytes. `list` is
 * SQL for a table with the column `each.value`. `bytes` is SQL for the identity as bytes.
 */
export function overIdentities(text: (list: string, bytes: string) => string): Sql {
  return {
    sqlite: text("json_each($1) as each", "unhex(each.value)"),
    postgres: text("(select unnest($1::text[]) as value) as each", "decode(each.value, 'hex')"),
  };
}

/** A value as it is selected: a missing member is null, and SQLite returns booleans as numbers. */
export type Selected<Value> = { readonly [Name in keyof Value]-?: SelectedMember<Value[Name]> };
type SelectedMember<Member> = Member extends undefined ? null : Member extends boolean ? boolean | number : Member;

/** The form in which ledgers store times, for PostgreSQL. */
export const STAMP = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** SQL for the time of a PostgreSQL server. */
export const SERVER_TIME: string = `to_char(clock_timestamp() at time zone 'UTC', ${STAMP})`;

/** Whether a query selects a row. */
export function* exists(tables: Tables, sql: Sql, ...values: readonly TableValue[]): Work<boolean> {
  return (yield* tables.row({ sql }, ...values)) !== undefined;
}

/** Runs work on tables that respond synchronously. */
export function finishNow<Result>(work: Work<Result>): Result {
  const { done, value } = work.next();
  if (done === true) return value;
  throw new Error("The tables of the ledger did not respond immediately.");
}

/** Runs work on tables that respond asynchronously. */
export async function finish<Result>(work: Work<Result>): Promise<Result> {
  for (let step = work.next(); ;) {
    if (step.done === true) return step.value;
    let failure: { readonly error: unknown } | undefined;
    try {
      await step.value;
    } catch (error) {
      failure = { error };
    }
    step = failure === undefined ? work.next() : work.throw(failure.error);
  }
}

/** Returns work that is already done and has this result. */
export function* answer<Result>(result: Result): Work<Result> {
  yield* [];
  return result;
}

export function* waitFor<Result>(promise: Promise<Result>): Work<Result> {
  const results: Result[] = [];
  yield promise.then((result) => void results.push(result));
  for (const result of results) return result;
  throw new Error("A promise was not awaited.");
}
