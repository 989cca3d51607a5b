import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, truncateSync } from "node:fs";
import { z } from "zod";
import { withFileLock } from "../../files/file-lock.ts";
import { isRunning, processStart } from "../../files/running-process.ts";
import { replaceFile } from "../../files/replace-file.ts";

const NOTE = z.object({
  pid: z.number(),
  start: z.string().optional(),
  source: z.string(),
  column: z.string(),
  at: z.string(),
  by: z.string(),
  from: z.number(),
  to: z.number().optional(),
});

/** An edit of many cells, of which a part may be saved. */
export interface EditNote {
  readonly source: string;
  /** The column of the first cell. */
  readonly column: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** `user@host` */
  readonly by: string;
  /** The size of the corrections file before the edit, in bytes. */
  readonly from: number;
  /** Its size when the edit was found unfinished. */
  readonly to?: number | undefined;
}

/**
 * Notes an edit of many cells next to the corrections file, before its first cell is saved. If the program ends before
 * the edit does, the note remains.
 */
export async function noteEdit(file: string, note: EditNote): Promise<void> {
  const start = processStart(process.pid);
  await replaceFile(noteOf(file), JSON.stringify({ ...note, pid: process.pid, ...(start !== undefined && { start }) }));
}

export function removeNote(file: string): void {
  rmSync(noteOf(file), { force: true });
}

/** The edit of a program that has ended before its edit; undefined if there is none. */
export function readUnfinishedEdit(file: string): EditNote | undefined {
  const text = contentOf(noteOf(file));
  const { data } = NOTE.safeParse(text === undefined ? undefined : jsonOf(text));
  if (data === undefined || (data.to === undefined && isRunning(data.pid, data.start))) return undefined;
  return isLineEnd(file, data.from) && isLineEnd(file, data.to ?? data.from) ? data : undefined;
}

/** Whether a line of the file ends at an offset. False if the file has been replaced by a shorter one. */
function isLineEnd(file: string, offset: number): boolean {
  return offset === 0 || bytesAt(file, offset - 1, 1)[0] === LINE_END;
}

const LINE_END = 0x0a;
/** Longer than a line with the longest value. */
const TAIL_BYTES = 2 ** 25;

/**
 * Removes an incomplete last line that an unfinished edit has left. Its cell was not reported as saved.
 * @throws Failure `storage` if another program keeps the file locked
 */
export async function removeTornLine(file: string): Promise<void> {
  const note = readUnfinishedEdit(file);
  if (note === undefined || note.to !== undefined) return;
  await withFileLock(file, async () => {
    const { size } = statSync(file);
    const begin = Math.max(note.from, size - TAIL_BYTES);
    const tail = bytesAt(file, begin, size - begin);
    const end = begin + tail.lastIndexOf(LINE_END) + 1;
    if (end < size) truncateSync(file, end);
  });
}

/** Empty if the file does not exist or is shorter. */
function bytesAt(file: string, offset: number, length: number): Buffer {
  try {
    const descriptor = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noteOf(file: string): string {
  return `${file}.unfinished`;
}
