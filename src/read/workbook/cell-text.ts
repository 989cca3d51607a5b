import { corruptPackage } from "./zip-package.ts";
import type { NumberFormat } from "./cell-formats.ts";
import { type SharedStrings, unescaped } from "./shared-strings.ts";
import { isTrue } from "./workbook-parts.ts";
import type { SourceFinding } from "../../model/problem.ts";
import { isIsoDate, isIsoTime } from "../../time/calendar.ts";

/** A cell as described in the XML of the sheet. */
export interface RawCell {
  /** The type of the value (attribute `t`). */
  readonly type: string;
  /** The number of the style (attribute `s`). */
  readonly style: string | undefined;
  /** Undefined if the cell has no value. */
  readonly value: string | undefined;
  /** The text in the cell itself (`inlineStr`). */
  readonly inline: string;
  readonly hasFormula: boolean;
}

/** Data shared by all sheets of a workbook. */
export interface WorkbookContext {
  readonly file: string;
  readonly strings: SharedStrings;
  readonly formatOf: (style: string | undefined) => NumberFormat;
  readonly from1904: boolean;
}

/** The text of a cell with a problem. */
export interface FaultyText {
  readonly text: string;
  readonly finding: SourceFinding;
}

/**
 * Converts a cell to text, as documented in docs/mapping.md ("Workbooks").
 * @throws Failure `source_damaged` for a value that does not match its type
 */
export function cellText(cell: RawCell, context: WorkbookContext): string | FaultyText {
  const { type, value } = cell;
  if (type === "inlineStr") return cell.inline;
  if (value === undefined) return emptyText(cell);
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
      return value.trim() === "" ? emptyText(cell) : isoText(value.trim(), context.formatOf(cell.style));
    default:
      return value.trim() === "" ? emptyText(cell) : numberText(value, cell.style, context);
  }
}

/** Returns the text of a cell without a value. A formula has no value if it was never calculated. */
function emptyText({ hasFormula }: RawCell): string | FaultyText {
  return hasFormula ? { text: "", finding: { code: "source_bad_cell", reason: "not_calculated" } } : "";
}

function sharedText(value: string, { file, strings }: WorkbookContext): string {
  const text = /^\s*\d+\s*$/.test(value) ? strings.at(Number(value)) : undefined;
  if (text === undefined) throw corruptPackage(file, "a cell refers to a shared string that does not exist");
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

/**
 * Returns the name of an error value; `an error` for an unknown name, because the text in the file may be personal
 * data.
 */
function errorName(value: string): string {
  return ERROR_NAMES.has(value) ? value : "an error";
}

function numberText(value: string, style: string | undefined, context: WorkbookContext): string | FaultyText {
  const number = Number(value);
  if (!Number.isFinite(number)) throw corruptPackage(context.file, "a number cell does not contain a number");
  const format = context.formatOf(style);
  if (format.kind === "date") return dateText(number, format, context.from1904);
  if (Math.abs(number) >= FIRST_UNSAFE) return { text: plainNumber(number), finding: { code: "source_unsafe_number" } };
  if (format.kind === "general") return plainNumber(number);
  const { text, rounded } = format.show(number);
  if (text === "") return plainNumber(number);
  return rounded ? { text, finding: { code: "source_rounded_number" } } : text;
}

/** From this number on, spreadsheet programs replace digits with zeros, because they keep only 15 digits. */
const FIRST_UNSAFE = 1e15;

/** Formats a number with the 15 digits that a spreadsheet program keeps, never in scientific notation. */
function plainNumber(value: number): string {
  const shortest = String(value + 0);
  if (shortest.length <= 15 && !shortest.includes("e")) return shortest;
  const [mantissa = "", exponent = ""] = Math.abs(value).toExponential(14).split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponent) + 1;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = (point > 0 ? digits.slice(point) : "0".repeat(-point) + digits).replace(/0+$/, "");
  return `${value < 0 ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

type DateFormat = Extract<NumberFormat, { readonly kind: "date" }>;

const DAY_SECONDS = 86_400;
const DAY_ZERO = "1899-12-30";
/** Day 60 of the 1900 calendar is 29 February 1900, which did not exist. Programs disagree about earlier days. */
const FIRST_SURE_DAY = 61;
const LAST_DAY = 2_958_465;
const DAYS_TO_1904 = 1462;

function dateText(serial: number, format: DateFormat, from1904: boolean): string | FaultyText {
  const exact = (from1904 ? serial + DAYS_TO_1904 : serial) * DAY_SECONDS;
  const rounded = Math.round(exact);
  // Binary arithmetic is exact to less than half a millisecond.
  const day = Math.floor((format.roundsSeconds ? rounded : Math.round(exact * 1000) / 1000) / DAY_SECONDS);
  if (day < 0 || day > LAST_DAY || (format.hasDate && day < FIRST_SURE_DAY)) {
    return { text: plainNumber(serial), finding: { code: "source_bad_cell", reason: "impossible_date" } };
  }
  // The last half second of a day must not become the next day.
  const seconds = Math.min(rounded, (day + 1) * DAY_SECONDS - 1);
  const iso = new Date(Date.parse(DAY_ZERO) + seconds * 1000).toISOString();
  return datePart(iso, format);
}

/** Returns the parts that the format displays: `2020-04-03`, `2020-04-03T14:30:00` or `14:30:00`. */
function datePart(iso: string, { hasDate, hasTime }: DateFormat): string {
  if (!hasTime) return iso.slice(0, 10);
  return hasDate ? iso.slice(0, 19) : iso.slice(11, 19);
}

/** A date, a time or both. An offset would be lost, so a date with an offset does not match. */
const ISO = /^(\d{4}-\d\d-\d\d)?(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/;

/** Converts a date that is stored as text, as in the strict variant of the file format. */
function isoText(value: string, format: NumberFormat): string | FaultyText {
  const found = ISO.exec(value);
  if (format.kind !== "date" || found === null) return value;
  const [, date = DAY_ZERO, time = "00:00"] = found;
  const exists = isIsoDate(date) && isIsoTime(time);
  const serial = exists ? (Date.parse(`${date}T${time}Z`) - Date.parse(DAY_ZERO)) / (DAY_SECONDS * 1000) : -1;
  const text = dateText(serial, format, false);
  return typeof text === "string" ? text : { ...text, text: value };
}
