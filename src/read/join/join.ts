import { Failure } from "../../model/failure.ts";
import { addProblem } from "../../model/problem-limit.ts";
import type { InputRecord, Row } from "../../model/record.ts";
import type { ChildFinder, StoredRow } from "./child-store.ts";
import { type MatchedRows, nearestParents, newMatchedRows, orphanProblems } from "./orphans.ts";
import { type JoinPlan, planJoin, type PlannedChild } from "./join-plan.ts";
import { type OpenedSource, rowsOf, withDescendants } from "../opened-source.ts";
import type { ReadLimits } from "../read-limits.ts";
import type { ReadRow } from "../read-row.ts";
import { keyOf, keyPlace } from "../row-key.ts";

/** An input record that has not been numbered yet. */
type JoinedRecord = Omit<InputRecord, "number">;

export interface Join {
  /** The root's rows with the rows joined to them, then the orphans of each child source, depth first. */
  readonly rows: () => AsyncGenerator<readonly JoinedRecord[]>;
  /** Removes what was built on disk. */
  readonly close: () => Promise<void>;
}

/** Joins the sources below `root` to it. What that takes is built when rows are first asked for, and kept. */
export function openJoin(root: OpenedSource, limits: ReadLimits, tempFolder: string): Join {
  let planned: Promise<JoinPlan> | undefined;
  return {
    close: async () => (await planned?.catch(() => undefined))?.close(),
    async *rows() {
      planned ??= planJoin(root, limits, tempFolder);
      yield* joinedRows(root, (await planned).children, limits);
    },
  };
}

async function* joinedRows(
  root: OpenedSource,
  children: readonly PlannedChild[],
  limits: ReadLimits,
): AsyncGenerator<readonly JoinedRecord[]> {
  // Parents come before their children, so that the children of an orphan belong to it.
  const sources = children.flatMap(withDescendants<PlannedChild>);
  const state: JoinState = {
    limits,
    matched: new Map(sources.map((each) => [each, newMatchedRows(each.store.count)])),
  };
  for await (const rows of attached(rowsOf(root), children, state)) {
    yield rows.map((read) => ({ source: root.name, orphan: false, ...read }));
  }
  for (const planned of sources) yield* orphansOf(planned, state);
}

/** What one walk over the input knows. */
interface JoinState {
  readonly limits: ReadLimits;
  readonly matched: ReadonlyMap<PlannedChild, MatchedRows>;
}

/** An open finder for a child source, and those for the sources below it. */
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

async function* attached(
  batches: AsyncIterable<readonly ReadRow[]>,
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
  const groups = new Map<string, readonly (readonly ReadRow[])[]>();
  for (const level of levels) groups.set(level.planned.child.name, await childrenOf(rows, level, state));
  return rows.map((read, index) => {
    const children = new Map<string, readonly Row[]>();
    const problems = [...read.problems];
    for (const [name, lists] of groups) {
      const list = lists[index] ?? [];
      children.set(
        name,
        list.map(({ row }) => row),
      );
      for (const each of list) for (const problem of each.problems) addProblem(problems, problem);
    }
    return {
      row: { ...read.row, children },
      problems,
    };
  });
}

/** For each parent row its child rows, in order, with what is joined to them. */
async function childrenOf(
  parents: readonly ReadRow[],
  { planned, finder, below }: JoinLevel,
  state: JoinState,
): Promise<readonly (readonly ReadRow[])[]> {
  const { child, parent } = planned;
  const keys = parents.map(({ row }) => keyOf(row, parent.key ?? ""));
  const groups = (await finder.find(keys)).map((group, index) => {
    refuseTooMany(group, parents[index], planned, state.limits);
    return ordered(group, child.orderBy);
  });
  const matched = state.matched.get(planned);
  for (const group of groups) for (const { id } of group) matched?.add(id);
  const flat = await attach(
    groups.flatMap((group) => group.map(({ read }) => read)),
    below,
    state,
  );
  let start = 0;
  return groups.map(({ length }) => flat.slice(start, (start += length)));
}

function refuseTooMany(
  group: readonly StoredRow[],
  parent: ReadRow | undefined,
  { child, parent: { key = "" } }: PlannedChild,
  { rowsPerParent }: ReadLimits,
): void {
  if (group.length <= rowsPerParent || parent === undefined) return;
  const place = keyPlace(parent.row, key);
  throw new Failure(
    "source_too_large",
    `${place.file}:${place.line}: more than ${rowsPerParent} rows of source "${child.name}" belong to this row`,
    { hint: `check that "${child.on}" is the column that names the parent of a row of "${child.name}"`, place },
  );
}

/** By number where all are numbers, else as text; equal ones, and all without `orderBy`, in the order of the file. */
function ordered(group: readonly StoredRow[], orderBy: string | undefined): readonly StoredRow[] {
  if (orderBy === undefined || group.length < 2) return group;
  const keyed = group.map((stored) => ({ stored, text: keyOf(stored.read.row, orderBy)?.trim() ?? "" }));
  const numeric = keyed.every(({ text }) => text !== "" && Number.isFinite(Number(text)));
  const compare = (a: string, b: string): number => (numeric ? Number(a) - Number(b) : a < b ? -1 : Number(a > b));
  return keyed.toSorted((a, b) => compare(a.text, b.text)).map(({ stored }) => stored);
}

async function* orphansOf(planned: PlannedChild, state: JoinState): AsyncGenerator<readonly JoinedRecord[]> {
  const { child, parent, store, children } = planned;
  const matched = state.matched.get(planned);
  if (matched === undefined || matched.size() === store.count) return;
  const unmatched = async function* (): AsyncGenerator<readonly ReadRow[]> {
    for await (const rows of store.all()) {
      const left = rows.filter(({ id }) => !matched.has(id));
      if (left.length > 0) yield left.map(({ read }) => read);
    }
  };
  const near = await nearestParents(unmatched(), child, parent);
  for await (const rows of attached(unmatched(), children, state)) {
    yield rows.map(({ row, problems }) => ({
      source: child.name,
      orphan: true,
      row,
      problems: [...problems, ...orphanProblems(row, child, { parent: parent.name, near })],
    }));
  }
}
