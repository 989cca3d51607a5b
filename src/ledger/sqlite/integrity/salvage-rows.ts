import { Failure } from "../../../model/failure.ts";
import type { LedgerRepair } from "../../ledger-store.ts";
import { REQUIRED_RUN_COLUMNS } from "../../runs/recorded-run.ts";
import type { SqliteDatabase, SqlValue } from "../sqlite-database.ts";
import { statement } from "../../tables/tables.ts";

/** The tables of a ledger, each with its sort columns. */
const TABLES = {
  runs: ["id"],
  files: ["id"],
  records: ["id"],
  items: ["run", "record"],
  attempts: ["run", "record", "attempt"],
  problems: ["run", "record", "attempt", "position"],
  decisions: ["id"],
  exclusions: ["identity", "excluded_at"],
  setup: ["sha256"],
} as const;

/**
 * Tables that do not contain the state of records. If rows of such a table are lost, a run needs its original files
 * again.
 */
export const HAS_NO_STATE: ReadonlySet<string> = new Set(["setup"] satisfies readonly (keyof typeof TABLES)[]);

/**
 * Copies the readable rows of a corrupt ledger into a new ledger. Reads every table from its beginning to the first
 * unreadable place and, if there is such a place, from its end back to the last unreadable place.
 */
export function salvage(corrupt: SqliteDatabase, intact: SqliteDatabase): LedgerRepair["tables"] {
  return Object.entries(TABLES).map(([table, keys]) => {
    const columns = sharedColumns(corrupt, intact, table);
    if (columns.length === 0) return { table, rows: 0, isWhole: false };
    const copy: Copy = { corrupt, intact, table, keys, columns };
    const isWhole = copyRows(copy, "asc");
    if (!isWhole) copyRows(copy, "desc");
    const query = statement<{ count: number }>(`select count(*) as count from ${table}`);
    return { table, rows: intact.row(query)?.count ?? 0, isWhole };
  });
}

interface Copy {
  readonly corrupt: SqliteDatabase;
  readonly intact: SqliteDatabase;
  readonly table: string;
  readonly keys: readonly string[];
  readonly columns: readonly string[];
}

/** Returns the known columns that can be read. A corrupt schema may also name other columns. */
function sharedColumns(corrupt: SqliteDatabase, intact: SqliteDatabase, table: string): readonly string[] {
  const query = statement<{ name: string }>(`select name from pragma_table_info('${table}')`);
  const columnsOf = (database: SqliteDatabase): readonly string[] => database.rows(query).map(({ name }) => name);
  const known = unlessCorrupt(() => columnsOf(corrupt)) ?? [];
  return columnsOf(intact).filter((name) => known.includes(name));
}

const BATCH = 200;

/**
 * Copies the rows, starting at one end of a table. Returns true if the other end was reached and every row was inserted
 * into the new ledger.
 */
function copyRows({ corrupt, intact, table, keys, columns }: Copy, order: "asc" | "desc"): boolean {
  const key = `(${keys.join(", ")})`;
  const beyond = `${key} ${order === "asc" ? ">" : "<"} (${keys.map(() => "?").join(", ")})`;
  const sorted = `order by ${keys.map((name) => `${name} ${order}`).join(", ")}`;
  const insert = `insert or ignore into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`;
  const take = (row: Readonly<Record<string, SqlValue>>): boolean =>
    [...keys, ...(table === "runs" ? REQUIRED_RUN_COLUMNS : [])].every((name) => row[name] !== null) &&
    unlessCorrupt(() => intact.run(insert, ...columns.map((name) => row[name] ?? null))) === 1;
  let last: readonly SqlValue[] | undefined;
  let isWhole = true;
  for (let size = BATCH; ;) {
    const where = last === undefined ? "" : `where ${beyond}`;
    const query = statement<Readonly<Record<string, SqlValue>>>(
      `select ${columns.join(", ")} from ${table} ${where} ${sorted} limit ${size}`,
    );
    const rows = unlessCorrupt(() => corrupt.rows(query, ...(last ?? [])));
    if (rows === undefined) {
      if (size === 1) return false;
      size = 1;
      continue;
    }
    intact.transaction(() => {
      for (const row of rows) isWhole = take(row) && isWhole;
    });
    const end = rows.at(-1);
    if (end === undefined || rows.length < size) return isWhole;
    last = keys.map((name) => end[name] ?? null);
    // Reading cannot continue after a lost key. A corrupt schema may hide the keys of all rows.
    if (last.includes(null)) return false;
  }
}

/** Calls `work` and returns its result; undefined if `work` reads a corrupt part of the ledger. */
export function unlessCorrupt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    // Corruption of the schema itself appears as an SQL error.
    if (error instanceof Failure && error.code !== "ledger_damaged") throw error;
    return undefined;
  }
}
