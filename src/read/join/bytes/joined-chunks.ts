import { type CsvRecords, csvRecords } from "../../csv/csv-records.ts";
import { rowsAt } from "../../csv/csv-rows.ts";
import { rowsOf } from "../../input/opened-source.ts";
import type { ReadLimits } from "../../read-limits.ts";
import { numbered } from "../child-store.ts";
import type { JoinedRecord } from "../../../model/record.ts";
import { type JoinState, orphansOf, tooManyRows } from "../join.ts";
import type { SearchedSource } from "../join-plan.ts";
import type { CsvSource } from "./csv-sources.ts";
import type { ChildSlice, JoinedChunk } from "./joined-chunk.ts";
import { type SpreadChildren, spreadChildren, type Spreading } from "./spread-children.ts";

export interface JoiningBytes extends Spreading {
  readonly limits: ReadLimits;
}

export interface JoinedReading {
  readonly chunks: () => AsyncGenerator<JoinedChunk>;
  /** Call this after all chunks have been read. */
  readonly orphans: () => AsyncGenerator<readonly JoinedRecord[]>;
  readonly close: () => void;
}

/**
 * Reads the records of a root source with the child records joined to them, as bytes. Reading throws the same failures
 * as for `openJoin`. Returns undefined if the root source has too many keys, or if too many of its records share child
 * records.
 */
export async function joinBytes(root: CsvSource, joining: JoiningBytes): Promise<JoinedReading | undefined> {
  const spread = await spreadChildren(root, joining);
  if (spread === undefined) return undefined;
  return {
    chunks: () => chunksOf(root, spread, joining),
    orphans: () => allOrphans(root, spread, joining.limits),
    close: spread.close,
  };
}

async function* chunksOf(
  root: CsvSource,
  spread: SpreadChildren,
  { limits, signal }: JoiningBytes,
): AsyncGenerator<JoinedChunk> {
  let from = 0;
  for (const [file, opened] of root.files.entries()) {
    for await (const records of csvRecords(opened, opened.layout)) {
      signal?.throwIfAborted();
      const to = from + records.boundaries.starts.length - records.from;
      const children = spread.take({ from, to, firstNumber: records.from });
      for (const [index, slices] of children.entries()) {
        const number = crowdedParent(slices, limits.rowsPerParent);
        const child = root.children[index];
        const [parent] = number === undefined ? [] : rowsAt(records, opened.layout, [number]);
        if (parent !== undefined && child !== undefined) throw tooManyRows(parent, child, limits.rowsPerParent);
      }
      yield { file, root: sent(records), children };
      from = to;
    }
  }
}

/** Copies the records, because their buffer is reused for reading and may contain other data. */
function sent(records: CsvRecords): JoinedChunk["root"] {
  return { ...records, bytes: new Uint8Array(records.bytes) };
}

/** Returns the number of the first parent with more than `max` child records; undefined if there is none. */
function crowdedParent(slices: readonly ChildSlice[], max: number): number | undefined {
  if (slices.reduce((sum, { parents }) => sum + parents.length, 0) <= max) return undefined;
  const counts = new Map<number, number>();
  for (const { parents } of slices) for (const parent of parents) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  const crowded = [...counts].flatMap(([parent, count]) => (count > max ? [parent] : []));
  return crowded.toSorted((one, other) => one - other)[0];
}

async function* allOrphans(
  root: CsvSource,
  { found, rows }: SpreadChildren,
  limits: ReadLimits,
): AsyncGenerator<readonly JoinedRecord[]> {
  const sources = found.map(({ child, count, matched }): readonly [SearchedSource, typeof matched] => {
    const store = { count, all: () => numbered(rowsOf(child)) };
    return [{ child, parent: root, store, duplicates: undefined, children: [] }, matched];
  });
  const counts = new Map([[root.name, rows], ...found.map(({ child, count }) => [child.name, count] as const)]);
  const state: JoinState = { limits, matched: new Map(sources), counts };
  for (const [source] of sources) yield* orphansOf(source, state);
}
