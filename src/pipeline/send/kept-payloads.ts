import type { Job } from "../../job/job.ts";
import type { Threads } from "../../job/settings/recorded-settings.ts";
import type { Row } from "../../model/record.ts";
import { rowsOfChunk } from "../../read/chunks/chunk-rows.ts";
import type { ChunkedInput, RecordChunk } from "../../read/chunks/record-chunk.ts";
import type { PackedPayloads } from "../threads/packed-payloads.ts";

/**
 * The payloads of an input, kept from its checking until they are sent, so that it is read, mapped and serialised once.
 * They are kept as bytes, outside of the heap, and so is what was read: rows are made of it again where the platform
 * names a problem in them.
 */
export interface KeptPayloads {
  /** Takes those of the next chunk, which holds so many records. */
  readonly keep: (chunk: RecordChunk, records: number, payloads: PackedPayloads) => void;
  /** What was kept, in input order; undefined where it is too much to be kept. */
  readonly groups: () => readonly KeptGroup[] | undefined;
}

/** The records of one chunk. */
export interface KeptGroup {
  readonly first: number;
  readonly last: number;
  /** The payload in its sent form, as canonical JSON in UTF-8; undefined for a record that is not there. */
  readonly payload: (record: number) => Buffer | undefined;
  readonly row: (record: number) => Row | undefined;
}

/** A larger input is read again. */
const MOST_INPUT_BYTES = 32_000_000;
/** What was read, and the payloads. */
const MOST_KEPT_BYTES = 64_000_000;

/** Undefined for an input that is too large or cannot be read in chunks, and for records that are more than a payload. */
export function keepPayloads(
  { input, operation }: Pick<Job, "input" | "operation">,
  { threads = 1 }: { readonly threads?: Threads | undefined },
): KeptPayloads | undefined {
  const { chunked } = input;
  const isPlain = operation.steps.length === 0 && (operation.parameters ?? []).length === 0;
  const bytes = input.files.reduce((sum, file) => sum + file.unpackedBytes, 0);
  const isOneThread = threads === "auto" || threads === 1;
  if (chunked === undefined || !isPlain || !isOneThread || bytes > MOST_INPUT_BYTES) return undefined;
  const rowsOf = createRowMaker(chunked);
  let groups: KeptGroup[] | undefined = [];
  let left = MOST_KEPT_BYTES;
  let before = 0;
  return {
    keep(chunk, records, payloads) {
      const first = before + 1;
      before += records;
      left -= chunk.bytes.length + payloads.bytes.length;
      if (left < 0) groups = undefined;
      if (payloads.bytes.length > 0) groups?.push({ first, last: before, ...readerOf(chunk, first, payloads, rowsOf) });
    },
    groups: () => groups,
  };
}

type RowsOf = (chunk: RecordChunk) => readonly Row[];

function readerOf(
  chunk: RecordChunk,
  first: number,
  { bytes, starts, ends }: PackedPayloads,
  rowsOf: RowsOf,
): Pick<KeptGroup, "payload" | "row"> {
  const payloads = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    payload(record) {
      const end = ends[record - first] ?? 0;
      return end === 0 ? undefined : payloads.subarray(starts[record - first], end);
    },
    row: (record) => rowsOf(chunk)[record - first],
  };
}

/** Remembers the rows that were made last: problems come in the order of the input, nearly. */
function createRowMaker({ files }: ChunkedInput): RowsOf {
  const latest: { readonly chunk: RecordChunk; readonly rows: readonly Row[] }[] = [];
  return (chunk) => {
    const known = latest.find((one) => one.chunk === chunk);
    if (known !== undefined) return known.rows;
    const rows = [...rowsOfChunk(chunk, files)].flatMap((batch) => batch.map(({ row }) => row));
    latest.unshift({ chunk, rows });
    latest.length = Math.min(latest.length, 2);
    return rows;
  };
}
