import type { PlainItems } from "../../ledger/packed/item-packer.ts";
import type { ByteList } from "../../text/byte-list.ts";
import type { CsvPiece } from "../../read/chunks/chunk-rows.ts";
import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import { cellsHash } from "../../ledger/records/row-hash.ts";
import { HASH_BYTES } from "../../ledger/records/record-hashes.ts";
import { newPlainCells, type PlainCells, startRecord } from "./plain-cells.ts";
import { type PlainMaker, UNSURE } from "./plain-leaf.ts";
import { cellMarks, findCells, recordStarter } from "../../read/csv/record-cells.ts";
import type { ChildGroups } from "../../read/join/bytes/joined-piece.ts";
import { areSound, type ChildRecords, NO_GROUPS, withChildren } from "./child-records.ts";
import { readableCells } from "./readable-cells.ts";

/**
 * Which records of some bytes are valid, with nothing to say about them, told without making rows and payloads. All
 * others, and all that it is not sure of, are to be made and checked.
 */
export interface PlainFinding {
  /** By the numbers of the plain records, what is planned of them. */
  readonly items: PlainItems;
  /** The numbers of the others, in order. */
  readonly others: readonly number[];
  /** A plain one is among them. */
  readonly isPlainMade: boolean;
  /** Of a run that sends: by the numbers of the plain records, where their payloads begin in the list of texts, and end. */
  readonly textStarts: Uint32Array;
  readonly textEnds: Uint32Array;
}

/**
 * Looks at the records of a piece from this one on; `isFirstMade`: the first plain one is among the others all the same.
 * What it gives holds until it is called again.
 */
export type FindPlain = (piece: FoundPiece, options: { readonly isFirstMade: boolean }) => PlainFinding;

/** Some of the records of a piece. */
export interface PiecePart extends CsvPiece {
  /** The number of the record to end before; default: the part goes to the end of the piece. */
  readonly to?: number;
}

/** `groups`: what is joined to its records, for each child source. */
type FoundPiece = PiecePart & { readonly groups?: readonly ChildGroups[] };

interface FindingPlain {
  readonly file: ChunkCsvFile;
  readonly make: PlainMaker;
  /** Of a run that sends: the payloads' texts, which `make` writes, and what is planned of them. */
  readonly texts: PlainTexts | undefined;
  readonly hasKey: boolean;
  readonly children: readonly FoundChild[];
}

export interface PlainTexts {
  readonly list: Pick<ByteList, "length" | "bytes" | "cut">;
  /** Absent where the records are planned already. */
  readonly hashes?: PlainHashes | undefined;
}

interface PlainHashes {
  readonly identityOf: (key: string) => Uint8Array;
  readonly contentOf: (text: Uint8Array) => Uint8Array;
}

/** A child source, all of whose records have to be as they should be. */
interface FoundChild {
  readonly records: ChildRecords;
  /** `make` looks at them itself. */
  readonly isMade: boolean;
}

export function plainFinder({ file, make, texts, hasKey, children }: FindingPlain): FindPlain {
  const { layout } = file;
  const { header } = layout;
  const marks = cellMarks(layout);
  const isReadable = readableCells(file);
  const joined = children.map(({ records }) => records);
  const cells = withChildren(newPlainCells(layout), joined);
  const unmade = children.flatMap(({ records, isMade }) => (isMade ? [] : [records]));
  const newFound = (count: number): Found => newItems(header.table.file, count, texts);
  let found = newFound(0);

  /** What fails on a row is for the ordinary way to say. */
  function content(): number {
    startRecord(cells);
    try {
      return make(cells);
    } catch {
      return UNSURE;
    }
  }

  function plan(number: number): boolean {
    cells.number = number;
    const isSound = findCells(cells, marks) && isReadable(cells) && areSound(unmade, number);
    const made = isSound ? content() : UNSURE;
    if (made < 0 || (hasKey && cells.keyStart < 0 && (cells.keyText ?? "") === "")) return false;
    const { items } = found;
    items.lines[number] = cells.line;
    items.contents[number] = hasKey ? made : Number.NaN;
    items.keyStarts[number] = cells.keyStart;
    items.keyEnds[number] = cells.keyEnd;
    items.keyTexts[number] = cells.keyText;
    return true;
  }

  /** A record that is not told by its bytes leaves no text. */
  function planWithText(number: number, sent: PlainTexts): boolean {
    const start = sent.list.length();
    const isPlain = plan(number);
    if (isPlain) noteText(found, { number, start, cells }, sent);
    else sent.list.cut(start);
    return isPlain;
  }

  return (piece, { isFirstMade }) => {
    const { from, to = piece.boundaries.starts.length } = piece;
    loadGroups(joined, piece);
    if (found.items.lines.length < to) found = newFound(2 * to);
    found.items.bytes = piece.bytes;
    const others: number[] = [];
    const begin = recordStarter(cells, piece, from);
    let isPlainMade = false;
    for (let number = from; number < to; number += 1) {
      const isPlain = begin(number) && (texts === undefined ? plan(number) : planWithText(number, texts));
      if (isPlain && (!isFirstMade || isPlainMade)) continue;
      others.push(number);
      isPlainMade ||= isPlain;
    }
    return { ...found, others, isPlainMade };
  };
}

function loadGroups(joined: readonly ChildRecords[], { groups = [] }: FoundPiece): void {
  for (const [index, records] of joined.entries()) records.load(groups[index] ?? NO_GROUPS);
}

interface PlainText {
  readonly number: number;
  readonly start: number;
  readonly cells: PlainCells;
}

/** What is planned of a record whose payload is the last text of the list. */
function noteText(
  { items, textStarts, textEnds }: Found,
  { number, start, cells }: PlainText,
  { list, hashes }: PlainTexts,
): void {
  textStarts[number] = start;
  textEnds[number] = list.length();
  if (hashes === undefined) return;
  const at = 2 * HASH_BYTES * number;
  items.hashes?.set(hashes.identityOf(keyIn(cells)), at);
  items.hashes?.set(hashes.contentOf(list.bytes().subarray(start)), at + HASH_BYTES);
  items.rowHashes[number] = cellsHash(cells);
}

function keyIn({ bytes, keyStart, keyEnd, keyText = "" }: PlainCells): string {
  return keyStart < 0 ? keyText : bytes.toString("latin1", keyStart, keyEnd);
}

type Found = Pick<PlainFinding, "items" | "textStarts" | "textEnds">;

function newItems(file: string, count: number, sent: PlainTexts | undefined): Found {
  const items = {
    file,
    bytes: Buffer.alloc(0),
    lines: new Float64Array(count),
    contents: new Float64Array(count),
    keyStarts: new Int32Array(count),
    keyEnds: new Int32Array(count),
    keyTexts: [],
    hashes: sent?.hashes && new Uint8Array(2 * HASH_BYTES * count),
    rowHashes: new Float64Array(sent?.hashes === undefined ? 0 : count),
  };
  const texts = sent === undefined ? 0 : count;
  return { items, textStarts: new Uint32Array(texts), textEnds: new Uint32Array(texts) };
}
