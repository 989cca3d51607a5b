import { Failure } from "../model/failure.ts";
import { parseRecords } from "./csv-layout.ts";
import { byteKinds, cutRecords } from "./csv-cut.ts";
import { detectDelimiter } from "./csv-delimiter.ts";
import { readTextFile } from "./text-file.ts";

/**
 * A lookup table: a CSV file with a header, whose first column is what is looked up and whose second is the answer;
 * further columns are notes. Both are trimmed.
 * Raises `config` for a file that cannot be read as such, a row without an answer's cell, or a key that is there twice.
 */
export async function readLookup(path: string): Promise<ReadonlyMap<string, string>> {
  const { text } = await readTextFile(path);
  const bytes = Buffer.from(text);
  const delimiter = detectDelimiter(
    text
      .split(/\r\n|\n|\r/)
      .filter((line) => line.trim() !== "")
      .slice(0, 20),
  );
  const cut = cutRecords(bytes, byteKinds(delimiter), true);
  const bad = badLookup(path);
  const unclosed = cut.brokenQuote ?? cut.openQuote;
  if (unclosed !== undefined) throw bad(unclosed + 1, "a quote is opened here and not closed");
  const [header, ...rows] = parseRecords(bytes, delimiter)
    .map((cells, index) => ({ cells, line: 1 + (cut.lines[index] ?? 0) }))
    .filter(({ cells }) => cells.length > 1 || cells[0]?.trim() !== "");
  if (header === undefined || header.cells.length < 2) throw bad(1, "a header with at least two columns was expected");
  const lines = new Map<string, number>();
  const answers = new Map<string, string>();
  for (const { cells, line } of rows) {
    const [key = "", answer] = cells.map((cell) => cell.trim());
    if (answer === undefined) throw bad(line, "the row has one cell, two were expected");
    const other = lines.get(key);
    if (other !== undefined) throw bad(line, `the key stands in line ${other} already`);
    lines.set(key, line);
    answers.set(key, answer);
  }
  return answers;
}

function badLookup(file: string): (line: number, what: string) => Failure {
  return (line, what) =>
    new Failure("config", `${file}:${line}: ${what}`, {
      hint: "a lookup file is CSV with a header; the first column is looked up, the second is the answer",
      place: { file, line },
    });
}
