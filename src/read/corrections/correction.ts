import { createHash } from "node:crypto";
import { canonicalJson, isJsonArray, isJsonObject, type JsonValue, memberAt, valueAt } from "../../json/json-value.ts";
import { parsePointer } from "../../json/json-pointer.ts";
import { survivesDouble } from "../../json/exact-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import { isCsvRow, type Row } from "../../model/record.ts";
import type { LocalProblem } from "../../model/problem.ts";
import type { Place } from "../../model/place.ts";
import { type ReadRow, rowContent } from "../row/read-row.ts";

/** The cell to correct, its new value, and the author, time and reason of the correction. */
export interface CellCorrection {
  /** Identifies the row within its source: the value in the column that `keyNameOf` finds. */
  readonly key: string;
  readonly source: string;
  /** A column (CSV, XLSX), or a dot path (JSON). */
  readonly column: string;
  readonly value: string;
  /** The author: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly by: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly reason: string;
}

/** A new value for one cell of an extract. It applies only while the cell has its old value. */
export interface Correction extends CellCorrection {
  /** SHA-256 of the old value, in hex (`sha256Of`). */
  readonly oldSha256: string;
  /** SHA-256 of the row before any correction (`rowSha256Of`). Set only if several rows have the same key. */
  readonly rowSha256?: string | undefined;
}

/**
 * Returns the identity of a correction. Two corrections with the same identity replace the same old value of the same
 * cell.
 */
export function identityOf({ key, source, column, oldSha256, rowSha256 = "" }: Correction): string {
  return JSON.stringify([source, key, column, oldSha256, rowSha256]);
}

/**
 * Creates a correction for a cell of `row`. The row must have the column.
 * @param others the other rows of the source with the same key
 */
export function correctionOf(cell: CellCorrection, row: Row, others: readonly Row[]): Correction {
  const oldSha256 = sha256Of(cellText(row, cell.column) ?? "");
  const { key, source, column, ...entry } = cell;
  return { key, source, column, oldSha256, ...(others.length > 0 && { rowSha256: rowSha256Of(row) }), ...entry };
}

/** Returns the SHA-256 of bytes, or of text in UTF-8, in hex. */
export function sha256Of(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns the SHA-256 of a row's content, in hex. It distinguishes rows with the same key. */
export function rowSha256Of(row: Row): string {
  return sha256Of(rowContent(row));
}

/**
 * Returns the value of a cell as text. A missing cell or member becomes an empty string; a JSON value other than a
 * string becomes canonical JSON. Returns undefined if the file has no such column, or if the JSON value cannot have
 * such a member.
 */
export function cellText(row: Row, column: string): string | undefined {
  if (isCsvRow(row)) {
    const index = row.table.columnIndex.get(column);
    return index === undefined ? undefined : (row.cells[index] ?? "");
  }
  const path = column.split(".");
  const value = valueAt(row.value, path);
  if (value === undefined) return canAdd(row.value, path) ? "" : undefined;
  return typeof value === "string" ? value : canonicalJson(value);
}

/**
 * Returns the problem that prevented a cell of a row from being read completely. A correction of the cell has no
 * effect, because the problem remains.
 */
export function cellProblem(row: Row, column: string, problems: ReadRow["problems"]): LocalProblem | undefined {
  return problems.find(({ severity, place }) => {
    const name = severity === "error" && place !== undefined ? placeName(row, place) : undefined;
    if (name === undefined) return false;
    return name === column || (!isCsvRow(row) && (name.startsWith(`${column}.`) || column.startsWith(`${name}.`)));
  });
}

/** Returns the column or path of a place in a row; undefined for the row itself. */
function placeName(row: Row, { column, pointer }: Place): string | undefined {
  if (isCsvRow(row)) return column;
  const own = pointer?.startsWith(`${row.pointer}/`) === true ? pointer.slice(row.pointer.length) : undefined;
  return own === undefined ? undefined : parsePointer(own).join(".");
}

/** Whether a missing value can be added at a path: to an object, at the end of a list, or instead of null. */
function canAdd(root: JsonValue | undefined, [part, ...rest]: readonly string[]): boolean {
  if (root === undefined || root === null || part === undefined) return true;
  const member = memberAt(root, part);
  if (isJsonArray(root)) return part === String(root.length) || (member !== undefined && canAdd(member, rest));
  return isJsonObject(root) && canAdd(member, rest);
}

/**
 * Returns a copy of the row with a new value in a cell. `text` has the form that `cellText` returns. The row must have
 * the column.
 */
export function withCellText(row: Row, column: string, text: string): Row {
  if (!isCsvRow(row)) {
    const path = column.split(".");
    const value = withValueAt(row.value, path, replacement(valueAt(row.value, path), text));
    return isJsonObject(value) ? { ...row, value } : row;
  }
  const index = row.table.columnIndex.get(column) ?? row.cells.length;
  const cells = Array.from({ length: Math.max(row.cells.length, index + 1) }, (_, place) => row.cells[place] ?? "");
  cells[index] = text;
  return { ...row, cells };
}

/**
 * Returns the new value of a cell. If the old value is a string or missing, the new value is a string. Otherwise, the
 * text is parsed as JSON, but remains a string if it is not JSON or if a number would lose digits. Null often means a
 * missing string, so `1E5` and `1.50` also remain strings if the old value is null.
 */
function replacement(old: JsonValue | undefined, text: string): JsonValue {
  if (old === undefined || typeof old === "string") return text;
  const value = parseJson(text);
  if (value === undefined) return text;
  const isKept = typeof value !== "number" || (old === null ? String(value) === text : survivesDouble(text.trim()));
  return isKept ? value : text;
}

/** Returns a copy with a new value at a path. Creates missing objects on the path, and can append an item to a list. */
function withValueAt(root: JsonValue | undefined, [part, ...rest]: readonly string[], value: JsonValue): JsonValue {
  if (part === undefined) return value;
  const member = withValueAt(memberAt(root, part), rest, value);
  if (isJsonArray(root)) return root.length === Number(part) ? [...root, member] : root.with(Number(part), member);
  return { ...(isJsonObject(root) ? root : {}), [part]: member };
}
