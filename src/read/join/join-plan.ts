import type { TemporaryDatabase } from "../../files/temporary-database.ts";
import type { ReadRow } from "../row/read-row.ts";
import { arrangeRows } from "./arrange-rows.ts";
import { type ChildStore, memoryStore, type StoredRows } from "./child-store.ts";
import { type DuplicateKeys, indexRegister, type KeyRegister, memoryRegister, registered } from "./duplicate-keys.ts";
import { indexStore, openRowIndex } from "./index-store.ts";
import { mergeStore, sortedBy, type SortedBy } from "./merge-store.ts";
import { unpackedBytes } from "../input/opened-file.ts";
import { keysIn, keysOfRows, type OpenedChild, type OpenedSource, rowsOf } from "../input/opened-source.ts";
import type { ReadLimits } from "../read-limits.ts";
import { getOrAdd } from "../../model/groups.ts";

/** A joined child source that is searched for orphans. */
export interface SearchedSource {
  readonly child: OpenedChild;
  readonly parent: OpenedSource;
  readonly store: StoredRows;
  /** Duplicates of the source's key; absent if the source declares no key. */
  readonly duplicates: DuplicateKeys | undefined;
  readonly children: readonly PlannedChild[];
}

/** A child source with the store of its rows. */
export interface PlannedChild extends SearchedSource {
  readonly store: ChildStore;
}

export interface JoinPlan {
  readonly children: readonly PlannedChild[];
  readonly close: () => Promise<void>;
}

/**
 * Chooses how each child source of `root` is joined, and builds its store. If all child files together are small, they
 * are joined in memory. Otherwise, a child source is merged if its rows and those of its parent are sorted by the join
 * key, and is joined with an index on disk in `tempFolder` if not.
 */
export async function planJoin(root: OpenedSource, limits: ReadLimits, tempFolder: string): Promise<JoinPlan> {
  const small = bytesBelow(root) <= limits.memoryJoinBytes;
  const disk = openOnDemand(tempFolder);
  const storeOf = async (child: OpenedChild, parents: SortedParents | undefined): Promise<StoreChoice> => {
    const registerOf = (column: string): KeyRegister =>
      small ? memoryRegister(column) : indexRegister(column, disk.tableName("keys"), disk.index());
    const register = child.key === undefined ? undefined : registerOf(child.key);
    // Omitted rows do not count as duplicates, so a source that omits rows registers its keys only after arranging
    // them.
    const early = omitsRows(child) ? undefined : register;
    const rows = (): AsyncIterable<readonly ReadRow[]> =>
      early === undefined ? rowsOf(child) : registered(rowsOf(child), early);
    const keys = (): AsyncIterable<readonly (string | undefined)[]> =>
      early === undefined ? keysIn(child, child.on) : keysOfRows(rows(), child.on);
    const choice = small
      ? { store: await memoryStore(child, rows()), inOrder: false }
      : ((parents && (await mergedStore(child, keys(), parents, limits.rowsPerParent))) ?? {
          store: await indexStore(
            child,
            rows(),
            { table: disk.tableName("rows"), rowsPerKey: limits.rowsPerParent },
            disk.index(),
          ),
          inOrder: false,
        });
    if (register !== undefined && early === undefined) await registerTaken(choice.store, child, register);
    return register === undefined ? choice : { ...choice, duplicates: register.duplicates() };
  };
  /** `inOrder`: whether the rows of the parent are read in the order of its files, and each row only once. */
  const plan = async (parent: OpenedSource, inOrder: boolean): Promise<readonly PlannedChild[]> => {
    const planned: PlannedChild[] = [];
    const orders = sortedParents(parent);
    for (const child of parent.children) {
      const choice = await storeOf(child, small || !inOrder ? undefined : orders);
      const children = await plan(child, choice.inOrder && child.orderBy === undefined && !omitsRows(child));
      planned.push({ child, parent, children, store: choice.store, duplicates: choice.duplicates });
    }
    return planned;
  };
  try {
    return { children: await plan(root, true), close: disk.close };
  } catch (error) {
    await disk.close();
    throw error;
  }
}

interface StoreChoice {
  readonly store: ChildStore;
  /** Whether the rows of the child source are read in the order of its files, and each row only once. */
  readonly inOrder: boolean;
  readonly duplicates?: DuplicateKeys;
}

function openOnDemand(folder: string) {
  let index: TemporaryDatabase | undefined;
  let tables = 0;
  return {
    index: (): TemporaryDatabase => (index ??= openRowIndex(folder)),
    /** Returns a unique table name that starts with `kind`. */
    tableName: (kind: string): string => {
      tables += 1;
      return `${kind}${tables}`;
    },
    close: async (): Promise<void> => index?.close(),
  };
}

function omitsRows({ distinct, pick }: OpenedChild): boolean {
  return distinct || pick !== undefined;
}

async function registerTaken(store: ChildStore, child: OpenedChild, register: KeyRegister): Promise<void> {
  for await (const group of store.groups()) register.add(arrangeRows(group, child).rows);
}

/** Returns the orders in which the rows of a parent are sorted by a column. Each column is checked only once. */
type SortedParents = (column: string) => Promise<SortedBy>;

function sortedParents(parent: OpenedSource): SortedParents {
  const known = new Map<string, Promise<SortedBy>>();
  return (column) => getOrAdd(known, column, () => sortedBy(keysIn(parent, column)));
}

/**
 * Returns a store that merges sorted files; undefined if the files are not sorted in the same order. Reads the child
 * source first, because an unsorted file is usually detected within its first rows.
 */
async function mergedStore(
  child: OpenedChild,
  keys: AsyncIterable<readonly (string | undefined)[]>,
  parents: SortedParents,
  rowsPerKey: number,
): Promise<StoreChoice | undefined> {
  const sorted = await sortedBy(keys);
  if (sorted.orders.length === 0) return undefined;
  const { orders, unique } = await parents(child.parentKey);
  const order = sorted.orders.find((candidate) => orders.includes(candidate));
  if (order === undefined) return undefined;
  return { store: mergeStore(child, { order, count: sorted.count, rowsPerKey }), inOrder: unique };
}

export function bytesBelow(source: OpenedSource): number {
  return source.children
    .map((child) => child.files.reduce((sum, file) => sum + unpackedBytes(file), bytesBelow(child)))
    .reduce((sum, bytes) => sum + bytes, 0);
}
