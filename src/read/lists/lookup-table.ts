import { tableFailure, tableLines } from "./table-lines.ts";
import { readTextFile } from "../text/text-file.ts";

const HINT = "a lookup file is CSV with a header; the first column is the code, the second its value";

/**
 * A lookup table: a CSV file with a header, whose first column is the code and whose second is its value; further
 * columns are notes. Both are trimmed.
 * @throws Failure `config` for an unreadable file, a row with one cell, or a duplicate code
 */
export async function readLookup(path: string): Promise<ReadonlyMap<string, string>> {
  const bad = tableFailure(path, HINT);
  const [header, ...rows] = tableLines(await readTextFile(path), HINT);
  if (header === undefined || header.cells.length < 2) throw bad(1, "a header with at least two columns was expected");
  const lines = new Map<string, number>();
  const values = new Map<string, string>();
  for (const { cells, line } of rows) {
    const [key = "", value] = cells;
    if (value === undefined) throw bad(line, "the row has one cell, two were expected");
    const other = lines.get(key);
    if (other !== undefined) throw bad(line, `line ${other} already has this key`);
    lines.set(key, line);
    values.set(key, value);
  }
  return values;
}
