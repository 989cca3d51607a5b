import { Failure } from "../model/failure.ts";
import type { Query, SqliteDatabase, SqlValue } from "./sqlite-database.ts";

/** How much of a table came through. */
export interface Salvaged {
  readonly table: string;
  readonly rows: number;
  /** False: some of its rows cannot be read. */
  readonly isWhole: boolean;
}

/** The tables of a ledger, each with the columns that its rows are sorted by. */
const TABLES = {
  runs: ["id"],
  files: ["id"],
  records: ["id"],
  items: ["run", "record"],
  attempts: ["run", "record", "attempt"],
  problems: ["run", "record", "attempt", "position"],
  decisions: ["id"],
} as const;

/**
 * Copies what can be read of a damaged ledger into a new one: every table from its beginning to the first place that
 * cannot be read, and from its end back to the last.
 */
export function salvage(damaged: SqliteDatabase, sound: SqliteDatabase): readonly Salvaged[] {
  return Object.entries(TABLES).map(([table, keys]) => {
    const columns = sharedColumns(damaged, sound, table);
    if (columns.length === 0) return { table, rows: 0, isWhole: false };
    const copy: Copy = { damaged, sound, table, keys, columns };
    const isWhole = copyRows(copy, "asc");
    if (!isWhole) copyRows(copy, "desc");
    const query: Query<{ count: number }> = { sql: `select count(*) as count from ${table}` };
    return { table, rows: sound.row(query)?.count ?? 0, isWhole };
  });
}

interface Copy {
  readonly damaged: SqliteDatabase;
  readonly sound: SqliteDatabase;
  readonly table: string;
  readonly keys: readonly string[];
  readonly columns: readonly string[];
}

/** Those that both versions of the ledger have. */
function sharedColumns(damaged: SqliteDatabase, sound: SqliteDatabase, table: string): readonly string[] {
  const query: Query<{ name: string }> = { sql: `select name from pragma_table_info('${table}')` };
  const columnsOf = (database: SqliteDatabase): readonly string[] => database.rows(query).map(({ name }) => name);
  const known = unlessDamaged(() => columnsOf(damaged)) ?? [];
  return columnsOf(sound).filter((name) => known.includes(name));
}

const BATCH = 200;

/** True when the other end was reached. */
function copyRows({ damaged, sound, table, keys, columns }: Copy, order: "asc" | "desc"): boolean {
  const key = `(${keys.join(", ")})`;
  const beyond = `${key} ${order === "asc" ? ">" : "<"} (${keys.map(() => "?").join(", ")})`;
  const sorted = `order by ${keys.map((name) => `${name} ${order}`).join(", ")}`;
  const insert = `insert or ignore into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`;
  let last: readonly SqlValue[] | undefined;
  for (let size = BATCH; ;) {
    const where = last === undefined ? "" : `where ${beyond}`;
    const query: Query<Readonly<Record<string, SqlValue>>> = {
      sql: `select ${columns.join(", ")} from ${table} ${where} ${sorted} limit ${size}`,
    };
    const rows = unlessDamaged(() => damaged.rows(query, ...(last ?? [])));
    if (rows === undefined) {
      if (size === 1) return false;
      size = 1;
      continue;
    }
    sound.transaction(() => {
      for (const row of rows) sound.run(insert, ...columns.map((name) => row[name] ?? null));
    });
    const end = rows.at(-1);
    if (end === undefined || rows.length < size) return true;
    last = keys.map((name) => end[name] ?? null);
  }
}

function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    // Damage of the schema itself comes as an error of SQL.
    if (error instanceof Failure && error.code !== "ledger_damaged") throw error;
    return undefined;
  }
}
