import type { Job } from "../../job/job.ts";
import type { InputPosition, Row } from "../../model/record.ts";
import type { ChunkedInput, RecordChunk } from "../../read/chunks/record-chunk.ts";
import type { JoinedChunk, JoinedInput } from "../../read/join/bytes/joined-chunk.ts";
import { type FinderOf, findersOf, piecesIn, rowsIn, visitRecords } from "../bytes/chunk-pieces.ts";
import { compilePlainRecords } from "../bytes/plain-records.ts";
import { readRecords } from "../plan/check-records.ts";
import { createPayloadList, type PayloadList } from "../threads/packed-payloads.ts";
import { isPayloadAlone } from "./kept-payloads.ts";
import {
  groupOfRows,
  groupsOfRows,
  type PayloadGroup,
  payloadReader,
  rememberRows,
  type RowsOf,
} from "./payload-group.ts";

/**
 * Reads an input once more, from its beginning or from a place, for what is to be sent. Ends early, without an error, when
 * the signal is aborted.
 */
export type ReadPayloads = (signal: AbortSignal, from?: InputPosition) => AsyncIterable<PayloadGroup>;

/**
 * Payloads are made of the bytes of CSV files, joined ones too. Where that does not go, for the whole input or for a record,
 * they are to be made of the rows.
 */
export function payloadsAnew(job: Job): ReadPayloads {
  return readPayloadsByBytes(job) ?? ((signal, from) => groupsOfRows(readRecords(job, signal, from)));
}

/** Undefined for an input of another kind, for records that are more than a payload, and where the mapping asks for rows. */
function readPayloadsByBytes(job: Job): ReadPayloads | undefined {
  const { input, operation } = job;
  const inChunks = input.chunked ?? input.joined;
  if (inChunks === undefined || !isPayloadAlone(operation)) return undefined;
  const payloads = createPayloadList();
  const finderOf = findersOf(compilePlainRecords(job, { texts: payloads.text }), inChunks);
  if (inChunks.files.some((_, file) => finderOf(file) === undefined)) return undefined;
  const rowsOf = rememberRows<AnyChunk>((chunk) => [...rowsIn(chunk, inChunks)].flat().map(({ row }) => row));
  const groupOf = groupMaker({ inChunks, payloads, finderOf, rowsOf });
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

type AnyChunk = RecordChunk | JoinedChunk;
type InputInChunks = ChunkedInput | JoinedInput;

interface GroupMaking {
  readonly inChunks: InputInChunks;
  readonly payloads: PayloadList;
  readonly finderOf: FinderOf;
  readonly rowsOf: RowsOf<AnyChunk>;
}

function groupMaker(making: GroupMaking): (chunk: AnyChunk, first: number) => PayloadGroup {
  const { inChunks, payloads, finderOf, rowsOf } = making;
  return (chunk, first) => {
    const find = finderOf(chunk.file);
    if (find === undefined) throw new Error(`The records of file ${chunk.file} cannot be found by their bytes.`);
    const others = new Map<number, Row>();
    let count = 0;
    for (const piece of piecesIn(chunk, inChunks)) {
      const found = find(piece, { isFirstMade: false });
      visitRecords(piece, found, (number, read) => {
        count += 1;
        if (read === undefined) payloads.note(count, found.textStarts[number] ?? 0, found.textEnds[number] ?? 0);
        else others.set(count, read.row);
      });
    }
    return {
      first,
      last: first + count - 1,
      payload: payloadReader(payloads.take(), first),
      row: (record) => others.get(record - first + 1) ?? rowsOf(chunk)[record - first],
      isReadAnew: true,
      behind: placeBehind(chunk, first + count, inChunks),
    };
  };
}

/** Of CSV files that can be read from the middle. */
function placeBehind(chunk: AnyChunk, record: number, { files }: InputInChunks): InputPosition | undefined {
  const file = files[chunk.file];
  const next = "root" in chunk ? undefined : chunk.next;
  return next && file?.kind === "csv" ? { ...next, record, file: file.layout.header.table.file } : undefined;
}
