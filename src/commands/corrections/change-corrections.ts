import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../../files/replace-file.ts";
import { remedyOf } from "../../files/write-error.ts";
import { Failure } from "../../model/failure.ts";
import {
  CORRECTION_COLUMNS,
  identityOf,
  type ListedCorrection,
  readCorrections,
} from "../../read/corrections/corrections-file.ts";
import type { Correction } from "../../read/corrections/correction.ts";
import { csvText } from "../../report/csv-text.ts";

/** Selects corrections by key, source and column. An absent member matches every correction. */
export interface WantedCorrections {
  readonly key?: string | undefined;
  readonly source?: string | undefined;
  readonly column?: string | undefined;
}

/**
 * The corrections of a file, in file order.
 * @throws Failure `config` for an invalid file
 */
export async function listCorrections(
  file: string,
  wanted: WantedCorrections = {},
): Promise<readonly ListedCorrection[]> {
  return (await readCorrections(file)).filter((correction) => isWanted(correction, wanted));
}

/**
 * Removes corrections from a file, by appending lines.
 * @returns the removed corrections
 * @throws Failure `config` for an invalid file; `usage` if it contains no such correction
 */
export async function removeCorrections(
  file: string,
  wanted: WantedCorrections,
  author: Pick<Correction, "by" | "at">,
): Promise<readonly Correction[]> {
  const removed = await listCorrections(file, wanted);
  if (removed.length === 0) {
    throw new Failure("usage", `${file}: no such correction`, {
      hint: "`migrate corrections list` shows all corrections",
    });
  }
  await append(
    file,
    removed.map((correction) => lineOf({ ...correction, ...author, value: "", reason: "" }, "unset")),
  );
  return removed;
}

/**
 * Appends corrections to a file, which is created if it does not exist. A correction replaces an earlier correction of
 * the same cell with the same old value. When this returns, the corrections are on the disk.
 * @returns the number of corrections that were replaced
 * @throws Failure `config` for an invalid file; `storage` if it cannot be written
 */
export async function saveCorrections(file: string, added: readonly Correction[]): Promise<number> {
  const before = existsSync(file) ? await listCorrections(file) : [];
  const identities = new Set(added.map(identityOf));
  await append(
    file,
    added.map((correction) => lineOf(correction, "set")),
  );
  return before.filter((correction) => identities.has(identityOf(correction))).length;
}

function isWanted(correction: Correction, { key, source, column }: WantedCorrections): boolean {
  return (
    (key === undefined || correction.key === key) &&
    (source === undefined || correction.source === source) &&
    (column === undefined || correction.column === column)
  );
}

function lineOf(correction: Correction, change: "set" | "unset"): readonly string[] {
  const { key, source, column, oldSha256, rowSha256 = "", value, by, at, reason } = correction;
  return [key, source, column, oldSha256, rowSha256, change, value, by, at, reason];
}

/** Appends with one write, so that two programs can append at the same time. A failed write leaves no partial line. */
async function append(file: string, lines: readonly (readonly string[])[]): Promise<void> {
  try {
    const handle = await open(file, "a+", 0o600);
    try {
      const { size } = await handle.stat();
      const text = csvText(size === 0 ? [CORRECTION_COLUMNS, ...lines] : lines);
      try {
        await handle.appendFile((await endsWithoutNewline(handle, size)) ? `\n${text}` : text);
        await handle.sync();
      } catch (error) {
        await handle.truncate(size);
        throw error;
      }
    } finally {
      await handle.close();
    }
    await syncFolder(path.dirname(file));
  } catch (cause) {
    throw new Failure("storage", `${file} cannot be written`, { hint: remedyOf(cause, file), cause });
  }
}

/** Whether the last line has no line end, which an editor may have removed. */
async function endsWithoutNewline(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== "\n";
}
