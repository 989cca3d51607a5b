import type { CompiledJob } from "../../job/job.ts";
import type { InputRecord } from "../../model/record.ts";
import type { RecordPiece } from "../../read/chunks/chunk-rows.ts";
import { BATCH_ROWS, type ReadRow } from "../../read/row/read-row.ts";
import { type ByteChunk, type ChunkSource, scannersOf, piecesIn, rowsIn, visitRecords } from "../bytes/chunk-pieces.ts";
import type { ScanRecords, FastPathResult } from "../bytes/scan-records.ts";
import { compileFastPath, type ScanPurpose } from "../bytes/compile-fast-path.ts";
import {
  checkAfterCalls,
  type CheckAnswer,
  checkBatches,
  type CheckSettings,
  type InputBatch,
} from "./check-batches.ts";
import { createPayloadList, type PackedPayloads, type PayloadList } from "./packed-payloads.ts";

export interface ChunkAnswer {
  /**
   * If records are numbered from 1 within the chunk: the number of its records, including unwanted records. 0 if record
   * numbers continue across chunks, as in `RecordBatch`.
   */
  readonly unnumbered: number;
  readonly checked: CheckAnswer;
  /** Payloads of the records that may be sent, if they must be kept. */
  readonly payloads?: PackedPayloads | undefined;
}

export interface ChunkSettings extends CheckSettings {
  /** Whether to return the payloads of records that may be sent. Set this only if a record is a single payload. */
  readonly keepsPayloads?: boolean;
}

/**
 * Returns a function that reads, maps and checks the records of a chunk. Most records take the fast path
 * (`compileFastPath`). Builds rows only for the other records.
 */
export function checkChunks(
  job: CompiledJob,
  input: ChunkSource,
  { keepsPayloads = false, ...settings }: ChunkSettings,
): (chunk: ByteChunk) => ChunkAnswer | Promise<ChunkAnswer> {
  const payloads = createPayloadList();
  const checked = checkBatches(job, settings, keepsPayloads ? payloads : undefined);
  const { purpose } = settings.items;
  const scan: ScanPurpose =
    purpose.kind === "validate" ? purpose : { kind: "plan", texts: payloads.text, identifiedBy: purpose };
  const scannerOf = scannersOf(compileFastPath(job, scan), input);
  const seen = new Set<number>();
  const withPayloads = (checkedChunk: CheckAnswer, { count }: Counted): ChunkAnswer => {
    const kept = keepsPayloads ? payloads.take() : undefined;
    payloads.clear();
    return { checked: checkedChunk, unnumbered: count, payloads: kept };
  };
  return (chunk) => {
    const counted = { count: 0 };
    const find = scannerOf(chunk.file);
    const batches =
      find === undefined
        ? rowBatches(rowsIn(chunk, input), input.source, counted)
        : mixedBatches(piecesIn(chunk, input), {
            find,
            source: input.source,
            counted,
            seen,
            file: chunk.file,
            payloads,
          });
    if (job.mapping.prepare === undefined) return withPayloads(checked(batches), counted);
    return checkAfterCalls(job, batches, checked).then((answer) => withPayloads(answer, counted));
  };
}

/**
 * The number of records in a chunk so far. The records are numbered from 1, because their numbers in the whole input
 * are not yet known.
 */
interface Counted {
  count: number;
}

function* rowBatches(batches: Iterable<readonly ReadRow[]>, source: string, counted: Counted): Generator<InputBatch> {
  for (const rows of batches) {
    yield {
      records: rows.map((read) => {
        counted.count += 1;
        return { number: counted.count, source, orphan: false, ...read };
      }),
    };
  }
}

interface MixedReading {
  readonly find: ScanRecords;
  readonly source: string;
  readonly counted: Counted;
  /** The files from which a fast-path record was also built as a row, to find the cells of the business key. */
  readonly seen: Set<number>;
  readonly file: number;
  /** For a push: receives the payloads of fast-path records. */
  readonly payloads: PayloadList;
}

/** Yields the batches of the pieces, without the rows of fast-path records. */
function* mixedBatches(pieces: Iterable<RecordPiece>, reading: MixedReading): Generator<InputBatch> {
  for (const piece of pieces) yield* batchesOfPiece(piece, reading);
}

function batchesOfPiece(
  piece: RecordPiece,
  { find, source, counted, seen, file, payloads }: MixedReading,
): readonly InputBatch[] {
  const found = find(piece, { isFirstOnBothPaths: !seen.has(file) });
  const { items, hasEncoded } = found;
  const batches: InputBatch[] = [];
  let order: number[] = [];
  let records: InputRecord[] = [];
  const endBatch = (): void => {
    batches.push({ records, plain: { first: counted.count - order.length + 1, items, order } });
    order = [];
    records = [];
  };
  visitRecords(piece, found, (number, read) => {
    counted.count += 1;
    order.push(read === undefined ? number : -1);
    if (read === undefined) notePayload(found, number, counted.count, payloads);
    else records.push({ number: counted.count, source, orphan: false, ...read });
    if (order.length === BATCH_ROWS) endBatch();
  });
  if (order.length > 0) endBatch();
  if (hasEncoded) seen.add(file);
  return batches;
}

/**
 * For a push: stores the position of the payload that the scan has written for a fast-path record.
 */
function notePayload(
  { items, textStarts, textEnds }: FastPathResult,
  number: number,
  record: number,
  payloads: PayloadList,
): void {
  if (items.hashes !== undefined) payloads.note(record, textStarts[number] ?? 0, textEnds[number] ?? 0);
}
