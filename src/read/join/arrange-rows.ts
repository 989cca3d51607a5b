import { canonicalJson, cellTextOf, type JsonValue, valueAt } from "../../json/json-value.ts";
import { compareNumberRanks, numberRank } from "../../json/number-rank.ts";
import { isAddedColumn } from "../../model/added-columns.ts";
import type { LocalProblem } from "../../model/problem.ts";
import { isCsvRow, memberPath, placeOf, type Row } from "../../model/record.ts";
import type { Rank, RowChoice, RowOrder } from "../../model/source-spec.ts";
import type { RowArrangement } from "../input/opened-source.ts";
import { NO_PROBLEMS, rowContent, sourceProblem } from "../row/read-row.ts";
import { keyOf, keyPlace } from "../row/row-key.ts";
import type { StoredRow } from "./child-store.ts";

/** The selected rows of one parent, in order. */
export interface ArrangedRows {
  readonly rows: readonly StoredRow[];
  /** Problems found by comparing the rows, and problems of rows that were not selected. */
  readonly problems: Problems;
  /** The rows that `pick` omitted. */
  readonly omitted?: readonly StoredRow[];
}

/**
 * Removes repeated rows or warns about them, sorts the remaining rows, and selects rows as specified by the source's
 * `pick`.
 */
export function arrangeRows(group: readonly StoredRow[], child: RowArrangement): ArrangedRows {
  if (group.length < 2) return { rows: group, problems: NO_PROBLEMS };
  const repeated = repeatedRows(group);
  const kept = child.distinct && repeated.size > 0 ? group.filter(({ id }) => !repeated.has(id)) : group;
  // `pick` selects at most one of several equal rows.
  const isHarmless = child.distinct || child.pick !== undefined || repeated.size === 0;
  const warnings = isHarmless ? NO_PROBLEMS : repeatWarnings(group, repeated, child.name);
  if (kept.length < 2 || (child.orderBy === undefined && child.pick === undefined)) {
    return { rows: kept, problems: warnings };
  }
  return takeRows(kept, child, warnings);
}

function takeRows(group: readonly StoredRow[], { orderBy, pick }: RowArrangement, warnings: Problems): ArrangedRows {
  const ordered = orderBy === undefined ? group : sortRows(group, orderBy);
  const unordered = orderBy?.cells === undefined ? warnings : [...warnings, ...orderProblems(group, orderBy)];
  if (pick === undefined) return { rows: ordered, problems: unordered };
  const selected = picked(ordered, pick);
  const unpicked = pick.by === undefined ? NO_PROBLEMS : orderProblems(group, pick.by);
  const omitted = omittedRows(ordered, selected);
  // A row may have been omitted merely because its values are in the wrong cells.
  const problemsOfOthers = omitted.flatMap(({ read }) => read.problems);
  return { rows: selected, problems: [...unordered, ...unpicked, ...problemsOfOthers], omitted };
}

type Problems = readonly LocalProblem[];

/** Maps the id of each repeated row to the earlier row that it matches. */
function repeatedRows(group: readonly StoredRow[]): ReadonlyMap<number, StoredRow> {
  const [first, second] = group;
  if (group.length === 2 && first !== undefined && second !== undefined) {
    return isSameRow(first.read.row, second.read.row) ? new Map([[second.id, first]]) : NO_ROWS;
  }
  const repeated = new Map<number, StoredRow>();
  const firsts = new Map<string, StoredRow>();
  const contentOf = contentIn(group.map(({ read }) => read.row.table));
  for (const stored of group) {
    const content = contentOf(stored.read.row);
    const before = firsts.get(content);
    if (before === undefined) firsts.set(content, stored);
    else repeated.set(stored.id, before);
  }
  return repeated;
}

const NO_ROWS: ReadonlyMap<number, StoredRow> = new Map();

function isSameRow(one: Row, other: Row): boolean {
  if (!isCsvRow(one) || !isCsvRow(other) || !haveSameColumns(one.table, other.table)) {
    const contentOf = contentIn([one.table, other.table]);
    return contentOf(one) === contentOf(other);
  }
  const { columns } = one.table;
  return (
    one.cells.length === other.cells.length &&
    one.cells.every((cell, index) => cell === other.cells[index] || isAddedColumn(columns[index] ?? ""))
  );
}

/**
 * Returns a function that returns the same text for equal rows of these tables. The columns that a rejects file adds
 * are not compared. If the tables have different columns, rows are equal if they have the same text under each name.
 */
export function contentIn(tables: readonly Table[]): (row: Row) => string {
  const [first] = tables;
  if (first === undefined) return rowContent;
  if (!tables.every((table) => haveSameColumns(first, table))) return namedContent;
  return hasAddedColumns(first) ? ownContent : rowContent;
}

/** Whether the table has columns that a rejects file adds. */
export function hasAddedColumns(table: Table): boolean {
  return table.kind === "csv" && table.columns.some(isAddedColumn);
}

function ownContent(row: Row): string {
  if (!isCsvRow(row)) return rowContent(row);
  const { columns } = row.table;
  return JSON.stringify(row.cells.filter((_, index) => !isAddedColumn(columns[index] ?? "")));
}

type Table = Row["table"];

/** Whether the tables have the same columns in the same order. JSON rows have no common columns. */
function haveSameColumns(one: Table, other: Table): boolean {
  if (one.kind === "json" || other.kind === "json") return false;
  if (one === other) return true;
  const { columns } = other;
  return one.columns.length === columns.length && one.columns.every((name, index) => name === columns[index]);
}

/**
 * Returns the content of a row as an object of its cells by name, without empty cells. A number or a boolean of a JSON
 * row counts as its text. The cells of a ragged row have no names.
 */
function namedContent(row: Row): string {
  if (!isCsvRow(row)) return contentOfCells(Object.entries(row.value));
  const { cells, table } = row;
  if (cells.length !== table.columns.length) return canonicalJson([table.columns, cells]);
  const columns = [...table.columnIndex].filter(([name]) => !isAddedColumn(name));
  return contentOfCells(columns.map(([name, index]) => [name, cells[index] ?? ""]));
}

function contentOfCells(cells: readonly (readonly [name: string, value: JsonValue])[]): string {
  const contents = cells.map(([name, value]): readonly [string, JsonValue] => {
    return [name, typeof value === "object" && value !== null ? value : cellTextOf(value)];
  });
  return canonicalJson(Object.fromEntries(contents.filter(([, content]) => content !== "")));
}

function repeatWarnings(
  group: readonly StoredRow[],
  repeated: ReadonlyMap<number, StoredRow>,
  source: string,
): Problems {
  return group.flatMap(({ id, read }) => {
    const other = repeated.get(id);
    if (other === undefined) return [];
    const finding = { code: "source_repeated_row", source, other: placeOf(other.read.row) } as const;
    return [sourceProblem(placeOf(read.row), finding, "warning")];
  });
}

function orderProblems(group: readonly StoredRow[], { column, cells }: RowOrder): Problems {
  if (cells === undefined) return NO_PROBLEMS;
  const { rank, wanted } = cells;
  return group.flatMap(({ read: { row } }) =>
    rank(orderText(row, column)) === undefined
      ? [sourceProblem(keyPlace(row, column), { code: "source_bad_order", wanted })]
      : [],
  );
}

function sortRows(group: readonly StoredRow[], orderBy: RowOrder): readonly StoredRow[] {
  const texts = group.map(({ read }) => orderText(read.row, orderBy.column));
  return placesInOrder(ranksOf(texts, orderBy)).flatMap((place) => group[place] ?? []);
}

/** Returns the sort keys for these strings of the column; undefined for a string that cannot be ordered. */
export function ranksOf(texts: readonly string[], { cells }: RowOrder): readonly (Rank | undefined)[] {
  return cells === undefined ? undeclaredRanks(texts) : texts.map((text) => cells.rank(text));
}

/**
 * Returns the positions in sorted order. Equal keys keep file order; keys that cannot be ordered are last.
 */
export function placesInOrder(ranks: readonly (Rank | undefined)[]): readonly number[] {
  return ranks.map((_, place) => place).toSorted((one, other) => compareRanks(ranks[one], ranks[other]));
}

/** Returns the text of a cell for comparisons; of a list or an object, its JSON. */
function orderText(row: Row, column: string): string {
  const value = isCsvRow(row) ? undefined : valueAt(row.value, memberPath(row, column));
  if (typeof value === "object" && value !== null) return canonicalJson(value);
  return keyOf(row, column)?.trim() ?? "";
}

/**
 * Returns the sort keys for a column without a declared type: numbers if all strings are numbers, otherwise the
 * strings.
 */
function undeclaredRanks(texts: readonly string[]): readonly Rank[] {
  const numbers = texts.flatMap((text) => numberRank(text) ?? []);
  return numbers.length === texts.length ? numbers : texts;
}

function compareRanks(one: Rank | undefined, other: Rank | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (typeof one !== "string" && typeof other !== "string") return compareNumberRanks(one, other);
  return one < other ? -1 : Number(one > other);
}

/** Selects the first or last row; with `per`, the first or last for each value of a column. Keeps the order of rows. */
function picked(group: readonly StoredRow[], { take, by, per }: RowChoice): readonly StoredRow[] {
  const ordered = by === undefined ? group : sortRows(group, by);
  const chosen = new Map<string, StoredRow>();
  for (const stored of ordered) {
    const value = per === undefined ? "" : orderText(stored.read.row, per);
    if (take === "last" || !chosen.has(value)) chosen.set(value, stored);
  }
  const selected = new Set(chosen.values());
  return group.filter((stored) => selected.has(stored));
}

function omittedRows(all: readonly StoredRow[], selected: readonly StoredRow[]): readonly StoredRow[] {
  const kept = new Set(selected);
  return all.filter((stored) => !kept.has(stored));
}
