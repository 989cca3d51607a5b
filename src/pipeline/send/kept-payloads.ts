import type { Job } from "../../job/job.ts";
import type { Row } from "../../model/record.ts";
import type { RunValues } from "../../options/run-options.ts";
import { type ByteChunk, type ChunkSource, rowsIn, sizeOf } from "../bytes/chunk-pieces.ts";
import type { PackedPayloads } from "../threads/packed-payloads.ts";
import { bytesOf } from "../threads/thread-count.ts";
import { isBarePayload, type PayloadGroup, payloadReader } from "./payload-group.ts";

/**
 * Keeps the payloads of an input in memory from checking until sending, so that the input is read, mapped and
 * serialised only once. Payloads and input are kept as bytes outside the heap. If the platform reports a problem, the
 * rows are rebuilt from these bytes.
 */
export interface KeptPayloads {
  /** Stores the payloads of the next chunk. `records`: the number of records in the chunk. */
  readonly keep: (chunk: ByteChunk, records: number, payloads: PackedPayloads) => void;
  /** Returns the stored payloads in input order; undefined if they exceed the limit or nothing was stored. */
  readonly groups: () => readonly PayloadGroup[] | undefined;
}

/** Maximum size of an input whose payloads are kept. A larger input is read again for sending. */
const MAX_INPUT_BYTES = 32_000_000;
/**
 * Maximum size of an input with joined files. This limit is lower, because the payloads are several times as large as
 * the files.
 */
const MAX_JOINED_BYTES = 8_000_000;
/**
 * Limit on the combined size of the input and the payloads. No payloads are kept if the combined size will probably
 * exceed this limit.
 */
const MAX_KEPT_BYTES = 64_000_000;

/**
 * Creates the store for the payloads of an input. Returns undefined if the input is too large or cannot be read in
 * chunks, if a record consists of more than a payload, or if the user requested several threads.
 */
export function keepPayloads(job: Job, { threads = 1 }: RunValues): KeptPayloads | undefined {
  const { input } = job;
  const { chunked, joined } = input;
  const inChunks = chunked ?? joined;
  const bytes = bytesOf(input.files);
  const isSmall = bytes <= (chunked === undefined ? MAX_JOINED_BYTES : MAX_INPUT_BYTES);
  const isOneThread = threads === "auto" || threads === 1;
  if (inChunks === undefined || !isBarePayload(job) || !isOneThread || !isSmall) return undefined;
  const rowsOf = createRowMaker(inChunks);
  let groups: PayloadGroup[] | undefined = [];
  let read = 0;
  let kept = 0;
  let before = 0;
  return {
    keep(chunk, records, payloads) {
      const first = before + 1;
      before += records;
      const size = sizeOf(chunk);
      read += size;
      kept += size + payloads.bytes.length;
      if (kept * Math.max(1, bytes / read) > MAX_KEPT_BYTES) groups = undefined;
      if (payloads.bytes.length === 0) return;
      const payload = payloadReader(payloads, first);
      groups?.push({ first, last: before, payload, row: (record) => rowsOf(chunk)[record - first], isReread: false });
    },
    // Files that cannot be joined as bytes are not read in chunks, so nothing was kept.
    groups: () => (read === 0 ? undefined : groups),
  };
}

/** Caches the rows of the latest chunks, because problems arrive roughly in input order. */
function createRowMaker(input: ChunkSource): (chunk: ByteChunk) => readonly Row[] {
  const latest: { readonly chunk: ByteChunk; readonly rows: readonly Row[] }[] = [];
  return (chunk) => {
    const known = latest.find((one) => one.chunk === chunk);
    if (known !== undefined) return known.rows;
    const rows = [...rowsIn(chunk, input)].flatMap((batch) => batch.map(({ row }) => row));
    latest.unshift({ chunk, rows });
    latest.length = Math.min(latest.length, 2);
    return rows;
  };
}

/**
 * Yields the groups in order until the signal aborts.
 * @throws Failure `source_changed`, before the first group or after the last group, if the input has changed
 */
export async function* keptGroups(
  groups: readonly PayloadGroup[],
  { refuseChanged }: Job["input"],
  signal: AbortSignal,
): AsyncGenerator<PayloadGroup> {
  await refuseChanged();
  for (const group of groups) {
    if (signal.aborted) return;
    yield group;
  }
  await refuseChanged();
}
