import type { CompiledJob } from "../../job/job.ts";
import type { InputRecord } from "../../model/record.ts";
import { csvPiecesOf, type CsvPiece, rowsOfChunk } from "../../read/chunks/chunk-rows.ts";
import type { ChunkedInput, RecordChunk } from "../../read/chunks/record-chunk.ts";
import type { JoinedChunk, JoinedInput } from "../../read/join/bytes/joined-chunk.ts";
import { joinedPiece } from "../../read/join/bytes/joined-piece.ts";
import { BATCH_ROWS, type ReadRow } from "../../read/row/read-row.ts";
import type { FindPlain, PlainFinding } from "../bytes/find-plain.ts";
import { compilePlainRecords } from "../bytes/plain-records.ts";
import { type CheckAnswer, checkBatches, type CheckSettings, type InputBatch } from "./check-batches.ts";
import { createPayloadList, type PackedPayloads, type PayloadList } from "./packed-payloads.ts";

export interface ChunkAnswer {
  /** Records of a chunk, the unwanted ones among them: they are numbered from 1. 0 for records that have their numbers. */
  readonly unnumbered: number;
  readonly checked: CheckAnswer;
  /** Of records that may be sent, where they are to be kept. */
  readonly payloads?: PackedPayloads | undefined;
}

/** `keepsPayloads`: those of records that may be sent are wanted, of records that are nothing but a payload. */
export interface ChunkSettings extends CheckSettings {
  readonly keepsPayloads?: boolean;
}

/** What all chunks of an input have in common. */
export interface ChunkSource extends Pick<ChunkedInput, "source" | "files"> {
  /** Of an input whose files are joined. */
  readonly children?: JoinedInput["children"];
}

/**
 * Makes records of chunks, maps and checks them. Most records of most extracts are as they should be, and told by their bytes
 * (`compilePlainRecords`); rows and payloads are made of the others.
 */
export function checkChunks(
  job: CompiledJob,
  input: ChunkSource,
  { keepsPayloads = false, ...settings }: ChunkSettings,
): (chunk: RecordChunk | JoinedChunk) => ChunkAnswer {
  const payloads = createPayloadList();
  const checked = checkBatches(job, settings, keepsPayloads ? payloads : undefined);
  const finderOf = perFile(compilePlainRecords(job, settings.items, payloads.text), input);
  const seen = new Set<number>();
  return (chunk) => {
    const counted = { count: 0 };
    const find = finderOf(chunk.file);
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
    const answer = checked(batches);
    const kept = keepsPayloads ? payloads.take() : undefined;
    payloads.clear();
    return { checked: answer, unnumbered: counted.count, payloads: kept };
  };
}

/** How many records of a chunk there are so far: their numbers in the whole input are not known here. */
interface Counted {
  count: number;
}

type FinderOf = (file: number) => FindPlain | undefined;

/** The rows of a chunk in batches. */
function rowsIn(chunk: RecordChunk | JoinedChunk, input: ChunkSource): Iterable<readonly ReadRow[]> {
  return "root" in chunk ? rowsOfPiece(joinedPiece(chunk, input)) : rowsOfChunk(chunk, input.files);
}

function* rowsOfPiece({ boundaries, from, rowsAt }: CsvPiece): Generator<readonly ReadRow[]> {
  const numbers = Array.from({ length: boundaries.starts.length - from }, (_, index) => from + index);
  const rows = rowsAt(numbers).filter((row) => row !== undefined);
  for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS);
}

/** The pieces of a chunk of CSV files. */
function piecesIn(chunk: RecordChunk | JoinedChunk, input: ChunkSource): Iterable<CsvPiece> {
  if ("root" in chunk) return [joinedPiece(chunk, input)];
  const file = input.files[chunk.file];
  return file?.kind === "csv" ? csvPiecesOf(chunk, file) : [];
}

function perFile(compile: ReturnType<typeof compilePlainRecords>, { files, children = [] }: ChunkSource): FinderOf {
  const known = new Map<number, FindPlain | undefined>();
  return (number) => {
    const file = files[number];
    if (compile === undefined || file?.kind !== "csv") return undefined;
    const find = known.has(number) ? known.get(number) : compile(file, children);
    known.set(number, find);
    return find;
  };
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
  readonly find: FindPlain;
  readonly source: string;
  readonly counted: Counted;
  /** The files of which a plain record was made: the first one is, because it tells where the file keeps the business key. */
  readonly seen: Set<number>;
  readonly file: number;
  /** Of a run that sends: those of plain records are noted here. */
  readonly payloads: PayloadList;
}

/** The same batches, without the rows of plain records. */
function* mixedBatches(pieces: Iterable<CsvPiece>, reading: MixedReading): Generator<InputBatch> {
  for (const piece of pieces) yield* batchesOfPiece(piece, reading);
}

function* batchesOfPiece(
  piece: CsvPiece,
  { find, source, counted, seen, file, payloads }: MixedReading,
): Generator<InputBatch> {
  const found = find(piece, { isFirstMade: !seen.has(file) });
  const { items, others, isPlainMade } = found;
  const rows = piece.rowsAt(others);
  let next = 0;
  let order: number[] = [];
  let records: InputRecord[] = [];
  const batch = (): InputBatch => ({ records, plain: { first: counted.count - order.length + 1, items, order } });
  for (let number = piece.from; number < piece.boundaries.starts.length; number += 1) {
    const isPlain = others[next] !== number;
    const read = isPlain ? undefined : rows[next];
    if (!isPlain) next += 1;
    if (!isPlain && read === undefined) continue;
    counted.count += 1;
    order.push(isPlain ? number : -1);
    if (isPlain) notePayload(found, number, counted.count, payloads);
    if (read !== undefined) records.push({ number: counted.count, source, orphan: false, ...read });
    if (order.length < BATCH_ROWS) continue;
    yield batch();
    order = [];
    records = [];
  }
  if (order.length > 0) yield batch();
  if (isPlainMade) seen.add(file);
}

/** A plain record of a run that sends has its payload in the list already. */
function notePayload(
  { items, textStarts, textEnds }: PlainFinding,
  number: number,
  record: number,
  payloads: PayloadList,
): void {
  if (items.hashes !== undefined) payloads.note(record, textStarts[number] ?? 0, textEnds[number] ?? 0);
}
