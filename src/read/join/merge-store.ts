import { compareText } from "../../text/compare-text.ts";
import { type OpenedChild, rowsOf } from "../input/opened-source.ts";
import { keyOf } from "../row/row-key.ts";
import { type ChildFinder, type ChildStore, groupsOf, numbered, type StoredRow } from "./child-store.ts";

/**
 * Creates a store that merges child rows with their parents. Parents and child rows must be sorted by the key in
 * `order`, and keys must be requested in this order. Keeps only the rows of one key in memory, at most one more than
 * `rowsPerKey`.
 */
export function mergeStore(child: OpenedChild, merging: Merging): ChildStore {
  const all = (): AsyncGenerator<readonly StoredRow[]> => numbered(rowsOf(child));
  return {
    count: merging.count,
    all,
    groups: () => groupsOf(child, merging.rowsPerKey, all()),
    finder: () => mergeFinder(child, merging, all()),
  };
}

interface Merging {
  readonly order: KeyOrder;
  /** Number of rows of the child source. */
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
  let last: { readonly key: string | undefined; readonly group: readonly StoredRow[] } = { key: undefined, group: [] };
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
      for (const key of keys) {
        if (key !== undefined && key !== last.key) last = { key, group: await groupOf(key) };
        groups.push(key === undefined ? [] : last.group);
      }
      return groups;
    },
    close: async () => {
      await rows.return(undefined);
    },
  };
}

/** An order in which extracts are commonly sorted by their key. */
interface KeyOrder {
  /** False for a key that this order does not cover. */
  readonly accepts: (key: string) => boolean;
  /** Returns a negative number if `left` comes first, and 0 only for equal strings. */
  readonly compare: (left: string, right: string) => number;
}

/**
 * The order by UTF-16 code unit. For keys without characters beyond U+FFFF, databases with a binary collation and
 * `LC_ALL=C sort` use the same order.
 */
const byText: KeyOrder = { accepts: () => true, compare: compareText };

/** The order by value, for keys that consist of digits. `007` is sorted next to `7`, but is a different key. */
const byNumber: KeyOrder = {
  accepts: (key) => /^\d+$/.test(key),
  compare: (left, right) => {
    const [a, b] = [withoutZeros(left), withoutZeros(right)];
    return a.length - b.length || compareText(a, b) || compareText(left, right);
  },
};

const KEY_ORDERS: readonly KeyOrder[] = [byText, byNumber];

export interface SortedBy {
  /** The orders in which all keys are sorted. Reading ends as soon as no order matches. */
  readonly orders: readonly KeyOrder[];
  /** Number of rows; valid only if an order matches. */
  readonly count: number;
  /** Whether all keys are different; valid only if an order matches. */
  readonly unique: boolean;
}

/** Finds the orders in which rows are sorted by their keys. Skips rows without a key. */
export async function sortedBy(keys: AsyncIterable<readonly (string | undefined)[]>): Promise<SortedBy> {
  let orders = KEY_ORDERS;
  let count = 0;
  let unique = true;
  let last: string | undefined;
  for await (const batch of keys) {
    count += batch.length;
    for (const key of batch) {
      if (key === undefined) continue;
      const before = last;
      if (key === before) unique = false;
      const broken = orders.some((order) => !follows(order, before, key));
      if (broken) orders = orders.filter((order) => follows(order, before, key));
      if (orders.length === 0) return { orders, count, unique };
      last = key;
    }
  }
  return { orders, count, unique };
}

function follows(order: KeyOrder, before: string | undefined, key: string): boolean {
  return order.accepts(key) && (before === undefined || order.compare(before, key) <= 0);
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+/, "");
}
