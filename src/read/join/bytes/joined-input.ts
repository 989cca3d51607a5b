import type { InputRecord } from "../../../model/record.ts";
import type { ChunkCsvFile } from "../../chunks/record-chunk.ts";
import { keysIn, keysOf, type OpenedSource } from "../../input/opened-source.ts";
import type { ReadLimits } from "../../read-limits.ts";
import { bytesBelow } from "../join-plan.ts";
import { sortedBy } from "../merge-store.ts";
import { numberRecords } from "../number-records.ts";
import { csvSources } from "./csv-sources.ts";
import type { JoinedInput } from "./joined-chunk.ts";
import { joinBytes } from "./joined-chunks.ts";

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
      const reading = inOrder ? undefined : await joinBytes(sources, { limits, tempFolder, signal });
      if (reading === undefined) {
        for await (const batch of records(signal === undefined ? {} : { signal })) yield { records: batch };
        return;
      }
      try {
        yield* reading.chunks();
        for await (const batch of numberRecords(reading.orphans(), 0, signal)) yield { records: batch };
      } finally {
        reading.close();
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
