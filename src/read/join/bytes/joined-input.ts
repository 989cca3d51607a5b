import type { InputRecord, JoinedRecord } from "../../../model/record.ts";
import type { ChunkCsvFile } from "../../chunks/record-chunk.ts";
import { keysIn, keysOf, type OpenedSource, rowsOf } from "../../input/opened-source.ts";
import type { ReadLimits } from "../../read-limits.ts";
import { bytesBelow, type SearchedSource } from "../join-plan.ts";
import { sortedBy } from "../merge-store.ts";
import { type JoinState, numberRecords, orphansOf, tooManyRows } from "../join.ts";
import { type CsvSource, csvSources, type SpreadChildren, spreadChildren } from "./spread-children.ts";
import type { ChildSlice, JoinedChunk, JoinedInput } from "./joined-chunk.ts";
import { csvRecords } from "../../csv/csv-records.ts";
import { rowsAt } from "../../csv/csv-rows.ts";
import { numbered } from "../child-store.ts";

interface JoinedInputOptions {
  readonly limits: ReadLimits;
  readonly tempFolder: string;
  readonly refuseChanged: () => Promise<void>;
  /** Yields the same records, joined in one thread. */
  readonly records: (options: { readonly signal?: AbortSignal }) => AsyncGenerator<readonly InputRecord[]>;
}

/** Returns joined sources as chunks; undefined if `csvSources` does not support the join. */
export function joinedInput(
  root: OpenedSource,
  { limits, tempFolder, refuseChanged, records }: JoinedInputOptions,
): JoinedInput | undefined {
  const sources = csvSources(root);
  if (sources === undefined) return undefined;
  return {
    source: root.name,
    files: chunkFiles(sources),
    children: sources.children.map((child) => ({
      name: child.name,
      files: chunkFiles(child),
      orderBy: child.orderBy,
    })),
    async *chunks(signal) {
      await refuseChanged();
      const inOrder = bytesBelow(root) > SPREAD_BYTES && (await areInOrder(root));
      const spread = inOrder ? undefined : await spreadChildren(sources, { tempFolder, signal });
      if (spread === undefined) {
        for await (const batch of records(signal === undefined ? {} : { signal })) yield { records: batch };
        return;
      }
      try {
        yield* chunksOf(sources, spread, { limits, signal });
        const orphans = allOrphans(sources, spread, limits);
        for await (const batch of numberRecords(orphans, 0, signal)) yield { records: batch };
      } finally {
        spread.close();
      }
      await refuseChanged();
    },
  };
}

/**
 * Total size of the child files above which sorted files are merged instead of spread by parent. Merging needs no disk
 * space.
 */
const SPREAD_BYTES = 64 * 2 ** 20;

function chunkFiles(source: OpenedSource): readonly ChunkCsvFile[] {
  const keys = keysOf(source);
  return source.files.flatMap((file) => (file.kind === "csv" ? [{ kind: "csv", layout: file.layout, keys }] : []));
}

async function areInOrder(root: OpenedSource): Promise<boolean> {
  for (const child of root.children) {
    const own = await sortedBy(keysIn(child, child.on));
    const parents = own.orders.length === 0 ? own : await sortedBy(keysIn(root, child.parentKey));
    if (!own.orders.some((order) => parents.orders.includes(order))) return false;
  }
  return true;
}

/**
 * Reads the records of a root source with the child records joined to them, as bytes. Throws the same failures as the
 * rows of `openJoin`.
 */
async function* chunksOf(
  root: CsvSource,
  spread: SpreadChildren,
  { limits, signal }: { readonly limits: ReadLimits; readonly signal: AbortSignal | undefined },
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
      // Copies the records, because their buffer is reused for reading and may contain other data.
      yield { file, root: { ...records, bytes: new Uint8Array(records.bytes) }, children };
      from = to;
    }
  }
}

function crowdedParent(slices: readonly ChildSlice[], max: number): number | undefined {
  if (slices.reduce((sum, { parents }) => sum + parents.length, 0) <= max) return undefined;
  const counts = new Map<number, number>();
  for (const { parents } of slices) for (const parent of parents) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  const crowded = [...counts].flatMap(([parent, count]) => (count > max ? [parent] : []));
  return crowded.toSorted((one, other) => one - other)[0];
}

/** Call this after all chunks have been read. */
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
