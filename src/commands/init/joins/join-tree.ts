import type { ColumnProfile } from "../profile/column-profile.ts";
import type { SourceProfile } from "../source-profile.ts";
import type { Join } from "./find-joins.ts";

/** A source, and the sources whose rows belong to its rows. */
export interface SourceNode {
  readonly source: SourceProfile;
  /**
   * The column that its children refer to, or that the rows above refer to if they share its rows; absent otherwise.
   */
  readonly key: ColumnProfile | undefined;
  /** How it belongs to the source above; absent for the root. */
  readonly parent: Parent | undefined;
  readonly children: readonly SourceNode[];
}

export interface SourceTree {
  readonly root: SourceNode;
  /** Sources that no join reaches. */
  readonly left: readonly SourceProfile[];
}

/**
 * Chooses the source that holds the records, and how the other sources belong to it. Prefers a tree with more sources,
 * and a root that is more like a record.
 * @param recordLikeness returns 0 to 1
 */
export function chooseTree(
  sources: readonly SourceProfile[],
  joins: readonly Join[],
  recordLikeness: (source: SourceProfile) => number,
): SourceTree {
  const trees = sources.map((root) => {
    const parents = parentsUnder(root, sources, joins);
    const rows = (source: SourceProfile): number => (parents.has(source) || source === root ? 1 : 0);
    const reached = sources.reduce((sum, source) => sum + rows(source), 0);
    return { root, parents, worth: reached + 1.5 * recordLikeness(root) };
  });
  const [best] = trees.toSorted((one, other) => other.worth - one.worth);
  if (best === undefined) throw new Error("a tree needs a source");
  const root = nodeOf(best.root, best.parents);
  return { root, left: sources.filter((source) => source !== best.root && !best.parents.has(source)) };
}

/** How a source belongs to the source above. */
export interface Parent {
  readonly join: Join;
  /**
   * True: the rows above refer to this source by its key, so several of them may share a row. False: the rows of this
   * source refer to the rows above.
   */
  readonly shared: boolean;
}

type Parents = ReadonlyMap<SourceProfile, Parent>;

/**
 * Maximum difference between equal scores. Of equal joins, the one to the larger source is more specific (the meter
 * rather than its account).
 */
const EQUAL = 0.05;

function parentsUnder(root: SourceProfile, sources: readonly SourceProfile[], joins: readonly Join[]): Parents {
  const parents = new Map<SourceProfile, Parent>();
  const reached = (source: SourceProfile): boolean => source === root || parents.has(source);
  const wanted = sources.filter((source) => source !== root).map((source) => [source, waysTo(source, joins)] as const);
  for (let left = wanted.length; left > 0; left -= 1) {
    const next = wanted
      .filter(([source]) => !reached(source))
      .flatMap(([source, ways]) => {
        const rank = ways.findIndex((way) => reached(sourceAbove(way)));
        const way = ways[rank];
        return way === undefined ? [] : [{ source, way, rank }];
      })
      .toSorted((one, other) => one.rank - other.rank || other.way.join.score - one.way.join.score)[0];
    if (next === undefined) break;
    parents.set(next.source, next.way);
  }
  return parents;
}

function sourceAbove({ join, shared }: Parent): SourceProfile {
  return shared ? join.from : join.to;
}

/** Returns how the rows of a source may belong to rows of other sources, best first. Shared rows come last. */
function waysTo(source: SourceProfile, joins: readonly Join[]): readonly Parent[] {
  const own = joinsOf(source, joins).map((join) => ({ join, shared: false }));
  const shared = joins.filter(({ to }) => to === source).map((join) => ({ join, shared: true }));
  return [...own, ...shared];
}

/** Returns the best joins from a source, best first. */
function joinsOf(source: SourceProfile, joins: readonly Join[]): readonly Join[] {
  const own = joins.filter(({ from }) => from === source);
  const best = Math.max(0, ...own.map(({ score }) => score));
  return own
    .filter(({ score }) => score >= best - 3 * EQUAL)
    .toSorted((one, other) => {
      const close = Math.abs(one.score - other.score) <= EQUAL;
      return close && one.to !== other.to ? other.to.rows - one.to.rows : other.score - one.score;
    });
}

function nodeOf(source: SourceProfile, parents: Parents, parent?: Parent): SourceNode {
  const own = [...parents].filter(([, way]) => sourceAbove(way) === source);
  const keys = own.flatMap(([, { join, shared }]) => (shared ? [] : [join.key]));
  return {
    source,
    parent,
    key: mostFrequent(keys) ?? (parent?.shared === true ? parent.join.key : undefined),
    children: own.map(([child, way]) => nodeOf(child, parents, way)),
  };
}

/** All children of a source must refer to the same key. */
function mostFrequent(keys: readonly ColumnProfile[]): ColumnProfile | undefined {
  const count = (key: ColumnProfile): number => keys.filter((other) => other === key).length;
  return keys.toSorted((one, other) => count(other) - count(one))[0];
}

/** Returns the column that links a row to the row above. It has no other use. */
export function joinColumn({ parent }: SourceNode): ColumnProfile | undefined {
  return parent === undefined ? undefined : parent.shared ? parent.join.key : parent.join.column;
}
