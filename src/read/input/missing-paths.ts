import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { isCsvRow, type JsonRow, memberPath } from "../../model/record.ts";
import { suggest } from "../../text/suggestion.ts";
import { type OpenedFile, rowsOfFile } from "./opened-file.ts";
import type { OpenedSource, RowArrangement } from "./opened-source.ts";

/** A path of a source that no row has. */
interface MissingPath {
  readonly path: string;
  /** The path in the rows that was probably meant. */
  readonly near: string | undefined;
}

/** The paths of one source that no row has. */
export interface MissingPaths {
  /** The first file of the source. */
  readonly file: string;
  /** Number of rows that were read: all rows, or the first `MAX_SEARCHED_ROWS`. */
  readonly rows: number;
  readonly paths: readonly MissingPath[];
}

/**
 * Searches the first `MAX_SEARCHED_ROWS` rows of a JSON source for the paths, and stops once it has found all of them.
 * A missing value counts as empty, so a mistyped path would otherwise go unnoticed. Returns undefined if it finds all
 * paths, if there are no rows, or if a file of the source has a header, which is checked instead.
 * @param wanted the paths that the mapping reads; the paths of `orderBy` and `pick` are added to them
 */
export async function missingPaths(
  source: OpenedSource & Partial<RowArrangement>,
  wanted: readonly string[],
): Promise<MissingPaths | undefined> {
  const [first] = source.files;
  if (first === undefined || source.files.some(({ kind }) => kind === "csv" || kind === "xlsx")) return undefined;
  const { orderBy, pick } = source;
  const named = [...wanted, orderBy?.column, pick?.by?.column, pick?.per].filter((path) => path !== undefined);
  const { rows, missing, known } = await search(source.files, named);
  if (missing.size === 0 || rows === 0) return undefined;
  return { file: first.file, rows, paths: [...missing].map((path) => ({ path, near: suggest(path, known) })) };
}

async function search(files: readonly OpenedFile[], paths: readonly string[]) {
  const missing = new Set(paths);
  const known = new Set<string>();
  let rows = 0;
  for await (const row of rowsIn(files)) {
    if (missing.size === 0 || rows === MAX_SEARCHED_ROWS) break;
    rows += 1;
    for (const path of missing) if (has(row, path)) missing.delete(path);
    if (rows <= MAX_SUGGESTED_ROWS) addPaths(row.value, "", known);
  }
  return { rows, missing, known };
}

async function* rowsIn(files: readonly OpenedFile[]): AsyncGenerator<JsonRow> {
  for (const file of files) {
    for await (const batch of rowsOfFile(file)) for (const { row } of batch) if (!isCsvRow(row)) yield row;
  }
}

/** Maximum number of rows to search: as many as `migrate init` validates. */
export const MAX_SEARCHED_ROWS = 10_000;

/** Number of rows whose paths can be suggested. */
const MAX_SUGGESTED_ROWS = 100;

/** Maximum number of paths to suggest from. */
const MAX_PATHS = 2000;

function has(row: JsonRow, path: string): boolean {
  return valueAt(row.value, memberPath(row, path)) !== undefined;
}

function addPaths(value: JsonValue, above: string, known: Set<string>): void {
  if (!isJsonObject(value) && !isJsonArray(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (known.size >= MAX_PATHS) return;
    const path = above === "" ? name : `${above}.${name}`;
    known.add(path);
    addPaths(member, path, known);
  }
}
