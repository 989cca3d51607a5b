import { ownCounts } from "../../model/added-columns.ts";
import type { Place } from "../../model/place.ts";
import type { LocalProblem, SourceFinding } from "../../model/problem.ts";
import { addProblem } from "../../model/problem-limit.ts";
import type { CsvRow } from "../../model/record.ts";
import { counted } from "../../text/count.ts";
import {
  csvHeader,
  type CsvHeader,
  headerNotices,
  refuseUnnamedData,
  type RenamedColumns,
  repeatedHeader,
  repeatsHeader,
} from "../csv/csv-header.ts";
import { cellPlace, controlCharacters } from "../csv/csv-rows.ts";
import { headerBelow } from "../csv/doubtful-header.ts";
import { NO_PROBLEMS, type ReadRow, sourceProblem } from "../row/read-row.ts";
import { GENERAL, readCellFormats } from "./cell-formats.ts";
import type { WorkbookContext } from "./cell-text.ts";
import { NO_STRINGS, readSharedStrings } from "./shared-strings.ts";
import { type SheetRow, sheetRows, type SheetTraits } from "./sheet-rows.ts";
import { readWorkbookParts, type Sheet, totalsRows, type WorkbookParts } from "./workbook-parts.ts";
import { openZipPackage, type ZipPackage, type ZipSource } from "./zip-package.ts";
import { Failure, failureAt } from "../../model/failure.ts";

/** A sheet whose header has been read. Its rows can be read repeatedly. */
export interface OpenedSheet {
  /** The name to show in places. It includes the sheet if the workbook has several sheets. */
  readonly file: string;
  readonly header: CsvHeader;
  /** Unpacked size of the sheet's XML. */
  readonly unpackedBytes: number;
  readonly rows: () => AsyncGenerator<readonly ReadRow[]>;
}

interface SheetOptions {
  /** The name of the sheet; default: the first visible sheet. */
  readonly sheet: string | undefined;
  readonly renamed: RenamedColumns;
  readonly notify: (file: string, text: string) => void;
}

/**
 * Opens a sheet of a workbook (.xlsx, .xlsm) and reads its header.
 * @throws Failure `source_wrong_kind` and `source_damaged` for a file that is not a readable workbook, `usage` for a
 * missing sheet, `source_empty` if no sheet is visible, `source_no_header` for an empty sheet, and the failures of
 * `csvHeader`
 */
export async function openSheet(source: ZipSource, options: SheetOptions): Promise<OpenedSheet> {
  const { parts, sheet, context, unpackedBytes, totals } = await withZip(source, async (zip) => {
    const found = await readWorkbookParts(source, zip);
    const chosen = chosenSheet(source.file, found.sheets, options.sheet);
    const file = found.sheets.length > 1 ? `${source.file}#${chosen.name}` : source.file;
    const opened = await openContext({ ...source, file }, zip, found);
    const unpacked = zip.sizeOf(chosen.part);
    const rowsWithTotals = await totalsRows(source, zip, chosen);
    return { parts: found, sheet: chosen, context: opened, unpackedBytes: unpacked, totals: rowsWithTotals };
  });
  const { file } = context;
  const notify = (text: string): void => options.notify(file, text);
  if (options.sheet === undefined && parts.sheets.length > 1) {
    options.notify(source.file, otherSheets(source.file, sheet, parts.sheets));
  }
  const rowsFrom = async function* rowsFrom(traits: SheetTraits): AsyncGenerator<readonly SheetRow[]> {
    const zip = await openZipPackage(source);
    try {
      yield* sheetRows({ source, zip, part: sheet.part }, context, traits);
    } finally {
      zip.close();
    }
  };
  const header = await headerOf(rowsFrom(newTraits()), { source: { ...source, file }, renamed: options.renamed });
  for (const text of headerNotices(header)) notify(text);
  for (const row of totals)
    notify(`row ${row} contains the totals of a table; delete it, because it is read like any other row`);
  const rows = async function* rows(): AsyncGenerator<readonly ReadRow[]> {
    const traits = newTraits();
    for await (const batch of rowsFrom(traits)) {
      yield batch.filter(({ line }) => line > header.line).map((row) => readRow(row, header));
    }
    for (const text of traitNotices(traits)) notify(text);
  };
  return { file, header, unpackedBytes, rows };
}

/**
 * Returns the names of the visible sheets of a workbook, in order.
 * @throws Failure `source_wrong_kind` and `source_damaged` for a file that is not a readable workbook
 */
export async function visibleSheets(source: ZipSource): Promise<readonly string[]> {
  const { sheets } = await withZip(source, (zip) => readWorkbookParts(source, zip));
  return sheets.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
}

async function withZip<T>(source: ZipSource, work: (zip: ZipPackage) => Promise<T>): Promise<T> {
  const zip = await openZipPackage(source);
  try {
    return await work(zip);
  } finally {
    zip.close();
  }
}

function newTraits(): SheetTraits {
  return { hiddenColumns: 0, hiddenRows: 0, mergedRanges: 0 };
}

async function openContext(source: ZipSource, zip: ZipPackage, parts: WorkbookParts): Promise<WorkbookContext> {
  const { styles, sharedStrings, from1904 } = parts;
  const formatOf = styles === undefined ? () => GENERAL : await readCellFormats({ source, zip, part: styles });
  const strings =
    sharedStrings === undefined ? NO_STRINGS : await readSharedStrings({ source, zip, part: sharedStrings });
  return { file: source.file, strings, formatOf, from1904 };
}

async function headerOf(
  rows: AsyncGenerator<readonly SheetRow[]>,
  { source: { file, modifiedMs }, renamed }: { readonly source: ZipSource; readonly renamed: RenamedColumns },
): Promise<CsvHeader> {
  for await (const batch of rows) {
    const [first] = batch;
    if (first === undefined) continue;
    const place: Place = { file, line: first.line };
    const bad = [...(first.findings ?? [])].find(([, { code }]) => code === "source_bad_cell");
    if (bad !== undefined) {
      const what = `the name of column ${bad[0] + 1} is a formula without a result, or with an error`;
      throw failureAt("source_bad_header", place, what, { hint: "type the names of the columns as text" });
    }
    const names = [...first.cells];
    while (names.length < Math.max(...renamed.keys())) names.push("");
    const titleCells = names.filter((name) => name.trim() !== "").length;
    const below = renamed.size > 0 ? undefined : headerBelow(batch.slice(0, SAMPLE_ROWS), titleCells);
    return { ...csvHeader(place, names, renamed, modifiedMs), below };
  }
  throw failureAt("source_no_header", { file, line: 1 }, "the sheet is empty", { hint: EMPTY_SHEET_HINT });
}

/** Number of rows that are compared with the first row. */
const SAMPLE_ROWS = 20;

const EMPTY_SHEET_HINT = "begin the sheet with a row that names its columns, or choose another sheet of the workbook";

/** Reads a row below the header. Cells that the sheet omits are empty. Cells beyond the header make the row ragged. */
function readRow({ line, cells, findings }: SheetRow, header: CsvHeader): ReadRow {
  const { table } = header;
  const missing = table.columns.length - cells.length;
  const row: CsvRow = { table, line, cells: missing > 0 ? [...cells, ...emptyCells(missing)] : cells };
  refuseUnnamedData(header, row);
  const controls = controlCharacters(row);
  const others = repeatsHeader(header, row) ? [repeatedHeader(row, header), ...controls] : controls;
  if (missing >= 0 && findings === undefined && others.length === 0) return { row, problems: NO_PROBLEMS };
  return { row, problems: problemsOf(row, findings ?? new Map(), others) };
}

function emptyCells(count: number): readonly string[] {
  return Array.from({ length: count }, () => "");
}

function problemsOf(
  { table, cells, line }: CsvRow,
  findings: ReadonlyMap<number, SourceFinding>,
  others: readonly LocalProblem[],
): readonly LocalProblem[] {
  const problems: LocalProblem[] = [];
  const [expected, found] = [table.columns.length, cells.length];
  if (found > expected) {
    problems.push(
      sourceProblem({ file: table.file, line }, { code: "source_ragged_row", ...ownCounts(found, table.columns) }),
    );
  }
  for (const [index, finding] of findings) {
    const severity = finding.code === "source_rounded_number" ? "warning" : "error";
    addProblem(problems, sourceProblem(cellPlace(table, line, index), finding, severity));
  }
  for (const problem of others) addProblem(problems, problem);
  return problems;
}

function traitNotices({ hiddenColumns, hiddenRows, mergedRanges }: SheetTraits): readonly string[] {
  const hidden = [
    ...(hiddenRows > 0 ? [counted(hiddenRows, "hidden row")] : []),
    ...(hiddenColumns > 0 ? [counted(hiddenColumns, "hidden column")] : []),
  ];
  const merged = `${counted(mergedRanges, "range")} of merged cells`;
  const each = mergedRanges === 1 ? "the" : "each";
  return [
    ...(hidden.length > 0 ? [`also reads ${hidden.join(" and ")}`] : []),
    ...(mergedRanges > 0 ? [`${merged}: only the first cell of ${each} range has a value`] : []),
  ];
}

/**
 * Returns the sheet with this name, ignoring case; default: the first visible sheet.
 * @throws Failure `usage` for a missing sheet, `source_empty` if no sheet is visible
 */
function chosenSheet(file: string, sheets: readonly Sheet[], wanted: string | undefined): Sheet {
  const found =
    wanted === undefined
      ? sheets.find(({ isHidden }) => !isHidden)
      : sheets.find(({ name }) => normalisedName(name) === normalisedName(wanted));
  if (found !== undefined) return found;
  if (wanted === undefined) {
    throw new Failure("source_empty", `${file}: the workbook has no visible sheet with cells`, {
      hint: `to read a hidden sheet, name it: ${file}#<sheet>`,
    });
  }
  throw new Failure("usage", `${file}: has no sheet "${wanted}"`, { hint: `its sheets are: ${sheetNames(sheets)}` });
}

function otherSheets(file: string, { name }: Sheet, sheets: readonly Sheet[]): string {
  const others = sheets.filter((sheet) => sheet.name !== name);
  return (
    `reads the sheet "${name}", not ${sheetNames(others)}; ` +
    `to read another sheet, use "${file}#${others[0]?.name ?? ""}", or \`sheet\` in the mapping`
  );
}

/** Normalises a name. Spreadsheet programs do not distinguish names that have the same normal form. */
function normalisedName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function sheetNames(sheets: readonly Sheet[]): string {
  const names = sheets.slice(0, MAX_LISTED).map(({ name, isHidden }) => `"${name}"${isHidden ? " (hidden)" : ""}`);
  const more = sheets.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

const MAX_LISTED = 10;
