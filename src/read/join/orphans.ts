import type { Place } from "../../model/place.ts";
import type { LocalProblem } from "../../model/problem.ts";
import type { Row } from "../../model/record.ts";
import { type OpenedChild, type OpenedSource, rowsOf } from "../opened-source.ts";
import { type ReadRow, sourceProblem } from "../read-row.ts";
import { keyOf, keyPlace } from "../row-key.ts";

/** Loose key -> where the first parent with such a key has it. */
type NearMisses = ReadonlyMap<string, Place>;

/** With more different keys than this the join itself is wrong, and a near miss explains nothing. */
const MAX_ORPHAN_KEYS = 10_000;

/**
 * For the keys of `orphans` the parents whose keys differ only by case, spaces or leading zeros, found by reading
 * the parents' keys once more.
 */
export async function nearestParents(
  orphans: AsyncIterable<readonly ReadRow[]>,
  child: OpenedChild,
  parent: OpenedSource,
): Promise<NearMisses> {
  const wanted = await looseKeys(orphans, child.on);
  const near = new Map<string, Place>();
  if (wanted.size === 0 || parent.key === undefined) return near;
  for await (const rows of rowsOf(parent)) {
    for (const { row } of rows) {
      const loose = looseKey(row, parent.key);
      if (loose !== undefined && wanted.has(loose) && !near.has(loose)) near.set(loose, keyPlace(row, parent.key));
    }
    if (near.size === wanted.size) break;
  }
  return near;
}

/** The problems of a row without a parent; none when it has no key, which is a problem of its own. */
export function orphanProblems(
  row: Row,
  { on }: OpenedChild,
  { parent, near }: { readonly parent: string; readonly near: NearMisses },
): readonly LocalProblem[] {
  const loose = looseKey(row, on);
  if (loose === undefined) return [];
  const nearest = near.get(loose);
  const finding = { code: "source_orphan_row", parent, ...(nearest === undefined ? {} : { near: nearest }) } as const;
  return [sourceProblem(keyPlace(row, on), finding)];
}

async function looseKeys(batches: AsyncIterable<readonly ReadRow[]>, on: string): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>();
  for await (const rows of batches) {
    for (const { row } of rows) {
      const loose = looseKey(row, on);
      if (loose !== undefined) wanted.add(loose);
    }
    if (wanted.size >= MAX_ORPHAN_KEYS) break;
  }
  return wanted;
}

function looseKey(row: Row, name: string): string | undefined {
  const key = keyOf(row, name);
  return key
    ?.normalize("NFC")
    .toLowerCase()
    .replace(/[\s\p{Cf}]/gu, "")
    .replace(/^0+(?=.)/, "");
}

/** Which rows of a child source have a parent: one bit a row. */
export interface MatchedRows {
  readonly add: (id: number) => void;
  readonly has: (id: number) => boolean;
  /** How many rows have a parent. */
  readonly size: () => number;
}

export function newMatchedRows(rows: number): MatchedRows {
  const bits = new Uint8Array(Math.ceil(rows / 8));
  let size = 0;
  const has = (id: number): boolean => (((bits[id >> 3] ?? 0) >> (id & 7)) & 1) === 1;
  return {
    has,
    size: () => size,
    add: (id) => {
      if (has(id)) return;
      bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7));
      size += 1;
    },
  };
}
