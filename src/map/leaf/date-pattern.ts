import { isCalendarDay } from "../../time/calendar.ts";
import { type LocalTime, isTimeOfDay, isoDateTime, utcAtOffset, utcConverter } from "../../time/zoned-time.ts";
import type { AttrPath } from "../../json/attr.ts";
import { MONTH_NAMES } from "../../text/day-notations.ts";
import type { Issues } from "../document/mapping-issues.ts";

/** The time that a pattern reads from a string. */
export interface PatternTime extends LocalTime {
  /** Minutes east of UTC; only for patterns with `XXX`. */
  readonly offset?: number;
  /** Absent unless the text contains a fraction of a second that is not zero. */
  readonly millisecond?: number;
}

export interface DatePattern {
  /** Whether the pattern contains an offset (`XXX`). */
  readonly hasOffset: boolean;
  /** Whether the pattern contains a two-digit year (`yy`). */
  readonly hasShortYear: boolean;
  /** Returns undefined if the text does not match the pattern, or if the day or time does not exist. */
  readonly read: (text: string) => PatternTime | undefined;
}

/**
 * Compiles a pattern written with the letters of Unicode TR 35: `d dd M MM MMM MMMM yy yyyy H HH m mm s ss S SS SSS
 * XXX`. Words in single quotes and all non-letters match literally. Month names are in English, and their case is
 * ignored. Two-digit years up to `pivot` are read as 20yy, and higher years are read as 19yy. The default pivot is 68,
 * as in POSIX. Returns an error message for an invalid pattern.
 */
export function compileDatePattern(pattern: string, pivot: number = POSIX_PIVOT): DatePattern | string {
  const parts = splitPattern(pattern, pivot);
  if (typeof parts === "string") return parts;
  const wrong = patternFault(parts);
  if (wrong !== undefined) return wrong;
  return {
    hasOffset: parts.some((part) => part.field === "offset"),
    hasShortYear: parts.some((part) => part.field === "year" && part.text === "yy"),
    read: (text) => readTime(parts, text),
  };
}

type Field = "year" | "month" | "day" | "hour" | "minute" | "second" | "fraction" | "offset";
type PartParser = (text: string, from: number) => ParsedPart | undefined;

interface ParsedPart {
  readonly value: number;
  readonly end: number;
}

interface Part {
  readonly text: string;
  /** Absent for a literal. */
  readonly field?: Field;
  /** Whether the part may have one or two digits. */
  readonly isLoose: boolean;
  readonly take: PartParser;
}

const TWO_DIGITS = numberOf(2, 2);

const LETTERS: ReadonlyMap<string, readonly [Field, PartParser]> = new Map<string, readonly [Field, PartParser]>([
  ["yyyy", ["year", numberOf(4, 4)]],
  ["yy", ["year", TWO_DIGITS]],
  ["MMMM", ["month", monthNamed(MONTH_NAMES)]],
  ["MMM", ["month", monthNamed(MONTH_NAMES.map((name) => name.slice(0, 3)))]],
  ["MM", ["month", numberOf(2, 2)]],
  ["M", ["month", numberOf(1, 2)]],
  ["dd", ["day", numberOf(2, 2)]],
  ["d", ["day", numberOf(1, 2)]],
  ["HH", ["hour", numberOf(2, 2)]],
  ["H", ["hour", numberOf(1, 2)]],
  ["mm", ["minute", numberOf(2, 2)]],
  ["m", ["minute", numberOf(1, 2)]],
  ["ss", ["second", numberOf(2, 2)]],
  ["s", ["second", numberOf(1, 2)]],
  ["SSS", ["fraction", fractionOf(3)]],
  ["SS", ["fraction", fractionOf(2)]],
  ["S", ["fraction", fractionOf(1)]],
  ["XXX", ["offset", takeOffset]],
]);

/** Quoted text (in which two quotes represent one quote), a run of the same letter, or one other character. */
const PIECE = /'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])/gy;

function splitPattern(pattern: string, pivot: number): readonly Part[] | string {
  const parts: Part[] = [];
  let end = 0;
  for (const piece of pattern.matchAll(PIECE)) {
    end = piece.index + piece[0].length;
    const [text, quoted, letter] = piece;
    if (letter === undefined) {
      parts.push(literal(quoted === undefined ? text : quoted.replaceAll("''", "'") || "'"));
      continue;
    }
    const known = LETTERS.get(text);
    if (known === undefined) return `"${text}" is not a part of a date; put words in single quotes`;
    const take = text === "yy" ? shortYear(pivot) : known[1];
    parts.push({ text, field: known[0], isLoose: text.length === 1 && letter !== "S", take });
  }
  return end < pattern.length ? "a single quote is never closed" : parts;
}

function literal(text: string): Part {
  const take: PartParser = (input, from) =>
    input.startsWith(text, from) ? { value: 0, end: from + text.length } : undefined;
  return { text, isLoose: false, take };
}

function patternFault(parts: readonly Part[]): string | undefined {
  const fields = parts.flatMap((part) => part.field ?? []);
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) return `the ${twice} occurs twice`;
  const absent = (["year", "month", "day"] as const).find((field) => !fields.includes(field));
  if (absent !== undefined) return `the ${absent} is missing`;
  const loose = parts.find((part, index) => part.isLoose && startsWithDigits(parts[index + 1]));
  return loose && `"${loose.text}" can have one or two digits, so a separator is required before the next number`;
}

function startsWithDigits(part: Part | undefined): boolean {
  if (part === undefined) return false;
  return part.field === undefined ? /^\d/.test(part.text) : !part.text.startsWith("MMM") && part.field !== "offset";
}

function readTime(parts: readonly Part[], text: string): PatternTime | undefined {
  const time = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, fraction: 0, offset: Number.NaN };
  let at = 0;
  for (const part of parts) {
    const parsed = part.take(text, at);
    if (parsed === undefined) return undefined;
    if (part.field !== undefined) time[part.field] = parsed.value;
    at = parsed.end;
  }
  const { year, month, day, hour, minute, second, fraction, offset } = time;
  const exists = at === text.length && isCalendarDay(year, month, day) && isTimeOfDay(hour, minute, second);
  if (!exists) return undefined;
  const found = Number.isNaN(offset)
    ? { year, month, day, hour, minute, second }
    : { year, month, day, hour, minute, second, offset };
  return fraction === 0 ? found : { ...found, millisecond: fraction };
}

const ZERO = 48;

function numberOf(min: number, max: number): PartParser {
  return (text, from) => {
    let value = 0;
    let end = from;
    while (end < from + max) {
      const digit = text.charCodeAt(end) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
      end += 1;
    }
    return end - from < min ? undefined : { value, end };
  };
}

/** Reads a fraction of a second with this number of digits, in milliseconds. */
function fractionOf(digits: number): PartParser {
  const take = numberOf(digits, digits);
  return (text, from) => {
    const parsed = take(text, from);
    return parsed && { value: parsed.value * 10 ** (3 - digits), end: parsed.end };
  };
}

const POSIX_PIVOT = 68;

function shortYear(pivot: number): PartParser {
  return (text, from) => {
    const parsed = TWO_DIGITS(text, from);
    return parsed && { value: parsed.value + (parsed.value > pivot ? 1900 : 2000), end: parsed.end };
  };
}

function monthNamed(names: readonly string[]): PartParser {
  return (text, from) => {
    const rest = text.slice(from, from + 9).toLowerCase();
    const month = names.findIndex((name) => rest.startsWith(name));
    return month < 0 ? undefined : { value: month + 1, end: from + (names[month] ?? "").length };
  };
}

const OFFSET = /([-+])(\d{2}):?([0-5]\d)/y;

function takeOffset(text: string, from: number): ParsedPart | undefined {
  if (text[from] === "Z") return { value: 0, end: from + 1 };
  OFFSET.lastIndex = from;
  const found = OFFSET.exec(text);
  const hours = Number(found?.[2]);
  if (found === null || hours > 14) return undefined;
  const minutes = hours * 60 + Number(found[3]);
  return { value: found[1] === "-" ? -minutes : minutes, end: from + found[0].length };
}

/**
 * Returns a function that converts a time to UTC, as `YYYY-MM-DDTHH:MM:SSZ`. A time without an offset is a time of
 * `zone`; default: UTC. The function returns undefined if the clocks of the zone skip or repeat the time, and for a
 * moment outside the years 1 to 9999.
 */
export function utcWriter(zone: string | undefined): (time: PatternTime) => string | undefined {
  const inZone = zone === undefined || zone === "UTC" ? isoDateTime : utcConverter(zone);
  return (time) => (time.offset === undefined ? inZone(time) : utcAtOffset(time, time.offset));
}

/** Compiles a pattern of the mapping. Adds an issue and returns undefined if the pattern is invalid. */
export function readDatePattern(
  written: string,
  path: AttrPath,
  issues: Issues,
  pivot?: number,
): DatePattern | undefined {
  const pattern = compileDatePattern(written, pivot);
  if (typeof pattern !== "string") return pattern;
  return issues.add(path, `"${written}": ${pattern}`, datePatternHint(written));
}

/**
 * Suggests a translation (`did you mean "dd/MM/yyyy"?`) of a pattern in the notation of strftime (`%d/%m/%Y`), SQL or
 * spreadsheets (`DD/MM/YYYY`). Returns undefined if there is no valid translation.
 */
export function datePatternHint(pattern: string): string | undefined {
  const translated = pattern.includes("%") ? fromStrftime(pattern) : fromOtherLetters(pattern);
  if (translated === pattern || typeof compileDatePattern(translated) === "string") return undefined;
  return `did you mean "${translated}"?`;
}

const STRFTIME: Readonly<Record<string, string>> = {
  "%Y": "yyyy",
  "%y": "yy",
  "%m": "MM",
  "%-m": "M",
  "%B": "MMMM",
  "%b": "MMM",
  "%d": "dd",
  "%-d": "d",
  "%e": "d",
  "%H": "HH",
  "%M": "mm",
  "%S": "ss",
  "%z": "XXX",
  "%F": "yyyy-MM-dd",
  "%T": "HH:mm:ss",
};

function fromStrftime(pattern: string): string {
  return pattern.replaceAll(/%-?[A-Za-z]/g, (code) => STRFTIME[code] ?? code).replaceAll("T", "'T'");
}

/** A longer notation comes before its prefix: `MONTH` before `MON`. */
const OTHER_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/HH24|hh24/g, "HH"],
  [/MI|mi/g, "mm"],
  [/SS|ss/g, "ss"],
  [/MONTH|Month|month/g, "MMMM"],
  [/MON|Mon|mon/g, "MMM"],
  [/YYYY|RRRR/g, "yyyy"],
  [/YY|RR/g, "yy"],
  [/D/g, "d"],
  [/hh/g, "HH"],
  [/T/g, "'T'"],
];

/** In a pattern without hours and without `M`, `mm` means months, not minutes. */
function fromOtherLetters(pattern: string): string {
  const translated = OTHER_LETTERS.reduce(
    (text, [letters, replacement]) => text.replaceAll(letters, replacement),
    pattern,
  );
  const hasHours = /H/.test(translated);
  return hasHours || /M/.test(translated) ? translated : translated.replaceAll("m", "M");
}
