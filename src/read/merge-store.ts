import { numbered } from "./child-store.ts";
import type { ChildFinder, ChildStore, StoredRow } from "./child-store.ts";
import type { KeyOrder } from "./key-order.ts";
import { rowsOf } from "./opened-source.ts";
import type { OpenedChild } from "./opened-source.ts";
import { keyOf } from "./row-key.ts";

/**
 * Child rows read along with their parents: both are sorted by the key in `order`, the parents' keys differ, and
 * keys are asked for in that order. Nothing is held but the rows of one key, and no more than just over `rowsPerKey`.
 */
export function mergeStore(child: OpenedChild, merging: Merging): ChildStore {
  const all = (): AsyncGenerator<readonly StoredRow[]> => numbered(rowsOf(child));
  return { count: merging.count, all, finder: () => mergeFinder(child, merging, all()) };
}

interface Merging {
  readonly order: KeyOrder;
  /** How many rows the child source has. */
  readonly count: number;
  readonly rowsPerKey: number;
}

function mergeFinder(
  child: OpenedChild,
  { order, rowsPerKey }: Merging,
  rows: AsyncGenerator<readonly StoredRow[]>,
): ChildFinder {
  let batch: readonly StoredRow[] = [];
  let at = 0;
  const current = async (): Promise<StoredRow | undefined> => {
    while (at >= batch.length) {
      const next = await rows.next();
      if (next.done === true) return undefined;
      batch = next.value;
      at = 0;
    }
    return batch[at];
  };
  const groupOf = async (wanted: string): Promise<readonly StoredRow[]> => {
    const group: StoredRow[] = [];
    for (;;) {
      const stored = batch[at] ?? (await current());
      if (stored === undefined) return group;
      const key = keyOf(stored.read.row, child.on);
      const difference = key === undefined ? -1 : order.compare(key, wanted);
      if (difference > 0 || group.length > rowsPerKey) return group;
      if (difference === 0) group.push(stored);
      at += 1;
    }
  };
  return {
    find: async (keys) => {
      const groups: (readonly StoredRow[])[] = [];
      for (const key of keys) groups.push(key === undefined ? [] : await groupOf(key));
      return groups;
    },
    close: async () => {
      await rows.return(undefined);
    },
  };
}
