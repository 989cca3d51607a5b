import type { Destination } from "../migration-state.ts";
import { rowMarker } from "../records/row-hash.ts";
import type { NewKey } from "../records/known-keys.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { statement, type Tables, type Work } from "../tables/tables.ts";
import { OWN_ITEM, WAS_SENT, withNewKeys } from "./new-keys.ts";

/** A new key for a row that was sent under another, unknown key. */
interface JournaledRow extends NewKey {
  readonly known: "";
  readonly wasSent: number;
}

/**
 * Finds planned rows that have a new key but, according to a journal, were sent under another key. Omits a row if the
 * plan also contains the row with that other key, because the row then belongs to that key.
 */
export function* selectJournaledRows(
  tables: Tables,
  run: RunRow,
  handle: (rows: readonly JournaledRow[]) => Work<void>,
): Work<void> {
  const destination = yield* tables.row(SELECT_DESTINATION, run.number);
  if (destination === undefined) return;
  const markOf = rowMarker(destination);
  if (tables.dialect === "sqlite") {
    for (const sql of COLLECT_JOURNALED) yield* tables.run(sql);
    yield* tables.eachBatch(SELECT_NEW_ROWS, [run.number], (rows) => {
      const marked = rows.map(({ record, rowHash }) => [record, rowHash, markOf(rowHash)]);
      return tables.runEach(INSERT_JOURNALED, run.number, marked);
    });
    yield* tables.eachBatch(SELECT_JOURNALED_KEYS, [run.number], handle);
    return;
  }
  yield* tables.eachBatch(SELECT_NEW_ROWS, [run.number], function* find(rows) {
    const hashes = rows.map(({ rowHash }) => rowHash);
    const found = yield* tables.rows(FIND_JOURNALED, run.number, hashes, hashes.map(markOf));
    const journaled = found.flatMap(({ nth }) => rows[nth - 1] ?? []);
    yield* handle(journaled.map((row) => ({ ...row, known: "", wasSent: 1 })));
  });
}

const SELECT_DESTINATION = statement<Destination>("select endpoint, supplier from migrate.runs where id = $1");

const SELECT_NEW_ROWS = statement<NewKey & { readonly rowHash: number }>(
  withNewKeys(`
    select new_keys.record, new_keys.key, files.name as file, new_keys.line, new_keys.row_hash as "rowHash"
    from new_keys ${OWN_ITEM} inner join migrate.files on files.id = new_keys.file
    where new_keys.row_hash is not null and new_keys.row_hash <> -1 order by new_keys.record`),
);

/** Collects the journaled rows in temporary tables, because SQLite has no index of row marks. */
const COLLECT_JOURNALED = [
  `create temp table journaled_rows (row_mark integer not null, identity blob not null, primary key (row_mark, identity))
   without rowid`,
  "create temp table journaled_keys (record integer not null, identity blob not null, row_hash integer not null)",
  `insert or ignore into temp.journaled_rows
   select attempts.row_mark, attempts.identity
   from attempts join records on records.identity = attempts.identity
   where attempts.run = 0 and attempts.row_mark is not null and (${WAS_SENT})`,
];

const INSERT_JOURNALED = {
  sqlite: `insert into temp.journaled_keys (record, identity, row_hash)
    select $2, identity, $3 from journaled_rows where row_mark = $4`,
  postgres: "",
};

/** For SQLite only. */
const SELECT_JOURNALED_KEYS = statement<JournaledRow>(`
    with own_rows as materialized (
      select distinct identity, row_hash from items
      where run = $1 and row_hash is not null and identity in (select identity from journaled_keys)
    )
    select items.record, items.key, '' as known, 1 as "wasSent", files.name as file, items.line
    from journaled_keys
    left join own_rows on own_rows.identity = journaled_keys.identity and own_rows.row_hash = journaled_keys.row_hash
    cross join items on items.run = $1 and items.record = journaled_keys.record
    cross join files on files.id = items.file
    where own_rows.identity is null order by items.record`);

/**
 * For PostgreSQL only. Selects the given rows that were sent under another key, unless this plan contains the row with
 * that key.
 */
const FIND_JOURNALED = statement<{ nth: number }>(`
    select given.nth::int as nth
    from unnest($2::bigint[], $3::bigint[]) with ordinality as given (row_hash, row_mark, nth)
    where exists (
      select from migrate.attempts join migrate.records on records.identity = attempts.identity
      where attempts.row_mark = given.row_mark and (${WAS_SENT}) and not exists (
        select from migrate.items
        where items.run = $1 and items.identity = attempts.identity and items.row_hash = given.row_hash))
    order by given.nth`);
