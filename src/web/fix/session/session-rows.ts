import type { Job } from "../../../job/job.ts";
import { keyColumnIn } from "../../../job/correct-input.ts";
import { parsePointer } from "../../../json/json-pointer.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../json/json-value.ts";
import { isAddedColumn } from "../../../model/added-columns.ts";
import type { Place } from "../../../model/place.ts";
import { isCsvRow, type Row } from "../../../model/record.ts";
import type { ChildSpec, SourceSpec } from "../../../model/source-spec.ts";
import { keyNameOf } from "../../../read/corrections/apply-corrections.ts";
import { withDescendants } from "../../../read/input/opened-source.ts";
import { keyOf } from "../../../read/row/row-key.ts";
import type { Found } from "./session-store.ts";

type Table = Row["table"];

/** The maximum number of columns that the grid shows for a JSON source. */
const MAX_JSON_COLUMNS = 200;

/** A source of the session, with the data needed to store its rows and to read them again. */
export interface SessionSource {
  readonly spec: SourceSpec | ChildSpec;
  /** The columns so far. More may follow while rows are added. */
  readonly columns: string[];
  /** Returns the name of the column that identifies a row in corrections. */
  readonly keyName: (row: Row) => string | undefined;
  /** Columns that join, order or identify rows. */
  readonly structural: ReadonlySet<string>;
}

/** Converts stored content to rows, and assigns numbers to the sources, files and columns of the session. */
export interface SessionRows {
  readonly sources: readonly SessionSource[];
  readonly sourceIndex: (name: string) => number;
  /** Returns the name of a source; empty if there is no source with this index. */
  readonly sourceName: (index: number) => string;
  readonly fileIndex: (source: number, table: Table) => number;
  /** Returns the key that identifies a row in corrections; undefined if the row has none. */
  readonly keyOfRow: (row: Row, source: number) => string | undefined;
  /** Adds the columns of a row to the columns that the grid shows. */
  readonly noteColumns: (row: Row, source: number) => void;
  /** Returns the index of a column, and adds the column if it is new; undefined for a column without a name. */
  readonly columnIndex: (source: number, column: string) => number | undefined;
  /** Converts stored content to a row without joined rows. */
  readonly plainRow: (found: Found, content: unknown) => Row;
}

/** A stored row with its position in the tree of its record. */
export interface StoredRow {
  readonly id: number;
  readonly parent: number;
  readonly source: number;
  readonly key: string | undefined;
  /** The row as it is in the file. */
  readonly original: Row;
  /** The row with the corrections that were in force when the project was checked. */
  readonly built: Row;
  /** The current problems of the row as JSON; null if there are none. */
  readonly found: string | null;
}

export function createSessionRows({ plan, mapping }: Job): SessionRows {
  const specs = withDescendants<SourceSpec>(plan);
  const keyColumn = keyColumnIn(mapping);
  const sources = specs.map((spec): SessionSource => {
    const keyName = keyNameOf(spec, keyColumn);
    return { spec, columns: [], keyName, structural: structuralColumns(spec) };
  });
  const tables: Table[] = [];
  const known = new Map<string, number>();
  const noted = new Set<Table>();
  return {
    sources,
    sourceIndex: (name) => specs.findIndex((spec) => spec.name === name),
    sourceName: (index) => specs[index]?.name ?? "",
    fileIndex: (source, table) => {
      const name = `${source} ${table.file}`;
      const index = known.get(name) ?? tables.push(table) - 1;
      known.set(name, index);
      return index;
    },
    keyOfRow: (row, source) => {
      const name = sources[source]?.keyName(row);
      return name === undefined ? undefined : keyOf(row, name);
    },
    noteColumns: (row, source) => {
      const columns = sources[source]?.columns ?? [];
      if (isCsvRow(row) && noted.has(row.table)) return;
      noted.add(row.table);
      const own = isCsvRow(row)
        ? row.table.columns.filter((name) => name !== "" && !isAddedColumn(name))
        : pathsIn(row.value);
      for (const name of own)
        if (!columns.includes(name) && (isCsvRow(row) || columns.length < MAX_JSON_COLUMNS)) columns.push(name);
    },
    columnIndex: (source, column) => {
      const columns = sources[source]?.columns ?? [];
      const index = columns.indexOf(column);
      if (index >= 0) return index;
      return column === "" ? undefined : columns.push(column) - 1;
    },
    plainRow: (found, content) => {
      const table = tables[Number(found["file"])];
      if (table === undefined) throw new Error("a stored row has no file");
      const line = Number(found["line"]);
      const stored: unknown = JSON.parse(String(content));
      if (table.kind === "csv") return { table, line, cells: Array.isArray(stored) ? stored.map(String) : [] };
      return { table, line, pointer: String(found["pointer"]), value: isJsonObject(stored) ? stored : {} };
    },
  };
}

/** Returns the content of a row as JSON, without its joined rows. */
export function rowContent(row: Row): string {
  return JSON.stringify(isCsvRow(row) ? row.cells : row.value);
}

/** Returns the pointer of a JSON row; empty for a row with cells. */
export function pointerOf(row: Row): string {
  return isCsvRow(row) ? "" : row.pointer;
}

/** Returns the column of a place in a row; undefined if the place is not a cell of this row. */
export function columnIn(row: Row, { file, line, column, pointer }: Place): string | undefined {
  if (file !== row.table.file || line !== row.line) return undefined;
  if (isCsvRow(row)) return column;
  if (pointer === undefined || !pointer.startsWith(`${row.pointer}/`)) return undefined;
  return parsePointer(pointer.slice(row.pointer.length)).join(".");
}

export function storedRow(found: Found, rows: SessionRows): StoredRow {
  const original = rows.plainRow(found, found["original"]);
  return {
    id: Number(found["id"]),
    parent: Number(found["parent"]),
    source: Number(found["source"]),
    key: found["key"] === null ? undefined : String(found["key"]),
    original,
    built: found["built"] === null ? original : rows.plainRow(found, found["built"]),
    found: found["found"] === null ? null : String(found["found"]),
  };
}

/**
 * Joins the current rows of a record again.
 * @param stored in stored order; the first row is the record's own row
 */
export function joinRows(
  sources: readonly SessionSource[],
  stored: readonly StoredRow[],
  current: ReadonlyMap<number, Row>,
): Row {
  const joined = ({ id, source, original }: StoredRow): Row => {
    const row = current.get(id) ?? original;
    const specs = sources[source]?.spec.children ?? [];
    if (specs.length === 0) return row;
    const below = stored.filter(({ parent }) => parent === id);
    const children = new Map(
      specs.map(({ name }) => [name, below.filter((child) => sources[child.source]?.spec.name === name).map(joined)]),
    );
    return { ...row, children };
  };
  const [own] = stored;
  if (own === undefined) throw new Error("a stored record has no row");
  return joined(own);
}

function structuralColumns(spec: SourceSpec | ChildSpec): ReadonlySet<string> {
  const own = "on" in spec ? [spec.on, spec.orderBy?.column, spec.pick?.by?.column, spec.pick?.per] : [];
  const parents = spec.children.map(({ parentKey }) => parentKey);
  return new Set([spec.key, ...own, ...parents].filter((name) => name !== undefined));
}

/** Returns the dot paths of the scalars in a value. Omits scalars below a name that contains a dot. */
function pathsIn(value: JsonValue, path: readonly string[] = []): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((item, index) => pathsIn(item, [...path, String(index)]));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, item]) => (name.includes(".") ? [] : pathsIn(item, [...path, name])));
  return [path.join(".")];
}
