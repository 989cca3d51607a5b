import { type ByteList, createByteList } from "../../../text/byte-list.ts";
import type { CsvBytes } from "../../csv/csv-records.ts";
import { RECORD_FLAG, WHOLE_RECORDS } from "../../csv/record-boundaries.ts";
import type { ChildSlice } from "./joined-chunk.ts";

/** Records of one file that were read together. */
export interface FlaggedRecords extends CsvBytes {
  readonly file: number;
  /** The result of `recordFlags`. */
  readonly flags: Uint8Array;
}

/** Offsets of the fields in the header of a record. The bytes of the record and a line feed follow the header. */
const HEAD = { parent: 0, flags: 2, isCutOff: 3, file: 4, line: 8, length: 12 } as const;
const HEAD_BYTES = 16;

const head = new DataView(new ArrayBuffer(HEAD_BYTES));
const headBytes = new Uint8Array(head.buffer);
const LF = 10;

/** @param parent number of the parent in its bucket, below 65,536 */
export function addRecord(list: ByteList, parent: number, records: FlaggedRecords, number: number): void {
  const { bytes, boundaries, line, file, flags } = records;
  const { starts, ends, lines, unterminated } = boundaries;
  const start = starts[number] ?? 0;
  const end = ends[number] ?? 0;
  head.setUint16(HEAD.parent, parent);
  head.setUint8(HEAD.flags, flags[number] ?? 0);
  head.setUint8(HEAD.isCutOff, unterminated && number === starts.length - 1 ? 1 : 0);
  head.setUint32(HEAD.file, file);
  head.setUint32(HEAD.line, line + (lines[number] ?? 0));
  head.setUint32(HEAD.length, end - start);
  list.addBytes(headBytes);
  list.addBytes(bytes, start, end);
  list.addByte(LF);
}

interface SpooledRecords {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Offset of each record's header, sorted by parent, then in the order in which the records were added. */
  readonly heads: Uint32Array;
}

/** @param parents exclusive upper limit on parent numbers */
export function inOrderOfParents(bytes: Uint8Array, parents: number): SpooledRecords {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const places = new Uint32Array(parents + 1);
  const eachRecord = (visit: (at: number) => void): void => {
    for (let at = 0; at < bytes.length; at += HEAD_BYTES + view.getUint32(at + HEAD.length) + 1) visit(at);
  };
  let count = 0;
  eachRecord((at) => {
    count += 1;
    const next = parentAt(view, at) + 1;
    places[next] = (places[next] ?? 0) + 1;
  });
  for (let parent = 1; parent <= parents; parent += 1)
    places[parent] = (places[parent] ?? 0) + (places[parent - 1] ?? 0);
  const heads = new Uint32Array(count);
  eachRecord((at) => {
    const parent = parentAt(view, at);
    const place = places[parent] ?? 0;
    heads[place] = at;
    places[parent] = place + 1;
  });
  return { bytes, view, heads };
}

export function parentAt(view: DataView, at: number): number {
  return view.getUint16(at + HEAD.parent);
}

/**
 * Returns a number that identifies the slice of a record. All records of a file are in one slice, except a record that
 * is cut off at the end of the file, which has its own slice.
 */
export function sliceAt(view: DataView, at: number): number {
  return 2 * view.getUint32(at + HEAD.file) + view.getUint8(at + HEAD.isCutOff);
}

export interface SliceBuilder {
  readonly add: (records: SpooledRecords, at: number, parent: number) => void;
  readonly take: () => ChildSlice;
}

export function sliceBuilder(slice: number): SliceBuilder {
  const list = createByteList();
  const [starts, ends, lines, parents]: [number[], number[], number[], number[]] = [[], [], [], []];
  const quoted: number[] = [];
  const [strayQuotes, controls] = [new Set<number>(), new Set<number>()];
  return {
    add({ bytes, view }, at, parent) {
      const length = view.getUint32(at + HEAD.length);
      const flags = view.getUint8(at + HEAD.flags);
      if (flags > 0) {
        if ((flags & RECORD_FLAG.quoted) !== 0) quoted.push(starts.length);
        if ((flags & RECORD_FLAG.strayQuote) !== 0) strayQuotes.add(starts.length);
        if ((flags & RECORD_FLAG.control) !== 0) controls.add(starts.length);
      }
      const start = list.length();
      starts.push(start);
      ends.push(start + length);
      lines.push(view.getUint32(at + HEAD.line));
      parents.push(parent);
      list.addBytes(bytes, at + HEAD_BYTES, at + HEAD_BYTES + length + 1);
    },
    take: () => ({
      file: slice >> 1,
      bytes: list.take(),
      line: 0,
      parents: Int32Array.from(parents),
      boundaries: {
        end: list.length(),
        starts,
        ends,
        lines,
        quoted,
        strayQuotes,
        controls,
        unterminated: slice % 2 === 1,
        ...WHOLE_RECORDS,
      },
    }),
  };
}
