import type { JsonObject } from "../json/json-value.ts";
import type { RowCalls } from "./call-result.ts";
import type { Place } from "./place.ts";
import type { Problem } from "./problem.ts";

/** The header of one CSV file, shared by all its rows. */
export interface CsvTable {
  readonly kind: "csv";
  /** The file name as the user gave it. */
  readonly file: string;
  /** In file order. Columns without a name contain no values. */
  readonly columns: readonly string[];
  /** Maps a column name to its zero-based position. */
  readonly columnIndex: ReadonlyMap<string, number>;
  readonly modifiedMs?: FileDate;
}

/** When a file was last modified, in milliseconds since 1970; absent for standard input. */
type FileDate = number | undefined;

/** One JSON or NDJSON file, shared by all its rows. */
export interface JsonTable {
  readonly kind: "json";
  readonly file: string;
  readonly modifiedMs?: FileDate;
}

interface JoinedRow {
  /** 1-based physical line on which the row starts. */
  readonly line: number;
  /** Rows joined to this row, in order, by source name; absent if the source has no children. */
  readonly children?: ReadonlyMap<string, readonly Row[]>;
  /** By source name; only for sources whose `pick` omitted some of the rows with this row's key. */
  readonly candidates?: ReadonlyMap<string, Candidates>;
  /** The row as in its file, without joined rows. Set if a correction has changed the row. */
  readonly uncorrected?: Row;
  /** Set by a mapping that calls functions. A separate map, keyed by row, would take as much time as the mapping. */
  calls?: RowCalls | undefined;
}

export interface CsvRow extends JoinedRow {
  readonly table: CsvTable;
  /** Cells as unmodified text. A ragged row has fewer or more cells than its table has columns. */
  readonly cells: readonly string[];
}

export interface JsonRow extends JoinedRow {
  readonly table: JsonTable;
  /** RFC 6901 pointer of the value in its document; empty for a line of NDJSON. */
  readonly pointer: string;
  readonly value: JsonObject;
}

export type Row = CsvRow | JsonRow;

/** The rows of one parent row from which `pick` selects. */
export interface Candidates {
  /** The selected rows, which are also in `children`, and the omitted rows, in file order. */
  readonly rows: readonly Row[];
  /** The columns that determine the selection. */
  readonly columns: readonly string[];
}

export function isCsvRow(row: Row): row is CsvRow {
  return row.table.kind === "csv";
}

/**
 * Returns the path to a column's value: the whole name if the row has a member with this name, otherwise the parts
 * between the dots.
 */
export function memberPath(
  { value }: JsonRow,
  name: string,
  parts: readonly string[] = name.split("."),
): readonly string[] {
  return Object.hasOwn(value, name) ? [name] : parts;
}

export function placeOf(row: Row): Place {
  const { line, table } = row;
  return isCsvRow(row) ? { file: table.file, line } : { file: table.file, line, pointer: row.pointer };
}

/** The position at which a row starts in a file. Blank lines before the row belong to it. */
export interface RowPosition {
  readonly byte: number;
  /** 1-based. */
  readonly line: number;
}

/** A position from which the rest of the input can be read, without reading the input from the start. */
export interface InputPosition extends RowPosition {
  /** The number of the record that starts there. */
  readonly record: number;
  /** The name of the file, as in the places of its records. */
  readonly file: string;
}

/** One record of the input: a row of the root source and the rows joined to it. */
export interface InputRecord extends JoinedRecord {
  /** 1-based position in the whole input. */
  readonly number: number;
}

export interface JoinedRecord {
  /** The source of the row: the root source, or the child source of an orphan. */
  readonly source: string;
  /** True for a child row without a parent row: it is reported, but never mapped or sent. */
  readonly orphan: boolean;
  readonly row: Row;
  /** Problems found while reading this record's rows (codes `source_...`), with their places. */
  readonly problems: readonly Problem[];
  /** Where the next row starts. Set only for some records, and only if reading can start at that position. */
  readonly next?: RowPosition;
}

/** The values that a record sends. */
export interface MappedValues {
  /** Empty for an orphan. */
  readonly payload: JsonObject;
  /** The values that the mapping adds to the bodies of steps, by step name. */
  readonly steps?: ReadonlyMap<string, JsonObject> | undefined;
  /** The values of the request parameters, by name. */
  readonly parameters?: JsonObject | undefined;
}

/** An input record and the values that its rows map to. */
export interface MappedRecord extends InputRecord, MappedValues {
  /** The business key as it will be sent; absent if the payload has none. */
  readonly key: string | undefined;
  /** The date of the content, in milliseconds since 1970; absent if the source does not state it. */
  readonly asOf?: number | undefined;
  /** False if reading found errors: cells may be in the wrong columns, so the payload is not validated. */
  readonly readable: boolean;
}
