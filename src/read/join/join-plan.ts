import { type ChildStore, memoryStore } from "./child-store.ts";
import { indexStore, openRowIndex, type RowIndex } from "./index-store.ts";
import { mergeStore, sortedBy, type SortedBy } from "./merge-store.ts";
import type { OpenedFile } from "../opened-file.ts";
import { type OpenedChild, type OpenedSource, rowsOf } from "../opened-source.ts";
import type { ReadLimits } from "../read-limits.ts";

/** A child source with the store that its rows are found in. */
export interface PlannedChild {
  readonly child: OpenedChild;
  readonly parent: OpenedSource;
  readonly store: ChildStore;
  readonly children: readonly PlannedChild[];
}

export interface JoinPlan {
  readonly children: readonly PlannedChild[];
  readonly close: () => Promise<void>;
}

/**
 * Decides how each child source of `root` is joined, and builds what that takes: in memory when the files are small;
 * read along with the parents when both are sorted by the key; else through an index on disk in `tempFolder`.
 */
export async function planJoin(root: OpenedSource, limits: ReadLimits, tempFolder: string): Promise<JoinPlan> {
  let index: Promise<RowIndex> | undefined;
  let tables = 0;
  const small = bytesBelow(root) <= limits.memoryJoinBytes;
  const close = async (): Promise<void> => {
    await (await index)?.close();
  };
  const indexed = async (child: OpenedChild): Promise<ChildStore> => {
    index ??= openRowIndex(tempFolder);
    tables += 1;
    return indexStore(child, { table: `rows${tables}`, rowsPerKey: limits.rowsPerParent }, await index);
  };
  /** `inOrder`: the parent's rows are taken in the order of its files. */
  const plan = async (parent: OpenedSource, inOrder: boolean): Promise<readonly PlannedChild[]> => {
    const planned: PlannedChild[] = [];
    const parentOrder = once(() => sortedBy(rowsOf(parent), parent.key ?? "", true));
    for (const child of parent.children) {
      const merged = small || !inOrder ? undefined : await mergedStore(child, parentOrder, limits.rowsPerParent);
      const store = merged ?? (small ? await memoryStore(child) : await indexed(child));
      const children = await plan(child, merged !== undefined && child.orderBy === undefined);
      planned.push({ child, parent, store, children });
    }
    return planned;
  };
  try {
    return { children: await plan(root, true), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The child is read first: an unsorted file shows within its first rows. */
async function mergedStore(
  child: OpenedChild,
  parentOrder: () => Promise<SortedBy>,
  rowsPerKey: number,
): Promise<ChildStore | undefined> {
  const rows = await sortedBy(rowsOf(child), child.on, false);
  if (rows.orders.length === 0) return undefined;
  const { orders } = await parentOrder();
  const order = rows.orders.find((candidate) => orders.includes(candidate));
  return order === undefined ? undefined : mergeStore(child, { order, count: rows.count, rowsPerKey });
}

function bytesBelow(source: OpenedSource): number {
  return source.children
    .map((child) => child.files.reduce((sum, file) => sum + unpackedBytes(file), bytesBelow(child)))
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Packed text is taken to unpack twentyfold, which extracts rarely exceed. */
function unpackedBytes(file: OpenedFile): number {
  if (file.kind === "xlsx") return file.sheet.unpackedBytes;
  return file.found.bytes * (file.gzip ? 20 : 1);
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
