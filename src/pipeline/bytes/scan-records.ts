import type { FastPathItems } from "../../ledger/packed/item-packer.ts";
import type { ByteList } from "../../text/byte-list.ts";
import type { RecordPiece } from "../../read/chunks/chunk-rows.ts";
import { contentTextHash, HASH_BYTES } from "../../ledger/records/record-hashes.ts";
import { type FastPathCells, startRecord, withEncodingState } from "./fast-path-cells.ts";
import { type Encoder, UNCERTAIN } from "./encode-leaf.ts";
import { invisibleCharacter } from "../../read/row/row-key.ts";
import type { ChildGroups } from "../../read/join/bytes/joined-piece.ts";
import { areReadable, type ChildRecords, NO_GROUPS, withChildren } from "./child-records.ts";
import type { RecordReader } from "./record-reader.ts";

/** The fast-path records: records that are certainly valid and have no problem. */
interface EncodedRecords {
  /** Plan items of the fast-path records, by record number. */
  readonly items: FastPathItems;
  /** For a push: start and end of each payload in `PayloadTexts.list`, by record number. */
  readonly textStarts: Uint32Array;
  readonly textEnds: Uint32Array;
}

/** The result of the fast path. All records other than the fast-path records need the row path. */
export interface FastPathResult extends EncodedRecords {
  /** The numbers of the records for the row path, in ascending order. */
  readonly others: readonly number[];
  /** Whether `others` also contains a fast-path record, because `isFirstOnBothPaths` is set. */
  readonly hasEncoded: boolean;
}

/**
 * Scans the records of a piece. The result is valid until the next call.
 * @param options `isFirstOnBothPaths`: the first fast-path record also takes the row path, which finds the cells of
 * the business key
 */
export type ScanRecords = (piece: ScannedPiece, options: { readonly isFirstOnBothPaths: boolean }) => FastPathResult;

/** A range of records in a piece. */
export interface PiecePart extends RecordPiece {
  /** Record number at which the part ends, exclusive. Default: the end of the piece. */
  readonly to?: number;
}

/** `groups`: for each child source, the child records joined to the piece. */
type ScannedPiece = PiecePart & { readonly groups?: readonly ChildGroups[] };

interface ScanOptions {
  readonly reader: RecordReader;
  readonly make: Encoder;
  /** For a push: the payload strings written by `make`, and how to hash them. */
  readonly texts: PayloadTexts | undefined;
  readonly hasKey: boolean;
  readonly children: readonly ScannedChild[];
}

export interface PayloadTexts {
  readonly list: ByteList;
  /** Returns the identity of the record with this key. Absent if the records have already been planned. */
  readonly identityOf?: (key: string) => Uint8Array;
}

/** A child source. The fast path must be able to read all of its records. */
interface ScannedChild {
  readonly records: ChildRecords;
  /** True if the payload contains the records, so that `make` reads them. */
  readonly isEncoded: boolean;
}

export function createScanner({ reader, make, texts, hasKey, children }: ScanOptions): ScanRecords {
  const joined = children.map(({ records }) => records);
  const cells = withChildren(withEncodingState(reader.cells), joined);
  const notEncoded = children.flatMap(({ records, isEncoded }) => (isEncoded ? [] : [records]));
  const newFound = (count: number): EncodedRecords => newItems(reader.table.file, count, texts);
  let found = newFound(0);

  /** Encodes the current record. Never throws an error. If the row cannot be read, the row path reports the error. */
  function content(): number {
    startRecord(cells);
    try {
      return make(cells);
    } catch {
      return UNCERTAIN;
    }
  }

  function plan(number: number): boolean {
    cells.number = number;
    const made = reader.read() && areReadable(notEncoded, number) ? content() : UNCERTAIN;
    // A key that is the text of a cell is ASCII.
    if (made < 0 || (hasKey && cells.keyStart < 0 && !isPlainKey(cells.keyText))) return false;
    const { items } = found;
    items.lines[number] = cells.line;
    items.contents[number] = hasKey ? made : Number.NaN;
    const keyStart = cells.bytes === items.bytes ? cells.keyStart : -1;
    items.keyStarts[number] = keyStart;
    items.keyEnds[number] = cells.keyEnd;
    items.keyTexts[number] = keyStart === cells.keyStart ? cells.keyText : keyIn(cells);
    return true;
  }

  /** Plans a fast-path record, and keeps the text of its payload. Returns false if the record needs the row path. */
  function planWithText(number: number, sent: PayloadTexts): boolean {
    const start = sent.list.length();
    const isOnFastPath = plan(number);
    if (isOnFastPath) noteText(found, { number, start, cells, rowHash: reader.rowHash }, sent);
    else sent.list.cut(start);
    return isOnFastPath;
  }

  return (piece, { isFirstOnBothPaths }) => {
    const { from, to = piece.boundaries.starts.length } = piece;
    loadGroups(joined, piece);
    if (found.items.lines.length < to) found = newFound(2 * to);
    found.items.bytes = piece.bytes;
    const others: number[] = [];
    const begin = reader.begin(piece, from);
    let hasEncoded = false;
    for (let number = from; number < to; number += 1) {
      const isOnFastPath = begin(number) && (texts === undefined ? plan(number) : planWithText(number, texts));
      if (isOnFastPath && (!isFirstOnBothPaths || hasEncoded)) continue;
      others.push(number);
      hasEncoded ||= isOnFastPath;
    }
    return { ...found, others, hasEncoded };
  };
}

function isPlainKey(key = ""): boolean {
  return key !== "" && invisibleCharacter(key) === undefined;
}

function loadGroups(joined: readonly ChildRecords[], { groups = [] }: ScannedPiece): void {
  for (const [index, records] of joined.entries()) records.load(groups[index] ?? NO_GROUPS);
}

interface NotedText {
  readonly number: number;
  readonly start: number;
  readonly cells: FastPathCells;
  readonly rowHash: RecordReader["rowHash"];
}

/** Stores the position and the hashes of a record whose payload is the last text of the list. */
function noteText(
  { items, textStarts, textEnds }: EncodedRecords,
  { number, start, cells, rowHash }: NotedText,
  { list, identityOf }: PayloadTexts,
): void {
  textStarts[number] = start;
  textEnds[number] = list.length();
  if (identityOf === undefined) return;
  const at = 2 * HASH_BYTES * number;
  items.hashes?.set(identityOf(keyIn(cells)), at);
  items.hashes?.set(contentTextHash(list.bytes().subarray(start)), at + HASH_BYTES);
  items.rowHashes[number] = rowHash();
}

function keyIn({ bytes, keyStart, keyEnd, keyText = "" }: FastPathCells): string {
  return keyStart < 0 ? keyText : bytes.toString("latin1", keyStart, keyEnd);
}

function newItems(file: string, count: number, sent: PayloadTexts | undefined): EncodedRecords {
  const items = {
    file,
    bytes: Buffer.alloc(0),
    lines: new Float64Array(count),
    contents: new Float64Array(count),
    keyStarts: new Int32Array(count),
    keyEnds: new Int32Array(count),
    keyTexts: [],
    hashes: sent?.identityOf && new Uint8Array(2 * HASH_BYTES * count),
    rowHashes: new Float64Array(sent?.identityOf === undefined ? 0 : count),
  };
  const texts = sent === undefined ? 0 : count;
  return { items, textStarts: new Uint32Array(texts), textEnds: new Uint32Array(texts) };
}
