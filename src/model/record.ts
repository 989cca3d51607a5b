import type { JsonObject } from "../json/json-value.ts";
import type { RowCalls } from "./call-result.ts";
import type { Place } from "./place.ts";
import type { Problem } from "./problem.ts";

/** The header of one CSV file, shared by all its rows. */
export interface CsvTable {
  readonly kind: "csv";
  /** The file as the user named it. */
  readonly file: string;
  /** In the order of the file; a column without a name holds nothing. */
  readonly columns: readonly string[];
  /** Name -> zero-based position. */
  readonly columnIndex: ReadonlyMap<string, number>;
}

/** One JSON or NDJSON file, shared by all its rows. */
export interface JsonTable {
  readonly kind: "json";
  readonly file: string;
}

interface JoinedRow {
  /** 1-based physical line on which the row starts. */
  readonly line: number;
  /** Rows joined to this one, by the name of their source, in order; absent when the source has no children. */
  readonly children?: ReadonlyMap<string, readonly Row[]>;
  /** Kept here by a mapping that calls functions: a table of rows beside them costs as much time as mapping does. */
  calls?: RowCalls | undefined;
}

export interface CsvRow extends JoinedRow {
  readonly table: CsvTable;
  /** Cells as text, untouched. A ragged row has fewer or more cells than its table has columns. */
  readonly cells: readonly string[];
}

export interface JsonRow extends JoinedRow {
  readonly table: JsonTable;
  /** RFC 6901 pointer of the value in its document; empty for a line of NDJSON. */
  readonly pointer: string;
  readonly value: JsonObject;
}

export type Row = CsvRow | JsonRow;

export function isCsvRow(row: Row): row is CsvRow {
  return row.table.kind === "csv";
}

/** The row as a whole. */
export function placeOf(row: Row): Place {
  const { line, table } = row;
  return isCsvRow(row) ? { file: table.file, line } : { file: table.file, line, pointer: row.pointer };
}

/** Where in a file a row begins, or the blank lines before it. */
export interface RowPosition {
  readonly byte: number;
  /** 1-based. */
  readonly line: number;
}

/** A place from which an input can be read on as if it had been read up to there. */
export interface InputPosition extends RowPosition {
  /** The number of the record that begins there. */
  readonly record: number;
  /** The name of the file, as its records have it. */
  readonly file: string;
}

/** One record of the input: a row of the root source with the rows joined to it. */
export interface InputRecord {
  /** 1-based over the whole input. */
  readonly number: number;
  /** The source the row comes from: the root source, or the child source of an orphan. */
  readonly source: string;
  /** True for a child row that no parent row claims: it is reported, never mapped, never sent. */
  readonly orphan: boolean;
  readonly row: Row;
  /** What reading found wrong with this record's rows (codes `source_...`), places filled in. */
  readonly problems: readonly Problem[];
  /** Where the next row begins; noted now and then, where the file can be read from there. */
  readonly next?: RowPosition;
}

/** An input record with the payload that its rows map to. */
export interface MappedRecord extends InputRecord {
  /** The business key, as it will be sent; absent when the payload has none. */
  readonly key: string | undefined;
  /** Empty for an orphan. */
  readonly payload: JsonObject;
  /** What the mapping gives to the bodies of steps, by the step's name. */
  readonly steps?: ReadonlyMap<string, JsonObject> | undefined;
  /** The values of the parameters of its requests, by their names. */
  readonly parameters?: JsonObject | undefined;
  /** False when reading found errors: cells may stand in the wrong columns, so the payload is not validated. */
  readonly readable: boolean;
}
