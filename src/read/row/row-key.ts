import { formatPointer } from "../../json/json-pointer.ts";
import { cellTextOf, valueAt } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import { isCsvRow, type JsonRow, memberPath, type Row } from "../../model/record.ts";
import { cellPlace, unicodeName } from "../csv/csv-rows.ts";
import type { LocalProblem } from "../../model/problem.ts";
import { INVISIBLE } from "../../text/invisible.ts";
import { type ReadRow, sourceProblem } from "./read-row.ts";

/**
 * Returns the key of a row: the value of a column (CSV), or of a member or dot path (JSON). Text is unchanged, because
 * `00123` and `123` are different keys. Only an unpaired surrogate escape in JSON becomes U+FFFD. A JSON number or
 * boolean is converted to text. Returns undefined if the value is missing or blank, or a list or an object.
 */
export function keyOf(row: Row, name: string): string | undefined {
  const text = isCsvRow(row) ? row.cells[row.table.columnIndex.get(name) ?? -1] : jsonKey(row, name);
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** Returns the place of a row's key, or of the row itself if its file has no column for the key. */
export function keyPlace(row: Row, name: string): Place {
  if (!isCsvRow(row)) {
    return { file: row.table.file, line: row.line, pointer: row.pointer + formatPointer(memberPath(row, name)) };
  }
  const index = row.table.columnIndex.get(name);
  return index === undefined ? { file: row.table.file, line: row.line } : cellPlace(row.table, row.line, index);
}

function jsonKey(row: JsonRow, name: string): string | undefined {
  const value = valueAt(row.value, memberPath(row, name));
  return typeof value === "object" || value === undefined ? undefined : cellTextOf(value).toWellFormed();
}

/**
 * Adds a problem to a row for each key that is missing or contains invisible characters. Does not change a row that
 * could not be read as a record, because it already has a problem.
 */
export function withKeyProblems(read: ReadRow, keys: readonly string[]): ReadRow {
  if (keys.length === 0 || read.problems.some(({ code }) => NO_RECORD.has(code))) return read;
  const found = keys.flatMap((name) => keyProblems(read, name));
  return found.length === 0 ? read : { ...read, problems: [...read.problems, ...found] };
}

const NO_RECORD: ReadonlySet<string> = new Set<LocalProblem["code"]>([
  "source_invalid_json",
  "source_not_an_object",
  "source_record_too_large",
]);

/**
 * Separators other than U+0020, and characters without a visible shape (zero width, direction, soft hyphen, fillers).
 * Keys with such characters are errors, because they look equal to keys that the platform treats as different.
 */
const UNSEEN = new RegExp(`(?! )[${INVISIBLE}]`, "u");

function keyProblems({ row }: ReadRow, name: string): readonly LocalProblem[] {
  const key = keyOf(row, name);
  if (key === undefined) return [sourceProblem(keyPlace(row, name), { code: "source_missing_key", column: name })];
  const character = invisibleCharacter(key);
  if (character === undefined) return [];
  return [sourceProblem(keyPlace(row, name), { code: "source_control_character", character })];
}

/** Returns the name of the first invisible character in a key, such as `U+00A0`. */
export function invisibleCharacter(key: string): string | undefined {
  const code = UNSEEN.exec(key)?.[0].codePointAt(0);
  return code === undefined ? undefined : unicodeName(code);
}
