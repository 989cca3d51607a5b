import { Failure } from "../../model/failure.ts";
import { LEDGER_FORMAT, requireKnownFormat } from "../ledger-format.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { Queries } from "./queries.ts";
import { CREATE_COUNTS } from "./tables/count-schema.ts";
import { statement } from "../tables/tables.ts";

/**
 * The tables in the schema `migrate`. `records` contains the state of every identity across all runs. `items` contains
 * the planned records of each run. `problems` contains the problems of the plan (attempt 0) and of each attempt.
 * Timestamps are ISO 8601 UTC, as text, except those that the server sets (`timestamptz`). Text is compared byte by
 * byte, as in SQLite. `writer` has one row: the process that may write to the whole ledger. `marks` has one row: the
 * last transaction of that process. `ranges` contains the parts of a run's plan that are assigned to `workers`. Each
 * assignment increments the fencing token of the range.
 *
 * Attempts known only from a journal belong to no run and have run number 0. If their source row is known,
 * they have a `row_mark` (`rowMarker`). `recoveries` contains notes that this database accounts for a journal.
 * `machines` contains the machines that have sent requests. `uncovered` contains records that are in no plan and that
 * `coverage` does not count yet. `origin` has at most one row: the origin of the database when the ledger was last
 * known to be complete. In a restored copy, this is the origin of the original database.
 *
 * Tables whose rows are updated leave room on each page for the next version of a row. An update that changes no
 * indexed column then needs no new index entries.
 */
const CREATE_TABLES = `
  create table migrate.ledger (version integer not null);
  insert into migrate.ledger values (${LEDGER_FORMAT});
  create table migrate.writer (
    id integer primary key check (id = 1), fence bigint not null, holder text, lease_until timestamptz,
    renewed_at timestamptz
  );
  insert into migrate.writer values (1, 0, null, null, null);
  create table migrate.marks (
    id integer primary key check (id = 1), fence bigint not null, marked bigint not null
  );
  insert into migrate.marks values (1, 0, 0);
  create table migrate.runs (
    id integer generated always as identity primary key, name text collate "C" not null unique, command text not null,
    target text not null, supplier text not null, operation text not null, endpoint text not null,
    settings text not null, dry_run boolean not null, state text not null,
    started_at text collate "C" not null, finished_at text, exit_code integer
  );
  create table migrate.files (
    id integer generated always as identity primary key, name text collate "C" not null unique
  );
  create table migrate.records (
    id bigint generated always as identity primary key, identity bytea not null unique, content bytea not null,
    state text not null, attempts integer not null, accepted_content bytea, accepted_at text collate "C", account text,
    step text, resends integer not null default 0, other_content integer not null default 0,
    since_run integer, planned_run integer, planned_record integer, planned_content bytea, held integer,
    verified text, verified_at text collate "C"
  ) with (fillfactor = 70);
  create index records_verified on migrate.records (planned_run, verified, verified_at) where verified is not null;
  create index records_unplanned on migrate.records (id) where planned_run is null;
  create table migrate.items (
    run integer not null, record integer not null, key text collate "C", near text collate "C", identity bytea,
    content bytea, awaits bytea, file integer not null, line bigint not null, status text not null,
    attempt integer, attempts integer, http integer, account text, duration_ms double precision, row_hash bigint,
    as_of bigint,
    primary key (run, record)
  ) with (fillfactor = 70);
  create index items_as_of on migrate.items (identity, as_of) where as_of is not null;
  create table migrate.positions (
    run integer not null, record integer not null, file integer not null, byte bigint not null, line bigint not null,
    primary key (run, record)
  );
  create table migrate.attempts (
    run integer not null, record integer not null, attempt integer not null, identity bytea not null,
    intended_at text collate "C" not null, settled_at text collate "C", status text not null, http integer, account text,
    duration_ms double precision, reason text, step text, harmless boolean not null, row_mark bigint,
    primary key (run, record, attempt)
  ) with (fillfactor = 70);
  create index attempts_in_flight on migrate.attempts (run, record) where status = 'sending';
  create index attempts_by_account on migrate.attempts (account) where account is not null;
  create index attempts_by_row_mark on migrate.attempts (row_mark) where row_mark is not null;
  create table migrate.problems (
    run integer not null, record integer not null, attempt integer not null, position integer not null,
    severity text not null, code text collate "C" not null, problem text not null,
    primary key (run, record, attempt, position)
  );
  create table migrate.decisions (
    id bigint generated always as identity primary key, run integer not null, record integer not null,
    identity bytea not null, decided_at text not null, decision text not null, decided_by text not null,
    who text not null, reason text not null, account text
  );
  create table migrate.exclusions (
    identity bytea not null, key text collate "C" not null, excluded_at text collate "C" not null, who text not null,
    reason text not null, undone_at text, undone_by text, primary key (identity, excluded_at)
  );
  create index decisions_by_identity on migrate.decisions (identity);
  create index decisions_by_account on migrate.decisions (account);
  create table migrate.setup (sha256 bytea primary key, content bytea not null);
  create table migrate.workers (
    id text primary key, run integer not null, host text not null, pid integer not null, started_at timestamptz not null,
    seen_at timestamptz not null, state text not null, rank bigint generated always as identity, report text,
    shown_at timestamptz
  );
  create table migrate.ranges (
    run integer not null, first integer not null, last integer not null, fence bigint not null, marked bigint not null,
    holder text, lease_until timestamptz, state text not null, job text, taken_at timestamptz,
    primary key (run, first)
  );
  create table migrate.shared_runs (
    run integer primary key, state text not null, lease_ms integer not null, concurrency integer not null,
    rps double precision, resends boolean not null, hold_until timestamptz, hold_reason text, failure text
  );
  create table migrate.recoveries (id text primary key, at text not null, uncertain boolean not null);
  create table migrate.machines (id text primary key, first_seen_at timestamptz not null);
  create table migrate.uncovered (identity bytea primary key);
  create table migrate.origin (
    id integer primary key check (id = 1), origin text not null, noted_at text not null
  );
  ${CREATE_COUNTS}`;

/**
 * Creates the tables, and the schema if it is missing. Concurrent processes take turns. If the schema exists, the
 * database user does not need the privilege to create schemas.
 * @throws Failure `config` for a ledger in another format, and for a schema or a database that cannot contain a ledger.
 * In both cases, nothing is changed
 */
export async function createSchema(database: PostgresDatabase): Promise<void> {
  if (await ledgerExists(database)) return;
  await requireSuitableServer(database);
  await database.transaction(
    async (transaction) => {
      await transaction.row(LOCK_SCHEMA);
      if (await ledgerExists(transaction)) return;
      await prepareSchema(transaction);
      await transaction.run(CREATE_TABLES);
    },
    { isLong: true },
  );
}

/** @throws Failure `config` for a ledger in another format */
export async function ledgerExists(queries: Queries): Promise<boolean> {
  const found = await queries.row(IS_LEDGER);
  if (found?.ledger !== true) return false;
  const { version = 0 } = (await queries.row(SELECT_VERSION)) ?? {};
  requireKnownFormat(queries.name, version);
  return true;
}

/**
 * Checks whether the ledger's table exists. Does not use `to_regclass`, which may not find a table that another process
 * created while this process waited for the lock.
 */
const IS_LEDGER = statement<{ ledger: boolean }>(`
  select exists (
    select 1 from pg_class join pg_namespace on pg_namespace.oid = pg_class.relnamespace
    where pg_namespace.nspname = 'migrate' and pg_class.relname = 'ledger'
  ) as ledger`);
const SELECT_VERSION = statement<{ version: number }>("select version from migrate.ledger");

/** Acquires the advisory lock that protects the schema. The lock number is "migr" in ASCII. */
const LOCK_SCHEMA = statement<unknown>("select pg_advisory_xact_lock(1835624306)");

/** Creates the schema, unless another user with more privileges has already created an empty schema. */
async function prepareSchema(transaction: Queries): Promise<void> {
  const found = await transaction.row(SELECT_SCHEMA);
  if (found === undefined) await transaction.run("create schema migrate");
  else if (found.tables > 0) throw unknownSchema(transaction.name);
}

const SELECT_SCHEMA = statement<{ tables: number }>(`
  select (select count(*) from pg_class where relnamespace = pg_namespace.oid) as tables
  from pg_namespace where nspname = 'migrate'`);

function unknownSchema(name: string): Failure {
  return new Failure("config", `the schema "migrate" of ${name} contains tables of another program`, {
    hint: "choose another database with --ledger; nothing was changed",
  });
}

/** Version 12 lacks `gen_random_uuid`, which both the ledger and pg-boss need. */
const OLDEST_SERVER = 13;

const SELECT_SERVER = statement<{ version: string; encoding: string }>(
  "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding",
);

/** @throws Failure `config` for a server that is too old, and for a database that cannot store every key */
export async function requireSuitableServer(database: Queries): Promise<void> {
  const { version, encoding } = (await database.row(SELECT_SERVER)) ?? { version: "0", encoding: "" };
  const major = Math.floor(Number(version) / 10_000);
  if (major < OLDEST_SERVER) {
    throw new Failure(
      "config",
      `the server of ${database.name} is PostgreSQL ${major}; a ledger needs ${OLDEST_SERVER} or newer`,
      { hint: "choose a database on a newer server with --ledger; nothing was changed" },
    );
  }
  if (encoding === "UTF8") return;
  throw new Failure(
    "config",
    `the database ${database.name} stores text as ${encoding}, which cannot represent every key`,
    {
      hint: "choose a database that was created with ENCODING 'UTF8'",
    },
  );
}
