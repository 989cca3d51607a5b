import { valueAmongNames } from "../../text/column-names.ts";

/** One of the first rows of a file, with its 1-based line. */
export interface TopRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Returns the line of the probable header if the first row is probably a title, as in exports that are meant to be read
 * by people. The header is then a later row with at least three names and at least twice as many filled cells as the
 * title. No row below the header has more cells.
 * @param titleCells number of filled cells in the first row
 */
export function headerBelow(rows: readonly TopRow[], titleCells: number): number | undefined {
  const at = rows.findIndex(({ cells }) => filled(cells) >= Math.max(MIN_NAMES, 2 * titleCells));
  const [header, ...below] = at < 1 ? [] : rows.slice(at);
  if (header === undefined || below.length === 0 || !areNames(header.cells)) return undefined;
  return below.every(({ cells }) => cells.length <= header.cells.length) ? header.line : undefined;
}

const MIN_NAMES = 3;

function filled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== "").length;
}

/** Whether the cells may be the names of columns: different texts that are not values. */
function areNames(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim()).filter((name) => name !== "");
  const areTexts = names.every((name) => /\p{L}/u.test(name)) && valueAmongNames(names) === undefined;
  return areTexts && new Set(names).size === names.length;
}

/** Describes the probable header below a title. */
export function titleText(line: number): string {
  return `the first line is probably a title, because line ${line} looks like the header; if so, delete the lines above line ${line}`;
}
