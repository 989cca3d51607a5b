import { stringify } from "yaml";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { csvText } from "./csv-text.ts";
import { safeJson } from "./json-text.ts";
import { plainText } from "./plain-text.ts";
import type { RecordFormat } from "./format.ts";
import { csvCell } from "./record-formats.ts";

/** A record whose fields nobody has described, with the JSON that was received. */
export interface OpenRecord {
  readonly record: JsonObject;
  readonly json: string;
}

/**
 * One record of any shape: as an outline for people (YAML), as the JSON that was received, or as CSV with a row a
 * value, `attr,value`.
 */
export function openRecordText({ record, json }: OpenRecord, format: RecordFormat, width: number): string {
  if (format === "text") return outline(record, width);
  if (format !== "csv") return `${safeJson(json)}\n`;
  return csvText([["attr", "value"], ...leaves(record, "").map(([attr, value]) => [csvCell(attr), csvCell(value)])]);
}

function outline(record: JsonObject, width: number): string {
  const lines = stringify(record, { lineWidth: width, aliasDuplicateObjects: false }).trimEnd().split("\n");
  return lines.map((line) => `${plainText(line, Number.MAX_SAFE_INTEGER)}\n`).join("");
}

/** Every value with its attr, in order; an empty object or list is one, too. */
function leaves(value: JsonValue, attr: string): readonly (readonly [attr: string, value: JsonValue])[] {
  const entries = isJsonObject(value) || isJsonArray(value) ? Object.entries(value) : [];
  if (entries.length === 0) return [[attr, value]];
  return entries.flatMap(([name, inner]) => leaves(inner, attr === "" ? name : `${attr}.${name}`));
}
