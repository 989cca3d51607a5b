import type { Operation } from "../contract/operations/operation.ts";
import { requiredParameters } from "../contract/operations/request-parameters.ts";
import { formatAttr, type AttrPath } from "../json/attr.ts";
import { formatPointer } from "../json/json-pointer.ts";
import { Failure } from "../model/failure.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import { isCsvRow, type JsonRow, type Row } from "../model/record.ts";
import { mappedOf, type Mapping, type Origin } from "./mapping.ts";
import { ONLY_SOURCE } from "./document/source-tree.ts";

/**
 * Returns the mapping for sources that contain payloads: each JSON or NDJSON record is a payload. Throws a Failure
 * `usage` at the first row of a CSV file, and immediately if requests need parameters.
 */
export function passThrough(operation: Operation): Mapping {
  const [parameter] = requiredParameters(operation);
  if (parameter !== undefined) {
    throw new Failure("usage", `${operation.method} ${operation.path} needs the parameter "${parameter}"`, {
      hint: "write a mapping with `parameters` (docs/mapping.md), and pass it with --mapping <file>",
    });
  }
  return {
    keyAttr: operation.key,
    keyColumns: operation.key === undefined ? [] : [{ source: ONLY_SOURCE, column: formatAttr(operation.key) }],
    cellsBehind: (row, path) => (isCsvRow(row) ? [] : [placeAt(row, path)]),
    columns: new Map([[ONLY_SOURCE, []]]),
    choices: new Map(),
    unmappedRequired: [],
    isConstant: () => false,
    map: (row) => mappedOf(payloadOf(row), operation.key, []),
    locate: (row, path) => (isCsvRow(row) ? undefined : placeAt(row, path)),
    origins: (row) => (isCsvRow(row) ? [] : originsIn(row, row.value, [])),
  };
}

function payloadOf(row: Row): JsonObject {
  if (!isCsvRow(row)) return row.value;
  throw new Failure("usage", `${row.table.file}: a file with columns requires --mapping`, {
    hint: "write a mapping from its columns to the payload (docs/mapping.md), and pass it with --mapping <file>",
    place: { file: row.table.file, line: row.line },
  });
}

function placeAt(row: JsonRow, path: AttrPath): Place {
  return { file: row.table.file, line: row.line, pointer: row.pointer + formatPointer(path) };
}

function originsIn(row: JsonRow, value: JsonValue, path: AttrPath): readonly Origin[] {
  if (isJsonArray(value)) return value.flatMap((item, index) => originsIn(row, item, [...path, index]));
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, member]) => originsIn(row, member, [...path, name]));
  }
  return [{ attr: formatAttr(path), place: placeAt(row, path), from: "payload", value }];
}
