import { cannotStore, createTemporaryDatabase, type TemporaryDatabase } from "../../files/temporary-database.ts";
import type { JsonObject } from "../../json/json-value.ts";
import { errorCode } from "../../files/error-code.ts";
import { Failure } from "../../model/failure.ts";
import type { LocalProblem } from "../../model/problem.ts";
import { isCsvRow, type Row } from "../../model/record.ts";
import { type OpenedFile, tableOf } from "../input/opened-file.ts";
import type { OpenedChild } from "../input/opened-source.ts";
import { NO_PROBLEMS, type ReadRow } from "../row/read-row.ts";
import { keyOf } from "../row/row-key.ts";
import { type ChildStore, groupsOf, numbered, type StoredRow } from "./child-store.ts";
import { getOrAdd } from "../../model/groups.ts";

type Database = TemporaryDatabase["database"];

const INDEX = {
  prefix: "join",
  data: "the index of a join",
  hint: "free about as much disk space as the files take up, choose another folder for temporary files (TMPDIR), or sort the files by key: sorted files are joined without an index",
} as const;

/** Creates a database for the child rows of one input. @throws Failure `storage` */
export function openRowIndex(folder: string): TemporaryDatabase {
  const index = createTemporaryDatabase(folder, INDEX);
  index.database.exec(
    "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16000",
  );
  return index;
}

/**
 * Writes child rows to a table of the index. The rows can then be looked up by key, in any order of parents. A lookup
 * ends early once a key has more than `rowsPerKey` rows.
 * @throws Failure `storage` if the rows cannot be written
 */
export async function indexStore(
  child: OpenedChild,
  source: AsyncIterable<readonly ReadRow[]>,
  { table, rowsPerKey }: { readonly table: string; readonly rowsPerKey: number },
  { database, file, prepared }: TemporaryDatabase,
): Promise<ChildStore> {
  const text = rowSerializer(child.files);
  const fill = async (): Promise<number> => {
    database.exec(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, key TEXT, row TEXT NOT NULL)`);
    const inserter = createInserter(database, table, 3);
    let rows = 0;
    database.exec("BEGIN");
    for await (const batch of numbered(source)) {
      rows += batch.length;
      for (const { id, read } of batch) inserter.add(id, keyOf(read.row, child.on) ?? null, text.write(read));
    }
    inserter.flush();
    database.exec(`COMMIT; CREATE INDEX ${table}_key ON ${table} (key)`);
    return rows;
  };
  const count = await fill().catch((error: unknown) => {
    throw errorCode(error) === "ERR_SQLITE_ERROR" ? cannotStore(file, INDEX, error) : error;
  });
  const byKeys = database.prepare(
    `SELECT id, key, row FROM ${table} WHERE key IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );
  const from = database.prepare(`SELECT id, key, row FROM ${table} WHERE id >= ? ORDER BY id LIMIT ${PAGE_ROWS}`);
  return {
    count,
    finder: () => ({
      find: async (keys) => {
        const wanted = JSON.stringify(keys.filter((key) => key !== undefined));
        const byKey = grouped(byKeys.iterate(wanted), rowsPerKey, text);
        return keys.map((key) => byKey.get(key ?? "") ?? []);
      },
      close: async () => {},
    }),
    async *all() {
      for (let next = 0; next < count; next += PAGE_ROWS) {
        yield [...storedRows(from.all(next), text)];
      }
    },
    groups: () => {
      const rows = prepared(`SELECT id, key, row FROM ${table} WHERE key IS NOT NULL ORDER BY key, id`);
      return groupsOf(child, rowsPerKey, [storedRows(rows.iterate(), text)]);
    },
  };
}

const PAGE_ROWS = 1000;
/** Rows per INSERT statement. Inserting one row per statement is five times slower. */
const INSERT_ROWS = 200;

interface Inserter {
  readonly add: (...row: readonly (number | string | null)[]) => void;
  readonly flush: () => void;
  /** Discards the rows that have not been inserted yet. */
  readonly clear: () => void;
}

/** Inserts rows into a table, many at a time. */
export function createInserter(database: Database, table: string, columns: number): Inserter {
  const row = `(${Array(columns).fill("?").join(",")})`;
  const insertOf = (rows: number): string => `INSERT INTO ${table} VALUES ${Array(rows).fill(row).join(",")}`;
  const insertMany = database.prepare(insertOf(INSERT_ROWS));
  let waiting: (number | string | null)[] = [];
  return {
    add: (...cells) => {
      waiting.push(...cells);
      if (waiting.length < INSERT_ROWS * columns) return;
      insertMany.run(...waiting);
      waiting = [];
    },
    flush: () => {
      if (waiting.length > 0) database.prepare(insertOf(waiting.length / columns)).run(...waiting);
      waiting = [];
    },
    clear: () => {
      waiting = [];
    },
  };
}

interface IndexedRow {
  readonly id: number;
  /** Empty for a row without a key. */
  readonly key: string;
  readonly row: string;
}

function indexed(found: unknown): IndexedRow {
  if (typeof found === "object" && found !== null && "id" in found && "key" in found && "row" in found) {
    const { id, key, row } = found;
    if (typeof id === "number" && typeof row === "string") return { id, key: typeof key === "string" ? key : "", row };
  }
  throw new Failure("storage", "the temporary index of a join is corrupt", {
    hint: "check the disk, then run the same command again",
  });
}

function storedRow({ id, row }: IndexedRow, text: RowSerializer): StoredRow {
  return { id, read: text.parse(row) };
}

function grouped(
  found: Iterable<unknown>,
  rowsPerKey: number,
  text: RowSerializer,
): ReadonlyMap<string, readonly StoredRow[]> {
  const byKey = new Map<string, StoredRow[]>();
  for (const each of found) {
    const row = indexed(each);
    const rows = getOrAdd(byKey, row.key, (): StoredRow[] => []);
    rows.push(storedRow(row, text));
    if (rows.length > rowsPerKey) break;
  }
  return byKey;
}

function* storedRows(found: Iterable<unknown>, text: RowSerializer): Generator<StoredRow> {
  for (const each of found) yield storedRow(indexed(each), text);
}

interface RowSerializer {
  readonly write: (read: ReadRow) => string;
  readonly parse: (text: string) => ReadRow;
}

/** The pointer of a CSV row is empty. */
type SerializedRow = readonly [
  table: number,
  line: number,
  content: readonly string[] | JsonObject,
  pointer: string,
  problems?: readonly LocalProblem[],
];

function rowSerializer(files: readonly OpenedFile[]): RowSerializer {
  const tables = files.map(tableOf);
  return {
    write: ({ row, problems }) => JSON.stringify(serialized(tables.indexOf(row.table), row, problems)),
    parse: (text) => {
      const [number, line, content, pointer, problems = NO_PROBLEMS]: SerializedRow = JSON.parse(text);
      const table = tables[number];
      if (table?.kind === "csv" && isCells(content)) return { row: { table, line, cells: content }, problems };
      if (table?.kind === "json" && !isCells(content))
        return { row: { table, line, value: content, pointer }, problems };
      throw new Error("a stored row does not fit its file");
    },
  };
}

function serialized(table: number, row: Row, problems: readonly LocalProblem[]): SerializedRow {
  const [content, pointer] = isCsvRow(row) ? [row.cells, ""] : [row.value, row.pointer];
  return problems.length === 0 ? [table, row.line, content, pointer] : [table, row.line, content, pointer, problems];
}

function isCells(content: readonly string[] | JsonObject): content is readonly string[] {
  return Array.isArray(content);
}
