import { decimalTextOf } from "../../json/decimal-arithmetic.ts";
import {
  asciiScalarContent,
  asciiTextContent,
  createFastContentHash,
  EMPTY_LIST,
  EMPTY_OBJECT,
  withItem,
  withMember,
} from "../../json/fast-content-hash.ts";
import type { JsonValue } from "../../json/json-value.ts";
import type { RecordCells } from "../csv/record-cells.ts";
import { type Member, memberNamed, type Members, membersOf, memberTree } from "./json-members.ts";
import { isSpace } from "./json-splitter.ts";
import { decodedText, escapedTextEnd, isWord, scalarEnd, scalarForm, textEnd } from "./json-tokens.ts";

/** Locates the cells of a record in the bytes of its JSON object. */
export interface JsonCellFinder {
  /**
   * Sets the cell of each column to the value at its path, as the mapping reads it: numbers and booleans as text, a
   * missing value and `null` as an empty cell. `cells` must be positioned at a record. If the text of a cell differs
   * from its bytes, because of an escape or a number such as `1.50`, `cells` receives a changed copy of the record.
   * @returns false if the record needs `jsonRow`, because it may have a problem or because the value of a column is an
   * object or a list
   */
  readonly find: (cells: RecordCells) => boolean;
  /** Returns the ledger's `rowHash` of the record that `find` has read; 0 if rows are not hashed. */
  readonly rowHash: () => number;
}

/**
 * Returns a finder for these columns. A name with dots is the name of a member, or a path.
 * @param hashesRows whether to compute `rowHash`
 */
export function jsonCellFinder(columns: readonly string[], hashesRows: boolean): JsonCellFinder {
  const root = memberTree(columns);
  const scan: Scan = {
    bytes: Buffer.alloc(0),
    isCopy: false,
    at: 0,
    start: 0,
    end: 0,
    record: 0,
    objects: 0,
    starts: new Int32Array(columns.length),
    ends: new Int32Array(columns.length),
    foundIn: new Float64Array(columns.length),
    hashesRows,
    contentOf: createFastContentHash(),
  };
  let hash = 0;
  return {
    find(cells) {
      begin(scan, cells);
      if (scan.bytes[scan.at] !== BRACE) return false;
      hash = object(scan, root, 1);
      if (hash < 0 || scan.at !== scan.end) return false;
      moveTo(cells, scan);
      return true;
    },
    rowHash: () => hash,
  };
}

interface Scan {
  bytes: Buffer;
  /** Whether `bytes` is a changed copy of the record. */
  isCopy: boolean;
  at: number;
  /** The start and the end of the record. */
  start: number;
  end: number;
  /** The number of the current record. */
  record: number;
  /** Number of objects read so far, in all records. */
  objects: number;
  /** Offsets of the cells, by column. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** For each column: the number of the last record that has a value in it. */
  readonly foundIn: Float64Array;
  readonly hashesRows: boolean;
  readonly contentOf: (value: JsonValue) => number;
}

function begin(scan: Scan, { bytes, start, end }: RecordCells): void {
  scan.bytes = bytes;
  scan.isCopy = false;
  scan.at = start;
  scan.start = start;
  scan.end = end;
  scan.record += 1;
}

function moveTo(cells: RecordCells, { bytes, isCopy, end, record, starts, ends, foundIn }: Scan): void {
  if (isCopy) {
    cells.bytes = bytes;
    cells.start = 0;
    cells.end = end;
  }
  for (let column = 0; column < foundIn.length; column += 1) {
    const isFound = foundIn[column] === record;
    cells.starts[column] = isFound ? (starts[column] ?? 0) : end;
    cells.ends[column] = isFound ? (ends[column] ?? 0) : end;
  }
}

/** The result for a value that no cell can contain, and for a record that may have a problem. */
const UNSUITABLE = -1;

/**
 * Reads an object. Returns the hash of its content, or 0 if rows are not hashed; `UNSUITABLE` if the record needs
 * `jsonRow`. The functions that read other values return the same results.
 */
function object(scan: Scan, members: Members, depth: number): number {
  scan.objects += 1;
  const id = scan.objects;
  let content = scan.hashesRows ? EMPTY_OBJECT : 0;
  let before: Member | undefined;
  scan.at += 1;
  skipSpace(scan);
  if (closes(scan, END_BRACE)) return content;
  do {
    skipSpace(scan);
    const member = nextMember(scan, members, before);
    if (member === undefined || member.seenIn === id) return UNSUITABLE;
    member.seenIn = id;
    skipSpace(scan);
    if (!closes(scan, COLON)) return UNSUITABLE;
    skipSpace(scan);
    const value = valueOf(scan, member, depth);
    if (value < 0) return UNSUITABLE;
    if (scan.hashesRows) content = withMember(content, member.content, value);
    before = member;
    skipSpace(scan);
  } while (closes(scan, COMMA));
  return closes(scan, END_BRACE) ? content : UNSUITABLE;
}

/**
 * Reads the name of a member. Expects the name that followed `before` in an earlier object, because most objects have
 * the same members in the same order. Returns undefined if the record needs `jsonRow`.
 */
function nextMember(scan: Scan, members: Members, before: Member | undefined): Member | undefined {
  const { bytes, at } = scan;
  const expected = before === undefined ? members.first : before.next;
  if (expected !== undefined && isWord(bytes, at, expected.quoted)) {
    scan.at += expected.quoted.length;
    return expected;
  }
  if (bytes[at] !== QUOTE) return undefined;
  const end = textEnd(bytes, at + 1);
  if (bytes[end] !== QUOTE) return undefined;
  scan.at = end + 1;
  const member = memberNamed(members, bytes.toString("utf8", at + 1, end));
  if (before === undefined) members.first = member;
  else before.next = member;
  return member;
}

function valueOf(scan: Scan, member: Member, depth: number): number {
  const first = scan.bytes[scan.at];
  if (first === QUOTE) return text(scan, member.column);
  if (first !== BRACE && first !== BRACKET) return scalar(scan, member.column);
  if (member.column >= 0 || depth === MAX_DEPTH) return UNSUITABLE;
  return first === BRACKET ? list(scan, member, depth) : object(scan, membersOf(member), depth + 1);
}

/**
 * Reads a list. If the path of a column leads through the list, the items are treated as members that are named by
 * their index.
 */
function list(scan: Scan, member: Member, depth: number): number {
  if (member.hasZeroPadded) return UNSUITABLE;
  const { isOnPath } = member;
  let content = scan.hashesRows ? EMPTY_LIST : 0;
  let index = 0;
  scan.at += 1;
  skipSpace(scan);
  if (closes(scan, END_BRACKET)) return content;
  do {
    skipSpace(scan);
    const owner = isOnPath ? memberNamed(membersOf(member), String(index)) : member;
    const item = owner === undefined ? UNSUITABLE : valueOf(scan, owner, depth + 1);
    if (item < 0) return UNSUITABLE;
    if (scan.hashesRows) content = withItem(content, item);
    index += 1;
    skipSpace(scan);
  } while (closes(scan, COMMA));
  return closes(scan, END_BRACKET) ? content : UNSUITABLE;
}

function text(scan: Scan, column: number): number {
  const start = scan.at + 1;
  const end = textEnd(scan.bytes, start);
  if (scan.bytes[end] !== QUOTE) return scan.bytes[end] === BACKSLASH ? escapedText(scan, column) : UNSUITABLE;
  if (!setCell(scan, column, start, end)) return UNSUITABLE;
  scan.at = end + 1;
  return scan.hashesRows ? textContent(scan, start, end) : 0;
}

function textContent({ bytes, contentOf }: Scan, start: number, end: number): number {
  const content = asciiTextContent(bytes, start, end);
  return content < 0 ? contentOf(bytes.toString("utf8", start, end)) : content;
}

/** Reads a string with escapes. Its cell contains the decoded characters. */
function escapedText(scan: Scan, column: number): number {
  const end = escapedTextEnd(scan.bytes, scan.at, scan.end);
  const decoded = decodedText(scan.bytes, scan.at, end);
  if (decoded === undefined || !setText(scan, column, decoded, end)) return UNSUITABLE;
  return scan.hashesRows ? scan.contentOf(decoded) : 0;
}

function scalar(scan: Scan, column: number): number {
  const { bytes, at: start, hashesRows } = scan;
  const end = scalarEnd(bytes, start);
  const form = scalarForm(bytes, start, end);
  if (form === "unsuitable") return UNSUITABLE;
  if (form === "other number") {
    const number = Number(bytes.toString("latin1", start, end));
    if (!setText(scan, column, decimalTextOf(number), end)) return UNSUITABLE;
    return hashesRows ? scan.contentOf(number) : 0;
  }
  if (!setCell(scan, column, start, form === "null" ? start : end)) return UNSUITABLE;
  scan.at = end;
  return hashesRows ? asciiScalarContent(bytes, start, end) : 0;
}

/**
 * Sets a cell. Returns false if the column already has a value, because the record has both a member with the name of
 * the column and a value at its path.
 */
function setCell({ record, starts, ends, foundIn }: Scan, column: number, start: number, end: number): boolean {
  if (column < 0) return true;
  if (foundIn[column] === record) return false;
  foundIn[column] = record;
  starts[column] = start;
  ends[column] = end;
  return true;
}

/**
 * Sets a cell to text that differs from the bytes of its value. These bytes end at `end`. The text is at most as long
 * as the value, and replaces the value in a copy of the record.
 */
function setText(scan: Scan, column: number, written: string, end: number): boolean {
  if (column < 0) {
    scan.at = end;
    return true;
  }
  const length = end - scan.at;
  copyRecord(scan);
  const { at } = scan;
  scan.at = at + length;
  return setCell(scan, column, at, at + scan.bytes.write(written, at));
}

/** Copies the record, if this is its first changed value, and moves all offsets to the copy. */
function copyRecord(scan: Scan): void {
  const { bytes, start, end, record, starts, ends, foundIn } = scan;
  if (scan.isCopy) return;
  scan.isCopy = true;
  scan.bytes = Buffer.from(bytes.subarray(start, end));
  scan.at -= start;
  scan.end -= start;
  for (let column = 0; column < foundIn.length; column += 1) {
    if (foundIn[column] !== record) continue;
    starts[column] = (starts[column] ?? 0) - start;
    ends[column] = (ends[column] ?? 0) - start;
  }
}

function skipSpace(scan: Scan): void {
  while (isSpace(scan.bytes[scan.at])) scan.at += 1;
}

/** Skips the byte if it comes next. Returns whether it was skipped. */
function closes(scan: Scan, byte: number): boolean {
  const isNext = scan.bytes[scan.at] === byte;
  if (isNext) scan.at += 1;
  return isNext;
}

/** Maximum depth. Records with deeper values need `jsonRow`. */
const MAX_DEPTH = 16;

const [QUOTE, COMMA, COLON, BRACKET, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5b, 0x5c];
const [END_BRACKET, BRACE, END_BRACE] = [0x5d, 0x7b, 0x7d];
