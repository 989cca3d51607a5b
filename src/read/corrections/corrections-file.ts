import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Failure } from "../../model/failure.ts";
import { linesOf, tableFailure, type TableLine, type LinePiece, type PieceLines } from "../lists/table-lines.ts";
import { checkText, readSmall } from "../text/text-file.ts";
import { newLineCounter } from "../text/utf8.ts";
import { type Correction, identityOf } from "./correction.ts";
import { getOrAdd } from "../../model/groups.ts";

/**
 * The header of a corrections file. `change` is the last column, so a truncated line does not end with `set` or `unset`
 * and cannot be mistaken for a complete one.
 */
export const CORRECTION_COLUMNS = [
  "key",
  "source",
  "column",
  "old_sha256",
  "row_sha256",
  "value",
  "by",
  "at",
  "reason",
  "change",
] as const;

/** A correction, and the 1-based line of the file that contains it. */
export interface ListedCorrection extends Correction {
  readonly line: number;
}

/** One line of a corrections file: a correction, or the removal of an earlier one. */
export interface CorrectionChange {
  readonly change: "set" | "unset";
  readonly correction: ListedCorrection;
}

const HINT = "fix this line, or restore an earlier copy of the file";

/** Where the complete lines of a corrections file end. */
export interface LinesEnd {
  /** Offset in bytes; 0 if the header is incomplete. */
  readonly end: number;
  /** Number of the incomplete line after the complete lines. This line is ignored. */
  readonly incompleteLine?: number | undefined;
}

export interface CorrectionsFile extends LinesEnd {
  /** The corrections that were not removed or replaced, in file order. */
  readonly corrections: readonly ListedCorrection[];
}

/**
 * Reads a corrections file, which contains personal data. New lines are only appended to the file. A line with the
 * change `unset` removes an earlier correction, and a later line for the same old value of the same cell replaces the
 * earlier line. An incomplete last line is ignored.
 * @param path path of the file, to show in messages
 * @param from path to read it from; default: `path`
 * @throws Failure `config` if the file cannot be read or is not a list of corrections
 */
export async function readCorrections(path: string, from: string = path): Promise<CorrectionsFile> {
  if (!existsSync(from)) throw missingFile(path);
  const opened = await readSmall(from, async (bytes) => ({ handle: await open(from, "r"), bytes }));
  const found = createCellMap();
  let last: LinesEnd = { end: 0 };
  for await (const { changes, ...end } of changesIn(path, opened.handle, { from: 0, to: opened.bytes })) {
    for (const { change, correction } of changes) found.set(correction, change === "set" ? correction : undefined);
    last = end;
  }
  return { corrections: found.all(), ...last };
}

/** Returns the notice about the incomplete last line of a corrections file. */
export function incompleteLineText(line: number): string {
  return (
    `line ${line} is incomplete and is ignored; the program that wrote it was probably stopped. ` +
    "Make this correction again: the next change to the file removes the line"
  );
}

function missingFile(path: string): Failure {
  return new Failure("config", `${path}: no such file`, {
    hint: "check the path, add the first correction with `migrate corrections add`, or remove the setting `corrections`",
  });
}

/**
 * Creates a map that contains the last correction with each identity. Corrections that differ only in their key share
 * one inner map, so most identities are not stored as text.
 */
function createCellMap() {
  const maps = new Map<string, Map<string, ListedCorrection>>();
  return {
    set: (cell: Correction, correction: ListedCorrection | undefined): void => {
      const name = identityOf({ ...cell, key: "" });
      const byKey = getOrAdd(maps, name, () => new Map<string, ListedCorrection>());
      if (correction === undefined) byKey.delete(cell.key);
      else byKey.set(cell.key, correction);
    },
    all: (): readonly ListedCorrection[] =>
      [...maps.values()].flatMap((byKey) => [...byKey.values()]).toSorted((a, b) => a.line - b.line),
  };
}

/** Offsets of a part of a file, in bytes; `to` is exclusive. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Lines that were appended to a corrections file. */
export interface AppendedChanges extends LinesEnd {
  readonly changes: readonly CorrectionChange[];
}

/**
 * Yields the changes that were appended to a corrections file, in order, in batches.
 * @param range `from`: where the complete lines before the changes end; `to`: the size of the file
 * @throws Failure `config` if the appended lines are not a list of corrections
 */
export async function* readAppendedChanges(path: string, range: ByteRange): AsyncGenerator<AppendedChanges> {
  if (range.to > range.from) yield* changesIn(path, await open(path, "r"), range);
}

/**
 * Lines are read in pieces of this size, or larger for a longer line, so that the file is never in memory as a whole.
 */
const PIECE_BYTES = 2 ** 20;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** Reads the lines in a part of a file, and closes the file. A part that starts at 0 begins with the header. */
async function* changesIn(path: string, handle: FileHandle, { from, to }: ByteRange): AsyncGenerator<AppendedChanges> {
  const bad = tableFailure(path, HINT);
  const share = createSharing();
  let size = PIECE_BYTES;
  let hasHeader = from > 0;
  try {
    let line = await lineAt(handle, from);
    const delimiter = await delimiterIn(handle);
    for (let at = from; at < to;) {
      const isFinal = at + size >= to;
      const { mark, bytes } = await readPiece(handle, { from: at, to: Math.min(at + size, to) });
      const piece = { file: path, hint: HINT, delimiter, line, isFinal };
      const { lines, end, nextLine, incompleteLine } = completeLines(bytes, piece, hasHeader);
      if (end === 0 && !isFinal) {
        size *= 2;
        continue;
      }
      const isEmpty = !hasHeader && end === 0;
      if (!hasHeader && !isEmpty) requireHeader(lines[0], bad);
      at += mark + end;
      const changes = lines.slice(hasHeader ? 0 : 1).map((found) => changeIn(found, share, bad));
      yield { changes, end: isEmpty ? 0 : at, incompleteLine };
      if (isFinal) return;
      hasHeader = true;
      line = nextLine;
    }
  } finally {
    await handle.close();
  }
}

async function lineAt(handle: FileHandle, offset: number): Promise<number> {
  const lines = newLineCounter();
  for (let at = 0; at < offset; at += PIECE_BYTES)
    lines.add((await readPiece(handle, { from: at, to: Math.min(at + PIECE_BYTES, offset) })).bytes);
  return lines.line();
}

/** Returns the complete lines at the start of a piece, including a last line without a line ending. */
function completeLines(bytes: Buffer, piece: LinePiece, hasHeader: boolean): PieceLines & LinesEnd {
  const { lines, end, nextLine } = linesOf(bytes, { ...piece, isFinal: false });
  checkText(piece.file, bytes.subarray(0, end), piece.line);
  const rest = bytes.subarray(end);
  if (!piece.isFinal || rest.length === 0) return { lines, end, nextLine };
  const last = lastLine(rest, { ...piece, line: nextLine }, !hasHeader && lines.length === 0);
  return last === undefined
    ? { lines, end, nextLine, incompleteLine: nextLine }
    : { lines: [...lines, last], end: bytes.length, nextLine };
}

/**
 * Returns the last line, whose line ending is missing; undefined if the line is incomplete.
 * @throws Failure `config` if an unclosed quote hides complete lines
 */
function lastLine(bytes: Buffer, piece: LinePiece, isHeader: boolean): TableLine | undefined {
  const text = bytes.toString();
  const header = CORRECTION_COLUMNS.join();
  if (isHeader) return header.startsWith(text) && text !== header ? undefined : linesOf(bytes, piece).lines[0];
  const found = wholeLine(bytes, piece);
  if (found !== undefined) return found;
  const [, ...hidden] = text.split(/\r\n|\n|\r/);
  if (hidden.some((each) => wholeLine(Buffer.from(each), piece) !== undefined))
    throw tableFailure(piece.file, HINT)(piece.line, "a quote is opened here but never closed");
  return undefined;
}

function wholeLine(bytes: Buffer, piece: LinePiece): TableLine | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  try {
    return linesOf(bytes, piece).lines.find(({ cells }) => lineProblem(cells) === undefined);
  } catch {
    // A quote is open, so the line is incomplete.
    return undefined;
  }
}

/** Detects the delimiter of a corrections file, because a spreadsheet program may have changed it. */
export async function delimiterOf(file: string): Promise<string> {
  const handle = await open(file, "r");
  try {
    return await delimiterIn(handle);
  } finally {
    await handle.close();
  }
}

async function delimiterIn(handle: FileHandle): Promise<string> {
  const { bytes } = await readPiece(handle, { from: 0, to: HEAD_BYTES });
  return [";", "\t"].find((delimiter) => bytes.toString().startsWith(CORRECTION_COLUMNS.join(delimiter))) ?? ",";
}

const HEAD_BYTES = 200;

/** @returns `mark`: the length in bytes of the byte order mark, which is not in `bytes` */
async function readPiece(
  handle: FileHandle,
  { from, to }: ByteRange,
): Promise<{ readonly mark: number; readonly bytes: Buffer }> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, undefined, from);
  const mark = from === 0 && buffer.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  return { mark, bytes: buffer.subarray(mark, bytesRead) };
}

type BadLine = (line: number, what: string) => Failure;

function requireHeader(header: TableLine | undefined, bad: BadLine): void {
  if (header === undefined || header.cells.join() !== CORRECTION_COLUMNS.join())
    throw bad(header?.line ?? 1, `expected the header ${CORRECTION_COLUMNS.join()}`);
}

function changeIn(
  { cells, line, strayQuote }: TableLine,
  share: (text: string) => string,
  bad: BadLine,
): CorrectionChange {
  const problem = strayQuote ?? lineProblem(cells);
  if (problem !== undefined) throw bad(line, problem);
  return { change: cells[CHANGE] === "set" ? "set" : "unset", correction: correctionIn(cells.map(share), line) };
}

const MAX_SHARED = 1000;

/**
 * Returns a function that returns the same object for equal strings, because most cells (users, times, values) repeat
 * earlier cells.
 */
function createSharing(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const shared = known.get(text);
    if (shared !== undefined) return shared;
    if (known.size >= MAX_SHARED) known.clear();
    // Copies the text, because a substring would keep the whole line in memory.
    const own = Buffer.from(text).toString();
    known.set(own, own);
    return own;
  };
}

const CHANGE = CORRECTION_COLUMNS.indexOf("change");

/**
 * Creates every object with the same members to save memory, because a file may contain hundreds of thousands of
 * corrections.
 */
function correctionIn(cells: readonly string[], line: number): ListedCorrection {
  const [key = "", source = "", column = "", oldSha256 = "", row = "", value = "", by = "", at = "", reason = ""] =
    cells;
  return { key, source, column, oldSha256, rowSha256: row === "" ? undefined : row, value, by, at, reason, line };
}

/** Returns the reason why the cells are not a valid line of a corrections file; undefined if they are valid. */
export function lineProblem(cells: readonly string[]): string | undefined {
  if (cells.length !== CORRECTION_COLUMNS.length)
    return `expected ${CORRECTION_COLUMNS.length} cells, found ${cells.length}`;
  const [key, source, column, oldSha256 = "", rowSha256 = ""] = cells;
  const empty = Object.entries({ key, source, column }).find(([, text]) => text === "");
  if (empty !== undefined) return `the cell \`${empty[0]}\` is empty`;
  if (!HASH.test(oldSha256)) return "the cell `old_sha256` is not a SHA-256 in hex";
  if (rowSha256 !== "" && !HASH.test(rowSha256)) return "the cell `row_sha256` is not a SHA-256 in hex";
  return CHANGES.has(cells[CHANGE] ?? "") ? undefined : "the cell `change` is neither `set` nor `unset`";
}

const HASH = /^[\da-f]{64}$/;
const CHANGES = new Set(["set", "unset"]);
