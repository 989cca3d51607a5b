import { listed, meantText } from "./suggestion.ts";

/**
 * Kinds of values that are implausible as column names. If the first line of a file contains one, the line is probably
 * not a header.
 */
const VALUES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["a date", /^\d{1,4}([-/.])\d{1,2}\1\d{1,4}$/],
  ["an email address", /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ["a long number", /^\+?\d[\d ()-]{4,}\d$/],
];

/** Returns a description of the first name that is probably a value; undefined if there is none. */
export function valueAmongNames(names: readonly string[]): string | undefined {
  for (const [index, name] of names.entries()) {
    const [kind] = VALUES.find(([, pattern]) => pattern.test(name.trim())) ?? [];
    if (kind !== undefined) return `column ${index + 1} is ${kind}`;
  }
  return undefined;
}

/**
 * Returns the hint for a missing column. Omits the column names if the header seems to be missing, because the names
 * could then be personal data.
 * @param meant the missing column, and the column that was probably meant
 */
export function columnsHint(names: readonly string[], meant?: readonly [wanted: string, near: string]): string {
  if (meant !== undefined) return `${meantText(...meant)} ${columnsHint(names)}`;
  const value = valueAmongNames(names);
  if (value === undefined) return `its columns are: ${listed(names)}`;
  return `the first line may be data instead of a header, because ${value}; if so, add a line with column names`;
}
