import { renameDurably } from "../../files/replace-file.ts";
import { Failure } from "../../model/failure.ts";
import { formatCount } from "../../text/count.ts";
import type { Run } from "../ledger.ts";
import { preparePrivateFile, removeDatabase, statOf } from "./ledger-file.ts";
import { pragma, type SqliteDatabase } from "./sqlite-database.ts";
import { RECOUNT, COUNT_TABLES } from "./tables/counts.ts";
import { RECOVERY_COLUMNS, ROW_MARK_COLUMN } from "./tables/recovery-log.ts";

/** "migr": marks the file as a ledger of this tool. */
const APPLICATION_ID = 0x6d696772;

/**
 * The history of the schema. A ledger of version n has had the first n steps. A new version adds a step; existing
 * steps never change. `records` has the state of every identity over all runs, `items` the input list of each run, and
 * `problems` those of the plan (attempt 0) and of each attempt. `positions` are places from which a run's input can be
 * read.
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
   ${RECOUNT}`,
  `create table positions (run integer not null, record integer not null, file integer not null,
    byte integer not null, line integer not null, primary key (run, record)) without rowid;`,
  `create table compared (run integer not null);
   drop index items_open;
   create index items_open on items (run, status, record)
    where status = 'pending' or status = 'sending' or status = 'blocked' or status = 'ambiguous';`,
  "create index decisions_by_account on decisions (account);",
  "alter table items add column row_hash integer;",
  `${RECOVERY_COLUMNS}
   alter table seal add column writer text;`,
  ROW_MARK_COLUMN,
];

export interface UpgradeOptions {
  readonly steps?: readonly string[];
  /** Receives messages about work that takes more than a moment. */
  readonly notice?: ((message: string) => void) | undefined;
}

/**
 * Applies the missing steps, after copying an older ledger to `<path>.v<n>.bak`. If the process is killed, the ledger
 * is unchanged and another process can start again. A ledger of a newer version, or a database that is not a ledger,
 * is refused and not changed.
 */
export function upgradeSchema(database: SqliteDatabase, { steps = SCHEMA_STEPS, notice }: UpgradeOptions = {}): void {
  const version = schemaVersion(database);
  if (version === steps.length) return;
  if (version > steps.length) throw newerLedger(database.path, version, steps.length);
  const tell = version > 0 ? upgradeNotices(database.path, version, notice) : undefined;
  if (version > 0) backUp(database, backupPath(database.path, version));
  tell?.copied();
  database.transaction(() => {
    for (const step of steps.slice(schemaVersion(database))) database.execute(step);
    database.execute(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${steps.length}`);
  });
  tell?.done();
}

const backupPath = (path: string, version: number): string => `${path}.v${version}.bak`;

/** A smaller ledger takes less than two seconds. */
const TOLD_BYTES = 64 * 1024 * 1024;

/** There are no messages for a small ledger. */
function upgradeNotices(path: string, version: number, notice: UpgradeOptions["notice"]) {
  const bytes = statOf(path)?.size ?? 0;
  if (notice === undefined || bytes < TOLD_BYTES) return undefined;
  const size = `${formatCount(Math.round(bytes / 1_000_000))} MB`;
  notice(
    `The ledger ${path} (${size}) has an older format. It is copied to ${backupPath(path, version)}, then upgraded. ` +
      "This happens once, and takes minutes for a large ledger. Ctrl-C waits for it. To abort it, kill the process: " +
      "the ledger stays unchanged",
  );
  const from = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - from) / 1000)} s`;
  return {
    copied: () => notice(`The ledger has been copied (${elapsed()}). Counting records and creating indexes`),
    done: () => notice(`The ledger is up to date (${elapsed()}), and its checksums are written`),
  };
}

/** @throws Failure `config`, as `upgradeSchema` does, for a newer ledger and for a database that is not a ledger */
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

/** Atomic: an earlier, interrupted upgrade may have left a complete or partial copy. */
function backUp(database: SqliteDatabase, copy: string): void {
  const draft = `${copy}.tmp`;
  removeDatabase(draft);
  preparePrivateFile(draft);
  try {
    database.execute(`vacuum into '${draft.replaceAll("'", "''")}'`);
    renameDurably(draft, copy);
  } catch (error) {
    removeDatabase(draft);
    throw error;
  }
}

/** A run as the other tables refer to it. */
export interface RunRow {
  /** The row's number in `runs`. */
  readonly number: number;
  readonly state: Run["state"];
  /** False for `validate` and for dry runs: their records stay `valid`. */
  readonly sends: boolean;
}
