import { stringify } from "yaml";
import { type AttrPath, childAttr } from "../json/attr.ts";
import { leavesOf } from "../json/json-pointer.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "../json/json-value.ts";
import { plainText } from "../text/plain-text.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { streamedTable, type TableColumns } from "../terminal/text-table.ts";
import { csvText, shownCell } from "./csv-text.ts";
import type { RecordFormat } from "./formats/output-format.ts";

export interface RecordView<T> {
  readonly columns: TableColumns;
  readonly cells: (record: T) => readonly string[];
  /** The members that the API specification lists. Each has a CSV column, even if no record has the member. */
  readonly members: readonly string[];
}

interface RecordBatch<T> {
  readonly results: readonly T[];
  /** The JSON of each record as received, but without insignificant whitespace. */
  readonly json: readonly string[];
}

interface RecordWriter<T> {
  readonly add: (batch: RecordBatch<T>) => string;
  readonly end: () => string;
}

interface RecordScreen {
  readonly width: number;
  readonly tableWidth?: number | undefined;
  readonly colour: boolean;
  /** Receives a notice for each member that the format cannot include. */
  readonly notice: (text: string) => void;
}

/**
 * Creates a writer for records: a table, one JSON list, one line of JSON per record, or CSV. JSON contains the same
 * values as the reply. All output is safe on a terminal, and CSV is safe in a spreadsheet.
 */
export function recordWriter<T extends JsonObject>(
  format: RecordFormat,
  view: RecordView<T>,
  screen: RecordScreen,
): RecordWriter<T> {
  return WRITERS[format](view, screen);
}

type NewWriter = <T extends JsonObject>(view: RecordView<T>, screen: RecordScreen) => RecordWriter<T>;

const WRITERS: Readonly<Record<RecordFormat, NewWriter>> = {
  text: textWriter,
  json: jsonWriter,
  ndjson: ndjsonWriter,
  csv: csvWriter,
};

function textWriter<T>({ columns, cells }: RecordView<T>, screen: RecordScreen): RecordWriter<T> {
  const table = streamedTable(columns, screen);
  return { add: ({ results }) => (results.length === 0 ? "" : table(results.map(cells))), end: () => "" };
}

function jsonWriter<T>(): RecordWriter<T> {
  let separator = "[\n";
  return {
    add: (batch) => {
      if (batch.json.length === 0) return "";
      const piece = separator + batch.json.map(safeJson).join(",\n");
      separator = ",\n";
      return piece;
    },
    end: () => (separator === ",\n" ? "\n]\n" : "[]\n"),
  };
}

function ndjsonWriter<T>(): RecordWriter<T> {
  return { add: (batch) => batch.json.map((line) => `${safeJson(line)}\n`).join(""), end: () => "" };
}

/**
 * Creates a writer for CSV. The columns are the members that the API specification lists, followed by the other members
 * of the first batch.
 */
function csvWriter<T extends JsonObject>({ members }: RecordView<T>, { notice }: RecordScreen): RecordWriter<T> {
  let columns: readonly string[] | undefined;
  const head = (results: readonly T[]): string => {
    columns = [...new Set([...members, ...results.flatMap((record) => Object.keys(record))])];
    return csvText([columns.map((name) => csvCell(name))]);
  };
  const leftOut = new Set<string>();
  return {
    add: ({ results }) => {
      const first = columns === undefined ? head(results) : "";
      for (const name of results.flatMap((record) => Object.keys(record))) {
        if (columns?.includes(name) === true || leftOut.has(name)) continue;
        leftOut.add(name);
        notice(
          `The CSV omits the member ${name}, which first occurred after the header was written; use --format ndjson to see it`,
        );
      }
      return (
        first + csvText(results.map((record) => (columns ?? []).map((name) => csvCell(memberAt(record, name) ?? null))))
      );
    },
    end: () => (columns === undefined ? head([]) : ""),
  };
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;

/**
 * Renders a cell. Leaves numbers unchanged, including negative numbers. Escapes any other text that a spreadsheet would
 * evaluate as a formula.
 */
function csvCell(value: JsonValue): string {
  if (value === null) return "";
  const cell = isJsonObject(value) || isJsonArray(value) ? JSON.stringify(value) : String(value);
  return NUMBER.test(cell) ? cell : shownCell(cell);
}

interface ReceivedRecord {
  readonly record: JsonObject;
  readonly json: string;
}

/** Renders one record of any shape: as an outline (YAML), as JSON, or as CSV with one row per value (`attr,value`). */
export function receivedRecordText({ record, json }: ReceivedRecord, format: RecordFormat, width: number): string {
  if (format === "text") return outline(record, width);
  if (format !== "csv") return `${safeJson(json)}\n`;
  return csvText([
    ["attr", "value"],
    ...leavesOf(record).map(([path, leaf]) => [csvCell(attrOf(path)), csvCell(leaf)]),
  ]);
}

function attrOf(path: AttrPath): string {
  return path.reduce<string>((attr, name) => childAttr(attr, String(name)), "");
}

function outline(record: JsonObject, width: number): string {
  const lines = stringify(record, { lineWidth: width, aliasDuplicateObjects: false }).trimEnd().split("\n");
  return lines.map((line) => `${plainText(line, Number.MAX_SAFE_INTEGER)}\n`).join("");
}
