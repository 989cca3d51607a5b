import { Chalk } from "chalk";
import { plainText } from "../text/plain-text.ts";
import { cutPhrases, textWidth, wrapText } from "./text-width.ts";

interface TableColumn {
  readonly title: string;
  /** Set for columns of numbers. */
  readonly align?: "right";
  /** Whether Markdown shows the cells as code. Set for names and patterns. */
  readonly code?: boolean;
  /**
   * Whether an ellipsis replaces the phrases that do not fit on the line. Otherwise, the phrases wrap. Only for a last
   * column whose cells are comma-separated phrases.
   */
  readonly isCut?: boolean;
}

/** The columns of a table. A title alone represents a column without other properties. */
export type TableColumns = readonly (string | TableColumn)[];

interface TableScreen {
  readonly width: number;
  /** Maximum width of tables; default: `width`. */
  readonly tableWidth?: number | undefined;
  readonly colour: boolean;
}

const GAP = "  ";
const INDENT = "    ";
/** Minimum room for the last column next to the other columns, unless its cells are narrower. */
const MIN_LAST_WIDTH = 20;

/**
 * Renders an aligned table with a header for the terminal. The last column wraps within the width of the table, unless
 * it is cut. If the last column has too little room, it is on separate lines below the other columns, which are never
 * cut. Cells are made safe to display.
 */
export function renderTable(rows: readonly (readonly string[])[], columns: TableColumns, screen: TableScreen): string {
  return streamedTable(columns, screen)(rows);
}

/** Renders the next rows of a table; the first call also renders the header. */
export type StreamedTable = (rows: readonly (readonly string[])[]) => string;

/**
 * Returns a function that renders a table whose rows arrive in parts. The first part contains the header and sets the
 * widths of the columns. Wider cells in later parts move the cells after them.
 */
export function streamedTable(given: TableColumns, screen: TableScreen): StreamedTable {
  const columns = columnsOf(given);
  const width = screen.tableWidth ?? screen.width;
  const style = new Chalk({ level: screen.colour ? 1 : 0 });
  let layout: TableLayout | undefined;
  return (rows) => {
    const cells = rows.map((row) => columns.map((_, at) => plainText(row[at] ?? "", MAX_CELL_LENGTH)));
    const lines: string[] = [];
    if (layout === undefined) {
      layout = layoutOf(cells, columns, width);
      const titles = columns.map(({ title }) => title);
      lines.push(...rowLines(titles, columns, layout).map((line) => style.bold(line.trimEnd())));
    }
    for (const row of cells) lines.push(...rowLines(row, columns, layout).map((line) => line.trimEnd()));
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

interface TableLayout {
  /** Widths of the columns before the last column. */
  readonly widths: readonly number[];
  /** Maximum width of the last column. */
  readonly lastWidth: number;
  /** Whether the last column is on separate lines. */
  readonly isStacked: boolean;
}

function layoutOf(rows: readonly (readonly string[])[], columns: readonly TableColumn[], width: number): TableLayout {
  const widths = columns.map(({ title }, at) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[at] ?? ""))),
  );
  const wanted = widths.pop() ?? 0;
  const room = width - widths.reduce((sum, wide) => sum + wide + GAP.length, 0);
  const isStacked = room < Math.min(MIN_LAST_WIDTH, wanted);
  return { widths, lastWidth: isStacked ? width - INDENT.length : Math.min(wanted, room), isStacked };
}

function rowLines(
  row: readonly string[],
  columns: readonly TableColumn[],
  { widths, lastWidth, isStacked }: TableLayout,
): readonly string[] {
  const last = columns.at(-1);
  const text = row[columns.length - 1] ?? "";
  const [first = "", ...more] = last?.isCut === true ? [cutPhrases(text, lastWidth)] : wrapText(text, lastWidth);
  const align = (cell: string, at: number): string => padded(cell, widths[at] ?? 0, columns[at]);
  const others = row
    .slice(0, -1)
    .map((cell, at) => align(cell, at) + GAP)
    .join("");
  if (isStacked) return [others, ...(text === "" ? [] : [first, ...more].map((line) => INDENT + line))];
  const indent = row
    .slice(0, -1)
    .map((_, at) => align("", at) + GAP)
    .join("");
  return [first, ...more].map((line, at) => (at === 0 ? others : indent) + padded(line, lastWidth, last));
}

function padded(cell: string, width: number, column: TableColumn | undefined): string {
  const padding = " ".repeat(Math.max(0, width - textWidth(cell)));
  return column?.align === "right" ? padding + cell : cell + padding;
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
