import { PLACE_COLUMN, PROBLEM_COLUMNS, ownCounts } from "../../model/added-columns.ts";
import { formatPlace } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import { type CsvRow, isCsvRow } from "../../model/record.ts";
import { counted } from "../../text/count.ts";
import { plainLines, plainText } from "../../text/plain-text.ts";
import { adviceFor } from "../problems/advice.ts";
import { type Cause, collectCauses } from "../formats/causes.ts";
import { describeProblem, describeReported } from "../problems/problem-text.ts";
import { CELL_SEPARATOR, isRagged, WORKBOOK_FILE, originalCells } from "../rejects/reject-file.ts";
import type { RowWriter } from "../rejects/rejected-rows.ts";
import type { ReportFolder } from "../report-folder.ts";
import { type Report, outcomesWithProblems } from "../report.ts";
import type { CellStyle } from "./cell-style.ts";
import {
  type DropDown,
  type FinishedSheet,
  type SheetCell,
  type SheetWriter,
  columnName,
  openSheet,
} from "./sheet-writer.ts";
import { writeWorkbook } from "./workbook-file.ts";

export interface WorkbookOptions {
  readonly choices: ColumnChoices;
}

/** Writes the rejected rows to the sheets of a workbook, while the same rows are written to the rejects files. */
export interface RejectsWorkbook extends RowWriter {
  readonly finish: (report: Report) => Promise<WrittenWorkbook>;
}

export interface WrittenWorkbook {
  /** The name of each source's sheet; empty if the workbook was not written. */
  readonly sheets: Readonly<Record<string, string>>;
  /** Checksum of the workbook, in hex. */
  readonly sha256?: string;
  /** The reason why the workbook was not written. */
  readonly leftOut?: string;
}

/** @param root name of the root source */
export function openRejectsWorkbook(folder: ReportFolder, root: string, { choices }: WorkbookOptions): RejectsWorkbook {
  const taken = new Set([CAUSES, ALLOWED_VALUES].map((name) => name.toLowerCase()));
  const sheets = new Map<string, RejectsSheet>();
  let leftOut: string | undefined;
  return {
    addFile: (child, kind, columns) => {
      const source = child ?? root;
      if (kind === "json" || sheets.has(source)) return;
      const writer = openSheet(folder, sheetNameFor(source, taken));
      sheets.set(source, { source, columns, writer, isBegun: false });
    },
    add: ({ row, child, problems }, { key }) => {
      const sheet = sheets.get(child ?? root);
      if (sheet === undefined || !isCsvRow(row) || leftOut !== undefined) return;
      beginSheet(sheet);
      if (sheet.writer.add(rowCells(row, problems, { columns: sheet.columns, key }))) return;
      leftOut = `${formatPlace({ file: row.table.file, line: row.line })} does not fit into a sheet`;
    },
    flush: async () => {
      for (const { writer } of sheets.values()) await writer.flush();
    },
    finish: async (report) => {
      if (leftOut !== undefined) return { sheets: {}, leftOut };
      const finished = await finishSheets(folder, [...sheets.values()], choices);
      finished.splice(sheets.size, 0, await writeCausesSheet(openSheet(folder, CAUSES), report));
      const file = await folder.create(WORKBOOK_FILE);
      await writeWorkbook(finished, file.write);
      const names = [...sheets].map(([source, { writer }]) => [source, writer.name]);
      return { sheets: Object.fromEntries(names), sha256: file.digest() };
    },
  };
}

const CAUSES = "Causes";
const ALLOWED_VALUES = "Allowed values";

interface RejectsSheet {
  readonly source: string;
  /** The original columns. The caller may append columns until the first row is added. */
  readonly columns: readonly string[];
  readonly writer: SheetWriter;
  isBegun: boolean;
}

function beginSheet(sheet: RejectsSheet): void {
  if (sheet.isBegun) return;
  sheet.isBegun = true;
  const names = [...sheet.columns, ...PROBLEM_COLUMNS, PLACE_COLUMN];
  sheet.writer.add(names.map((value) => ({ value, style: "header" })));
}

/** Finishes the sheets of the sources, and adds a sheet of allowed values if any are known. */
async function finishSheets(
  folder: ReportFolder,
  sheets: readonly RejectsSheet[],
  choices: ColumnChoices,
): Promise<FinishedSheet[]> {
  for (const sheet of sheets) beginSheet(sheet);
  const allowed = await writeAllowedValues(openSheet(folder, ALLOWED_VALUES), sheets, choices);
  const finished: FinishedSheet[] = [];
  for (const { source, writer } of sheets) finished.push(await writer.finish(allowed?.dropDowns.get(source)));
  return allowed === undefined ? finished : [...finished, allowed.sheet];
}

/**
 * Renders a row's own cells, its problems and its place. A ragged row has extra cells at the end. These cells keep the
 * row ragged until a user corrects the row and clears the cells.
 */
function rowCells(
  row: CsvRow,
  problems: readonly Problem[],
  { columns, key }: { readonly columns: readonly string[]; readonly key: string | undefined },
): readonly SheetCell[] {
  const cells = originalCells(row, columns);
  const own = columns.map((column, index) => originalCell(cells[index] ?? "", column, problems));
  const rowProblems = problems.filter(({ place }) => place?.column === undefined || !columns.includes(place.column));
  const style = styleOf(rowProblems) ?? "note";
  const words = [
    key ?? "",
    shown(problems.map(({ attr }) => attr).join(CELL_SEPARATOR)),
    shown(problems.map(({ code }) => code).join(CELL_SEPARATOR)),
    problems.map(describeProblem).join(CELL_SEPARATOR).slice(0, MAX_CHARACTERS),
    shown(placeInExtract(row)),
  ];
  const notes = words.map((value, index): SheetCell => ({ value, style: index === DETAIL ? style : "note" }));
  return [...own, ...notes, ...(isRagged(row) ? raggedCells(cells.slice(columns.length), row) : [])];
}

/** Returns the place of a row in the extract. A row of re-imported rejects keeps the place of the original row. */
function placeInExtract({ cells, line, table }: CsvRow): string {
  const known = cells[table.columnIndex.get(PLACE_COLUMN) ?? -1] ?? "";
  return known === "" ? formatPlace({ file: table.file, line }) : known;
}

function shown(text: string): string {
  return plainText(text, MAX_CHARACTERS);
}

const DETAIL = 3;
/**
 * Maximum length of a note in characters. A record may have hundreds of problems, but a cell can contain at most 32,767
 * characters.
 */
const MAX_CHARACTERS = 30_000;

function originalCell(value: string, column: string, problems: readonly Problem[]): SheetCell {
  const own = problems.filter(({ place }) => place?.column === column);
  const style = styleOf(own);
  return style === undefined ? { value, style: "text" } : { value, style, comment: commentOf(own) };
}

function styleOf(problems: readonly Problem[]): CellStyle | undefined {
  if (problems.some(({ severity }) => severity === "error")) return "error";
  return problems.length > 0 ? "warning" : undefined;
}

function commentOf(problems: readonly Problem[]): string {
  const texts = problems.map((problem) => {
    const words = describeProblem(problem);
    return `${problem.code}\n${problem.by === "platform" ? "The platform: " : ""}${words}\n${adviceFor(problem)}`;
  });
  return [...new Set(texts)].join("\n\n").slice(0, MAX_COMMENT);
}

const MAX_COMMENT = 2000;

function raggedCells(beyond: readonly string[], { cells, table }: CsvRow): readonly SheetCell[] {
  if (beyond.some((cell) => cell !== "")) return beyond.map((value) => ({ value, style: "error" }));
  const { found, expected } = ownCounts(cells.length, table.columns);
  const value = `The row had ${counted(found, "cell")}, but the header has ${expected}. Correct the row, then clear this cell.`;
  return [{ value, style: "error" }];
}

/**
 * Returns a sheet name that spreadsheet programs accept and that is not in `taken`, and adds it to `taken`. A name has
 * at most 31 characters, none of `[ ] : * ? / \`, and no apostrophe at either end. `History` is reserved.
 */
function sheetNameFor(source: string, taken: Set<string>): string {
  const plain = source
    .replaceAll(/[[\]:*?/\\\p{Cc}\uFFFE\uFFFF]/gu, "_")
    .slice(0, MAX_SHEET_NAME)
    .replace(HALF_CHARACTER, "")
    .trim()
    .replaceAll(/^'|'$/g, "_");
  const base = plain === "" || plain.toLowerCase() === "history" ? `sheet ${plain}`.trim() : plain;
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? "" : `~${number}`;
    const name = base.slice(0, MAX_SHEET_NAME - suffix.length).replace(HALF_CHARACTER, "") + suffix;
    const normalName = name.normalize("NFC").toLowerCase();
    if (taken.has(normalName)) continue;
    taken.add(normalName);
    return name;
  }
}

/** Excel counts UTF-16 code units, so a cut can leave half of a character. */
const MAX_SHEET_NAME = 31;
const HALF_CHARACTER = /[\uD800-\uDBFF]$/u;

/**
 * Allowed values by source and column. Contains only columns whose possible values are known from the mapping and the
 * contract.
 */
type ColumnChoices = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

interface AllowedValues {
  readonly sheet: FinishedSheet;
  readonly dropDowns: ReadonlyMap<string, readonly DropDown[]>;
}

/** Maximum number of values in a drop-down list. Columns with more values have no list. */
const MAX_VALUES = 1000;

async function writeAllowedValues(
  writer: SheetWriter,
  sources: readonly { readonly source: string; readonly columns: readonly string[] }[],
  choices: ColumnChoices,
): Promise<AllowedValues | undefined> {
  const lists = sources.flatMap(({ source, columns }) =>
    columns.flatMap((name, column) => {
      const values = choices.get(source)?.get(name) ?? [];
      return values.length === 0 || values.length > MAX_VALUES ? [] : [{ source, name, column, values }];
    }),
  );
  if (lists.length === 0) return undefined;
  writer.add(lists.map(({ source, name }) => ({ value: `${source}: ${name}`, style: "header" })));
  const longest = lists.reduce((max, { values }) => Math.max(max, values.length), 0);
  for (let row = 0; row < longest; row += 1) {
    writer.add(lists.map(({ values }) => ({ value: values[row] ?? "", style: "text" })));
  }
  const dropDowns = new Map<string, DropDown[]>();
  for (const [index, { source, column, values }] of lists.entries()) {
    const letters = columnName(index);
    const range = `'${writer.name}'!$${letters}$2:$${letters}$${values.length + 1}`;
    dropDowns.set(source, [...(dropDowns.get(source) ?? []), { column, range }]);
  }
  return { sheet: await writer.finish(), dropDowns };
}

const HEADER = [
  "count",
  "severity",
  "code",
  "field",
  "what is wrong",
  "what to do",
  "shape of the values",
  "first place",
];

/**
 * Writes the causes of errors, then those of warnings, with advice. Shows shapes instead of values, except for codes.
 */
async function writeCausesSheet(writer: SheetWriter, report: Report): Promise<FinishedSheet> {
  const { causes, others } = await collectCauses(outcomesWithProblems(report));
  writer.add(HEADER.map((value) => ({ value, style: "header" })));
  for (const cause of causes) writer.add(causeCells(cause));
  if (others > 0) writer.add(textCells([others, "", "", "", "with other causes: see errors.csv"]));
  return writer.finish();
}

function causeCells(cause: Cause): readonly SheetCell[] {
  const { count, severity, code, attr, first, shapes } = cause;
  const [shape] = shapes;
  const place = shape === undefined ? "" : formatPlace(shape.example.place);
  return textCells([count, severity, code, attr, describeReported(first), adviceFor(first), shape?.shape ?? "", place]);
}

function textCells(values: readonly (string | number)[]): readonly SheetCell[] {
  return values.map((value) =>
    typeof value === "number" ? { value, style: "number" } : { value: plainLines(value), style: "wrapped" },
  );
}
