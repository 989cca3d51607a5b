import { parseExact } from "../../json/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { parseJson } from "../../json/parse-json.ts";
import { tableFailure, tableLines } from "./table-lines.ts";
import { readTextFile, type TextFile } from "../text/text-file.ts";

const HINT = "a reference list is CSV with a header, or NDJSON with one object per line";

/**
 * The rows of a reference list that the user maintains. Cells of CSV are trimmed, except exact values. Empty cells of
 * CSV are omitted, unless the list has columns with exact values.
 */
export interface ReferenceRows {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

interface ListOptions {
  /** Path to read the list from. Default: the path that messages show. */
  readonly from?: string;
  /** Hint of the failure for an invalid list. */
  readonly hint?: string;
  /**
   * Names of the members that contain exact values. If set, rows keep their empty cells and need a cell for each
   * column. Numbers become text in these members, and in other members if a double would lose digits.
   */
  readonly exact?: ReadonlySet<string>;
}

/**
 * Reads a complete reference list, or another file with the same structure, of at most 64 MiB.
 * @param path path of the list, to show in messages
 * @throws Failure `config` for an unreadable or invalid file
 */
export async function readReferenceList(
  path: string,
  { from = path, hint = HINT, exact }: ListOptions = {},
): Promise<ReferenceRows> {
  const file = await readTextFile(path, from);
  return file.text.trimStart().startsWith("{") ? fromNdjson(file, hint, exact) : fromCsv(file, hint, exact);
}

function fromCsv(file: TextFile, hint: string, exact: ListOptions["exact"]): ReferenceRows {
  const bad = tableFailure(file.file, hint);
  const [header, ...lines] = tableLines(file, hint);
  if (header === undefined) throw bad(1, "the file is empty");
  const columns = header.cells.map((name) => name.trim());
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) throw bad(header.line, `two columns are named "${twice}"`);
  const rows = lines.map(({ cells, line }) => {
    if (cells.length > columns.length) throw bad(line, "the row has more cells than the header");
    if (exact !== undefined && cells.length < columns.length)
      throw bad(line, "the row has fewer cells than the header");
    const named = columns.map((name, index): readonly [string, string] => {
      const cell = cells[index] ?? "";
      return [name, exact?.has(name) === true ? cell : cell.trim()];
    });
    return Object.fromEntries(named.filter(([, cell]) => cell !== "" || exact !== undefined));
  });
  return { columns, rows };
}

function fromNdjson({ file, text }: TextFile, hint: string, exact: ListOptions["exact"]): ReferenceRows {
  const bad = tableFailure(file, hint);
  const columns = new Set<string>();
  const rows = text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const row = exact === undefined ? parseJson(line) : parseExact(line, exact);
    if (!isJsonObject(row)) throw bad(index + 1, "expected a JSON object");
    for (const name of Object.keys(row)) columns.add(name);
    return [row];
  });
  return { columns: [...columns], rows };
}
