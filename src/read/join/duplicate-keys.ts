import type { TemporaryDatabase } from "../../files/temporary-database.ts";
import type { Place } from "../../model/place.ts";
import { type CsvTable, isCsvRow, type JsonTable, type Row } from "../../model/record.ts";
import type { ReadRow } from "../row/read-row.ts";
import { keyOf, keyPlace } from "../row/row-key.ts";
import { numbered, type StoredRow } from "./child-store.ts";
import { createInserter } from "./index-store.ts";

/** Collects the keys of a source's rows to find duplicates. */
export interface KeyRegister {
  readonly add: (rows: readonly StoredRow[]) => void;
  readonly clear: () => void;
  readonly duplicates: () => DuplicateKeys;
}

export interface DuplicateKeys {
  /** Returns the place of another row with the same key as the row with this id; `undefined` if there is none. */
  readonly placeOtherThan: (id: number) => Place | undefined;
}

/** Clears a register, and adds the rows to it as they are yielded. */
export async function* registered(
  rows: AsyncIterable<readonly ReadRow[]>,
  register: KeyRegister,
): AsyncGenerator<readonly ReadRow[]> {
  register.clear();
  for await (const stored of numbered(rows)) {
    register.add(stored);
    yield stored.map(({ read }) => read);
  }
}

/** Creates a register that keeps keys in memory, for small files. */
export function memoryRegister(column: string): KeyRegister {
  const last = new Map<string, StoredRow>();
  const others = new Map<number, Place>();
  return {
    clear: () => {
      last.clear();
      others.clear();
    },
    add: (rows) => {
      for (const stored of rows) {
        const key = keyOf(stored.read.row, column);
        if (key === undefined) continue;
        const before = last.get(key);
        last.set(key, stored);
        if (before === undefined) continue;
        others.set(stored.id, keyPlace(before.read.row, column));
        if (!others.has(before.id)) others.set(before.id, keyPlace(stored.read.row, column));
      }
    },
    duplicates: () => ({ placeOtherThan: (id) => others.get(id) }),
  };
}

/**
 * Creates a register that keeps keys in a table of the index. SQLite sorts them on disk, so memory use does not grow
 * with their number.
 */
export function indexRegister(column: string, name: string, { database }: TemporaryDatabase): KeyRegister {
  database.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, key TEXT, file INTEGER, line INTEGER, pointer TEXT)`);
  const tables: (CsvTable | JsonTable)[] = [];
  const inserter = createInserter(database, name, 5);
  return {
    clear: () => {
      inserter.clear();
      database.exec(`DELETE FROM ${name}`);
    },
    add: (rows) => {
      for (const { id, read } of rows) {
        const { row } = read;
        const key = keyOf(row, column);
        if (key === undefined) continue;
        inserter.add(id, key, numberOf(row.table, tables), row.line, isCsvRow(row) ? null : row.pointer);
      }
    },
    duplicates: () => {
      inserter.flush();
      database.exec(duplicatesSql(name));
      const find = database.prepare(
        `SELECT file, line, pointer FROM ${name}_others JOIN ${name} ON ${name}.id = other WHERE ${name}_others.id = ?`,
      );
      const [some] = database.prepare(`SELECT id FROM ${name}_others LIMIT 1`).all();
      if (some === undefined) return { placeOtherThan: () => undefined };
      return {
        placeOtherThan: (id) => {
          const found: Readonly<Record<string, unknown>> = find.get(id) ?? {};
          const { file, line, pointer } = found;
          const table = tables[Number(file)];
          return table && keyPlace(rowAt(table, Number(line), typeof pointer === "string" ? pointer : ""), column);
        },
      };
    },
  };
}

/**
 * Returns SQL that finds, for each row with a duplicate key, another row with this key. The SQL selects the duplicate
 * keys first, because there are usually few of them, so only a few rows need to be compared.
 */
function duplicatesSql(name: string): string {
  return `
    CREATE TABLE ${name}_shared AS SELECT key FROM ${name} GROUP BY key HAVING count(*) > 1;
    CREATE UNIQUE INDEX ${name}_shared_key ON ${name}_shared (key);
    CREATE TABLE ${name}_others AS
      SELECT id, coalesce(lag(id) OVER by_key, lead(id) OVER by_key) AS other
      FROM ${name} WHERE key IN (SELECT key FROM ${name}_shared)
      WINDOW by_key AS (PARTITION BY key ORDER BY id);
    CREATE UNIQUE INDEX ${name}_others_id ON ${name}_others (id);`;
}

function numberOf(table: CsvTable | JsonTable, tables: (CsvTable | JsonTable)[]): number {
  const known = tables.lastIndexOf(table);
  return known < 0 ? tables.push(table) - 1 : known;
}

/** Returns a row with only the members that are needed to determine its place. */
function rowAt(table: CsvTable | JsonTable, line: number, pointer: string): Row {
  return table.kind === "csv" ? { table, line, cells: [] } : { table, line, pointer, value: {} };
}
