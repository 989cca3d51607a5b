import type { InputRecord, Row } from "../../model/record.ts";
import { type OpenedSource, rowsOf, withDescendants } from "../input/opened-source.ts";
import type { ReadLimits } from "../read-limits.ts";
import type { ReadRow } from "../row/read-row.ts";
import { keyOf } from "../row/row-key.ts";
import { memoryStore, numbered } from "./child-store.ts";
import { attached } from "./join.ts";
import type { PlannedChild } from "./join-plan.ts";

export interface WantedRecords {
  /** Called for each row of the root source, before rows are joined to it, with the number of its record. */
  readonly isWanted: (row: Row, number: number) => boolean;
  /** Maximum number of records. Once this many are found, no further batch of the root source is read. */
  readonly limit: number;
}

/**
 * Returns a few records of the input with the rows joined to them. Reads each source once and keeps only the rows of
 * these records, so no index is needed. Does not compare rows of different records, so it does not detect duplicate
 * keys of child sources.
 */
export async function findRecords(
  root: OpenedSource,
  limits: ReadLimits,
  { isWanted, limit }: WantedRecords,
): Promise<readonly InputRecord[]> {
  const found: { readonly number: number; readonly read: ReadRow }[] = [];
  for await (const rows of numbered(rowsOf(root))) {
    for (const { id, read } of rows) {
      if (found.length < limit && isWanted(read.row, id + 1)) found.push({ number: id + 1, read });
    }
    if (found.length >= limit) break;
  }
  const own = found.map(({ read }) => read);
  const children = await storesFor(root, own);
  const records: InputRecord[] = [];
  const batches = own.length === 0 ? [] : [own];
  for await (const rows of attached(batches, children, { limits, matched: new Map(), counts: new Map() })) {
    for (const read of rows) {
      records.push({ number: found[records.length]?.number ?? 0, source: root.name, orphan: false, ...read });
    }
  }
  return records;
}

/** Returns the first row of each source, as a record with the number 0, to show the columns. */
export async function firstRows(root: OpenedSource): Promise<readonly InputRecord[]> {
  const samples: InputRecord[] = [];
  for (const source of withDescendants<OpenedSource>(root)) {
    const read = await firstRow(source);
    if (read !== undefined) samples.push({ number: 0, source: source.name, orphan: source !== root, ...read });
  }
  return samples;
}

async function firstRow(source: OpenedSource): Promise<ReadRow | undefined> {
  for await (const [first] of rowsOf(source)) if (first !== undefined) return first;
  return undefined;
}

async function storesFor(parent: OpenedSource, rows: readonly ReadRow[]): Promise<readonly PlannedChild[]> {
  const planned: PlannedChild[] = [];
  for (const child of parent.children) {
    const keys = new Set(rows.map(({ row }) => keyOf(row, child.parentKey)));
    const kept: ReadRow[] = [];
    const wanted = async function* (): AsyncGenerator<readonly ReadRow[]> {
      for await (const batch of rowsOf(child)) {
        const own = batch.filter(({ row }) => {
          const key = keyOf(row, child.on);
          return key !== undefined && keys.has(key);
        });
        for (const row of own) kept.push(row);
        yield own;
      }
    };
    const store = await memoryStore(child, wanted());
    planned.push({ child, parent, store, duplicates: undefined, children: await storesFor(child, kept) });
  }
  return planned;
}
