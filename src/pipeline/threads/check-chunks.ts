import type { CompiledJob } from "../../job/job.ts";
import type { InputRecord } from "../../model/record.ts";
import { csvPiecesOf, type CsvPiece, rowsOfChunk } from "../../read/chunks/chunk-rows.ts";
import type { ChunkedInput, RecordChunk } from "../../read/chunks/record-chunk.ts";
import { BATCH_ROWS } from "../../read/row/read-row.ts";
import type { FindPlain } from "../bytes/find-plain.ts";
import { compilePlainRecords } from "../bytes/plain-records.ts";
import { type CheckAnswer, checkBatches, type CheckSettings, type InputBatch } from "./check-batches.ts";

export interface ChunkAnswer {
  /** Records of a chunk, the unwanted ones among them: they are numbered from 1. 0 for records that have their numbers. */
  readonly unnumbered: number;
  readonly checked: CheckAnswer;
}

/** What all chunks of an input have in common. */
export type ChunkSource = Pick<ChunkedInput, "source" | "files">;

/**
 * Makes records of chunks, maps and checks them. Most records of most extracts are as they should be, and told by their bytes
 * (`compilePlainRecords`); rows and payloads are made of the others.
 */
export function checkChunks(
  job: CompiledJob,
  input: ChunkSource,
  settings: CheckSettings,
): (chunk: RecordChunk) => ChunkAnswer {
  const checked = checkBatches(job, settings);
  const finderOf = perFile(compilePlainRecords(job, settings.items), input);
  const seen = new Set<number>();
  return (chunk) => {
    const counted = { count: 0 };
    const file = input.files[chunk.file];
    const find = finderOf(chunk.file);
    const batches =
      find === undefined || file?.kind !== "csv"
        ? rowBatches(chunk, input, counted)
        : mixedBatches(csvPiecesOf(chunk, file), { find, source: input.source, counted, seen, file: chunk.file });
    const answer = checked(batches);
    return { checked: answer, unnumbered: counted.count };
  };
}

/** How many records of a chunk there are so far: their numbers in the whole input are not known here. */
interface Counted {
  count: number;
}

type FinderOf = (file: number) => FindPlain | undefined;

function perFile(compile: ReturnType<typeof compilePlainRecords>, { files }: ChunkSource): FinderOf {
  const known = new Map<number, FindPlain | undefined>();
  return (number) => {
    const file = files[number];
    if (compile === undefined || file?.kind !== "csv") return undefined;
    const find = known.has(number) ? known.get(number) : compile(file);
    known.set(number, find);
    return find;
  };
}

function* rowBatches(chunk: RecordChunk, { source, files }: ChunkSource, counted: Counted): Generator<InputBatch> {
  for (const rows of rowsOfChunk(chunk, files)) {
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
}

/** The same batches, without the rows of plain records. */
function* mixedBatches(pieces: Iterable<CsvPiece>, reading: MixedReading): Generator<InputBatch> {
  for (const piece of pieces) yield* batchesOfPiece(piece, reading);
}

function* batchesOfPiece(piece: CsvPiece, { find, source, counted, seen, file }: MixedReading): Generator<InputBatch> {
  const { items, others, isPlainMade } = find(piece, piece.from, { isFirstMade: !seen.has(file) });
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
    if (read !== undefined) records.push({ number: counted.count, source, orphan: false, ...read });
    if (order.length < BATCH_ROWS) continue;
    yield batch();
    order = [];
    records = [];
  }
  if (order.length > 0) yield batch();
  if (isPlainMade) seen.add(file);
}
