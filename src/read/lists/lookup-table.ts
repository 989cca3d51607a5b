import { tableFailure, tableLines } from "./table-lines.ts";
import { readTextFile } from "../text/text-file.ts";

const HINT = "a lookup file is CSV with a header; the first column is looked up, the second is the answer";

/**
 * A lookup table: a CSV file with a header, whose first column is what is looked up and whose second is the answer;
 * further columns are notes. Both are trimmed.
 * Raises `config` for a file that cannot be read as such, a row without an answer's cell, or a key that is there twice.
 */
export async function readLookup(path: string): Promise<ReadonlyMap<string, string>> {
  const bad = tableFailure(path, HINT);
  const [header, ...rows] = tableLines(await readTextFile(path), HINT);
  if (header === undefined || header.cells.length < 2) throw bad(1, "a header with at least two columns was expected");
  const lines = new Map<string, number>();
  const answers = new Map<string, string>();
  for (const { cells, line } of rows) {
    const [key = "", answer] = cells;
    if (answer === undefined) throw bad(line, "the row has one cell, two were expected");
    const other = lines.get(key);
    if (other !== undefined) throw bad(line, `the key stands in line ${other} already`);
    lines.set(key, line);
    answers.set(key, answer);
  }
  return answers;
}
