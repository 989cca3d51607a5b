import { Failure } from "../../model/failure.ts";

/** The delimiters that are detected. */
export const COMMON_DELIMITERS = [",", ";", "\t", "|"] as const;

/** Returns `tab`, or the delimiter in quotes. */
export function delimiterName(delimiter: string): string {
  return delimiter === "\t" ? "tab" : `"${delimiter}"`;
}

/**
 * Returns the delimiter for a value of `--delimiter`: `tab`, `\t`, or one ASCII character other than a letter, digit,
 * space, `_` or `"`.
 * @throws Failure `usage` for any other value
 */
export function declaredDelimiter(declared: string): string {
  const delimiter = /^(tab|\\t)$/i.test(declared) ? "\t" : declared;
  if (delimiter.length === 1 && /[\t\x20-\x7e]/.test(delimiter) && !/[\w" ]/.test(delimiter)) return delimiter;
  throw new Failure("usage", `"${declared}" cannot be a delimiter`, {
    hint: 'use `tab`, or one ASCII character, such as `,`, `;` or `|`, that is not a letter, digit, space, `_` or `"`',
  });
}

/**
 * Detects the delimiter of a CSV file from its first lines, respecting quotes. Of the delimiters in the header, selects
 * the one that splits the largest number of other lines into as many cells as the header. In a tie, selects the
 * delimiter that splits the header into the most cells. If the header contains no delimiter, the file has one column,
 * and the result is a comma.
 */
export function detectDelimiter(lines: readonly string[]): string {
  const [header = "", ...rows] = lines;
  let best = { delimiter: ",", consistentLines: -1, cells: 1 };
  for (const delimiter of COMMON_DELIMITERS) {
    const cells = countCells(header, delimiter);
    const consistentLines = rows.filter((row) => countCells(row, delimiter) === cells).length;
    const better =
      consistentLines > best.consistentLines || (consistentLines === best.consistentLines && cells > best.cells);
    if (cells > 1 && better) best = { delimiter, consistentLines, cells };
  }
  return best.delimiter;
}

/** @throws Failure `source_bad_header` if the header does not contain `delimiter` but contains another delimiter */
export function refuseOneColumn(file: string, header: string, delimiter: string): void {
  const fitting = detectDelimiter([header]);
  if (countCells(header, delimiter) > 1 || countCells(header, fitting) === 1) return;
  throw new Failure(
    "source_bad_header",
    `${file}: ${delimiterName(delimiter)} does not occur in the header, but ${delimiterName(fitting)} does`,
    { hint: `omit --delimiter, or use --delimiter ${delimiterName(fitting)}` },
  );
}

function countCells(line: string, delimiter: string): number {
  let cells = 1;
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === delimiter && !quoted) cells += 1;
  }
  return cells;
}

/** Returns the cells of a line without their quotes. The line may be incomplete, or have misplaced quotes. */
export function roughCells(line: string, delimiter: string): readonly string[] {
  const cells: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') quoted = !quoted;
    if (at < line.length && (quoted || line[at] !== delimiter)) continue;
    cells.push(line.slice(start, at).replaceAll('"', ""));
    start = at + 1;
  }
  return cells;
}
