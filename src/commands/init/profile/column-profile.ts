import { type DatePattern, compileDatePattern } from "../../../map/leaf/date-pattern.ts";
import { shapeOf } from "../../../text/shape.ts";
import { textHash } from "../../../text/text-hash.ts";
import { type ValueHashes, distinctCount } from "./value-hashes.ts";

export type ValueKind =
  | "integer"
  | "number"
  | "commaNumber"
  | "groupedNumber"
  | "trailingMinus"
  | "email"
  | "phone"
  | "postcode"
  | "uuid"
  | "words"
  | "street";

/** Statistics about a column, collected while its file is read. */
export interface ColumnProfile {
  readonly name: string;
  /** Number of non-empty cells in all rows. */
  readonly filled: number;
  readonly empty: number;
  /** Number of analysed cells that are not empty: all cells of the first rows, then the cells of one row in ten. */
  readonly analysed: number;
  /** Shapes of the analysed cells, most frequent first. */
  readonly shapes: readonly { readonly shape: string; readonly count: number }[];
  readonly shortest: number;
  readonly longest: number;
  /** Number of analysed cells of each kind. */
  readonly kinds: ReadonlyMap<ValueKind, number>;
  readonly dates: readonly DateForm[];
  /** Every distinct value with its frequency; undefined if there are too many values or a value is too long. */
  readonly codes: ReadonlyMap<string, number> | undefined;
  /** A diverse sample of the values, for tests against the contract. Never shown or written to a file. */
  readonly sample: readonly string[];
  /** Number of different values; undefined if the column is empty or a value is too long for a key. */
  readonly distinct: number | undefined;
  readonly hashes: ValueHashes;
}

export interface ColumnCounter {
  /** @param isSampled whether to analyse the value in addition to counting it */
  readonly add: (value: string, isSampled: boolean) => void;
  readonly profile: (rows: number) => ColumnProfile;
  /** Discards the collected values. */
  readonly close: () => void;
}

/** The kinds of values, each with its test. The tests ignore the name of the column. */
const VALUE_KINDS: readonly (readonly [kind: ValueKind, isOfKind: (text: string) => boolean])[] = [
  ["integer", (text) => /^[-+]?\d{1,18}$/.test(text)],
  ["number", (text) => /^[-+]?\d{1,15}(?:\.\d+)?$/.test(text)],
  ["commaNumber", (text) => /^[-+]?(?:(?!0+\.)\d{1,3}(?:\.\d{3})+|\d{1,15}),\d+-?$/.test(text)],
  ["groupedNumber", (text) => /^[-+]?(?!0+,)\d{1,3}(?:,\d{3})+(?:\.\d+)?-?$/.test(text)],
  ["trailingMinus", (text) => /^\d{1,15}(?:\.\d+)?-$/.test(text)],
  ["email", (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)],
  ["phone", (text) => /^(?:\+|0[1-9]|\(0)[\d ()/-]{7,18}$/.test(text) && /(?:\d\D*){9}/.test(text)],
  ["postcode", (text) => /^[A-Za-z]{1,2}\d[A-Za-z\d]? ?\d[A-Za-z]{2}$/.test(text)],
  ["uuid", (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)],
  ["words", (text) => /^\p{L}[\p{L}'’.-]*(?: [\p{L}\d&,'’./()-]+)*$/u.test(text)],
  ["street", (text) => /^(?:\d+[A-Za-z]?|Flat \S+|Unit \S+|Apt \S+),? [\p{L}]/iu.test(text)],
];

const MAX_SHAPES = 50;
const MAX_CODES = 40;
const LONGEST_CODE = 24;
const SAMPLE_SIZE = 300;
const SAMPLE_SEED = 0x0a409382;
const LONGEST_KEY = 64;

export function createColumnCounter(name: string, hashes: ValueHashes): ColumnCounter {
  const shapes = new Map<string, number>();
  const kinds = new Map<ValueKind, number>();
  const dates = createDateCounter();
  const sample = new Map<number, string>();
  let codes: Map<string, number> | undefined = new Map();
  let [filled, analysed, shortest, longest] = [0, 0, Number.POSITIVE_INFINITY, 0];

  function look(value: string): void {
    analysed += 1;
    shortest = Math.min(shortest, value.length);
    longest = Math.max(longest, value.length);
    const shape = shapeOf(value);
    if (shapes.size < MAX_SHAPES || shapes.has(shape)) shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    for (const [kind, isOfKind] of VALUE_KINDS) if (isOfKind(value)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    dates.add(value);
    sample.set(textHash(value, SAMPLE_SEED) % SAMPLE_SIZE, value);
  }

  function countCode(value: string): void {
    if (codes === undefined) return;
    if (value.length > LONGEST_CODE || (codes.size >= MAX_CODES && !codes.has(value))) codes = undefined;
    else codes.set(value, (codes.get(value) ?? 0) + 1);
  }

  return {
    add(cell, isSampled) {
      const value = cell.trim();
      if (value === "") return;
      filled += 1;
      countCode(value);
      if (cell.length <= LONGEST_KEY) hashes.add(cell);
      if (isSampled) look(value);
    },
    close: hashes.close,
    profile: (rows) => ({
      name,
      filled,
      empty: rows - filled,
      analysed,
      shapes: [...shapes].map(([shape, count]) => ({ shape, count })).toSorted((a, b) => b.count - a.count),
      shortest: filled === 0 ? 0 : shortest,
      longest,
      kinds,
      dates: dates.forms(),
      codes,
      sample: [...sample.values()],
      distinct: hashes.count() === filled && filled > 0 ? distinctCount(hashes) : undefined,
      hashes,
    }),
  };
}

export function shareOf({ kinds, analysed }: ColumnProfile, kind: ValueKind): number {
  return analysed === 0 ? 0 : (kinds.get(kind) ?? 0) / analysed;
}

/** Returns the date format of the column if nearly all values are dates in one format. */
export function dateForm({ dates, analysed }: ColumnProfile): DateForm | undefined {
  const [best] = dates;
  return best !== undefined && best.fits >= analysed * 0.9 ? best : undefined;
}

export function isUnique({ distinct, filled, empty }: ColumnProfile): boolean {
  return distinct === filled && empty === 0;
}

/** Whether the values are small integers, such as row numbers. */
export function isRowNumber(column: ColumnProfile): boolean {
  return shareOf(column, "integer") > 0.9 && column.longest <= String(column.filled).length + 1;
}

interface DateForm {
  readonly pattern: string;
  readonly hasTime: boolean;
  readonly hasOffset: boolean;
  readonly fits: number;
}

const DATES: readonly string[] = [
  ..."yyyy-MM-dd dd/MM/yyyy MM/dd/yyyy d/M/yyyy M/d/yyyy dd-MM-yyyy MM-dd-yyyy d-M-yyyy dd.MM.yyyy d.M.yyyy".split(" "),
  ..."yyyy/MM/dd yyyyMMdd ddMMyyyy dd/MM/yy MM/dd/yy d/M/yy dd-MM-yy dd.MM.yy d.M.yy".split(" "),
  ..."dd-MMM-yyyy d-MMM-yyyy dd-MMM-yy d-MMM-yy".split(" "),
  "d MMM yyyy",
  "d MMMM yyyy",
  "dd MMM yy",
  "d MMM yy",
  "MMM d yyyy",
  "MMMM d, yyyy",
];

const TIMES = [" HH:mm", " HH:mm:ss", " HH:mm:ss.SSS", "'T'HH:mm", "'T'HH:mm:ss", "'T'HH:mm:ss.SSS"] as const;
const OFFSETS = ["", "XXX", " XXX"] as const;

/** Dates outside these years are rare in legacy systems, but eight-digit numbers that are not dates are common. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2099;

interface Candidate extends DateForm {
  readonly reads: DatePattern["read"];
  fits: number;
}

/** Number of values after which patterns without a match are dropped. */
const SETTLED_AFTER = 50;

function createDateCounter() {
  let candidates: readonly Candidate[] = [];
  let count = 0;
  return {
    add(value: string): void {
      count += 1;
      if (candidates.length === 0 && count < SETTLED_AFTER) candidates = candidatesFor(value);
      for (const candidate of candidates) if (isDateOf(candidate, value)) candidate.fits += 1;
      if (count === SETTLED_AFTER) candidates = candidates.filter(({ fits }) => fits > 0);
    },
    /**
     * Returns the patterns that fit, best first. Among patterns that fit equally well, narrower patterns come first,
     * and patterns that start with the day come before patterns that start with the month.
     */
    forms: (): readonly DateForm[] =>
      candidates
        .filter(({ fits }) => fits > 0)
        .map(({ pattern, hasTime, hasOffset, fits }) => ({ pattern, hasTime, hasOffset, fits }))
        .toSorted((one, other) => other.fits - one.fits),
  };
}

function isDateOf({ reads }: Candidate, value: string): boolean {
  const year = reads(value)?.year ?? 0;
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}

/** Returns the patterns to try for a column, or none if `value` does not look like a date. */
function candidatesFor(value: string): readonly Candidate[] {
  if (value.length < 6 || value.length > 32 || !/^[\dA-Za-z]{1,9}[-/., \dA-Za-z]/.test(value) || !/\d/.test(value)) {
    return [];
  }
  const withTime = value.includes(":");
  const times = withTime ? TIMES.flatMap((time) => OFFSETS.map((offset) => `${time}${offset}`)) : [""];
  return DATES.flatMap((date) => times.flatMap((time) => candidateOf(`${date}${time}`, withTime)));
}

function candidateOf(pattern: string, hasTime: boolean): readonly Candidate[] {
  const compiled = compileDatePattern(pattern);
  return typeof compiled === "string"
    ? []
    : [{ pattern, hasTime, hasOffset: compiled.hasOffset, reads: compiled.read, fits: 0 }];
}
