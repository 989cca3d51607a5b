import { Failure } from "../../model/failure.ts";
import { LEDGER_FORMAT, requireKnownFormat } from "../ledger-format.ts";
import { pragma, type SqliteDatabase } from "./sqlite-database.ts";
import { heldOpen } from "../tables/planned-records.ts";
import { COUNT_TABLES } from "./tables/count-schema.ts";

/** "migr": marks the file as a ledger of migrate. */
const APPLICATION_ID = 0x6d696772;

/**
 * `records` contains the state of every identity across all runs. If its `other_content` is 1, the content on the
 * platform may differ from `content`. `items` contains the planned records of each run. `problems` contains the
 * problems of the plan (attempt 0) and of each attempt. `attempts.row_mark` is set only for attempts from a journal, if
 * their source row is known (`rowMarker`). `positions` contains positions from which a run's input can be read.
 * `exclusions` contains decisions not to migrate a record. `compared` contains the run that was last compared with the
 * other runs. `ledger_state` has one row: the number of committed transactions, the process that may write (`Writer`),
 * and the recoveries.
 *
 * SQLite stores these statements in the file. In their short form (`shortened`), all of them fit on the first page,
 * which is rarely lost.
 */
const CREATE_TABLES = `
  create table runs (
   id integer primary key, name text not null unique, command text not null, target text not null,
   supplier text not null, operation text not null, endpoint text not null, settings text not null,
   dry_run int not null, state text not null, started_at text not null, finished_at text,
   exit_code int);
  create table files (id integer primary key, name text not null unique);
  create table records (
   id integer primary key, identity blob not null unique, content blob not null, state text not null,
   attempts int not null, accepted_content blob, accepted_at text, account text, step text,
   resends int not null default 0, other_content int default 0, since_run int, planned_run int, planned_record int,
   planned_content blob, held int, verified text, verified_at text);
  create index records_ambiguous on records (identity) where state = 'ambiguous';
  create index records_verified on records (planned_run, verified, verified_at) where verified is not null;
  create index records_open on records (id) where ${heldOpen("")};
  create table items (
   run int, record int, key text, near text, identity blob, content blob,
   file int not null, line int not null, status text not null,
   attempt int, attempts int, http int, account text, duration_ms real, awaits blob, row_hash int, as_of int,
   primary key (run, record)) without rowid;
  create index items_open on items (run, status, record)
   where status = 'pending' or status = 'sending' or status = 'blocked' or status = 'ambiguous';
  create index items_as_of on items (identity, as_of) where as_of is not null;
  create table attempts (
   run int, record int, attempt int, identity blob not null,
   intended_at text not null, settled_at text, status text not null, http int, account text, duration_ms real,
   reason text, step text, harmless int, row_mark int,
   primary key (run, record, attempt)) without rowid;
  create index attempts_in_flight on attempts (run, record) where status = 'sending';
  create index attempts_by_account on attempts (account) where account is not null;
  create index attempts_ambiguous on attempts (settled_at) where status = 'ambiguous';
  create table problems (
   run int, record int, attempt int, position int,
   severity text, code text, problem text,
   primary key (run, record, attempt, position)) without rowid;
  create table decisions (
   id integer primary key, run int, record int, identity blob,
   decided_at text, decision text, decided_by text, who text,
   reason text, account text);
  create index decisions_by_identity on decisions (identity);
  create index decisions_by_account on decisions (account);
  create table exclusions (identity blob, key text, excluded_at text, who text, reason text, undone_at text,
   undone_by text, primary key (identity, excluded_at)) without rowid;
  create table positions (run int, record int, file int,
   byte int, line int, primary key (run, record)) without rowid;
  create table setup (sha256 blob primary key, content blob) without rowid;
  create table compared (run int);
  create table ledger_state (commits int not null, writer text, recoveries text);
  insert into ledger_state (commits) values (0);
  ${COUNT_TABLES}`;

/**
 * Creates the tables of a ledger if the database is empty. If the process is killed, the database is unchanged.
 * @throws Failure `config`, as in `hasSchema`. In this case, nothing is changed
 */
export function createSchema(database: SqliteDatabase): void {
  if (hasSchema(database)) return;
  database.transaction(() => {
    if (hasSchema(database)) return;
    database.execute(shortened(CREATE_TABLES));
    database.execute(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${LEDGER_FORMAT}`);
  });
}

/**
 * Shortens SQL. A column without a type stores every value unchanged, so string and byte columns need no types. Page
 * checksums detect lost values. A SQLite ledger therefore does not need to refuse nulls, unlike a PostgreSQL ledger.
 */
function shortened(sql: string): string {
  return sql
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),=]) ?/g, "$1")
    .replaceAll(/ (?:blob|text)\b/g, "")
    .replaceAll(/ not null(?= unique| default|[,)])/g, "");
}

/**
 * Returns true if the database is a ledger, and false if it is empty.
 * @throws Failure `config` for a ledger in another format, and for a database that is not a ledger
 */
export function hasSchema(database: SqliteDatabase): boolean {
  const format = pragma(database, "user_version");
  if (pragma(database, "application_id") === APPLICATION_ID) {
    requireKnownFormat(database.path, format);
    return true;
  }
  const isEmpty = database.row({ sql: "select 1 from sqlite_schema" }) === undefined;
  if (isEmpty && format === 0) return false;
  throw new Failure("config", `${database.path} is a database, but not a ledger of migrate`, {
    hint: "choose another file with --ledger",
  });
}
