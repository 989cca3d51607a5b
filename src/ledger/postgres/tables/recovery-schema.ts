/**
 * Attempts known only from a journal belong to no run and have run number 0. `recoveries` are notes that this database
 * accounts for a journal. `machines` are those that have sent. `uncovered` are records of no plan, which `coverage`
 * does not count yet.
 */
export const RECOVERY_STEP: string = `
  create table migrate.recoveries (id text primary key, at text not null, uncertain boolean not null);
  create table migrate.machines (id text primary key, first_seen_at timestamptz not null);
  create table migrate.uncovered (identity bytea primary key);`;

/** For attempts known only from a journal (`rowMarker`). */
export const ROW_MARK_STEP: string = `
  alter table migrate.attempts add column row_mark bigint;
  create index attempts_by_row_mark on migrate.attempts (row_mark) where row_mark is not null;`;

/**
 * The origin of the database when nothing was known to be missing in it: one row. A restored copy has that of the
 * original.
 */
export const ORIGIN_STEP: string = `
  create table migrate.origin (
    id integer primary key check (id = 1), origin text not null, noted_at text not null
  );`;
