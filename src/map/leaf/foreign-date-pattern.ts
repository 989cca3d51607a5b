import type { AttrPath } from "../../json/attr.ts";
import type { Issues } from "../document/mapping-issues.ts";
import { compileDatePattern, type DatePattern } from "./date-pattern.ts";

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

/** Longest first. In a pattern without hours, `mm` does not mean minutes. */
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

function fromOtherLetters(pattern: string): string {
  const translated = OTHER_LETTERS.reduce(
    (text, [letters, replacement]) => text.replaceAll(letters, replacement),
    pattern,
  );
  const hasHours = /H/.test(translated);
  return hasHours || /M/.test(translated) ? translated : translated.replaceAll("m", "M");
}
