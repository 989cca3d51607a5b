import { isDecimalText } from "../json/decimal-arithmetic.ts";
import type { AttrPath } from "../json/attr.ts";
import { definedMembers } from "../json/defined-members.ts";
import { isJsonArray, type JsonObject, type JsonValue, valueAt } from "../json/json-value.ts";
import { parsePointer } from "../json/json-pointer.ts";
import type { Measure } from "../map/document/measures.ts";
import { numberReader } from "../map/leaf/number-text.ts";
import type { Mapping } from "../map/mapping.ts";
import type { Place } from "../model/place.ts";
import { isCsvRow, type Row } from "../model/record.ts";
import { rowsOf } from "./row-marks.ts";

/** One amount of a record, in its source and in its payload. */
export interface Amount {
  /** Path in the payload, with indexes instead of `*`. */
  readonly path: AttrPath;
  readonly by?: string;
  /** Absent if the mapping has no place for the amount. */
  readonly place?: Place;
  readonly source?: string;
  readonly payload?: string;
  /** Whether the cell or the payload value is not a decimal number. */
  readonly unreadable: boolean;
}

/** The amounts of one measure in one record. */
export function amountsOf(measure: Measure, row: Row, payload: JsonObject, mapping: Mapping): readonly Amount[] {
  const read = cellReader(measure);
  return concretePaths(measure.attr, payload).flatMap((path) => {
    const place = mapping.locate(row, path);
    const cell = emptyAsNone(place && cellAt(row, place));
    const value = textOf(valueAt(payload, path));
    if (cell === undefined && value === undefined) return [];
    const source = cell === undefined ? undefined : read(cell);
    const amount = value !== undefined && isDecimalText(value) ? value : undefined;
    const by = measure.by && textOf(valueAt(payload, filledAs(measure.by, path)));
    const unreadable = source === undefined ? cell !== undefined : value !== undefined && amount === undefined;
    return [{ path, unreadable, ...definedMembers({ by, place, source, payload: amount }) }];
  });
}

function emptyAsNone(cell: string | undefined): string | undefined {
  return cell?.trim() === "" ? undefined : cell;
}

/** Reads numbers with the separators of the mapping, or plain decimals; returns undefined for any other text. */
export function cellReader({ separators }: Measure): (cell: string) => string | undefined {
  const read = separators && numberReader(separators);
  return (cell) => {
    const text = cell.trim();
    if (read !== undefined) return read(text);
    return isDecimalText(text) ? text : undefined;
  };
}

/** The text of a cell or of a JSON value. Undefined if the place is a whole row. */
function cellAt(root: Row, place: Place): string | undefined {
  if (place.columnNumber === undefined && place.pointer === undefined) return undefined;
  for (const { row } of rowsOf("", root)) {
    if (row.table.file !== place.file) continue;
    if (isCsvRow(row)) {
      if (row.line === place.line && place.columnNumber !== undefined) return row.cells[place.columnNumber - 1];
    } else if (place.pointer?.startsWith(`${row.pointer}/`) === true && row.line === place.line) {
      return textOf(valueAt(row.value, parsePointer(place.pointer.slice(row.pointer.length))));
    }
  }
  return undefined;
}

/** Expands `a.*.b` to `a.0.b`, `a.1.b` for the items in the payload. An attr without `*` is returned unchanged. */
function concretePaths(attr: AttrPath, payload: JsonValue, before: AttrPath = []): readonly AttrPath[] {
  const star = attr.indexOf("*");
  if (star < 0) return [[...before, ...attr]];
  const path = [...before, ...attr.slice(0, star)];
  const list = valueAt(payload, path);
  if (list === undefined || !isJsonArray(list)) return [];
  return list.flatMap((_, index) => concretePaths(attr.slice(star + 1), payload, [...path, index]));
}

/** Replaces each `*` of an attr with the indexes of `path`, in order. */
function filledAs(attr: AttrPath, path: AttrPath): AttrPath {
  const indexes = path.filter((part) => typeof part === "number");
  let next = 0;
  return attr.map((part) => (part === "*" ? (indexes[next++] ?? "*") : part));
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
