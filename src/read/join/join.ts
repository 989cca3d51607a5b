import { createNumberSet, type NumberSet } from "../../text/number-set.ts";
import { Failure } from "../../model/failure.ts";
import type { LocalProblem } from "../../model/problem.ts";
import type { Candidates, InputPosition, InputRecord, JoinedRecord } from "../../model/record.ts";
import { arrangeRows } from "./arrange-rows.ts";
import type { ChildFinder, StoredRow } from "./child-store.ts";
import { type ChildRows, joinedRow, NO_ROWS } from "./joined-row.ts";
import { type Ancestors, nearestParents, noMatch, orphanProblems } from "./orphans.ts";
import { type JoinPlan, planJoin, type PlannedChild, type SearchedSource } from "./join-plan.ts";
import { type OpenedChild, type OpenedSource, rowsOf, withDescendants } from "../input/opened-source.ts";
import type { ReadLimits } from "../read-limits.ts";
import { BATCH_ROWS, type ReadRow, sourceProblem } from "../row/read-row.ts";
import { keyOf, keyPlace } from "../row/row-key.ts";

export interface Join {
  /**
   * Yields the rows of the root source with the rows joined to them, then the orphans of each child source, depth
   * first.
   * @param from where to start; only for a root source without children
   */
  readonly rows: (from?: InputPosition) => AsyncGenerator<readonly JoinedRecord[]>;
  /** Removes the index on disk. */
  readonly close: () => Promise<void>;
}

/** Joins the sources below `root` to `root`. Builds the stores when rows are first requested, and keeps them. */
export function openJoin(root: OpenedSource, limits: ReadLimits, tempFolder: string): Join {
  let planned: Promise<JoinPlan> | undefined;
  return {
    close: async () => (await planned?.catch(() => undefined))?.close(),
    async *rows(from) {
      planned ??= planJoin(root, limits, tempFolder);
      const { children } = await planned;
      if (children.length === 0) yield* asRecords(rowsOf(root, from), root);
      else yield* joinedRows(root, children, limits);
    },
  };
}

async function* asRecords(
  batches: AsyncIterable<readonly ReadRow[]>,
  { name }: OpenedSource,
): AsyncGenerator<readonly JoinedRecord[]> {
  for await (const rows of batches) yield rows.map((read) => ({ source: name, orphan: false, ...read }));
}

async function* joinedRows(
  root: OpenedSource,
  children: readonly PlannedChild[],
  limits: ReadLimits,
): AsyncGenerator<readonly JoinedRecord[]> {
  // Parents precede their children, so that the child rows of an orphan are joined to the orphan and are not orphans
  // themselves.
  const sources = children.flatMap(withDescendants<PlannedChild>);
  const state: JoinState = {
    limits,
    matched: new Map(sources.map((each) => [each, createNumberSet()])),
    counts: new Map(sources.map(({ child, store }) => [child.name, store.count])),
  };
  let count = 0;
  for await (const rows of attached(rowsOf(root), children, state)) {
    count += rows.length;
    yield rows.map((read) => ({ source: root.name, orphan: false, ...read }));
  }
  state.counts.set(root.name, count);
  for (const planned of sources) yield* orphansOf(planned, state);
}

export interface JoinState {
  readonly limits: ReadLimits;
  /** The ids of the rows that have a parent. */
  readonly matched: ReadonlyMap<SearchedSource, NumberSet>;
  /** Number of rows by source. The number for the root source is set after the root source has been read. */
  readonly counts: Map<string, number>;
}

/** An open finder for a child source, and the finders for its descendants. */
interface JoinLevel {
  readonly planned: PlannedChild;
  readonly finder: ChildFinder;
  readonly below: readonly JoinLevel[];
}

function openLevels(children: readonly PlannedChild[]): readonly JoinLevel[] {
  return children.map((planned) => ({ planned, finder: planned.store.finder(), below: openLevels(planned.children) }));
}

async function closeLevels(levels: readonly JoinLevel[]): Promise<void> {
  for (const { finder, below } of levels) {
    await finder.close();
    await closeLevels(below);
  }
}

/** Joins child rows to the rows of a source. */
export async function* attached(
  batches: AsyncIterable<readonly ReadRow[]> | Iterable<readonly ReadRow[]>,
  children: readonly PlannedChild[],
  state: JoinState,
): AsyncGenerator<readonly ReadRow[]> {
  const levels = openLevels(children);
  try {
    for await (const rows of batches) yield await attach(rows, levels, state);
  } finally {
    await closeLevels(levels);
  }
}

async function attach(
  rows: readonly ReadRow[],
  levels: readonly JoinLevel[],
  state: JoinState,
): Promise<readonly ReadRow[]> {
  if (levels.length === 0) return rows;
  const groups: (readonly [source: string, lists: readonly ChildRows[]])[] = [];
  for (const level of levels) groups.push([level.planned.child.name, await childrenOf(rows, level, state)]);
  return rows.map((read, index) => {
    const own = groups.map(([source, lists]) => [source, lists[index] ?? NO_ROWS] as const);
    return joinedRow(read, own);
  });
}

/** Returns, for each parent row in order, its child rows with the rows joined to them. */
async function childrenOf(
  parents: readonly ReadRow[],
  { planned, finder, below }: JoinLevel,
  state: JoinState,
): Promise<readonly ChildRows[]> {
  const { child } = planned;
  const { rowsPerParent } = state.limits;
  const keys = parents.map(({ row }) => keyOf(row, child.parentKey));
  const matched = state.matched.get(planned);
  const groups = (await finder.find(keys)).map((group, index) => {
    const parent = parents[index];
    if (parent !== undefined && group.length > rowsPerParent) throw tooManyRows(parent, child, rowsPerParent);
    for (const { id } of group) matched?.add(id);
    return arrangeRows(group, child);
  });
  const flat = await attach(
    groups.flatMap(({ rows }) => rows.map((stored) => readRowOf(stored, planned))),
    below,
    state,
  );
  let start = 0;
  return groups.map(({ rows: selected, problems, omitted = [] }, index) => {
    const rows = flat.slice(start, (start += selected.length));
    return {
      rows,
      problems: rows.length > 0 ? problems : missingRow(keys[index], parents[index], planned),
      ...(omitted.length > 0 && { candidates: candidatesOf({ selected, rows, omitted }, child) }),
    };
  });
}

interface PickedRows {
  readonly selected: readonly StoredRow[];
  /** The selected rows with the rows joined to them. */
  readonly rows: readonly ReadRow[];
  readonly omitted: readonly StoredRow[];
}

function candidatesOf({ selected, rows, omitted }: PickedRows, { orderBy, pick }: OpenedChild): Candidates {
  const joined = new Map(selected.map(({ id }, index) => [id, rows[index]]));
  const all = [...selected, ...omitted].toSorted((one, other) => one.id - other.id);
  return {
    rows: all.map(({ id, read }) => (joined.get(id) ?? read).row),
    columns: [orderBy?.column, pick?.by?.column, pick?.per].filter((column) => column !== undefined),
  };
}

function readRowOf({ id, read }: StoredRow, { child, duplicates }: SearchedSource): ReadRow {
  const other = duplicates?.placeOtherThan(id);
  if (other === undefined || child.key === undefined) return read;
  const finding = { code: "source_duplicate_key", source: child.name, other } as const;
  return { row: read.row, problems: [...read.problems, sourceProblem(keyPlace(read.row, child.key), finding)] };
}

/** Returns the problem for a row that must refer to one row of a source but refers to none. */
function missingRow(
  key: string | undefined,
  parent: ReadRow | undefined,
  { child, parent: { key: parentsOwn } }: PlannedChild,
): readonly LocalProblem[] {
  const refersToOne = child.key === child.on && child.parentKey !== parentsOwn;
  if (key === undefined || parent === undefined || !refersToOne) return [];
  return [sourceProblem(keyPlace(parent.row, child.parentKey), { code: "source_missing_row", child: child.name })];
}

export function tooManyRows(parent: ReadRow, child: OpenedChild, max: number): Failure {
  const place = keyPlace(parent.row, child.parentKey);
  return new Failure(
    "source_too_large",
    `${place.file}:${place.line}: this row has more than ${max} rows of source "${child.name}"`,
    { hint: `check that "${child.on}" is the column of "${child.name}" that contains the parent's key`, place },
  );
}

function ancestorsOf({ parent }: SearchedSource, state: JoinState): Ancestors {
  const above = [...state.matched.keys()].find(({ child }) => child === parent);
  return above === undefined ? [parent] : [parent, ...ancestorsOf(above, state)];
}

/**
 * Yields the orphans of a child source as records, with the rows joined to them. Call this after all parents have been
 * read.
 * @throws Failure `source_no_match` if none of several rows has a parent or a key similar to a parent's, although there
 * are parents
 */
export async function* orphansOf(joined: SearchedSource, state: JoinState): AsyncGenerator<readonly JoinedRecord[]> {
  const { child, parent, store, children } = joined;
  const matched = state.matched.get(joined);
  if (matched === undefined || matched.size() === store.count) return;
  const unmatched = async function* (): AsyncGenerator<readonly ReadRow[]> {
    for await (const rows of store.all()) {
      const left = rows.filter(({ id }) => !matched.has(id));
      if (left.length > 0) yield left.map((stored) => readRowOf(stored, joined));
    }
  };
  const near = await nearestParents(unmatched(), child, ancestorsOf(joined, state));
  const isLost = matched.size() === 0 && near.size === 0 && store.count > 1 && state.counts.get(parent.name) !== 0;
  if (isLost) throw await noMatch(child, parent, store.count);
  for await (const rows of attached(unmatched(), children, state)) {
    yield rows.map(({ row, problems }) => ({
      source: child.name,
      orphan: true,
      row,
      problems: [...problems, ...orphanProblems(row, child, { parent: parent.name, near })],
    }));
  }
}

/** Numbers records consecutively, starting after `before`, and limits the size of batches. */
export async function* numberRecords(
  rows: AsyncIterable<readonly JoinedRecord[]>,
  before: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly InputRecord[]> {
  let number = before;
  for await (const batch of rows) {
    for (let start = 0; start < batch.length; start += BATCH_ROWS) {
      signal?.throwIfAborted();
      yield batch.slice(start, start + BATCH_ROWS).map((found) => {
        number += 1;
        return { number, ...found };
      });
    }
  }
}
