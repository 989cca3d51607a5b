import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { withFileLock } from "../../files/file-lock.ts";
import { syncFolder } from "../../files/replace-file.ts";
import { remedyOf } from "../../files/write-error.ts";
import { Failure } from "../../model/failure.ts";
import {
  CORRECTION_COLUMNS,
  type CorrectionsFile,
  delimiterOf,
  incompleteLineText,
  lineProblem,
  readCorrections,
} from "../../read/corrections/corrections-file.ts";
import {
  type CellCorrection,
  cellText,
  type Correction,
  correctionOf,
  identityOf,
} from "../../read/corrections/correction.ts";
import type { Row } from "../../model/record.ts";
import { MAX_TEXT_FILE_BYTES } from "../../read/text/text-file.ts";
import { csvText } from "../../report/csv-text.ts";
import { canonicalKey } from "../../text/canonical-key.ts";

/** A selection of corrections by key, source and column. An absent member matches every correction. */
export interface WantedCorrections {
  readonly key?: string | undefined;
  readonly source?: string | undefined;
  readonly column?: string | undefined;
}

/** Receives messages about the file. */
type OnNotice = (text: string) => void;

/**
 * Reads a corrections file. Sends a notice if the last line of the file is incomplete.
 * @throws Failure `config` for an invalid or missing file
 */
export async function readWithNotice(file: string, notice: OnNotice): Promise<CorrectionsFile> {
  const found = await readCorrections(file);
  if (found.incompleteLine !== undefined) notice(`${file}: ${incompleteLineText(found.incompleteLine)}`);
  return found;
}

/** Represents the content of a corrections file that does not exist yet. */
export const NO_CORRECTIONS: CorrectionsFile = { corrections: [], end: 0 };

/**
 * Removes corrections from a file by appending lines.
 * @returns the removed corrections
 * @throws Failure `config` for an invalid file; `usage` if the file contains no matching correction
 */
export async function removeCorrections(
  file: string,
  wanted: WantedCorrections,
  { by, at, notice }: { readonly by: string; readonly at: string; readonly notice: OnNotice },
): Promise<readonly Correction[]> {
  let removed: readonly Correction[] = [];
  await appendChanges(file, async () => {
    const { corrections, end } = await readWithNotice(file, notice);
    removed = corrections.filter((correction) => isWanted(correction, wanted));
    if (removed.length === 0) {
      throw new Failure("usage", `${file} contains no correction for ${wantedText(wanted)}`, {
        hint: "`migrate corrections list` shows all corrections",
      });
    }
    const unset = { by, at, value: "", reason: "" };
    return { changes: removed.map((each) => ({ change: "unset", correction: { ...each, ...unset } })), end };
  });
  return removed;
}

/**
 * Appends corrections to a file. Creates the file if it does not exist. A correction replaces any earlier correction of
 * the same cell that has the same old value. When the promise resolves, the corrections are on disk.
 * @returns the number of replaced corrections
 * @throws Failure `config` for an invalid file; the failures of `appendChanges`
 */
export async function saveCorrections(file: string, added: readonly Correction[], notice: OnNotice): Promise<number> {
  let before: readonly Correction[] = [];
  await appendChanges(file, async (size) => {
    const { corrections, end } = size > 0 ? await readWithNotice(file, notice) : NO_CORRECTIONS;
    before = corrections;
    return { changes: added.map((correction) => ({ change: "set", correction })), end };
  });
  const identities = new Set(added.map(identityOf));
  return before.filter((correction) => identities.has(identityOf(correction))).length;
}

export interface NewChange {
  readonly change: "set" | "unset";
  readonly correction: Correction;
}

/** A line to append, and the correction that it replaces or removes. */
export interface PlannedChange {
  readonly entry: NewChange;
  readonly before: Correction | undefined;
}

/**
 * Returns the lines that give a cell of `row` a new value; no lines if the cell already has this value. If the new
 * value equals the extract's value, the lines remove the corrections of the cell.
 * @param others the other rows of the source with the same key
 * @param inForce the corrections that apply to the cell, in file order
 */
export function planCell(
  cell: CellCorrection,
  row: Row,
  { others, inForce }: { readonly others: () => readonly Row[]; readonly inForce: readonly Correction[] },
): readonly PlannedChange[] {
  const { value, by, at, reason } = cell;
  const last = inForce.at(-1);
  const old = cellText(row, cell.column) ?? "";
  if (value === (last?.value ?? old)) return [];
  const author = { by, at, reason };
  if (value === old)
    return inForce.map((one) => ({
      entry: { change: "unset", correction: { ...one, ...author, value: "", reason: "" } },
      before: one,
    }));
  const correction = last === undefined ? correctionOf(cell, row, others()) : { ...last, ...author, value };
  return [{ entry: { change: "set", correction }, before: last }];
}

/** Lines to append after the complete lines of a file. */
export interface Addition {
  /** Offset of the end of the complete lines, in bytes. */
  readonly end: number;
  readonly changes: readonly NewChange[];
}

/**
 * Appends lines to a corrections file. Creates the file if it does not exist, and removes an incomplete last line.
 * Holds the file's lock, so that no other `migrate` process changes the file between `decide` and the write. When the
 * promise resolves, the lines are on disk.
 * @param decide receives the size of the file in bytes
 * @returns the new size of the file
 * @throws the errors of `decide`; Failure `usage` for a value that the file cannot contain, or if the file would become
 * too large; `source_changed` if another program changes the file; `storage` if the file cannot be written
 */
export function appendChanges(file: string, decide: (size: number) => Promise<Addition>): Promise<number> {
  return withFileLock(file, async () => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const { changes, end } = await decide(size);
    if (changes.length === 0) return size;
    for (const change of changes) requireWritable(file, change);
    const lines = changes.map(({ change, correction }) => lineOf(correction, change));
    const text = end === 0 ? csvText([CORRECTION_COLUMNS, ...lines]) : csvText(lines, await delimiterOf(file));
    if (end + Buffer.byteLength(text) >= MAX_TEXT_FILE_BYTES) throw tooLarge(file);
    return append(file, text, { size, end });
  });
}

export function hasRoom(file: string, bytes: number): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) + bytes < MAX_TEXT_FILE_BYTES;
}

/**
 * Throws if the lines do not fit into a file. Call this function before the first line is appended.
 * @throws Failure `usage`
 */
export async function requireRoom(file: string, groups: AsyncIterable<readonly NewChange[]>): Promise<void> {
  let bytes = 0;
  for await (const changes of groups) {
    bytes += Buffer.byteLength(csvText(changes.map(({ change, correction }) => lineOf(correction, change))));
    if (!hasRoom(file, bytes)) throw tooLarge(file);
  }
}

function requireWritable(file: string, { change, correction }: NewChange): void {
  const cells = lineOf(correction, change);
  const problem = lineProblem(cells);
  if (problem !== undefined) throw new Failure("usage", `a correction cannot be stored: ${problem}`);
  if (cells.every((cell) => !cell.includes("\0") && cell.isWellFormed())) return;
  throw new Failure(
    "usage",
    `the correction for ${correction.column} contains a character that cannot be stored in ${file}`,
    { hint: "type it again, without invisible characters" },
  );
}

function tooLarge(file: string): Failure {
  return new Failure("usage", `${file} would become larger than ${MAX_TEXT_FILE_BYTES / 2 ** 20} MiB`, {
    hint: "to change this many cells, correct the extract, or use `lookup` or `replace` in the mapping",
  });
}

function isWanted(correction: Correction, { key, source, column }: WantedCorrections): boolean {
  return (
    (key === undefined || canonicalKey(correction.key) === canonicalKey(key)) &&
    (source === undefined || correction.source === source) &&
    (column === undefined || correction.column === column)
  );
}

function wantedText({ key, source, column }: WantedCorrections): string {
  return [
    ...(column === undefined ? [] : [`column ${column}`]),
    ...(key === undefined ? [] : [`key ${key}`]),
    ...(source === undefined ? [] : [`source "${source}"`]),
  ].join(", ");
}

function lineOf(correction: Correction, change: "set" | "unset"): readonly string[] {
  const { key, source, column, oldSha256, rowSha256 = "", value, by, at, reason } = correction;
  return [key, source, column, oldSha256, rowSha256, value, by, at, reason, change];
}

/**
 * Appends text after the complete lines of a file. A failed write leaves no partial line.
 * @param known the size of the file and the end of its complete lines
 * @returns the new size of the file
 */
async function append(
  file: string,
  text: string,
  { size, end }: { readonly size: number; readonly end: number },
): Promise<number> {
  const handle = await open(file, "a+", 0o600).catch(cannotWrite(file));
  try {
    // The lock does not stop an editor from changing the file.
    if ((await handle.stat()).size !== size)
      throw new Failure("source_changed", `${file} was changed by another program`, {
        hint: "nothing was written; try again",
      });
    if (end < size) await handle.truncate(end);
    try {
      await handle.appendFile((await endsWithoutNewline(handle, end)) ? `\n${text}` : text);
      await handle.sync();
    } catch (error) {
      await handle.truncate(end);
      throw error;
    }
    await syncFolder(path.dirname(file));
    return (await handle.stat()).size;
  } catch (error) {
    if (error instanceof Failure) throw error;
    return cannotWrite(file)(error);
  } finally {
    await handle.close();
  }
}

function cannotWrite(file: string): (cause: unknown) => never {
  return (cause) => {
    throw new Failure("storage", `${file} cannot be written`, { hint: remedyOf(cause, file), cause });
  };
}

/** Whether the last line has no line break. An editor may have removed the line break. */
async function endsWithoutNewline(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== "\n";
}
