import { compileDatePattern, type DatePattern } from "../../../map/leaf/date-pattern.ts";

/** A date format, and how many of a column's values fit it. */
export interface DateForm {
  readonly pattern: string;
  readonly hasTime: boolean;
  readonly hasOffset: boolean;
  readonly fits: number;
}

const DATES = [
  "yyyy-MM-dd",
  "dd/MM/yyyy",
  "MM/dd/yyyy",
  "d/M/yyyy",
  "M/d/yyyy",
  "dd-MM-yyyy",
  "MM-dd-yyyy",
  "d-M-yyyy",
  "dd.MM.yyyy",
  "d.M.yyyy",
  "yyyy/MM/dd",
  "yyyyMMdd",
  "ddMMyyyy",
  "dd/MM/yy",
  "MM/dd/yy",
  "d/M/yy",
  "dd-MM-yy",
  "dd.MM.yy",
  "d.M.yy",
  "dd-MMM-yyyy",
  "d-MMM-yyyy",
  "dd-MMM-yy",
  "d-MMM-yy",
  "d MMM yyyy",
  "d MMMM yyyy",
  "dd MMM yy",
  "d MMM yy",
  "MMM d yyyy",
  "MMMM d, yyyy",
] as const;

const TIMES = [" HH:mm", " HH:mm:ss", " HH:mm:ss.SSS", "'T'HH:mm", "'T'HH:mm:ss", "'T'HH:mm:ss.SSS"] as const;
const OFFSETS = ["", "XXX", " XXX"] as const;

/** Legacy systems contain no dates outside this range. A number of eight digits is often not a date. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2099;

interface Candidate extends Omit<DateForm, "fits"> {
  readonly reads: DatePattern["read"];
  fits: number;
}

/** Counts how many values of a column match each pattern. */
export interface DateCounter {
  readonly add: (value: string) => void;
  /**
   * Returns the patterns that fit, best first. Among patterns that fit equally well, narrower patterns come first, and
   * day before month.
   */
  readonly forms: () => readonly DateForm[];
}

/** After this number of values, patterns that match none of them are dropped. */
const SETTLED_AFTER = 50;

export function createDateCounter(): DateCounter {
  let candidates: readonly Candidate[] = [];
  let count = 0;
  return {
    add(value) {
      count += 1;
      if (candidates.length === 0 && count < SETTLED_AFTER) candidates = candidatesFor(value);
      for (const candidate of candidates) if (isDateOf(candidate, value)) candidate.fits += 1;
      if (count === SETTLED_AFTER) candidates = candidates.filter(({ fits }) => fits > 0);
    },
    forms: () =>
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
  if (typeof compiled === "string") return [];
  return [{ pattern, hasTime, hasOffset: compiled.hasOffset, reads: compiled.read, fits: 0 }];
}
