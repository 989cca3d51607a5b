import { openUnnamedFile, type UnnamedFile } from "../../../files/unnamed-file.ts";
import { type ByteList, createByteList } from "../../../text/byte-list.ts";
import type { ChildSlice } from "./joined-chunk.ts";
import type { CsvBytes } from "../../csv/csv-records.ts";
import { RECORD_FLAG, WHOLE_RECORDS } from "../../csv/record-boundaries.ts";

/** Child records in the order of their parents: in memory, or in a private file if there are many. */
interface SpoolStore {
  /** Creates the spool for the records of another source. */
  readonly newSpool: () => ChildSpool;
  readonly close: () => void;
}

export interface ChildSpool {
  /**
   * Adds a record of a parent. The caller must add the records of each parent in file order.
   * @param number the number of the record in `records`
   * @throws Failure `storage` if the file cannot be written
   */
  readonly add: (parent: number, records: FlaggedRecords, number: number) => void;
  /**
   * Returns the records of these parents, which must follow the parents of earlier calls.
   * @throws Failure `storage` if the file cannot be read
   */
  readonly take: (parents: ParentRange) => readonly ChildSlice[];
}

/** Parents by their zero-based numbers in the whole input; `to` is exclusive. */
export interface ParentRange {
  readonly from: number;
  readonly to: number;
  /** The number of the first of these parents within its piece. */
  readonly firstNumber: number;
}

const PARENTS_OF_BUCKET = 4096;
const MEMORY_BYTES = 32 * 2 ** 20;

/** @param folder folder for the file, which is created on demand */
export function createSpoolStore(folder: string, memoryBytes: number = MEMORY_BYTES): SpoolStore {
  const spools: Buckets[] = [];
  let size = 0;
  let file: UnnamedFile | undefined;

  function spill(): void {
    file ??= openUnnamedFile(folder, "the records of a join");
    for (const bucket of spools.flat()) {
      if (bucket === undefined || bucket.list.length() === 0) continue;
      bucket.parts.push({ position: file.append(bucket.list.bytes()), length: bucket.list.length() });
      bucket.list = createByteList();
    }
    size = 0;
  }

  function contentOf({ list, parts }: Bucket): Uint8Array {
    if (file === undefined || parts.length === 0) return list.bytes();
    const whole = createByteList(parts.reduce((sum, { length }) => sum + length, list.length()));
    for (const { position, length } of parts) whole.addBytes(new Uint8Array(file.read(position, length)));
    whole.addBytes(list.bytes());
    return whole.bytes();
  }

  return {
    close: () => file?.close(),
    newSpool() {
      const buckets: Buckets = [];
      spools.push(buckets);
      return {
        add(parent, records, number) {
          const { list } = bucketOf(buckets, Math.floor(parent / PARENTS_OF_BUCKET));
          const before = list.length();
          addRecord(list, parent % PARENTS_OF_BUCKET, records, number);
          size += list.length() - before;
          if (size > memoryBytes) spill();
        },
        take: createTake((number) => {
          const bucket = buckets[number];
          buckets[number] = undefined;
          return bucket === undefined ? new Uint8Array() : contentOf(bucket);
        }),
      };
    },
  };
}

type Buckets = (Bucket | undefined)[];

/** The records of consecutive parents. */
interface Bucket {
  list: ByteList;
  /** The parts of the file that contain earlier records of the bucket. */
  readonly parts: { readonly position: number; readonly length: number }[];
}

function bucketOf(buckets: Buckets, number: number): Bucket {
  return (buckets[number] ??= { list: createByteList(), parts: [] });
}

/** @param contentOf returns the content of a bucket; called once for each bucket, in ascending order */
function createTake(contentOf: (bucket: number) => Uint8Array): ChildSpool["take"] {
  let bucket = -1;
  let records = inOrderOfParents(new Uint8Array(), 0);
  let next = 0;

  function begin(number: number): void {
    bucket = number;
    records = inOrderOfParents(contentOf(number), PARENTS_OF_BUCKET);
    next = 0;
  }

  return ({ from, to, firstNumber }) => {
    /** By slice. */
    const builders: (SliceBuilder | undefined)[] = [];
    for (let parent = from; parent < to; parent = (bucket + 1) * PARENTS_OF_BUCKET) {
      const number = Math.floor(parent / PARENTS_OF_BUCKET);
      if (number !== bucket) begin(number);
      const shift = bucket * PARENTS_OF_BUCKET - from;
      const { view, heads } = records;
      for (; next < heads.length; next += 1) {
        const at = heads[next] ?? 0;
        const place = shift + parentAt(view, at);
        if (place >= to - from) break;
        const slice = sliceAt(view, at);
        (builders[slice] ??= sliceBuilder(slice)).add(records, at, place + firstNumber);
      }
    }
    return builders.flatMap((builder) => builder?.take() ?? []);
  };
}

/** Records of one file that were read together. */
interface FlaggedRecords extends CsvBytes {
  readonly file: number;
  /** The result of `recordFlags`. */
  readonly flags: Uint8Array;
}

/** Offsets of the fields in the header of a record. The bytes of the record and a line feed follow the header. */
const HEAD = { parent: 0, flags: 2, isUnterminated: 3, file: 4, line: 8, length: 12 } as const;
const HEAD_BYTES = 16;

const head = new DataView(new ArrayBuffer(HEAD_BYTES));
const headBytes = new Uint8Array(head.buffer);
const LF = 10;

/** @param parent number of the parent in its bucket, below 65,536 */
function addRecord(list: ByteList, parent: number, records: FlaggedRecords, number: number): void {
  const { bytes, boundaries, line, file, flags } = records;
  const { starts, ends, lines, unterminated } = boundaries;
  const start = starts[number] ?? 0;
  const end = ends[number] ?? 0;
  head.setUint16(HEAD.parent, parent);
  head.setUint8(HEAD.flags, flags[number] ?? 0);
  head.setUint8(HEAD.isUnterminated, unterminated && number === starts.length - 1 ? 1 : 0);
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
function inOrderOfParents(bytes: Uint8Array, parents: number): SpooledRecords {
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

function parentAt(view: DataView, at: number): number {
  return view.getUint16(at + HEAD.parent);
}

/**
 * Returns a number that identifies the slice of a record. All records of a file are in one slice, except a last record
 * without a line ending, which has its own slice.
 */
function sliceAt(view: DataView, at: number): number {
  return 2 * view.getUint32(at + HEAD.file) + view.getUint8(at + HEAD.isUnterminated);
}

interface SliceBuilder {
  readonly add: (records: SpooledRecords, at: number, parent: number) => void;
  readonly take: () => ChildSlice;
}

function sliceBuilder(slice: number): SliceBuilder {
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
