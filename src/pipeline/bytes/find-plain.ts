import type { PlainItems } from "../../ledger/packed/item-packer.ts";
import type { CsvPiece } from "../../read/chunks/chunk-rows.ts";
import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import { newPlainCells, startRecord } from "./plain-cells.ts";
import { type PlainMaker, UNSURE } from "./plain-leaf.ts";
import { cellMarks, findCells, recordStarter } from "../../read/csv/record-cells.ts";
import type { ChildGroups } from "../../read/join/bytes/joined-piece.ts";
import { areSound, type ChildRecords, NO_GROUPS, withChildren } from "./child-records.ts";
import { readableCells } from "./readable-cells.ts";

/**
 * Which records of some bytes are valid, with nothing to say about them, told without making rows and payloads. All
 * others, and all that it is not sure of, are to be made and checked.
 */
interface PlainFinding {
  /** By the numbers of the plain records, what is planned of them. */
  readonly items: PlainItems;
  /** The numbers of the others, in order. */
  readonly others: readonly number[];
  /** A plain one is among them. */
  readonly isPlainMade: boolean;
}

/**
 * Looks at the records of a piece from this one on; `isFirstMade`: the first plain one is among the others all the same.
 * What it gives holds until it is called again.
 */
export type FindPlain = (piece: FoundPiece, options: { readonly isFirstMade: boolean }) => PlainFinding;

/** `groups`: what is joined to its records, for each child source. */
type FoundPiece = CsvPiece & { readonly groups?: readonly ChildGroups[] };

interface FindingPlain {
  readonly file: ChunkCsvFile;
  readonly make: PlainMaker;
  readonly hasKey: boolean;
  readonly children: readonly FoundChild[];
}

/** A child source, all of whose records have to be as they should be. */
interface FoundChild {
  readonly records: ChildRecords;
  /** `make` looks at them itself. */
  readonly isMade: boolean;
}

export function plainFinder({ file, make, hasKey, children }: FindingPlain): FindPlain {
  const { layout } = file;
  const { header } = layout;
  const marks = cellMarks(layout);
  const isReadable = readableCells(file);
  const cells = withChildren(
    newPlainCells(layout),
    children.map(({ records }) => records),
  );
  const unmade = children.flatMap(({ records, isMade }) => (isMade ? [] : [records]));
  let items = newItems(header.table.file, 0);

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
    items.lines[number] = cells.line;
    items.contents[number] = hasKey ? made : Number.NaN;
    items.keyStarts[number] = cells.keyStart;
    items.keyEnds[number] = cells.keyEnd;
    items.keyTexts[number] = cells.keyText;
    return true;
  }

  return (piece, { isFirstMade }) => {
    const { from } = piece;
    for (const [index, { records }] of children.entries()) records.load(piece.groups?.[index] ?? NO_GROUPS);
    const count = piece.boundaries.starts.length;
    if (items.lines.length < count) items = newItems(header.table.file, 2 * count);
    items.bytes = piece.bytes;
    const others: number[] = [];
    const begin = recordStarter(cells, piece, from);
    let isPlainMade = false;
    for (let number = from; number < count; number += 1) {
      const isPlain = begin(number) && plan(number);
      if (isPlain && (!isFirstMade || isPlainMade)) continue;
      others.push(number);
      isPlainMade ||= isPlain;
    }
    return { items, others, isPlainMade };
  };
}

function newItems(file: string, count: number): PlainItems {
  return {
    file,
    bytes: Buffer.alloc(0),
    lines: new Float64Array(count),
    contents: new Float64Array(count),
    keyStarts: new Int32Array(count),
    keyEnds: new Int32Array(count),
    keyTexts: [],
  };
}
