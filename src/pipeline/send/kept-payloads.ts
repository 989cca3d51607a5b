import type { Job } from "../../job/job.ts";
import type { Threads } from "../../job/settings/recorded-settings.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import type { InputRecord, MappedRecord, Row } from "../../model/record.ts";
import { rowsOfChunk } from "../../read/chunks/chunk-rows.ts";
import { isValid } from "../plan/check-records.ts";
import type { ChunkedInput, RecordChunk } from "../../read/chunks/record-chunk.ts";

/**
 * The payloads of an input, kept from its checking until they are sent, so that it is read, mapped and serialised once.
 * They are kept as bytes, outside of the heap, and so is what was read: rows are made of it again where the platform
 * names a problem in them.
 */
export interface KeptPayloads {
  /** Reads the input: what `Input.records` gives. */
  readonly records: (signal: AbortSignal) => AsyncGenerator<readonly InputRecord[]>;
  /** Passes on the records that were read, and keeps the payloads of those that may be sent. */
  readonly keep: (batches: AsyncIterable<readonly MappedRecord[]>) => AsyncGenerator<readonly MappedRecord[]>;
  /** What was kept, in input order; undefined where it is too much to be kept. */
  readonly groups: () => readonly KeptGroup[] | undefined;
}

/** The records of one chunk. */
export interface KeptGroup {
  readonly first: number;
  readonly last: number;
  /** The payload in its sent form, as JSON text; undefined for a record that is not there. */
  readonly payload: (record: number) => string | undefined;
  readonly row: (record: number) => Row | undefined;
}

/** A larger input is read again. */
const MOST_INPUT_BYTES = 32_000_000;
/** What was read, and the payloads. */
const MOST_KEPT_BYTES = 64_000_000;

interface KeepOptions {
  readonly threads?: Threads | undefined;
  readonly sendInvalid?: boolean | undefined;
}

/** Undefined for an input that is too large or cannot be read in chunks, and for records that are more than a payload. */
export function keepPayloads(
  { input, operation }: Pick<Job, "input" | "operation">,
  { threads = 1, sendInvalid = false }: KeepOptions,
): KeptPayloads | undefined {
  const { chunked } = input;
  const isPlain = operation.steps.length === 0 && (operation.parameters ?? []).length === 0;
  const bytes = input.files.reduce((sum, file) => sum + file.unpackedBytes, 0);
  const isOneThread = threads === "auto" || threads === 1;
  if (chunked === undefined || !isPlain || !isOneThread || bytes > MOST_INPUT_BYTES) return undefined;
  const toSentForm = compileSentForm(operation);
  const rowsOf = createRowMaker(chunked);
  let groups: KeptGroup[] | undefined = [];
  let current: OpenGroup | undefined;
  let left = MOST_KEPT_BYTES;

  const endGroup = (last: number): void => {
    if (current === undefined) return;
    const { chunk, first, numbers, texts } = current;
    current = undefined;
    if (numbers.length === 0) return;
    const payloads = packTexts(texts);
    left -= chunk.bytes.length + payloads.bytes.length;
    if (left < 0) groups = undefined;
    groups?.push({ first, last, ...readerOf({ chunk, first, numbers, payloads }, rowsOf) });
  };

  return {
    async *records(signal) {
      let number = 0;
      try {
        for await (const chunk of chunked.chunks(signal)) {
          current = { chunk, first: number + 1, numbers: [], texts: [] };
          for (const rows of rowsOfChunk(chunk, chunked.files)) {
            yield rows.map((read) => {
              number += 1;
              return { number, source: chunked.source, orphan: false, ...read };
            });
          }
          endGroup(number);
        }
      } catch (error) {
        // The input ends early, without an error, when the user stops the run.
        if (error !== signal.reason) throw error;
      } finally {
        endGroup(number);
      }
    },
    async *keep(batches) {
      for await (const batch of batches) {
        for (const record of groups === undefined ? [] : batch) {
          if (!sendInvalid && !isValid(record)) continue;
          current?.numbers.push(record.number);
          current?.texts.push(JSON.stringify(toSentForm(record).payload));
        }
        yield batch;
      }
    },
    groups: () => groups,
  };
}

interface OpenGroup {
  readonly chunk: RecordChunk;
  /** The number of its first record. */
  readonly first: number;
  readonly numbers: number[];
  readonly texts: string[];
}

interface PackedTexts {
  readonly bytes: Buffer;
  /** Behind each text. */
  readonly ends: Uint32Array;
}

function packTexts(texts: readonly string[]): PackedTexts {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (const [index, text] of texts.entries()) {
    end += Buffer.byteLength(text);
    ends[index] = end;
  }
  return { bytes: Buffer.from(texts.join("")), ends };
}

interface PackedGroup extends Pick<OpenGroup, "chunk" | "first"> {
  readonly numbers: readonly number[];
  readonly payloads: PackedTexts;
}

type RowsOf = (chunk: RecordChunk) => readonly Row[];

function readerOf(
  { chunk, first, numbers, payloads: { bytes, ends } }: PackedGroup,
  rowsOf: RowsOf,
): Pick<KeptGroup, "payload" | "row"> {
  const positions = new Map(numbers.map((number, position) => [number, position]));
  return {
    payload(record) {
      const position = positions.get(record);
      if (position === undefined) return undefined;
      return bytes.toString("utf8", position === 0 ? 0 : ends[position - 1], ends[position]);
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
