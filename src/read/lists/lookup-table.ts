import { valueAmongNames } from "../../text/column-names.ts";
import { tableFailure, type TableLine, tableLines } from "./table-lines.ts";
import { readTextFile } from "../text/text-file.ts";

const HINT = "a lookup file is CSV with a header; the first column contains the codes, the second column their values";

interface LookupOptions {
  /** Path to read the table from; default: the path that messages show. */
  readonly from?: string;
  readonly notice?: ((text: string) => void) | undefined;
}

/**
 * Reads a lookup table: a CSV file with a header. The first column contains the codes, the second column their values;
 * other columns are ignored. Codes and values are trimmed.
 * @param path path of the table, to show in messages
 * @throws Failure `config` for an unreadable file, a header or row with one cell, a value beyond the columns of the
 * header, or a duplicate code
 */
export async function readLookup(
  path: string,
  { from = path, notice }: LookupOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const bad = tableFailure(path, HINT);
  const [header, ...rows] = tableLines(await readTextFile(path, from), HINT);
  if (header === undefined || header.cells.length < 2) throw bad(1, "expected a header with at least two columns");
  const lines = new Map<string, number>();
  const values = new Map<string, string>();
  for (const { cells, line } of rows) {
    const [key = "", value] = cells.map((cell) => cell.trim());
    if (value === undefined) throw bad(line, "expected at least two cells, but the row has one");
    if (cells.slice(header.cells.length).some((cell) => cell.trim() !== ""))
      throw bad(line, "the row has more cells than the header");
    const other = lines.get(key);
    if (other !== undefined) throw bad(line, `line ${other} already has this code`);
    lines.set(key, line);
    values.set(key, value);
  }
  if (looksLikeEntry(header, values))
    notice?.(`${path}: line ${header.line} looks like a code and its value, but is read as the header; ${ADD_HEADER}`);
  return values;
}

const ADD_HEADER = "if it is not the header, add a line with column names above it";

/**
 * Whether the header of a table is probably an entry: a number, a value such as a date, one letter among codes of one
 * letter, or the value of another code.
 */
function looksLikeEntry({ cells }: TableLine, values: ReadonlyMap<string, string>): boolean {
  const [code = "", value = ""] = cells.map((cell) => cell.trim());
  const isLetter = code.length === 1 && [...values.keys()].every((other) => other.length <= 1);
  const isValue = /^\d+$/.test(code) || valueAmongNames([code, value]) !== undefined;
  return isValue || isLetter || [...values.values()].includes(value);
}
