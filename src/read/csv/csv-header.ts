import { type Failure, failureAt } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";
import type { LocalProblem } from "../../model/problem.ts";
import type { CsvRow, CsvTable } from "../../model/record.ts";
import { sourceProblem } from "../row/read-row.ts";
import { titleText } from "./doubtful-header.ts";
import { valueAmongNames } from "../../text/column-names.ts";
import { DECEPTIVE } from "../../text/invisible.ts";

/** The columns of a CSV file, as named by its header and the mapping. */
export interface CsvHeader {
  readonly table: CsvTable;
  /** The cells of the header, before line breaks are removed and columns are renamed. */
  readonly cells: readonly string[];
  /** Zero-based positions of the columns without a name. These columns must be empty. */
  readonly unnamed: readonly number[];
  /** 1-based line of the header. */
  readonly line: number;
  /** 1-based line of the probable header, if the line that is read as the header is probably a title. */
  readonly below?: number | undefined;
}

/** Column names by 1-based column number. They replace the names in the header. */
export type RenamedColumns = ReadonlyMap<number, string>;

/**
 * Reads the columns of a header line. Names are kept as in the file, except that line breaks become spaces.
 * @throws Failure `source_bad_header` if a name is repeated, differs from another name only in case, spaces or Unicode
 * form, contains a control or invisible character, or has a part that is a property name of JavaScript objects; if no
 * column has a name; or if `renamed` contains a column that does not exist
 */
export function csvHeader(
  place: Place,
  cells: readonly string[],
  renamed: RenamedColumns,
  modifiedMs?: CsvTable["modifiedMs"],
): CsvHeader {
  const bad: Bad = (what, hint) => failureAt("source_bad_header", place, what, { hint });
  const columns = cells.map((cell, index) => renamed.get(index + 1) ?? inOneLine(cell));
  refuseBeyond(renamed, columns.length, bad);
  const named = columns.flatMap((name, index): (readonly [string, number])[] =>
    name.trim() === "" ? [] : [[name, index]],
  );
  if (named.length === 0) throw bad("no column has a name in the header", `name the columns, or ${renameHint([1])}`);
  for (const [name, index] of named) refuseUnsafe(name, index, bad);
  refuseSimilarNames(named, bad);
  const unnamed = columns.flatMap((name, index) => (name.trim() === "" ? [index] : []));
  const { file, line } = place;
  return { table: { kind: "csv", file, columns, columnIndex: new Map(named), modifiedMs }, cells, unnamed, line };
}

/** Returns notices about columns without a name, and about names that are probably data. */
export function headerNotices({ table, unnamed, below }: CsvHeader): readonly string[] {
  if (below !== undefined) return [titleText(below)];
  const value = valueAmongNames(table.columns);
  return [
    ...(unnamed.length === 0
      ? []
      : [
          `${withoutName(table, unnamed)} in the header, so ${unnamed.length === 1 ? "its" : "their"} cells must be empty`,
        ]),
    ...(value === undefined
      ? []
      : [`the first line is read as the header, but ${value}; if the line is data, add a line with column names`]),
  ];
}

/** @throws Failure `source_bad_header` if a row has a value in a column without a name, unless the row is ragged */
export function refuseUnnamedData({ table, unnamed, line, below }: CsvHeader, { cells, line: rowLine }: CsvRow): void {
  if (unnamed.length === 0 || cells.length !== table.columns.length) return;
  const filled = unnamed.filter((index) => (cells[index] ?? "").trim() !== "");
  if (filled.length === 0) return;
  const what = `${withoutName(table, filled)} in the header, but line ${rowLine} has data there`;
  const named = `name the ${filled.length === 1 ? "column" : "columns"} in the header, or ${renameHint(filled.map((index) => index + 1))}`;
  const hint = below === undefined ? named : `${titleText(below)}; otherwise, ${named}`;
  throw failureAt("source_bad_header", { file: table.file, line }, what, { hint });
}

/** @throws Failure `source_bad_header` if the line that is read as the header is probably a title */
export function refuseTitle({ table, line, below }: CsvHeader): void {
  if (below === undefined) return;
  throw failureAt("source_bad_header", { file: table.file, line }, titleText(below), {
    hint: "if the first line contains the names of the columns, give every column a name",
  });
}

/**
 * Whether a row repeats the header, as in a file that was joined from several files. A byte order mark may precede the
 * repeated header.
 */
export function repeatsHeader({ cells: [first, ...others] }: CsvHeader, { cells }: CsvRow): boolean {
  return (
    cells.length === 1 + others.length &&
    (cells[0] === first || cells[0] === `\uFEFF${first}`) &&
    others.every((cell, at) => cell === cells[at + 1])
  );
}

export function repeatedHeader({ table, line }: CsvRow, header: CsvHeader): LocalProblem {
  return sourceProblem({ file: table.file, line }, { code: "source_repeated_header", line: header.line });
}

type Bad = (what: string, hint: string) => Failure;

function inOneLine(name: string): string {
  return /[\r\n]/.test(name) ? name.replace(/[ \t]*[\r\n]+[ \t\r\n]*/g, " ").trim() : name;
}

function refuseBeyond(renamed: RenamedColumns, count: number, bad: Bad): void {
  const beyond = [...renamed.keys()].find((number) => number > count);
  if (beyond === undefined) return;
  throw bad(
    `the mapping renames column ${beyond}, but there ${count === 1 ? "is" : "are"} only ${count}`,
    "columns are counted from 1; correct `rename` in the mapping",
  );
}

function refuseUnsafe(name: string, index: number, bad: Bad): void {
  if (name.split(".").some(isForbidden)) {
    const hint = `give the column another name, or ${renameHint([index + 1])}`;
    throw bad(`column ${index + 1} has the forbidden name "${name}"`, hint);
  }
  if (UNPRINTABLE.test(name)) {
    const hint = `retype the name, or ${renameHint([index + 1])}`;
    throw bad(`the name of column ${index + 1} contains an invisible character`, hint);
  }
}

/**
 * Whether the name is `prototype`, or a property that JavaScript objects inherit. A column with such a name could
 * change the behaviour of code.
 */
function isForbidden(part: string): boolean {
  return part === "prototype" || part in Object.prototype;
}

/** Control and invisible characters, including zero-width spaces, byte order marks, direction marks and fillers. */
const UNPRINTABLE = new RegExp(String.raw`[\p{Cc}${DECEPTIVE}]`, "u");

function refuseSimilarNames(named: readonly (readonly [string, number])[], bad: Bad): void {
  const seen = new Map<string, readonly [string, number]>();
  for (const [name, index] of named) {
    const folded = name.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();
    const other = seen.get(folded);
    seen.set(folded, [name, index]);
    if (other === undefined) continue;
    const [otherName, otherIndex] = other;
    const rename = renameHint([index + 1]);
    if (otherName === name) {
      throw bad(
        `columns ${otherIndex + 1} and ${index + 1} have the same name, "${name}"`,
        `give each column a different name, or ${rename}`,
      );
    }
    throw bad(
      `the names of columns ${otherIndex + 1} and ${index + 1} ("${otherName}", "${name}") are too similar`,
      `give them names that differ in more than case, spaces or the form of accents, or ${rename}`,
    );
  }
}

function renameHint(numbers: readonly number[]): string {
  return `add to its source in the mapping: rename: { ${numbers.map((number) => `${number}: <name>`).join(", ")} }`;
}

/** Describes columns without a name: `columns 2 and 4 of 4 have no name`. */
function withoutName(table: CsvTable, indexes: readonly number[]): string {
  const numbers = indexes.map((index) => index + 1);
  const shown = numbers.length > MAX_LISTED ? [...numbers.slice(0, MAX_LISTED), "more"] : numbers;
  const list = shown.length === 1 ? `${shown[0] ?? ""}` : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
  const isOne = numbers.length === 1;
  return `${isOne ? "column" : "columns"} ${list} of ${table.columns.length} ${isOne ? "has" : "have"} no name`;
}

const MAX_LISTED = 20;
