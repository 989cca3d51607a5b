import { isAddedColumn, PROBLEM_COLUMNS } from "../../model/added-columns.ts";
import type { LocalFinding, Problem } from "../../model/problem.ts";
import { type CsvRow, type CsvTable, isCsvRow, type Row } from "../../model/record.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { withoutFormula } from "../../text/formula.ts";
import { csvText, shownCell } from "../csv-text.ts";
import { describeProblem } from "../problems/problem-text.ts";
import type { ReportFile, ReportFolder } from "../report-folder.ts";
import type { RejectRow } from "./rejected-rows.ts";

export interface RejectFileWriter {
  readonly add: (entry: RejectRow, key: string | undefined) => void;
  /** Whether a new column appeared after the first rows were added. If so, the file must be written again. */
  readonly hasNewColumns: () => boolean;
  /** Writes the added rows, unless a new column has appeared. */
  readonly flush: () => Promise<void>;
  readonly finish: () => Promise<RejectFile>;
}

export interface RejectFile {
  /** The child source; absent for the root. */
  readonly child?: string;
  readonly path: string;
  readonly rows: number;
  /** Checksum of the file, in hex. */
  readonly sha256: string;
}

/** Returns the name of the rejects file of a source, such as `rejects.csv` or `rejects.customers.csv`. */
export function rejectFileName(child: string | undefined, kind: "csv" | "json"): string {
  const suffix = kind === "csv" ? "csv" : "ndjson";
  return child === undefined ? `rejects.${suffix}` : `rejects.${encodeURIComponent(child)}.${suffix}`;
}

/** The workbook with the rejects of all sources. */
export const WORKBOOK_FILE = "rejects.xlsx";

/** Opens a rejects file. The file is created when its first row is written or when the writer finishes. */
export function openRejectFile<R>(
  folder: ReportFolder,
  child: string | undefined,
  layout: RejectLayout<R>,
): RejectFileWriter {
  const waiting: R[] = [];
  let count = 0;
  let file: ReportFile | undefined;
  const begun = async (): Promise<ReportFile> => {
    if (file !== undefined) return file;
    file = await folder.create(rejectFileName(child, layout.kind));
    await file.write(layout.header());
    return file;
  };
  return {
    add: (entry, key) => {
      const row = layout.toRow(entry, key);
      if (row === undefined) return;
      waiting.push(row);
      count += 1;
    },
    hasNewColumns: layout.hasNewColumns,
    flush: async () => {
      const rows = waiting.splice(0);
      if (rows.length > 0 && !layout.hasNewColumns()) await (await begun()).write(layout.render(rows));
    },
    finish: async () => {
      const { path, digest } = await begun();
      return { path, rows: count, sha256: digest(), ...(child !== undefined && { child }) };
    },
  };
}

interface RejectLayout<R> {
  readonly kind: "csv" | "json";
  readonly header: () => string;
  /** Returns undefined for a row of the other kind. */
  readonly toRow: (entry: RejectRow, key: string | undefined) => R | undefined;
  readonly render: (rows: readonly R[]) => string;
  readonly hasNewColumns: () => boolean;
}

export interface CsvRejectOptions {
  /** Declared delimiter of the sources: one character. */
  readonly delimiter?: string;
  readonly encoding?: string;
}

/** @param columns the known original columns, in order of appearance; the layout appends new columns to this list */
export function csvLayout(
  columns: string[],
  { delimiter, encoding }: CsvRejectOptions,
): RejectLayout<readonly string[]> {
  let layoutCount = 0;
  let widened = false;
  const learned = new Set<CsvTable>();
  const learn = ({ table }: CsvRow): void => {
    if (learned.has(table)) return;
    learned.add(table);
    const added = newColumns(originalColumns(table), columns);
    for (const column of added) columns.push(column);
    widened ||= added.length > 0 && layoutCount > 0;
    layoutCount += 1;
  };
  return {
    kind: "csv",
    header: () => byteOrderMarkFor(encoding) + csvText([[...columns, ...PROBLEM_COLUMNS]], delimiter),
    toRow: ({ row, problems }, key) => {
      if (!isCsvRow(row)) return undefined;
      learn(row);
      return [...originalCells(row, columns), ...problemCells(key, problems)];
    },
    render: (rows) => csvText(rows, delimiter),
    hasNewColumns: () => widened,
  };
}

/**
 * Returns the columns of `own` that are not in `known`. Counts each column without a name separately, because a mapping
 * can refer to a column by its number.
 */
function newColumns(own: readonly string[], known: readonly string[]): readonly string[] {
  const left = [...known];
  return own.filter((column) => {
    const index = left.indexOf(column);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

/**
 * Returns a byte order mark if the declared encoding of the sources is not UTF-8, so that programs read the rejects as
 * UTF-8.
 */
function byteOrderMarkFor(encoding: string | undefined): string {
  return encoding === undefined || /^utf-?8$/i.test(encoding) ? "" : "\uFEFF";
}

/** Writes the original values, one per line. */
export const JSON_LAYOUT: RejectLayout<string> = {
  kind: "json",
  header: () => "",
  toRow: ({ row }) => (isCsvRow(row) ? undefined : safeJson(JSON.stringify(row.value))),
  render: (lines) => lines.map((line) => `${line}\n`).join(""),
  hasNewColumns: () => false,
};

/**
 * Errors of the file format that a copy of the row would not have. The copy may also differ from the original: a part
 * of a JSON value may be missing, a number may be rounded, and a cell may contain the text of a spreadsheet error.
 */
export const UNCOPIED_ERRORS: ReadonlySet<string> = new Set<LocalFinding["code"]>([
  "source_bad_cell",
  "source_stray_quote",
  "source_invalid_json",
  "source_not_an_object",
  "source_duplicate_name",
  "source_forbidden_name",
  "source_unsafe_number",
  "source_too_deep",
  "source_record_too_large",
]);

export function originalColumns({ columns }: CsvTable): readonly string[] {
  return columns.filter((column) => !isAddedColumn(column));
}

/**
 * Returns the row's own cells, exactly as read, in the order of `columns`. Cells of columns that the file lacks are
 * empty. A ragged row keeps its cells in order and stays ragged, so that it is reported again until a user corrects it.
 * It always gets more cells than columns, because spreadsheet programs add the missing cells of a short row.
 */
export function originalCells(row: CsvRow, columns: readonly string[]): readonly string[] {
  const { cells, table } = row;
  if (!isRagged(row)) return columns.map((column) => cells[table.columnIndex.get(column) ?? -1] ?? "");
  const added = table.columns.filter(isAddedColumn).length;
  const kept = cells.slice(0, Math.max(cells.length - added, 0));
  const missing = Math.max(columns.length + 1 - kept.length, 0);
  return [...kept, ...Array.from({ length: missing }, () => "")];
}

/** Whether a CSV row has more or fewer cells than its header. */
export function isRagged(row: Row): boolean {
  return isCsvRow(row) && row.cells.length !== row.table.columns.length;
}

/**
 * Returns the cells for {@link PROBLEM_COLUMNS}. Each cell except the key has one entry per problem, separated by
 * {@link CELL_SEPARATOR}.
 */
function problemCells(key: string | undefined, problems: readonly Problem[]): readonly string[] {
  const about = [
    problems.map(({ attr }) => attr).join(CELL_SEPARATOR),
    problems.map(({ code }) => code).join(CELL_SEPARATOR),
    problems.map(describeInRow).join(CELL_SEPARATOR),
  ];
  return [withoutFormula(key ?? ""), ...about.map(shownCell)];
}

export const CELL_SEPARATOR = " | ";

/**
 * Describes a problem by its column, as in `MOBILE: Must have at most 20 characters.` The person who corrects the row
 * knows the columns, not the attrs.
 */
function describeInRow(problem: Problem): string {
  const words = describeProblem(problem);
  return problem.place?.column === undefined ? words : `${problem.place.column}: ${words}`;
}
