import { cellTextOf, type JsonValue, valueAt } from "../json/json-value.ts";
import { listed, looksSame, suggest } from "../text/suggestion.ts";
import { Failure } from "../model/failure.ts";
import { formatPointer } from "../json/json-pointer.ts";
import type { Place } from "../model/place.ts";
import { isCsvRow, type CsvTable, memberPath, placeOf, type Row } from "../model/record.ts";
import type { CellContent } from "./leaf/conversion.ts";
import { columnsHint } from "../text/column-names.ts";

/** A column (CSV) or path (JSON) of a source. */
export interface SourceColumn {
  readonly source: string;
  readonly column: string;
}

/** A column, as used by one entry of the mapping. */
export interface Column {
  readonly name: string;
  /** The unchanged cell; `""` if it is missing. JSON numbers and booleans become text. */
  readonly read: (row: Row) => CellContent;
  readonly placeIn: (row: Row) => Place;
  /** The columns that `read` may read from: one, or two if the cell may be in another row (`ownOrOtherColumn`). */
  readonly columns: readonly SourceColumn[];
}

/** The columns of one source that a mapping reads. */
export interface SourceColumns {
  readonly source: string;
  /** `line`: the line of the mapping that names the column. */
  readonly column: (name: string, line: number) => Column;
  readonly names: () => readonly string[];
  /** Records that a cell of the column must be one of these strings. */
  readonly limit: (name: string, texts: readonly string[]) => void;
  /** The strings that cells can have, by column, if all of them are known. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

/**
 * The columns are looked up once per file. If a CSV file lacks columns, reading its first row throws a Failure
 * `mapping_invalid` that lists all of them. In JSON, a missing value counts as empty.
 * @param pathBelow returns the complete path of a column if the mapping omits the sources between it and the row
 */
export function sourceColumns(
  source: string,
  mappingFile: string,
  pathBelow: (name: string) => string | undefined = () => undefined,
): SourceColumns {
  const lines = new Map<string, number>();
  const choices = new Map<string, readonly string[]>();
  const refuse = (table: CsvTable): Failure => missingColumns(table, lines, mappingFile, pathBelow);
  return {
    source,
    column: (name, line) => {
      if (!lines.has(name)) lines.set(name, line);
      return { ...columnOf(name, refuse), columns: [{ source, column: name }] };
    },
    names: () => [...lines.keys()],
    limit: (name, texts) => {
      const before = choices.get(name);
      choices.set(name, before === undefined ? [...new Set(texts)] : before.filter((text) => texts.includes(text)));
    },
    choices,
  };
}

/** A column that might not exist. */
interface OwnColumn extends Omit<Column, "columns"> {
  readonly isIn: (row: Row) => boolean;
}

export function ownColumn(name: string): OwnColumn {
  const [first = name] = name.split(".");
  return {
    ...columnOf(name, ({ file }) => new Failure("mapping_invalid", `${file}: no column "${name}"`)),
    isIn: (row) =>
      isCsvRow(row)
        ? row.table.columnIndex.has(name)
        : Object.hasOwn(row.value, name) || Object.hasOwn(row.value, first),
  };
}

/**
 * Returns the row's own column or, if the row has no column with this name, the `other` column of the row that
 * `otherRow` returns. If it returns no row, the cell counts as empty.
 */
export function ownOrOtherColumn(
  { source, column: name }: SourceColumn,
  other: Column,
  otherRow: (row: Row) => Row | undefined,
): Column {
  const own = ownColumn(name);
  return {
    name,
    columns: [{ source, column: name }, ...other.columns],
    read: (row) => {
      if (own.isIn(row)) return own.read(row);
      const found = otherRow(row);
      return found === undefined ? "" : other.read(found);
    },
    placeIn: (row) => {
      if (own.isIn(row)) return own.placeIn(row);
      const found = otherRow(row);
      return found === undefined ? placeOf(row) : other.placeIn(found);
    },
  };
}

function columnOf(name: string, refuse: (table: CsvTable) => Failure): Omit<Column, "columns"> {
  const path = name.split(".");
  let table: CsvTable | undefined;
  let index = -1;
  const indexIn = (other: CsvTable): number => {
    const found = other.columnIndex.get(name);
    if (found === undefined) throw refuse(other);
    [table, index] = [other, found];
    return found;
  };
  return {
    name,
    read: (row) => {
      if (!isCsvRow(row)) return contentOf(valueAt(row.value, memberPath(row, name, path)));
      if (row.table !== table) indexIn(row.table);
      return row.cells[index] ?? "";
    },
    placeIn: (row) => {
      if (!isCsvRow(row)) return { ...placeOf(row), pointer: row.pointer + formatPointer(memberPath(row, name, path)) };
      return { ...placeOf(row), column: name, columnNumber: indexIn(row.table) + 1 };
    },
  };
}

function contentOf(value: JsonValue | undefined): CellContent {
  return typeof value === "object" && value !== null ? value : cellTextOf(value ?? null);
}

function missingColumns(
  table: CsvTable,
  lines: ReadonlyMap<string, number>,
  mappingFile: string,
  pathBelow: (name: string) => string | undefined,
): Failure {
  const missing = [...lines].filter(([name]) => !table.columnIndex.has(name));
  const named = missing.map(([name, at]) => `"${name}" (${mappingFile}:${at})`);
  const message = `${table.file}: no column ${listed(named)}, which the mapping reads`;
  const below = missing.flatMap(([name]) => withName(name, pathBelow(name)));
  const similar = missing.flatMap(([name]) => withName(name, suggest(name, table.columns)));
  const [meant] = [...below, ...(missing.length === 1 ? similar : similar.filter((pair) => looksSame(...pair)))];
  const hint = columnsHint(table.columns, meant);
  return new Failure("mapping_invalid", message, { hint, place: { file: mappingFile, line: missing[0]?.[1] ?? 1 } });
}

function withName(name: string, near: string | undefined): readonly (readonly [wanted: string, near: string])[] {
  return near === undefined ? [] : [[name, near]];
}
