import type { RunRow } from "../runs/recorded-run.ts";
import { SQL_NORMAL_KEY } from "../../text/near-key.ts";
import type { Sql, Tables, Work } from "../tables/tables.ts";

/** SQL condition: the platform has, or may have, the record. Uses `records`. */
export const WAS_SENT: string =
  "records.accepted_content is not null or records.other_content = 1 or records.state in ('ambiguous', 'sending')";

/** Statuses of records that may be sent. A blocked record may be sent when the run is resumed. */
const MAY_BE_SENT = "('valid', 'pending', 'blocked')";

/**
 * SQL condition: the item may be sent, and no run has sent its key. Such a key is new or has only been refused. Uses
 * `items`.
 */
export const IS_NEW: string = `items.status in ${MAY_BE_SENT} and items.key is not null and items.identity is not null
  and not exists (select 1 from migrate.records where records.identity = items.identity and (${WAS_SENT}))`;

/** SQL that selects the records of run `$1` with a key that no run has sent. */
export const FROM_NEW_ITEMS: string = `from migrate.items where items.run = $1 and ${IS_NEW}`;

const SELECT_NEW_KEYS = `
  select ${SQL_NORMAL_KEY} as match, items.record, items.key, items.file, items.line, items.row_hash ${FROM_NEW_ITEMS}`;

/**
 * Adds the definition of `new_keys` to a query: the keys that no run has sent, in their normal form. SQLite collects
 * them once (`collectNewKeys`). PostgreSQL selects them in each query, so that the database user does not need the
 * privilege to create temporary tables.
 * @param others other definitions for the query's `with` clause
 */
export function withNewKeys(query: string, ...others: readonly string[]): Sql {
  const defined = (definitions: readonly string[]): string =>
    definitions.length === 0 ? query : `with ${definitions.join(", ")} ${query}`;
  return { sqlite: defined(others), postgres: defined([`new_keys as materialized (${SELECT_NEW_KEYS})`, ...others]) };
}

/**
 * For SQLite: SQL that omits records that were refused after the new keys were collected. For PostgreSQL: a comment.
 */
export const OWN_ITEM: string = `/*+ cross join items as own on own.run = $1 and own.record = new_keys.record
  and own.status in ${MAY_BE_SENT} */`;

const TABLES = ["new_keys", "journaled_rows", "journaled_keys"];

/** Collects the new keys on SQLite. Returns false if there are none. On PostgreSQL, does nothing and returns true. */
export function* collectNewKeys(tables: Tables, run: RunRow): Work<boolean> {
  if (tables.dialect === "postgres") return true;
  yield* dropNewKeys(tables);
  yield* tables.run(`
    create temp table new_keys (match text not null, record integer not null, key text not null, file integer not null,
      line integer not null, row_hash integer)`);
  if ((yield* tables.run(`insert into temp.new_keys ${SELECT_NEW_KEYS}`, run.number)) === 0) return false;
  yield* tables.run("create index temp.new_keys_by_match on new_keys (match)");
  yield* tables.run("create index temp.new_keys_by_row on new_keys (row_hash) where row_hash is not null");
  return true;
}

export function* dropNewKeys(tables: Tables): Work<void> {
  if (tables.dialect === "sqlite") for (const name of TABLES) yield* tables.run(`drop table if exists temp.${name}`);
}
