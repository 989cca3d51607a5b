import { type ColumnProfile, dateForm, isRowNumber, shareOf } from "../profile/column-profile.ts";
import { shareFound } from "../profile/value-hashes.ts";
import { nameWords } from "../guess/field-names.ts";
import type { SourceProfile } from "../source-profile.ts";

/** Rows of one source that refer to rows of another by a column that is unique there. */
export interface Join {
  readonly from: SourceProfile;
  readonly column: ColumnProfile;
  readonly to: SourceProfile;
  readonly key: ColumnProfile;
  /** Share of the rows of `from` with a value in the column whose value occurs in `to`. */
  readonly hits: number;
  readonly kind: "many-to-one" | "one-to-one";
  /** 0 to 1: how likely the two columns refer to each other. */
  readonly score: number;
}

/** Sources with fewer rows have too few keys for a match to mean much. */
const SHORTEST_KEY_COUNT = 3;
const LEAST_HITS = 0.5;
const LEAST_SCORE = 0.5;

/**
 * Returns columns that identify rows: every value differs, or nearly every one, because a few duplicates may be data
 * errors.
 */
export function keyColumns({ columns, rows }: SourceProfile): readonly ColumnProfile[] {
  return columns.filter(
    (column) => isKeyLike(column) && column.filled >= rows * 0.98 && (column.distinct ?? 0) >= column.filled * 0.98,
  );
}

/** Whether a column may be a key or refer to one, judged by its values: no dates, no amounts, no longer text. */
function isKeyLike(column: ColumnProfile): boolean {
  if (column.filled === 0 || column.distinct === undefined || column.longest > 64) return false;
  if (shareOf(column, "email") > 0.5 || shareOf(column, "street") > 0.5) return false;
  const isAmount = shareOf(column, "number") > 0.9 && shareOf(column, "integer") < 0.9;
  const spaced = column.sample.filter((value) => value.includes(" ")).length;
  return !isAmount && spaced < column.sample.length * 0.5 && !isDate(column);
}

function isDate(column: ColumnProfile): boolean {
  const form = dateForm(column);
  return form !== undefined && form.pattern !== "ddMMyyyy";
}

/** Returns all joins that the data supports, most likely first. */
export function findJoins(sources: readonly SourceProfile[]): readonly Join[] {
  const joins = sources.flatMap((to) =>
    keyColumns(to).flatMap((key) =>
      sources
        .filter((from) => from !== to)
        .flatMap((from) => from.columns.flatMap((column) => joinOf({ from, column, to, key }))),
    ),
  );
  return joins.filter(({ score }) => score >= LEAST_SCORE).toSorted((one, other) => other.score - one.score);
}

function joinOf(ends: Pick<Join, "from" | "column" | "to" | "key">): readonly Join[] {
  const { from, column, to, key } = ends;
  if (!isKeyLike(column) || !sameLook(column, key)) return [];
  const likeness = namesAgree(ends);
  if (likeness === 0) return [];
  const hits = shareFound(column.hashes, key.hashes);
  if (hits < LEAST_HITS) return [];
  const kind = column.distinct === column.filled ? "one-to-one" : "many-to-one";
  const few = Math.min(to.rows, from.rows) < SHORTEST_KEY_COUNT ? 0.9 : 1;
  return [{ ...ends, hits, kind, score: hits * likeness * few }];
}

/** If the lengths of two columns do not overlap, neither do their values. */
function sameLook(one: ColumnProfile, other: ColumnProfile): boolean {
  return one.shortest <= other.longest && other.shortest <= one.longest;
}

/** Row numbers (1, 2, 3...) occur in every file. Unless the column's name says so, they refer to no other file. */
const ROW_NUMBERS: ReadonlySet<string> = new Set(["id", "number", "sequence", "row", "line", "key", "record"]);

/**
 * How strongly the names suggest that one column holds the other's values: `CUST_ID` and `customers.ID`, `ACC` and
 * `ACCOUNT_NO`.
 */
function namesAgree({ column, to, key }: Pick<Join, "column" | "to" | "key">): number {
  const own = tellingWords(column.name);
  const other = tellingWords(key.name);
  const isPlain = isRowNumber(column) && isRowNumber(key);
  const same = column.name.toLowerCase() === key.name.toLowerCase();
  if (own.length === 0) return same && !isPlain ? 0.6 : 0;
  if (same) return own.every((word) => nameWords(to.name).includes(word)) ? 1 : 0.9;
  const meant = other.length === 0 ? nameWords(to.name) : other;
  const shared = own.filter((word) => meant.includes(word)).length;
  if (shared === 0) return isPlain ? 0 : 0.6;
  return 0.75 + 0.25 * (shared / Math.max(own.length, other.length, 1));
}

function tellingWords(name: string): readonly string[] {
  return nameWords(name).filter((word) => !ROW_NUMBERS.has(word));
}
