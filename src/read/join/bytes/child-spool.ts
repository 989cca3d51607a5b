import { openUnnamedFile, type UnnamedFile } from "../../../files/unnamed-file.ts";
import { type ByteList, createByteList } from "../../../text/byte-list.ts";
import type { ChildSlice } from "./joined-chunk.ts";
import {
  addRecord,
  type FlaggedRecords,
  inOrderOfParents,
  parentAt,
  sliceAt,
  type SliceBuilder,
  sliceBuilder,
} from "./spooled-record.ts";

/** Child records in the order of their parents: in memory, or in a private file if there are many. */
export interface SpoolStore {
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

/** Parents by their zero-based numbers in the whole input. */
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
      bucket.list = createByteList(FIRST_BYTES);
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

const FIRST_BYTES = 4096;

function bucketOf(buckets: Buckets, number: number): Bucket {
  return (buckets[number] ??= { list: createByteList(FIRST_BYTES), parts: [] });
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
    const builders = new Map<number, SliceBuilder>();
    for (let parent = from; parent < to; parent = (bucket + 1) * PARENTS_OF_BUCKET) {
      const number = Math.floor(parent / PARENTS_OF_BUCKET);
      if (number !== bucket) begin(number);
      const shift = bucket * PARENTS_OF_BUCKET - from;
      const { view, heads } = records;
      for (; next < heads.length; next += 1) {
        const at = heads[next] ?? 0;
        const place = shift + parentAt(view, at);
        if (place >= to - from) break;
        builderOf(builders, sliceAt(view, at)).add(records, at, place + firstNumber);
      }
    }
    return [...builders].toSorted(([one], [other]) => one - other).map(([, builder]) => builder.take());
  };
}

function builderOf(builders: Map<number, SliceBuilder>, slice: number): SliceBuilder {
  const known = builders.get(slice);
  if (known !== undefined) return known;
  const builder = sliceBuilder(slice);
  builders.set(slice, builder);
  return builder;
}
