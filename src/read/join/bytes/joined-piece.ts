import type { RecordPiece } from "../../chunks/chunk-rows.ts";
import type { ChunkFile } from "../../chunks/record-chunk.ts";
import { rowsAt } from "../../csv/csv-rows.ts";
import { withKeyProblems } from "../../row/row-key.ts";
import type { ReadRow } from "../../row/read-row.ts";
import { arrangeRows } from "../arrange-rows.ts";
import type { StoredRow } from "../child-store.ts";
import { type ChildRows, joinedRow, NO_ROWS } from "../joined-row.ts";
import type { ChildSlice, JoinedChunk, JoinedSource } from "./joined-chunk.ts";

/** A piece of the root source. Its rows and the child rows joined to them are created on demand. */
export interface JoinedPiece extends RecordPiece {
  /** One entry for each child source, in the order of the sources. */
  readonly groups: readonly ChildGroups[];
}

/** The child records of each root record. */
export interface ChildGroups {
  readonly slices: readonly ChildSlice[];
  /**
   * For each root record: the index in `sliceAt` and `numberAt` at which its child records start. They end where those
   * of the next root record start. The last entry, after all root records, is the number of child records.
   */
  readonly starts: Int32Array;
  /** For each child record: the index of its slice, and its number in the slice. */
  readonly sliceAt: Int32Array;
  readonly numberAt: Int32Array;
}

interface Sources {
  readonly files: readonly ChunkFile[];
  readonly children?: readonly JoinedSource[];
}

export function joinedPiece(chunk: JoinedChunk, { files, children = [] }: Sources): JoinedPiece {
  const file = files[chunk.file];
  if (file?.kind !== "csv") throw new Error(`the input has no CSV file ${chunk.file}`);
  const root = { ...chunk.root, bytes: asBuffer(chunk.root.bytes) };
  const count = root.boundaries.starts.length;
  const groups = chunk.children.map((slices) => groupsOf(slices, count));
  return {
    ...root,
    groups,
    rowsAt(numbers) {
      const own = rowsAt(root, file.layout, numbers);
      const below = children.flatMap((child, index) => {
        const found = groups[index];
        return found === undefined ? [] : [{ child, rows: childRows(child, found, numbers) }];
      });
      return own.map((read, index) => {
        if (read === undefined) return undefined;
        const groupsOfRow = below.map(({ child, rows }) => [child.name, rows[index] ?? NO_ROWS] as const);
        return joinedRow(withKeyProblems(read, file.keys), groupsOfRow);
      });
    },
  };
}

export function asBuffer({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function groupsOf(slices: readonly ChildSlice[], count: number): ChildGroups {
  const starts = new Int32Array(count + 1);
  for (const { parents } of slices) for (const parent of parents) starts[parent + 1] = (starts[parent + 1] ?? 0) + 1;
  for (let number = 1; number <= count; number += 1) starts[number] = (starts[number] ?? 0) + (starts[number - 1] ?? 0);
  const next = starts.slice();
  const sliceAt = new Int32Array(starts[count] ?? 0);
  const numberAt = new Int32Array(sliceAt.length);
  for (const [slice, { parents }] of slices.entries()) {
    for (const [number, parent] of parents.entries()) {
      const place = next[parent] ?? 0;
      sliceAt[place] = slice;
      numberAt[place] = number;
      next[parent] = place + 1;
    }
  }
  return { slices, starts, sliceAt, numberAt };
}

function childRows(child: JoinedSource, groups: ChildGroups, numbers: readonly number[]): readonly ChildRows[] {
  const { slices, starts, sliceAt, numberAt } = groups;
  const places = numbers.flatMap((number) => range(starts[number] ?? 0, starts[number + 1] ?? 0));
  const readRows = new Map<number, ReadRow>();
  for (const [index, slice] of slices.entries()) {
    const file = child.files[slice.file];
    const own = places.filter((place) => sliceAt[place] === index);
    if (file === undefined || own.length === 0) continue;
    const piece = { ...slice, bytes: asBuffer(slice.bytes) };
    const rows = rowsAt(
      piece,
      file.layout,
      own.map((place) => numberAt[place] ?? 0),
    );
    for (const [position, place] of own.entries()) {
      const read = rows[position];
      if (read !== undefined) readRows.set(place, withKeyProblems(read, file.keys));
    }
  }
  return numbers.map((number) => {
    const group = range(starts[number] ?? 0, starts[number + 1] ?? 0).flatMap((id): readonly StoredRow[] => {
      const read = readRows.get(id);
      return read === undefined ? [] : [{ id, read }];
    });
    const { rows, problems } = arrangeRows(group, { ...child, distinct: false, pick: undefined });
    return { rows: rows.map(({ read }) => read), problems };
  });
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
