import type { PlannedItem } from "../records/planned-item.ts";
import type { Problem } from "../../model/problem.ts";
import { type ByteList, createByteList } from "../../text/byte-list.ts";
import { columnsIn, FLAG, type ItemValues, newColumns, type PackedItems, type ProblemCounts } from "./item-columns.ts";
import { HASH_BYTES } from "../records/record-hashes.ts";
import { addExtra, hasExtra, type ItemExtra } from "./item-extra.ts";
import { packAsciiKey, packKey } from "./packed-key.ts";

/** Items from one file, as columns. Their records are valid and have no problems. */
export interface FastPathItems {
  readonly file: string;
  /** The bytes that contain the keys. */
  bytes: Uint8Array;
  readonly lines: Float64Array;
  /** The content of each item, as in `PlannedItem.content`; NaN for an item without a key. */
  readonly contents: Float64Array;
  /**
   * Start and exclusive end of each item's key, which must be ASCII. The start is -1 if the key is in `keyTexts`, or if
   * the item has no key.
   */
  readonly keyStarts: Int32Array;
  readonly keyEnds: Int32Array;
  readonly keyTexts: (string | undefined)[];
  /** For a push: identity and content hash of each item, instead of `contents`. All items have a key. */
  readonly hashes: Uint8Array | undefined;
  /** For a push: the hash of each item's source row. */
  readonly rowHashes: Float64Array;
}

/** Packs items into columns, in input order. */
export interface ItemPacker {
  readonly add: (item: PlannedItem) => void;
  /** Adds the item at index `at`. `record`: its record number. */
  readonly addPlain: (items: FastPathItems, at: number, record: number) => void;
  /** Returns the items added since the last call. */
  readonly take: () => PackedItems;
}

/** Creates a packer that, like a ledger, stores keys in NFC as UTF-8, and problems without their values. */
export function createItemPacker(): ItemPacker {
  const keys = createByteList();
  const extras = createByteList();
  let columns = newItems(INITIAL_CAPACITY);
  let count = 0;
  let files: string[] = [];
  let problems = newCounts();

  function begin(file: string): void {
    if (count === columns.flags.length) columns = widened(columns);
    if (files.at(-1) !== file) files.push(file);
    columns.fileNumbers[count] = files.length - 1;
  }

  function end(record: number, line: number, flags: number): void {
    columns.records[count] = record;
    columns.lines[count] = line;
    columns.flags[count] = flags;
    columns.keyEnds[count] = keys.length();
    columns.extraEnds[count] = extras.length();
    count += 1;
  }

  return {
    add(item) {
      begin(item.file);
      columns.contents[count] = contentNumber(item.content);
      columns.marks[count] = item.key === undefined ? Number.NaN : packKey(item.key, keys);
      const content = typeof item.content === "object" ? item.content : undefined;
      if (hasExtra(item)) addExtra({ ...item, content }, extras);
      for (const problem of item.problems) countProblem(problems, problem);
      end(item.record, item.line, flagsOf(item));
    },
    addPlain(items, at, record) {
      begin(items.file);
      const { hashes } = items;
      columns.contents[count] = fastPathContent(items, at);
      if (hashes !== undefined) addExtra(extraIn(hashes, at, items.rowHashes[at]), extras);
      const mark = packFastPathKey(items, at, keys);
      columns.marks[count] = mark;
      const extra = hashes === undefined ? 0 : FLAG.extra;
      end(record, items.lines[at] ?? 0, extra | (Number.isNaN(mark) ? 0 : FLAG.key));
    },
    take() {
      const memory = newColumns({ count, keyBytes: keys.length(), extraBytes: extras.length() });
      const packed = columnsIn(memory);
      for (const name of COLUMNS) packed[name].set(columns[name].subarray(0, count));
      packed.keys.set(keys.bytes());
      packed.extras.set(extras.bytes());
      const taken = { columns: memory, files, problems };
      keys.clear();
      extras.clear();
      count = 0;
      files = [];
      problems = newCounts();
      return taken;
    },
  };
}

function extraIn(hashes: Uint8Array, at: number, rowHash: number | undefined): ItemExtra {
  const hash = (index: number): Uint8Array => hashes.subarray(HASH_BYTES * index, HASH_BYTES * (index + 1));
  return { identity: hash(2 * at), content: hash(2 * at + 1), rowHash, problems: [] };
}

function fastPathContent({ hashes, contents }: FastPathItems, at: number): number {
  return hashes === undefined ? (contents[at] ?? Number.NaN) : hashNumber(hashes, 2 * HASH_BYTES * at + HASH_BYTES);
}

/** Adds the item's key to the list. Returns the mark of the key, or NaN if the item has no key. */
function packFastPathKey({ bytes, keyStarts, keyEnds, keyTexts }: FastPathItems, at: number, keys: ByteList): number {
  const start = keyStarts[at] ?? -1;
  if (start >= 0) return packAsciiKey(bytes, start, keyEnds[at] ?? start, keys);
  const text = keyTexts[at];
  return text === undefined ? Number.NaN : packKey(text, keys);
}

/** Columns that are copied unchanged into the packed buffer. */
const COLUMNS = ["records", "lines", "contents", "marks", "keyEnds", "fileNumbers", "extraEnds", "flags"] as const;

/** Initial number of items for which the columns have room. */
const INITIAL_CAPACITY = 512;

function newItems(capacity: number): ItemValues {
  return {
    records: new Float64Array(capacity),
    lines: new Float64Array(capacity),
    contents: new Float64Array(capacity),
    marks: new Float64Array(capacity),
    keyEnds: new Uint32Array(capacity),
    fileNumbers: new Uint32Array(capacity),
    extraEnds: new Uint32Array(capacity),
    flags: new Uint8Array(capacity),
  };
}

function widened(items: ItemValues): ItemValues {
  const wider = newItems(2 * items.flags.length);
  for (const name of COLUMNS) wider[name].set(items[name]);
  return wider;
}

interface Counts extends ProblemCounts {
  readonly error: Map<string, number>;
  readonly warning: Map<string, number>;
}

function newCounts(): Counts {
  return { error: new Map(), warning: new Map() };
}

function countProblem(counts: Counts, { severity, code, unlisted = 0 }: Problem): void {
  const byCode = counts[severity];
  byCode.set(code, (byCode.get(code) ?? 0) + 1 + unlisted);
}

function flagsOf(item: PlannedItem): number {
  const invalid = item.status === "invalid" ? FLAG.invalid : 0;
  return invalid | (hasExtra(item) ? FLAG.extra : 0) | (item.key === undefined ? 0 : FLAG.key);
}

function contentNumber(content: PlannedItem["content"]): number {
  if (content === undefined) return Number.NaN;
  return typeof content === "number" ? content : hashNumber(content, 0);
}

/**
 * Converts 52 bits of a SHA-256 hash to a number: its first 48 bits, and the low 4 bits of its seventh byte. The number
 * distinguishes contents as reliably as a 52-bit fast hash.
 */
function hashNumber(hashes: Uint8Array, start: number): number {
  let number = (hashes[start + 6] ?? 0) & 0xf;
  for (let at = start; at < start + 6; at += 1) number = number * 256 + (hashes[at] ?? 0);
  return number;
}
