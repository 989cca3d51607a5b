import { addToGroup } from "../../model/groups.ts";
import type { OpenedChild } from "../input/opened-source.ts";
import type { ReadRow } from "../row/read-row.ts";
import { keyOf } from "../row/row-key.ts";

/** A row of a child source with its zero-based number in file order. */
export interface StoredRow {
  readonly id: number;
  readonly read: ReadRow;
}

/** The rows of one child source. */
export interface StoredRows {
  readonly count: number;
  /** Yields all rows in file order. */
  readonly all: () => AsyncIterable<readonly StoredRow[]>;
}

/** The rows of one child source, which can be looked up by their join key. */
export interface ChildStore extends StoredRows {
  /** Returns a finder for one pass over the parent rows, in their order. */
  readonly finder: () => ChildFinder;
  /** Yields the rows grouped by join key. May omit the rows of a group after the first `rowsPerParent` + 1 rows. */
  readonly groups: () => AsyncIterable<readonly StoredRow[]>;
}

export interface ChildFinder {
  /** Returns, for each key, the rows with this join key, in file order; empty for an `undefined` key. */
  readonly find: (keys: readonly (string | undefined)[]) => Promise<readonly (readonly StoredRow[])[]>;
  readonly close: () => Promise<void>;
}

export async function* numbered(rows: AsyncIterable<readonly ReadRow[]>): AsyncGenerator<readonly StoredRow[]> {
  let id = 0;
  for await (const batch of rows) {
    const first = id;
    id += batch.length;
    yield batch.map((read, index) => ({ id: first + index, read }));
  }
}

/**
 * Groups rows that are sorted by join key. Skips rows without a key. Keeps only the first `rowsPerKey` + 1 rows of a
 * group, so that callers can detect a group beyond the limit.
 */
export async function* groupsOf(
  { on }: OpenedChild,
  rowsPerKey: number,
  batches: AsyncIterable<Iterable<StoredRow>> | Iterable<Iterable<StoredRow>>,
): AsyncGenerator<readonly StoredRow[]> {
  let group: StoredRow[] = [];
  let last: string | undefined;
  for await (const batch of batches) {
    for (const stored of batch) {
      const key = keyOf(stored.read.row, on);
      if (key === undefined) continue;
      if (key !== last && group.length > 0) {
        yield group;
        group = [];
      }
      last = key;
      if (group.length <= rowsPerKey) group.push(stored);
    }
  }
  if (group.length > 0) yield group;
}

/** Creates a store that keeps child rows in memory, for small files. */
export async function memoryStore({ on }: OpenedChild, source: AsyncIterable<readonly ReadRow[]>): Promise<ChildStore> {
  const rows: StoredRow[] = [];
  const byKey = new Map<string, StoredRow[]>();
  for await (const batch of numbered(source)) {
    for (const stored of batch) {
      rows.push(stored);
      const key = keyOf(stored.read.row, on);
      if (key !== undefined) addToGroup(byKey, key, stored);
    }
  }
  const group = (key: string | undefined): readonly StoredRow[] => (key === undefined ? [] : (byKey.get(key) ?? []));
  return {
    count: rows.length,
    finder: () => ({ find: async (keys) => keys.map(group), close: async () => {} }),
    async *all() {
      yield rows;
    },
    async *groups() {
      yield* byKey.values();
    },
  };
}
