import { format, type FormatDateInfo, getFormatDateInfo, getFormatInfo, isDateFormat, tokenize } from "numfmt";
import { readWholeXml, type WorkbookPart } from "./xml-reader.ts";
import { getOrAdd } from "../../model/groups.ts";

/** How a spreadsheet program displays the numbers of a cell, according to the number format of its style. */
export type NumberFormat =
  /** Displays all digits of the number. */
  | { readonly kind: "general" }
  | {
      readonly kind: "date";
      readonly hasDate: boolean;
      readonly hasTime: boolean;
      /** Whether the format shows seconds without their fraction, so that they are rounded. */
      readonly roundsSeconds: boolean;
    }
  /** `rounded`: whether the displayed number can differ from the number in the cell. Always true for a fraction. */
  | { readonly kind: "number"; readonly show: (value: number) => { readonly text: string; readonly rounded: boolean } };

/** The format of a workbook without styles. */
export const GENERAL: NumberFormat = { kind: "general" };

/**
 * Reads the number formats of a workbook. Returns a function that finds the format for the style number of a cell.
 * Formats that depend on the locale of the spreadsheet program are interpreted as US English.
 */
export async function readCellFormats(part: WorkbookPart): Promise<(style: string | undefined) => NumberFormat> {
  const codes = new Map<string, string>();
  const styles: string[] = [];
  let section = "";
  await readWholeXml(part, {
    open: (name, attributes) => {
      if (SECTIONS.has(name)) section = name;
      else if (name === "numFmt" && section === "numFmts") {
        codes.set(attributes["numFmtId"] ?? "", attributes["formatCode"] ?? "");
      } else if (name === "xf" && section === "cellXfs") styles.push(attributes["numFmtId"] ?? "0");
    },
    close: (name) => {
      if (name === section) section = "";
    },
  });
  const byId = new Map<string, NumberFormat>();
  return (style) => {
    const id = styles[Number(style ?? 0)] ?? "0";
    return getOrAdd(byId, id, () => numberFormat(withoutLanguage(codes.get(id) ?? BUILT_IN.get(id) ?? "General")));
  };
}

/**
 * The sections that define the formats of cells. The section for conditional formatting (`dxfs`) is excluded, because
 * the ids of its number formats can also occur in `numFmts`.
 */
const SECTIONS: ReadonlySet<string> = new Set(["numFmts", "cellXfs"]);

/**
 * Removes the language from the format of a currency or a date: `[$€-407]` becomes `[$€]`. In numfmt, the language also
 * changes the separators of numbers, so that 1,234 would become 1.234.
 */
function withoutLanguage(code: string): string {
  return code.replaceAll(/\[\$([^\]-]*)-[^\]]*\]/g, (_, currency: string) => (currency === "" ? "" : `[$${currency}]`));
}

/**
 * Returns the number format for a format code. Invalid codes, text formats and formats that show the same text for all
 * numbers become the general format, which displays all digits.
 */
function numberFormat(code: string): NumberFormat {
  try {
    if (/^general$/i.test(code) || code === "@") return GENERAL;
    format(code, 1, { throws: true });
    const sections = sectionsOf(code);
    if (isDateFormat(code) && !/\[[hms]+\]/i.test(code)) return dateFormat(sections);
    if (sections.length === 1 && getFormatInfo(code).type === "general") return GENERAL;
    const sectionFor = sectionFinder(sections);
    return {
      kind: "number",
      show: (value) => {
        const { section, minus } = sectionFor(value);
        if (section === undefined || !isShownExactly(section, value)) return { text: "", rounded: false };
        if (section.isTime) {
          const text = minus + format(section.code, Math.abs(value)).trim();
          return { text: withMinus(text, code, value), rounded: false };
        }
        if (section.denominators !== undefined)
          return { text: shownFraction(code, value, section.denominators), rounded: true };
        const rounded = lastDecimal(value) > section.decimals;
        return { text: shownNumber(code, rounded ? aboveHalf(value) : value), rounded };
      },
    };
  } catch {
    return GENERAL;
  }
}

function shownNumber(code: string, value: number): string {
  return withMinus(format(code, value).trim(), code, value);
}

/**
 * Adds a minus sign to the text of a number if the format shows negative numbers in the same way as positive numbers,
 * except for the colour.
 */
function withMinus(text: string, code: string, value: number): string {
  if (value >= 0 || !/\d/.test(text) || text !== format(code, -value).trim()) return text;
  return text === format(code, 0).trim() ? text : `-${text}`;
}

/** Returns the format of a date or time, which is read in ISO form. */
function dateFormat(codes: readonly string[]): NumberFormat {
  const sections = codes.map((code) => ({ ...getFormatDateInfo(code), hasFraction: /\.0/.test(code) }));
  const hasDate = sections.some((parts) => parts.year || parts.day || (parts.month && !isMinutes(parts)));
  const hasTime = sections.some(({ hours, minutes, seconds }) => hours || minutes || seconds);
  const roundsSeconds = sections.some(({ seconds, hasFraction }) => seconds && !hasFraction);
  return { kind: "date", hasDate, hasTime: hasTime || !hasDate, roundsSeconds };
}

/** Returns the sections of a format code, which apply to different numbers. `[=0]"-";dd/mm/yyyy` has two sections. */
function sectionsOf(code: string): readonly string[] {
  const sections = [""];
  for (const { type, raw } of tokenize(code)) {
    if (type === "break") sections.push("");
    else sections.push((sections.pop() ?? "") + raw);
  }
  return sections;
}

/** Whether `m` means minutes. numfmt interprets it as the month if the format has seconds but no hours: `mm:ss`. */
function isMinutes({ hours, seconds }: FormatDateInfo): boolean {
  return seconds && !hours;
}

/** A section of a number format that shows numbers with a fixed number of decimal places, as fractions, or as times. */
interface NumberSection {
  /** The code without its condition. */
  readonly code: string;
  /** The last decimal place of the number that the text shows: 4 for `0.00%`, -3 for `0,`. */
  readonly decimals: number;
  /** The number of decimal places in the text. */
  readonly places: number;
  /** The factor between the number and the text. */
  readonly scale: number;
  /** Whether the section shows a duration or a time. */
  readonly isTime: boolean;
  /** The denominators that a fraction can have; undefined if the section shows no fraction. */
  readonly denominators: Denominators | undefined;
}

interface Denominators {
  readonly min: number;
  readonly max: number;
}

interface ChosenSection {
  /** Undefined if no section applies, or if the section shows all digits or is scientific. */
  readonly section: NumberSection | undefined;
  /** The minus sign before the text of the section, which shows the number without its sign. */
  readonly minus: string;
}

/**
 * Returns a function that finds the section for a number. numfmt selects the section, by formatting the number with a
 * code whose sections show their own index.
 */
function sectionFinder(sections: readonly string[]): (value: number) => ChosenSection {
  const compiled = sections.map(numberSection);
  const indexCode = sections.map(indexSection).join(";");
  return (value) => {
    const [, minus = "", index] = /(-?)#(\d)/.exec(format(indexCode, value)) ?? [];
    return { section: compiled[Number(index)], minus };
  };
}

/** Returns a section with the same condition that shows `#` and an index. A text section remains a text section. */
function indexSection(section: string, index: number): string {
  const tokens = tokenize(section);
  if (tokens.some(({ type }) => type === "text")) return "@";
  const conditions = tokens.filter(({ type }) => type === "condition").map(({ raw }) => raw);
  return `${conditions.join("")}"#${index}"`;
}

function numberSection(section: string): NumberSection | undefined {
  const { type, maxDecimals: places, scale, isDate: isTime } = getFormatInfo(section);
  const tokens = tokenize(section);
  if (type === "scientific" || tokens.some((token) => token.type === "general")) return undefined;
  const code = tokens.map((token) => (token.type === "condition" ? "" : token.raw)).join("");
  const decimals = places + Math.round(Math.log10(scale));
  return {
    code,
    decimals,
    places,
    scale,
    isTime,
    denominators: type === "fraction" ? denominatorsOf(code) : undefined,
  };
}

/** `# ?/4` has the denominator 4, `??/??` has denominators up to 99. */
function denominatorsOf(code: string): Denominators {
  const [, shown = ""] = /\/ *([\d?#]+)/.exec(code) ?? [];
  const fixed = Number.parseInt(shown, 10);
  return fixed > 0 ? { min: fixed, max: fixed } : { min: 1, max: 10 ** Math.min(shown.length, 4) - 1 };
}

/** Returns the text of a fraction; empty if numfmt rounds up the whole number before the fraction. */
function shownFraction(code: string, value: number, denominators: Denominators): string {
  const nearest = nearestFraction(value, denominators);
  // Zero can have another section.
  return Math.abs(nearest) % 1 < 0.949 ? shownNumber(code, nearest === 0 ? Math.abs(value) : nearest) : "";
}

/** Returns the nearest fraction with one of these denominators. numfmt's search stops too early for `?/?` and 7.03. */
function nearestFraction(value: number, { min, max }: Denominators): number {
  const size = Math.abs(value);
  let nearest = Infinity;
  for (let denominator = min; denominator <= max && nearest !== size; denominator += 1) {
    const candidate = Math.round(size * denominator) / denominator;
    if (Math.abs(candidate - size) < Math.abs(nearest - size)) nearest = candidate;
  }
  return Math.sign(value) * nearest;
}

/**
 * Whether numfmt shows the digits of the number correctly. It does not if the text has more than 15 digits, including
 * trailing zeros, or if JavaScript writes the number with a negative exponent.
 */
function isShownExactly({ decimals, places, scale }: NumberSection, value: number): boolean {
  const size = Math.abs(value);
  return size * 10 ** decimals < 1e15 && (places <= 6 || size === 0 || size * scale >= 1e-6);
}

/** Returns the place of the last digit that is not zero: 2 for 0.25, -3 for 1000. Spreadsheets keep 15 digits. */
function lastDecimal(value: number): number {
  if (value === 0) return -Infinity;
  const [mantissa = "", exponent = ""] = Math.abs(value).toExponential(14).split("e");
  return Math.max(0, mantissa.replace(/\.?0+$/, "").length - "0.".length) - Number(exponent);
}

/**
 * Adds less than half a unit of the 15th digit to a number, so that binary arithmetic rounds it like a spreadsheet
 * program: 1.005, stored as 1.00499999999999989, is rounded to 1.01. Use only for a number that is rounded to fewer
 * than 15 digits.
 */
function aboveHalf(value: number): number {
  return Number(value.toExponential(14).replace("e", "4e"));
}

/** Built-in format codes (ECMA-376 part 1, 18.8.30). Codes 27 to 36 and 50 to 58 are East Asian dates and times. */
const BUILT_IN_IDS: Readonly<Record<string, readonly number[]>> = {
  "0": [1],
  "0.00": [2],
  "#,##0": [3, 41],
  "#,##0.00": [4, 43],
  "$#,##0;-$#,##0": [5, 6],
  "$#,##0.00;-$#,##0.00": [7, 8],
  "0%": [9],
  "0.00%": [10],
  "0.00E+00": [11],
  "# ?/?": [12],
  "# ??/??": [13],
  "yyyy-mm-dd": [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58],
  "hh:mm": [18, 20],
  "hh:mm:ss": [19, 21, 32, 33, 34, 35, 55, 56],
  "yyyy-mm-dd hh:mm": [22],
  "#,##0;(#,##0)": [37, 38],
  "#,##0.00;(#,##0.00)": [39, 40],
  "$#,##0": [42],
  "$#,##0.00": [44],
  "mm:ss": [45],
  "[h]:mm:ss": [46],
  "mm:ss.0": [47],
  "0.0E+0": [48],
  "@": [49],
};

const BUILT_IN: ReadonlyMap<string, string> = new Map(
  Object.entries(BUILT_IN_IDS).flatMap(([code, ids]) => ids.map((id) => [String(id), code])),
);
