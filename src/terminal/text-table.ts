import { Chalk } from "chalk";
import { plainText } from "../text/plain-text.ts";
import { cutPhrases, cutText, textWidth, wrapText } from "./text-width.ts";

interface TableColumn {
  readonly title: string;
  /** Set for columns of numbers. */
  readonly align?: "right";
  /** Whether Markdown shows the cells as code. Set for names and patterns. */
  readonly code?: boolean;
  /**
   * Whether an ellipsis replaces the phrases that do not fit on the line, instead of wrapping them. Only for a last
   * column whose cells are comma-separated phrases.
   */
  readonly isCut?: boolean;
}

/** The columns of a table. A title alone represents a column without other properties. */
export type TableColumns = readonly (string | TableColumn)[];

interface TableScreen {
  readonly width: number;
  readonly colour: boolean;
}

const GAP = "  ";
const MIN_LAST_WIDTH = 12;

/**
 * Renders an aligned table with a header for the terminal. The last column wraps within `width`, unless it is cut. If
 * the last column has too little room, the widest of the other columns is cut. Cells are made safe to display.
 */
export function renderTable(rows: readonly (readonly string[])[], columns: TableColumns, screen: TableScreen): string {
  return streamedTable(columns, screen)(rows);
}

/** Renders the next rows of a table; the first call also renders the header. */
export type StreamedTable = (rows: readonly (readonly string[])[]) => string;

/**
 * Returns a function that renders a table whose rows arrive in parts. The first part contains the header and sets the
 * widths of the columns. Wider cells in later parts are cut.
 */
export function streamedTable(given: TableColumns, screen: TableScreen): StreamedTable {
  const columns = columnsOf(given);
  const style = new Chalk({ level: screen.colour ? 1 : 0 });
  let widths: readonly number[] | undefined;
  return (rows) => {
    const cells = rows.map((row) => columns.map((_, at) => plainText(row[at] ?? "", MAX_CELL_LENGTH)));
    const lines: string[] = [];
    if (widths === undefined) {
      widths = columnWidths(cells, columns, screen.width);
      const titles = columns.map(({ title }) => title);
      lines.push(style.bold(lineOf(titles, columns, widths).trimEnd()));
    }
    for (const row of cells) lines.push(...rowLines(row, columns, widths).map((line) => line.trimEnd()));
    return lines.map((line) => `${line}\n`).join("");
  };
}

function columnsOf(columns: TableColumns): readonly TableColumn[] {
  return columns.map((column) => (typeof column === "string" ? { title: column } : column));
}

const MAX_CELL_LENGTH = 2000;

export function markdownTable(rows: readonly (readonly string[])[], given: TableColumns): string {
  const columns = columnsOf(given);
  const titles = columns.map(({ title }) => markdownCell(title, false));
  const rules = columns.map(({ align }) => (align === "right" ? "---:" : "---"));
  const body = rows.map((row) => columns.map(({ code = false }, at) => markdownCell(row[at] ?? "", code)));
  return [titles, rules, ...body].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function columnWidths(
  rows: readonly (readonly string[])[],
  columns: readonly TableColumn[],
  width: number,
): readonly number[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[at] ?? ""))),
  );
  const last = widths.length - 1;
  const roomFor = (): number => width - widths.slice(0, last).reduce((sum, wide) => sum + wide + GAP.length, 0);
  while (roomFor() < Math.min(MIN_LAST_WIDTH, widths[last] ?? 0)) {
    const widest = widths.indexOf(Math.max(...widths.slice(0, last)));
    const wide = widths[widest] ?? 0;
    if (wide <= MIN_LAST_WIDTH) break;
    widths[widest] = wide - 1;
  }
  widths[last] = Math.max(Math.min(widths[last] ?? 0, roomFor()), 1);
  return widths;
}

function rowLines(
  row: readonly string[],
  columns: readonly TableColumn[],
  widths: readonly number[],
): readonly string[] {
  const last = columns.length - 1;
  const [text = "", width = 0] = [row[last], widths[last]];
  const wrapped = columns[last]?.isCut === true ? [cutPhrases(text, width)] : wrapText(text, width);
  return wrapped.map((line, at) => {
    const others = row.slice(0, last).map((cell) => (at === 0 ? cell : ""));
    return lineOf([...others, line], columns, widths);
  });
}

function lineOf(cells: readonly string[], columns: readonly TableColumn[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => {
      const width = widths[at] ?? 0;
      const cut = at === cells.length - 1 ? cell : cutCell(cell, width);
      const padding = " ".repeat(Math.max(0, width - textWidth(cut)));
      return columns[at]?.align === "right" ? padding + cut : cut + padding;
    })
    .join(GAP);
}

/** Cuts a cell to a width. A place in a file keeps its line number: `accounts-no…:12`. */
function cutCell(cell: string, width: number): string {
  const [line = ""] = textWidth(cell) > width ? (/(?<=\.\w+):\d+$/.exec(cell) ?? []) : [];
  return cutText(cell.slice(0, cell.length - line.length), width - line.length) + line;
}

function markdownCell(text: string, code: boolean): string {
  const plain = plainText(text.replace(/\s+/gu, " "), MAX_CELL_LENGTH);
  if (code && plain !== "" && !plain.includes("`")) return `\`${plain.replaceAll("|", "\\|")}\``;
  return plain.replace(/[\\|<>*_`[\]]/g, (mark) => `\\${mark}`);
}

export interface ListEntry {
  readonly head: string;
  readonly body: string;
}

const INDENT = "    ";
const MAX_HEAD_LENGTH = 500;
const MAX_BODY_LENGTH = 4000;

/**
 * Renders entries one below another, for content that a table would cut. Each head is on a separate line, which may be
 * longer than `width`. The body follows, wrapped within `width`. Both are made safe to display.
 */
export function renderEntryList(entries: readonly ListEntry[], screen: TableScreen): string {
  const style = new Chalk({ level: screen.colour ? 1 : 0 });
  const lines = entries.flatMap(({ head, body }) => [
    style.bold(plainText(head, MAX_HEAD_LENGTH)),
    ...bodyLines(plainText(body, MAX_BODY_LENGTH), screen.width - INDENT.length),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

function bodyLines(body: string, width: number): readonly string[] {
  return body === "" ? [] : wrapText(body, width).map((line) => INDENT + line);
}
