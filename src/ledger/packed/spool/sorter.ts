import type { PieceStore } from "./piece-store.ts";
import { createSpooledList, type SpooledList } from "./spooled-list.ts";

/** Sorts JSON values that may exceed memory (an external merge sort). The sort is stable. */
export interface Sorter<T> {
  readonly add: (item: T) => void;
  /** Returns all items in order. May be called repeatedly. Do not add items while reading. */
  readonly sorted: () => Iterator<T>;
}

/** @param atOnce maximum number of items held and sorted in memory */
export function createSorter<T>(
  compare: (one: T, other: T) => number,
  { pieces, atOnce }: { readonly pieces: PieceStore; readonly atOnce: number },
): Sorter<T> {
  const runs: SpooledList<T>[] = [];
  let chunk: T[] = [];

  function spill(): void {
    const run = createSpooledList<T>(pieces);
    for (const item of chunk.toSorted(compare)) run.add(item);
    runs.push(run);
    chunk = [];
  }

  return {
    add(item) {
      chunk.push(item);
      if (chunk.length >= atOnce) spill();
    },
    sorted() {
      return merged([...runs, chunk.toSorted(compare)], compare);
    },
  };
}

function merged<T>(runs: readonly Iterable<T>[], compare: (one: T, other: T) => number): Iterator<T> {
  const [first] = runs;
  if (first === undefined || runs.length < 2) return (first ?? [])[Symbol.iterator]();
  const middle = runs.length >> 1;
  return mergedPair(merged(runs.slice(0, middle), compare), merged(runs.slice(middle), compare), compare);
}

function* mergedPair<T>(one: Iterator<T>, other: Iterator<T>, compare: (one: T, other: T) => number): Generator<T> {
  let first = one.next();
  let second = other.next();
  while (first.done !== true || second.done !== true) {
    if (second.done === true || (first.done !== true && compare(first.value, second.value) <= 0)) {
      if (first.done !== true) yield first.value;
      first = one.next();
    } else {
      yield second.value;
      second = other.next();
    }
  }
}
