import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Failure } from "../../model/failure.ts";
import { linesOf, tableFailure, type TableLine } from "../lists/table-lines.ts";
import { checkText, readSmall } from "../text/text-file.ts";
import type { Correction } from "./correction.ts";

/** The header of a corrections file. */
export const CORRECTION_COLUMNS = [
  "key",
  "source",
  "column",
  "old_sha256",
  "row_sha256",
  "change",
  "value",
  "by",
  "at",
  "reason",
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

const HINT = "`migrate corrections` writes this file";

/**
 * Reads a corrections file, which contains personal data. Lines are only appended to it. A line with the change
 * `unset` removes an earlier correction, and a line for the same old value of the same cell replaces the earlier line.
 * @param path path of the file in messages
 * @param from path to read it from; default: `path`
 * @returns the corrections that were not removed or replaced, in file order
 * @throws Failure `config` if the file cannot be read or is not a list of corrections
 */
export async function readCorrections(path: string, from: string = path): Promise<readonly ListedCorrection[]> {
  if (!existsSync(from)) throw missingFile(path);
  const opened = await readSmall(from, async (bytes) => ({ handle: await open(from, "r"), bytes }));
  const found = createCellMap();
  for await (const changes of changesIn(path, opened.handle, { from: 0, to: opened.bytes })) {
    for (const { change, correction } of changes) found.set(correction, change === "set" ? correction : undefined);
  }
  return found.all();
}

function missingFile(path: string): Failure {
  return new Failure("config", `${path}: no such file`, {
    hint: "add the first correction with `migrate corrections add`, or remove the setting `corrections`",
  });
}

/**
 * The last correction of each identity. Cells of one column with the same old value have the same map, so that most
 * identities need no text of their own.
 */
function createCellMap(): {
  readonly set: (cell: Correction, correction: ListedCorrection | undefined) => void;
  readonly all: () => readonly ListedCorrection[];
} {
  const maps = new Map<string, Map<string, ListedCorrection>>();
  return {
    set: (cell, correction) => {
      const name = identityOf({ ...cell, key: "" });
      const byKey = maps.get(name) ?? new Map<string, ListedCorrection>();
      maps.set(name, byKey);
      if (correction === undefined) byKey.delete(cell.key);
      else byKey.set(cell.key, correction);
    },
    all: () => [...maps.values()].flatMap((byKey) => [...byKey.values()]).toSorted((a, b) => a.line - b.line),
  };
}

/** A part of a file, in bytes. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The changes that were appended to a corrections file, in order, in batches.
 * @param range `from`: the size of the file before; `to`: its size now
 * @throws Failure `config` if they are not a list of corrections
 */
export async function* readAppendedChanges(
  path: string,
  range: ByteRange,
): AsyncGenerator<readonly CorrectionChange[]> {
  if (range.to > range.from) yield* changesIn(path, await open(path, "r"), range);
}

/** Lines are read in pieces, so that memory does not contain the whole text. */
const PIECE_BYTES = 2 ** 20;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** Reads the lines of a part of a file, and closes it. A part from 0 starts with the header. */
async function* changesIn(
  path: string,
  handle: FileHandle,
  { from, to }: ByteRange,
): AsyncGenerator<readonly CorrectionChange[]> {
  const bad = tableFailure(path, HINT);
  const share = createSharing();
  let [line, size] = [1, PIECE_BYTES];
  let hasHeader = from > 0;
  try {
    const delimiter = await delimiterIn(handle);
    for (let at = from; at < to;) {
      const isFinal = at + size >= to;
      const { mark, bytes } = await readPiece(handle, { from: at, to: Math.min(at + size, to) });
      if (bytes.length === 0) break;
      const { lines, end, nextLine } = linesOf(bytes, { file: path, hint: HINT, delimiter, line, isFinal });
      if (end === 0 && !isFinal) {
        size *= 2;
        continue;
      }
      checkText(path, bytes.subarray(0, isFinal ? bytes.length : end), line);
      if (!hasHeader) requireHeader(lines[0], bad);
      yield lines.slice(hasHeader ? 0 : 1).map((found) => changeIn(found, share, bad));
      hasHeader = true;
      at += mark + (isFinal ? bytes.length : end);
      line = nextLine;
    }
    if (!hasHeader) requireHeader(undefined, bad);
  } finally {
    await handle.close();
  }
}

/** The delimiter of a corrections file, which a spreadsheet may have changed. */
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

/** @returns `mark`: the number of bytes of the byte order mark, which is not in `bytes` */
async function readPiece(
  handle: FileHandle,
  { from, to }: ByteRange,
): Promise<{ readonly mark: number; readonly bytes: Buffer }> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, undefined, from);
  const mark = from === 0 && buffer.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  return { mark, bytes: buffer.subarray(mark, bytesRead) };
}

type BadLine = ReturnType<typeof tableFailure>;

function requireHeader(header: TableLine | undefined, bad: BadLine): void {
  if (header === undefined || header.cells.join() !== CORRECTION_COLUMNS.join())
    throw bad(header?.line ?? 1, `expected the header ${CORRECTION_COLUMNS.join()}`);
}

function changeIn({ cells, line }: TableLine, share: (text: string) => string, bad: BadLine): CorrectionChange {
  const problem = lineProblem(cells);
  if (problem !== undefined) throw bad(line, problem);
  return { change: cells[CHANGE] === "set" ? "set" : "unset", correction: correctionIn(cells.map(share), line) };
}

const MAX_SHARED = 1000;

/** Most cells repeat: users, times, values. Returns the same string for the same text, so that it is stored once. */
function createSharing(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const shared = known.get(text);
    if (shared !== undefined) return shared;
    if (known.size >= MAX_SHARED) known.clear();
    // A part of a line would keep the whole line in memory.
    const own = Buffer.from(text).toString();
    known.set(own, own);
    return own;
  };
}

const CHANGE = CORRECTION_COLUMNS.indexOf("change");

/** Every object has the same members, because a file may contain hundreds of thousands of corrections. */
function correctionIn(cells: readonly string[], line: number): ListedCorrection {
  const [key = "", source = "", column = "", oldSha256 = "", row = "", , value = "", by = "", at = "", reason = ""] =
    cells;
  return { key, source, column, oldSha256, rowSha256: row === "" ? undefined : row, value, by, at, reason, line };
}

/** Why cells are not a line of a corrections file; undefined if they are. */
export function lineProblem(cells: readonly string[]): string | undefined {
  if (cells.length !== CORRECTION_COLUMNS.length)
    return `expected ${CORRECTION_COLUMNS.length} cells, found ${cells.length}`;
  const [key, source, column, oldSha256 = "", rowSha256 = "", change = ""] = cells;
  const empty = Object.entries({ key, source, column }).find(([, text]) => text === "");
  if (empty !== undefined) return `the cell \`${empty[0]}\` is empty`;
  if (!HASH.test(oldSha256)) return "the cell `old_sha256` is not a SHA-256 in hex";
  if (rowSha256 !== "" && !HASH.test(rowSha256)) return "the cell `row_sha256` is not a SHA-256 in hex";
  return CHANGES.has(change) ? undefined : "the cell `change` is neither `set` nor `unset`";
}

const HASH = /^[\da-f]{64}$/;
const CHANGES = new Set(["set", "unset"]);

/** Two corrections with the same identity replace the same old value of the same cell. */
export function identityOf({ key, source, column, oldSha256, rowSha256 = "" }: Correction): string {
  return JSON.stringify([source, key, column, oldSha256, rowSha256]);
}
