import { Failure } from "../model/failure.ts";
import type { CsvTable } from "../model/row.ts";

/**
 * The table that a header line describes. Names stay as they are in the file.
 * Raises `source_bad_header`, naming the columns by number, when a name is missing, there twice, the same as another
 * but for case, spaces or Unicode form, or one that is dangerous as a property name.
 */
export function csvTable(file: string, line: number, columns: readonly string[]): CsvTable {
  const bad = (what: string, hint: string): Failure =>
    new Failure("source_bad_header", `${file}:${line}: ${what}`, { hint, place: { file, line } });
  refuseBlank(columns, bad);
  refuseUnsafe(columns, bad);
  refuseAlike(columns, bad);
  return { kind: "csv", file, columns, columnIndex: new Map(columns.map((name, index) => [name, index])) };
}

type Bad = (what: string, hint: string) => Failure;

function refuseBlank(columns: readonly string[], bad: Bad): void {
  const blank = columns.flatMap((name, index) => (name.trim() === "" ? [index + 1] : []));
  if (blank.length === 0) return;
  const trailing = blank.length === 1 && blank[0] === columns.length;
  throw bad(
    `${listColumns(blank)} of ${columns.length} ${blank.length === 1 ? "has" : "have"} no name in the header`,
    trailing ? "remove the delimiter at the end of the lines, or name the column" : "name every column",
  );
}

function refuseUnsafe(columns: readonly string[], bad: Bad): void {
  columns.forEach((name, index) => {
    if (name.split(".").some(isForbidden)) {
      throw bad(`column ${index + 1} has the forbidden name "${name}"`, "give the column another name");
    }
    if (UNPRINTABLE.test(name)) {
      throw bad(`the name of column ${index + 1} holds an invisible character`, "type the name anew");
    }
  });
}

/** Property names of every JavaScript object: a column of this name could change how a program behaves. */
function isForbidden(part: string): boolean {
  return part === "prototype" || part in Object.prototype;
}

/** Control and format characters, among them zero-width spaces, byte order marks and direction marks. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}]/u;

function refuseAlike(columns: readonly string[], bad: Bad): void {
  const seen = new Map<string, number>();
  columns.forEach((name, index) => {
    const alike = name.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();
    const other = seen.get(alike);
    if (other !== undefined) {
      const same = columns[other] === name;
      throw bad(
        same
          ? `columns ${other + 1} and ${index + 1} have the same name, "${name}"`
          : `the names of columns ${other + 1} and ${index + 1} ("${columns[other] ?? ""}", "${name}") are too much alike`,
        same
          ? "name every column once"
          : "give them names that differ by more than case, spaces or the form of accents",
      );
    }
    seen.set(alike, index);
  });
}

function listColumns(numbers: readonly number[]): string {
  if (numbers.length === 1) return `column ${numbers[0] ?? 0}`;
  return `columns ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1) ?? 0}`;
}
