import type { Job } from "../../job/job.ts";
import type { InputPosition, Row } from "../../model/record.ts";
import type { RecordPiece } from "../../read/chunks/chunk-rows.ts";
import {
  type ByteChunk,
  countRecords,
  type ScannerOf,
  scannersOf,
  type InputInChunks,
  piecesIn,
  rowsOfPart,
  visitRecords,
} from "../bytes/chunk-pieces.ts";
import type { PiecePart } from "../bytes/scan-records.ts";
import { compileFastPath } from "../bytes/compile-fast-path.ts";
import { readRecords } from "../plan/check-records.ts";
import type { ReadRow } from "../../read/row/read-row.ts";
import { createPayloadList, type PayloadList } from "../threads/packed-payloads.ts";
import {
  groupOfRows,
  groupsOfRows,
  isBarePayload,
  type PayloadGroup,
  payloadReader,
  type RecordPayloads,
} from "./payload-group.ts";

/**
 * Reads an input again for sending, from its beginning or from a position. Ends early, without an error, if the signal
 * aborts.
 */
export type ReadPayloads = (signal: AbortSignal, from?: InputPosition) => AsyncIterable<PayloadGroup>;

/**
 * Returns a function that reads the input of a job again. Where possible, it builds payloads from the bytes of CSV
 * files, even if files are joined. All other payloads are later built from their rows.
 */
export function rereadPayloads(job: Job): ReadPayloads {
  return rereadByBytes(job) ?? ((signal, from) => groupsOfRows(readRecords(job, signal, from)));
}

/**
 * Returns a function that reads payloads as bytes. Returns undefined if a file is not CSV, if the input cannot be read
 * in chunks, if records consist of more than a payload, or if the mapping needs rows.
 */
function rereadByBytes(job: Job): ReadPayloads | undefined {
  const { input } = job;
  const inChunks = input.chunked ?? input.joined;
  if (inChunks === undefined || !isBarePayload(job)) return undefined;
  const payloads = createPayloadList();
  const scannerOf = scannersOf(compileFastPath(job, { kind: "reread", texts: payloads.text }), inChunks);
  if (inChunks.files.some(({ kind }, file) => kind !== "csv" || scannerOf(file) === undefined)) return undefined;
  const groupOf = groupBuilder({ inChunks, payloads, scannerOf });
  return async function* (signal, from) {
    const place = from !== undefined && "canBeginAt" in inChunks && inChunks.canBeginAt(from) ? from : undefined;
    let first = place?.record ?? 1;
    try {
      for await (const chunk of inChunks.chunks(signal, place)) {
        const group = "records" in chunk ? groupOfRows(chunk.records, first) : groupOf(chunk, first);
        first = group.last + 1;
        yield group;
      }
    } catch (error) {
      if (error !== signal.reason) throw error;
    }
  };
}

interface GroupOptions {
  readonly inChunks: InputInChunks;
  readonly payloads: PayloadList;
  readonly scannerOf: ScannerOf;
}

function groupBuilder(making: GroupOptions): (chunk: ByteChunk, first: number) => PayloadGroup {
  const { inChunks } = making;
  return (chunk, first) => {
    const blocks = blocksOf(piecesIn(chunk, inChunks), first);
    const last = blocks.at(-1)?.last ?? first - 1;
    const blockOf = blockBuilder(blocks, chunk.file, making);
    return {
      first,
      last,
      payload: (record) => blockOf(record).payload(record),
      row: (record) => blockOf(record).row(record),
      isReread: true,
      next: positionAfterChunk(chunk, last + 1, inChunks),
    };
  };
}

interface RecordBlock {
  /** Record numbers in the whole input. */
  readonly first: number;
  readonly last: number;
  readonly part: PiecePart;
}

/**
 * Number of records per block. The number is small, because the first request of a run waits until its block is built.
 */
const BLOCK_RECORDS = 128;

function blocksOf(pieces: Iterable<RecordPiece>, first: number): readonly RecordBlock[] {
  const blocks: RecordBlock[] = [];
  let last = first - 1;
  for (const piece of pieces) {
    const end = piece.boundaries.starts.length;
    for (let from = piece.from; from < end; from += BLOCK_RECORDS) {
      const part = { ...piece, from, to: Math.min(from + BLOCK_RECORDS, end) };
      const begin = last + 1;
      last += countRecords(part);
      blocks.push({ first: begin, last, part });
    }
  }
  return blocks;
}

/**
 * Returns a function that builds a block only when one of its records is requested, because most blocks may be skipped.
 */
function blockBuilder(
  blocks: readonly RecordBlock[],
  file: number,
  { payloads, scannerOf }: GroupOptions,
): (record: number) => RecordPayloads {
  const find = scannerOf(file);
  if (find === undefined) throw new Error(`The records of file ${file} cannot be located.`);
  const make = ({ first, part }: RecordBlock): RecordPayloads => {
    const found = find(part, { isFirstOnBothPaths: false });
    const others = new Map<number, Row>();
    let record = first;
    visitRecords(part, found, (number, read) => {
      if (read !== undefined) others.set(record, read.row);
      else payloads.note(record - first + 1, found.textStarts[number] ?? 0, found.textEnds[number] ?? 0);
      record += 1;
    });
    let rows: readonly ReadRow[] | undefined;
    const rowAt = (index: number): Row | undefined => {
      rows ??= rowsOfPart(part);
      return rows[index]?.row;
    };
    return {
      payload: payloadReader(payloads.take(), first),
      row: (number) => others.get(number) ?? rowAt(number - first),
    };
  };
  const known = new Map<RecordBlock, RecordPayloads>();
  return (record) => {
    const block = blocks.findLast(({ first }) => first <= record);
    if (block === undefined) throw new Error(`Record ${record} is before the chunk.`);
    const made = known.get(block) ?? make(block);
    known.set(block, made);
    return made;
  };
}

/**
 * Returns the position after a chunk; undefined unless the chunk belongs to a CSV file that can be read from the
 * middle.
 */
function positionAfterChunk(chunk: ByteChunk, record: number, { files }: InputInChunks): InputPosition | undefined {
  const file = files[chunk.file];
  const next = "root" in chunk ? undefined : chunk.next;
  return next && file?.kind === "csv" ? { ...next, record, file: file.layout.header.table.file } : undefined;
}
