import type { ExportedRow } from "../ledger-store.ts";
import { openDatabase, type SqliteDatabase, type SqlValue } from "./sqlite-database.ts";
import { requireIntact } from "./integrity/ledger-check.ts";
import { statement } from "../tables/tables.ts";

/**
 * Exports the contents of the ledger at this path in batches: runs, records, the items of each run, requests, decisions
 * and exclusions.
 * @param isBusy returns whether another process may be writing to the ledger
 * @throws Failure `ledger_damaged`, `storage`
 */
export function* exportLedger(path: string, isBusy: () => boolean): Generator<readonly ExportedRow[]> {
  const database = openDatabase(path, { readOnly: true });
  try {
    requireIntact(database, { isBusy });
    for (const [row, sql] of Object.entries(EXPORTED)) yield* exported(database, row, sql);
  } finally {
    database.close();
  }
}

const BATCH = 500;

/** Queries for the rows of each kind. Each query continues after the keys of the last row. */
const EXPORTED = {
  run: "select *, id as a, 0 as b, 0 as c from runs where (id, 0, 0) > (?, ?, ?) order by id",
  record: "select *, id as a, 0 as b, 0 as c from records where (id, 0, 0) > (?, ?, ?) order by id",
  item: `select items.*, files.name as file, run as a, record as b, 0 as c
    from items cross join files on files.id = items.file where (run, record, 0) > (?, ?, ?) order by run, record`,
  attempt: `select *, run as a, record as b, attempt as c from attempts
    where (run, record, attempt) > (?, ?, ?) order by run, record, attempt`,
  decision: "select *, id as a, 0 as b, 0 as c from decisions where (id, 0, 0) > (?, ?, ?) order by id",
  // SQLite sorts bytes after numbers, so the first query starts before every identity.
  exclusion: `select *, identity as a, excluded_at as b, 0 as c from exclusions
    where (identity, excluded_at, 0) > (?, ?, ?) order by identity, excluded_at`,
} as const;

type Keyed = Readonly<Record<string, SqlValue>>;

function* exported(database: SqliteDatabase, row: string, sql: string): Generator<readonly ExportedRow[]> {
  const query = statement<Keyed>(`${sql} limit ${BATCH}`);
  for (let last: readonly SqlValue[] = [-1, -1, -1]; ;) {
    const rows = database.rows(query, ...last);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows.map((found) => ({ row, ...plain(found) }));
    last = [end["a"] ?? 0, end["b"] ?? 0, end["c"] ?? 0];
  }
}

function plain({ a: _a, b: _b, c: _c, ...columns }: Keyed): ExportedRow {
  const entries = Object.entries(columns).map(([name, value]): [string, string | number | null] => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
  ]);
  return Object.fromEntries(entries);
}
