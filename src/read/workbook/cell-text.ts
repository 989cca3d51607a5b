import { damagedPackage } from "./zip-package.ts";
import type { NumberFormat } from "./cell-formats.ts";
import type { SharedStrings } from "./shared-strings.ts";
import { unescaped } from "./shared-strings.ts";
import { isTrue } from "./workbook-parts.ts";
import type { SourceFinding } from "../../model/problem.ts";

/** A cell as the sheet's XML describes it. */
export interface RawCell {
  /** The kind of its value (`t`). */
  readonly type: string;
  /** The number of its style (`s`). */
  readonly style: string | undefined;
  /** Undefined where it has no value at all. */
  readonly value: string | undefined;
  /** The text that stands in the cell itself (`inlineStr`). */
  readonly inline: string;
  readonly hasFormula: boolean;
}

/** What all sheets of a workbook share. */
export interface WorkbookContext {
  readonly file: string;
  readonly strings: SharedStrings;
  readonly formatOf: (style: string | undefined) => NumberFormat;
  readonly from1904: boolean;
}

/** The text of a cell in which something is wrong. */
export interface FaultyText {
  readonly text: string;
  readonly finding: SourceFinding;
}

/**
 * A cell as text, as docs/mapping.md ("Workbooks") says. Raises `source_damaged` for a value that its kind cannot have.
 */
export function cellText(cell: RawCell, context: WorkbookContext): string | FaultyText {
  const { type, value } = cell;
  if (type === "inlineStr") return cell.inline;
  if (value === undefined) {
    return cell.hasFormula ? { text: "", finding: { code: "source_bad_cell", reason: "not_calculated" } } : "";
  }
  switch (type) {
    case "s":
      return sharedText(value, context);
    case "str":
      return unescaped(value);
    case "b":
      return isTrue(value.trim()) ? "TRUE" : "FALSE";
    case "e":
      return { text: value, finding: { code: "source_bad_cell", reason: "error_value", shown: errorName(value) } };
    case "d":
      return isoText(value.trim(), context.formatOf(cell.style));
    default:
      return value.trim() === "" ? "" : numberText(value, cell.style, context);
  }
}

function sharedText(value: string, { file, strings }: WorkbookContext): string {
  const text = /^\s*\d+\s*$/.test(value) ? strings.at(Number(value)) : undefined;
  if (text === undefined) throw damagedPackage({ file }, "a cell refers to a text that is not there");
  return text;
}

const ERROR_NAMES: ReadonlySet<string> = new Set([
  "#N/A",
  "#REF!",
  "#NAME?",
  "#VALUE!",
  "#DIV/0!",
  "#NUM!",
  "#NULL!",
  "#SPILL!",
  "#CALC!",
  "#GETTING_DATA",
]);

/** Never the file's own words. */
function errorName(value: string): string {
  return ERROR_NAMES.has(value) ? value : "an error";
}

function numberText(value: string, style: string | undefined, context: WorkbookContext): string | FaultyText {
  const number = Number(value);
  if (!Number.isFinite(number)) throw damagedPackage(context, "a cell for a number holds something else");
  const format = context.formatOf(style);
  if (format.kind === "date") return dateText(number, format, context.from1904);
  if (Math.abs(number) >= FIRST_UNSAFE) return { text: plainNumber(number), finding: { code: "source_unsafe_number" } };
  if (format.kind === "general") return plainNumber(number);
  const { text, rounded } = format.show(number);
  if (text === "") return plainNumber(number);
  return rounded ? { text, finding: { code: "source_rounded_number" } } : text;
}

/** Spreadsheet programs keep 15 digits: the ones behind them are zeros, whatever was typed. */
const FIRST_UNSAFE = 1e15;

/** The 15 digits that a spreadsheet program knows of a number, never as a power of ten. */
function plainNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < FIRST_UNSAFE) return String(value + 0);
  const [mantissa = "", exponent = ""] = Math.abs(value).toExponential(14).split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponent) + 1;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = (point > 0 ? digits.slice(point) : "0".repeat(-point) + digits).replace(/0+$/, "");
  return `${value < 0 ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

type DateFormat = Extract<NumberFormat, { readonly kind: "date" }>;

const DAY_SECONDS = 86_400;
/** Day 60 of the calendar from 1900 is 29 February 1900, which never was; programs disagree about the days before it. */
const FIRST_SURE_DAY = 61;
const LAST_DAY = 2_958_465;
const DAYS_TO_1904 = 1462;

function dateText(serial: number, { hasDate, hasTime }: DateFormat, from1904: boolean): string | FaultyText {
  const seconds = Math.round((from1904 ? serial + DAYS_TO_1904 : serial) * DAY_SECONDS);
  const day = Math.floor(seconds / DAY_SECONDS);
  if (seconds < 0 || day > LAST_DAY || (hasDate && day < FIRST_SURE_DAY)) {
    return { text: plainNumber(serial), finding: { code: "source_bad_cell", reason: "impossible_date" } };
  }
  const iso = new Date(Date.UTC(1899, 11, 30) + seconds * 1000).toISOString();
  return datePart(iso, { hasDate, hasTime });
}

/** `2020-04-03`, `2020-04-03T14:30:00`, `14:30:00`: as much as the format shows. */
function datePart(iso: string, { hasDate, hasTime }: Pick<DateFormat, "hasDate" | "hasTime">): string {
  if (!hasTime) return iso.slice(0, 10);
  return hasDate ? iso.slice(0, 19) : iso.slice(11, 19);
}

/** Dates that the strict form of the format writes as text. */
function isoText(value: string, format: NumberFormat): string {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value);
  return isWhole && format.kind === "date" ? datePart(value, format) : value;
}
