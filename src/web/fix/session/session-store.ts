import { createTemporaryDatabase } from "../../../files/temporary-database.ts";

type Scalar = string | number | null;
/** A row of a query result. Columns of the session contain no blobs and no numbers above 2^53. */
export type Found = Readonly<Record<string, Scalar>>;

/** Stores the rows that need work in a private file, so that memory use does not depend on the number of rows. */
export interface SessionStore {
  readonly run: (sql: string, ...values: readonly Scalar[]) => number;
  readonly all: (sql: string, ...values: readonly Scalar[]) => readonly Found[];
  readonly one: (sql: string, ...values: readonly Scalar[]) => Found | undefined;
  /** Yields the rows of a large result. The caller must not wait for a promise between rows. */
  readonly each: (sql: string, ...values: readonly Scalar[]) => Iterable<Found>;
  readonly transaction: <T>(work: () => T) => T;
  /** Runs statements that have no parameters and no result. */
  readonly exec: (sql: string) => void;
  readonly close: () => void;
}

/** @throws Failure `storage` */
export function openSessionStore(folder: string): SessionStore {
  const data = { prefix: "fix", data: "the rows that need work" };
  const { database, prepared, close } = createTemporaryDatabase(folder, data);
  database.exec(SCHEMA);
  const exec = (sql: string): void => database.exec(sql);
  return {
    run: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
    all: (sql, ...values): readonly Found[] => prepared(sql).all(...values),
    one: (sql, ...values): Found | undefined => prepared(sql).get(...values),
    *each(sql, ...values) {
      yield* prepared(sql).iterate(...values);
    },
    transaction: (work) => {
      exec("begin");
      try {
        const result = work();
        exec("commit");
        return result;
      } catch (error) {
        exec("rollback");
        throw error;
      }
    },
    exec,
    close,
  };
}

/**
 * - `record`: `problems` contains the problems from the check of the project
 * - `row`: `original` is the row in the file, `built` is the row with the corrections of the check, if different,
 *   and `found` contains the current problems
 * - `sibling`: other rows with the same key as a row
 * - `correction`: the corrections in force; the last one of a cell applies
 * - `refused`: the records that the platform rejected, by key; needed only while a session is built
 * - `listed`: the rows that match each filter, by position; a row keeps its position until the next check
 * - `cause_row`: whether the row still has the cause
 * - `touched`: the last change to a cell; `seq` counts changes
 * - `step`: the changes of each edit, for undo
 */
const SCHEMA = `
  pragma journal_mode=memory; pragma synchronous=off; pragma locking_mode=exclusive; pragma cache_size=-8000;
  create table record (id integer primary key, number integer, source integer, orphan integer, key text,
    problems text, state text);
  create table row (id integer primary key, record integer, parent integer, source integer, file integer, line integer,
    pointer text, key text, original text, built text, found text);
  create table sibling (source integer, key text, file integer, line integer, pointer text, original text);
  create table correction (identity text primary key, source text, key text, column_name text, seq integer, body text);
  create table refused (key text primary key, problems text, run text, content text);
  create table listed (source integer, cause integer, position integer, row integer,
    primary key (source, cause, position)) without rowid;
  create table cause_row (row integer, cause integer, open integer, primary key (row, cause)) without rowid;
  create table touched (row integer, column_name text, seq integer, tab text, primary key (row, column_name)) without rowid;
  create table step (id integer primary key, batch integer, tab text, identity text, key text, column_name text,
    before text, after text, undone integer);
  create index step_by_tab on step (tab, batch);`;

/** Indexes that are created once all rows are stored. */
export const INDEXES = `
  create index row_by_record on row (record);
  create index row_by_key on row (source, key);
  create index row_by_place on row (file, line);
  create index correction_by_cell on correction (source, key);
  create index touched_by_seq on touched (seq);`;
