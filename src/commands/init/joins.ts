import { type ColumnProfile, dateForm, isRowNumber, shareOf } from "./profile/column-profile.ts";
import { shareFound } from "./profile/value-hashes.ts";
import { nameWords } from "./guess/field-names.ts";
import type { SourceProfile } from "./profile/profile-sources.ts";

interface JoinEnds {
  readonly from: SourceProfile;
  readonly column: ColumnProfile;
  readonly to: SourceProfile;
  readonly key: ColumnProfile;
}

/**
 * A possible join: rows of one source refer to rows of another source by a column whose values are nearly unique in the
 * other source.
 */
export interface Join extends JoinEnds {
  /** Share of the non-empty cells of `column` whose values occur in `key`. */
  readonly hits: number;
  readonly kind: "many-to-one" | "one-to-one";
  /** How likely it is that `column` refers to `key`, from 0 to 1. */
  readonly score: number;
}

/** The score of a join is lower if one of its sources has fewer rows, because the matches may be accidental. */
const MIN_KEY_COUNT = 3;
const MIN_HITS = 0.5;
const MIN_SCORE = 0.5;

/**
 * Returns the columns that can identify rows. Only 98% of the rows must have a value, and only 98% of the values must
 * differ, because a few empty or duplicate cells may be data errors.
 */
export function keyColumns({ columns, rows }: SourceProfile): readonly ColumnProfile[] {
  return columns.filter(
    (column) => isKeyLike(column) && column.filled >= rows * 0.98 && (column.distinct ?? 0) >= column.filled * 0.98,
  );
}

/** Whether the values of a column can be keys or refer to keys. For example, dates, amounts and long strings cannot. */
function isKeyLike(column: ColumnProfile): boolean {
  if (column.filled === 0 || column.distinct === undefined || column.longest > 64) return false;
  if (shareOf(column, "email") > 0.5 || shareOf(column, "street") > 0.5) return false;
  const isAmount = shareOf(column, "number") > 0.9 && shareOf(column, "integer") < 0.9;
  const spaced = column.sample.filter((value) => value.includes(" ")).length;
  const pattern = dateForm(column)?.pattern ?? "ddMMyyyy";
  return !isAmount && spaced < column.sample.length * 0.5 && pattern === "ddMMyyyy";
}

/** Returns all joins that the data supports, most likely first. */
export function findJoins(sources: readonly SourceProfile[]): readonly Join[] {
  const joins = sources.flatMap((to) => {
    const others = sources.filter((from) => from !== to);
    const ends = others.flatMap((from) => from.columns.map((column) => ({ from, column })));
    return keyColumns(to).flatMap((key) => ends.flatMap((end) => joinOf({ ...end, to, key })));
  });
  return joins.filter(({ score }) => score >= MIN_SCORE).toSorted((one, other) => other.score - one.score);
}

function joinOf(ends: JoinEnds): readonly Join[] {
  const { from, column, to, key } = ends;
  // If the value lengths of two columns do not overlap, the columns have no value in common.
  if (column.shortest > key.longest || key.shortest > column.longest || !isKeyLike(column)) return [];
  const likeness = namesAgree(ends);
  if (likeness === 0) return [];
  const hits = shareFound(column.hashes, key.hashes);
  if (hits < MIN_HITS) return [];
  const kind = column.distinct === column.filled ? "one-to-one" : "many-to-one";
  const few = Math.min(to.rows, from.rows) < MIN_KEY_COUNT ? 0.9 : 1;
  return [{ ...ends, hits, kind, score: hits * likeness * few }];
}

/**
 * Words for row numbers (1, 2, 3...). Row numbers occur in every file, so they count as a reference to another file
 * only if the column's name suggests a reference.
 */
const ROW_NUMBERS: ReadonlySet<string> = new Set(["id", "number", "sequence", "row", "line", "key", "record"]);

/**
 * Returns how strongly the names suggest that one column refers to the other, such as `CUST_ID` to `customers.ID`, or
 * `ACC` to `ACCOUNT_NO`.
 */
function namesAgree({ column, to, key }: JoinEnds): number {
  const own = distinctiveWords(column.name);
  const other = distinctiveWords(key.name);
  const isPlain = isRowNumber(column) && isRowNumber(key);
  const same = column.name.toLowerCase() === key.name.toLowerCase();
  if (own.length === 0 && isPlain) return 0;
  if (own.length === 0) return same ? 0.6 : 0.55;
  if (same) return own.every((word) => nameWords(to.name).includes(word)) ? 1 : 0.9;
  const wanted = other.length === 0 ? nameWords(to.name) : other;
  const shared = own.filter((word) => wanted.includes(word)).length;
  if (shared === 0) return isPlain ? 0 : 0.6;
  return 0.75 + 0.25 * (shared / Math.max(own.length, other.length, 1));
}

function distinctiveWords(name: string): readonly string[] {
  return nameWords(name).filter((word) => !ROW_NUMBERS.has(word));
}

/** A source, and the sources whose rows belong to its rows. */
export interface SourceNode {
  readonly source: SourceProfile;
  /**
   * The column by which other sources refer to this source. References from children take precedence over references
   * from the parent. Without any references, this is the named key for the root, and undefined for any other source.
   */
  readonly key: ColumnProfile | undefined;
  /** How the source relates to its parent; absent for the root. */
  readonly parent: Parent | undefined;
  readonly children: readonly SourceNode[];
}

export interface SourceTree {
  readonly root: SourceNode;
  /** Sources that no join reaches. */
  readonly left: readonly SourceProfile[];
}

interface TreeOptions {
  readonly sources: readonly SourceProfile[];
  readonly joins: readonly Join[];
  /** Name of the column that identifies a record, if it is known. */
  readonly key: string | undefined;
  /** Returns how likely it is that the rows of a source are records, from 0 to 1. */
  readonly recordLikeness: (source: SourceProfile) => number;
}

/**
 * Chooses the source that contains the records, and how the other sources relate to it. Prefers a tree with more
 * sources, a root whose key the other sources refer to, and a root whose rows are more likely to be records.
 */
export function chooseTree(roots: readonly SourceProfile[], options: TreeOptions): SourceTree {
  const { sources, key, recordLikeness } = options;
  const trees = roots.map((root) => {
    const parents = parentsUnder(root, sources, joinsByKey(root, options));
    const belonging = sources.filter((source) => belongsTo(root, source, parents)).length;
    const referred = belonging / Math.max(1, sources.length - 1);
    return { root, parents, worth: parents.size + REFERRED_WEIGHT * referred + 1.5 * recordLikeness(root) };
  });
  const [best] = trees.toSorted((one, other) => other.worth - one.worth);
  if (best === undefined) throw new Error("a tree needs a source");
  const node = nodeOf(best.root, best.parents);
  const root = { ...node, key: node.key ?? (key === undefined ? undefined : columnNamed(best.root, key)) };
  return { root, left: sources.filter((source) => source !== best.root && !best.parents.has(source)) };
}

/** Weight of the share of sources whose rows refer to rows of the root, directly or through other sources. */
const REFERRED_WEIGHT = 0.5;

function belongsTo(root: SourceProfile, source: SourceProfile, parents: Parents): boolean {
  const parent = parents.get(source);
  if (parent === undefined || parent.shared) return false;
  return parent.join.to === root || belongsTo(root, parent.join.to, parents);
}

/** Removes the joins to the root by other keys if any source refers to the root by the named key. */
function joinsByKey(root: SourceProfile, { joins, key }: TreeOptions): readonly Join[] {
  const isByKey = (join: Join): boolean => join.to === root && join.key.name === key;
  return joins.some(isByKey) ? joins.filter((join) => join.to !== root || isByKey(join)) : joins;
}

export function columnNamed({ columns }: SourceProfile, name: string): ColumnProfile | undefined {
  return columns.find((column) => column.name === name);
}

export interface Parent {
  readonly join: Join;
  /**
   * - true: the parent rows refer to this source by its key, so several of them may share a row
   * - false: the rows of this source refer to the parent rows
   */
  readonly shared: boolean;
}

type Parents = ReadonlyMap<SourceProfile, Parent>;

/**
 * Maximum difference between scores that count as equal. Of two joins with equal scores, the join to the larger source
 * is more specific (the meter rather than its account).
 */
const EQUAL = 0.05;

function parentsUnder(root: SourceProfile, sources: readonly SourceProfile[], joins: readonly Join[]): Parents {
  const parents = new Map<SourceProfile, Parent>();
  const reached = (source: SourceProfile): boolean => source === root || parents.has(source);
  const wanted = sources.map((source) => [source, parentCandidates(source, joins)] as const);
  for (;;) {
    const [next] = wanted
      .filter(([source]) => !reached(source))
      .flatMap(([source, candidates]) => {
        const rank = candidates.findIndex((parent) => reached(sourceAbove(parent)));
        const parent = candidates[rank];
        return parent === undefined ? [] : [{ source, parent, rank }];
      })
      .toSorted((one, other) => one.rank - other.rank || other.parent.join.score - one.parent.join.score);
    if (next === undefined) return parents;
    parents.set(next.source, next.parent);
  }
}

function sourceAbove({ join, shared }: Parent): SourceProfile {
  return shared ? join.from : join.to;
}

/** Returns the possible parents of a source, best first. Parents that may share its rows come last. */
function parentCandidates(source: SourceProfile, joins: readonly Join[]): readonly Parent[] {
  const own = joins.filter(({ from }) => from === source);
  const best = Math.max(0, ...own.map(({ score }) => score));
  const ranked = own
    .filter(({ score }) => score >= best - 3 * EQUAL)
    .toSorted((one, other) => {
      const close = Math.abs(one.score - other.score) <= EQUAL;
      return close && one.to !== other.to ? other.to.rows - one.to.rows : other.score - one.score;
    });
  const shared = joins.filter(({ to }) => to === source).map((join) => ({ join, shared: true }));
  return [...ranked.map((join) => ({ join, shared: false })), ...shared];
}

function nodeOf(source: SourceProfile, parents: Parents, parent?: Parent): SourceNode {
  const own = [...parents].filter(([, link]) => sourceAbove(link) === source);
  const keys = own.flatMap(([, { join, shared }]) => (shared ? [] : [join.key]));
  return {
    source,
    parent,
    key: mostFrequent(keys) ?? (parent?.shared === true ? parent.join.key : undefined),
    children: own.map(([child, link]) => nodeOf(child, parents, link)),
  };
}

/** Returns the most frequent key. All children of a source must refer to the same key. */
function mostFrequent(keys: readonly ColumnProfile[]): ColumnProfile | undefined {
  const count = (key: ColumnProfile): number => keys.filter((other) => other === key).length;
  return keys.toSorted((one, other) => count(other) - count(one))[0];
}

/** Returns the column that links a row to its parent row. The column fills no field. */
export function joinColumn({ parent }: SourceNode): ColumnProfile | undefined {
  return parent === undefined ? undefined : parent.shared ? parent.join.key : parent.join.column;
}
