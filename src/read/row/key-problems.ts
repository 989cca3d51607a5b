import type { LocalProblem } from "../../model/problem.ts";
import { INVISIBLE } from "../../text/invisible.ts";
import { unicodeName } from "../csv/csv-rows.ts";
import { type ReadRow, sourceProblem } from "./read-row.ts";
import { keyOf, keyPlace } from "./row-key.ts";

/**
 * Adds a problem to a row for each key that is missing or contains invisible characters. Does not change a row that
 * could not be read as a record, because it already has a problem.
 */
export function withKeyProblems(read: ReadRow, keys: readonly string[]): ReadRow {
  if (keys.length === 0 || read.problems.some(({ code }) => NO_RECORD.has(code))) return read;
  const found = keys.flatMap((name) => keyProblems(read, name));
  return found.length === 0 ? read : { ...read, problems: [...read.problems, ...found] };
}

const NO_RECORD: ReadonlySet<string> = new Set<LocalProblem["code"]>([
  "source_invalid_json",
  "source_not_an_object",
  "source_record_too_large",
]);

/**
 * Whitespace other than U+0020, and characters without a visible shape (zero width, direction, soft hyphen, fillers).
 * Keys with such characters are errors, because they look equal to keys that the platform treats as different.
 */
const UNSEEN = new RegExp(`(?! )[${INVISIBLE}]`, "u");

function keyProblems({ row }: ReadRow, name: string): readonly LocalProblem[] {
  const key = keyOf(row, name);
  if (key === undefined) return [sourceProblem(keyPlace(row, name), { code: "source_missing_key", column: name })];
  const invisible = UNSEEN.exec(key)?.[0].codePointAt(0);
  if (invisible === undefined) return [];
  return [sourceProblem(keyPlace(row, name), { code: "source_control_character", character: unicodeName(invisible) })];
}
