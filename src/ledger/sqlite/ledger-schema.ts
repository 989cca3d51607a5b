import { Failure } from "../../model/failure.ts";
import type { Run } from "../ledger.ts";
import { preparePrivateFile } from "./ledger-file.ts";
import { pragma, type SqliteDatabase } from "./sqlite-database.ts";
import { COUNT_ANEW, COUNT_TABLES } from "./tables/counts.ts";

/** "migr": marks the file as a ledger of this tool. */
const APPLICATION_ID = 0x6d696772;

/**
 * The schema's history. A ledger of version n has had the first n steps; a new version is one more step, and the old
 * ones never change. `records` is the truth about every identity over all runs, `items` is one run's input list,
 * `problems` hold those of the plan (attempt 0) and those of each attempt. `positions` are places that a run's input can be
 * read from.
 */
const SCHEMA_STEPS: readonly string[] = [
  `create table runs (
     id integer primary key, name text not null unique, command text not null, target text not null,
     supplier text not null, operation text not null, settings text not null, dry_run integer not null,
     tool_version text, state text not null, started_at text not null, finished_at text, exit_code integer
   );
   create table files (id integer primary key, name text not null unique);
   create table records (
     id integer primary key, identity blob not null unique, content blob not null, state text not null,
     attempts integer not null, accepted_content blob, accepted_at text, account text
   );
   create table items (
     run integer not null, record integer not null, key text, near text, identity blob, content blob,
     file integer not null, line integer not null, status text not null,
     attempt integer, attempts integer, http integer, account text, duration_ms real,
     primary key (run, record)
   ) without rowid;
   create table attempts (
     run integer not null, record integer not null, attempt integer not null, identity blob not null,
     intended_at text not null, settled_at text, status text not null,
     http integer, account text, duration_ms real, reason text,
     primary key (run, record, attempt)
   ) without rowid;
   create index attempts_in_flight on attempts (run, record) where status = 'sending';
   create table problems (
     run integer not null, record integer not null, attempt integer not null, position integer not null,
     severity text not null, code text not null, problem text not null,
     primary key (run, record, attempt, position)
   ) without rowid;`,
  `alter table records add column step text;
   alter table attempts add column step text;
   alter table attempts add column harmless integer not null default 0;
   alter table items add column awaits blob;`,
  `alter table records add column resends integer not null default 0;
   create table decisions (
     id integer primary key, run integer not null, record integer not null, identity blob not null,
     decided_at text not null, decision text not null, decided_by text not null, who text not null,
     reason text not null, account text
   );
   create index decisions_by_identity on decisions (identity);`,
  "create table seal (commits integer not null); insert into seal values (0);",
  "alter table runs add column endpoint text;",
  "create index attempts_by_account on attempts (account) where account is not null;",
  `create index items_open on items (run, record)
    where status = 'pending' or status = 'sending' or status = 'blocked' or status = 'ambiguous';
   create index records_ambiguous on records (identity) where state = 'ambiguous';
   create index attempts_ambiguous on attempts (settled_at) where status = 'ambiguous';
   ${COUNT_TABLES}
   ${COUNT_ANEW}`,
  `create table positions (run integer not null, record integer not null, file integer not null,
    byte integer not null, line integer not null, primary key (run, record)) without rowid;`,
  `create table compared (run integer not null);
   drop index items_open;
   create index items_open on items (run, status, record)
    where status = 'pending' or status = 'sending' or status = 'blocked' or status = 'ambiguous';`,
];

/**
 * Takes the ledger through the steps it has not had, after copying an older one to `<path>.v<n>.bak`.
 * A ledger of a newer version, or a database that is no ledger, is refused and left untouched.
 */
export function upgradeSchema(database: SqliteDatabase, steps: readonly string[] = SCHEMA_STEPS): void {
  const version = schemaVersion(database);
  if (version === steps.length) return;
  if (version > steps.length) throw newerLedger(database.path, version, steps.length);
  if (version > 0) backUp(database, `${database.path}.v${version}.bak`);
  database.transaction(() => {
    for (const step of steps.slice(schemaVersion(database))) database.execute(step);
    database.execute(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${steps.length}`);
  });
}

/** @throws Failure `config`, as `upgradeSchema` does, for a newer ledger and for a database that is no ledger */
export function isSchemaCurrent(database: SqliteDatabase): boolean {
  const version = schemaVersion(database);
  if (version > SCHEMA_STEPS.length) throw newerLedger(database.path, version, SCHEMA_STEPS.length);
  return version === SCHEMA_STEPS.length;
}

function schemaVersion(database: SqliteDatabase): number {
  const version = pragma(database, "user_version");
  const isEmpty = database.row({ sql: "select 1 from sqlite_schema" }) === undefined;
  if (pragma(database, "application_id") === APPLICATION_ID || (isEmpty && version === 0)) return version;
  throw new Failure("config", `${database.path} is a database, but not a ledger of this tool`, {
    hint: "name another file with --ledger",
  });
}

function newerLedger(path: string, found: number, known: number): Failure {
  return new Failure(
    "config",
    `the ledger ${path} was written by a newer version of this tool (format ${found}; this one knows ${known})`,
    { hint: "use the newer version, or name another ledger with --ledger; nothing was changed" },
  );
}

function backUp(database: SqliteDatabase, copy: string): void {
  preparePrivateFile(copy);
  database.execute(`vacuum into '${copy.replaceAll("'", "''")}'`);
}

/** A run as the other tables know it. */
export interface RunRow {
  /** The row's number in `runs`. */
  readonly number: number;
  readonly state: Run["state"];
  /** False for `validate` and for dry runs: their records stay `valid`. */
  readonly sends: boolean;
}
