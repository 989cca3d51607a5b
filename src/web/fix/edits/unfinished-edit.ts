import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { isRunning, processStart } from "../../../files/running-process.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { remedyOf } from "../../../files/write-error.ts";
import { Failure } from "../../../model/failure.ts";

const NOTE = z.object({
  pid: z.number(),
  start: z.string().optional(),
  source: z.string(),
  column: z.string(),
  at: z.string(),
  by: z.string(),
});

/** An edit of many cells, of which a part may be saved. */
export interface EditNote {
  readonly source: string;
  /** The column of the first cell. */
  readonly column: string;
  /** ISO 8601 UTC. All lines of the edit have this time and user. */
  readonly at: string;
  /** `user@host` */
  readonly by: string;
}

/**
 * Notes an edit of many cells next to the corrections file, before its first cell is saved. If the program ends before
 * the edit does, the note remains. Several programs can have a note.
 * @returns the file of the note, to be removed when the edit is complete
 * @throws Failure `storage`
 */
export async function noteEdit(file: string, note: EditNote): Promise<string> {
  const start = processStart(process.pid);
  const noteFile = `${file}.${randomUUID()}${SUFFIX}`;
  const content = JSON.stringify({ ...note, pid: process.pid, ...(start !== undefined && { start }) });
  try {
    await replaceFile(noteFile, content);
  } catch (cause) {
    throw new Failure("storage", `${noteFile} cannot be written`, { hint: remedyOf(cause, noteFile), cause });
  }
  return noteFile;
}

const SUFFIX = ".unfinished";

interface UnfinishedNote extends EditNote {
  readonly noteFile: string;
}

/** The edits of programs that have ended before their edit, earliest first. */
export function readUnfinishedEdits(file: string): readonly UnfinishedNote[] {
  const folder = path.dirname(file);
  return namesIn(folder)
    .filter((name) => name.startsWith(`${path.basename(file)}.`) && name.endsWith(SUFFIX))
    .flatMap((name) => {
      const noteFile = path.join(folder, name);
      const { data } = NOTE.safeParse(contentOf(noteFile));
      return data === undefined || isRunning(data.pid, data.start) ? [] : [{ ...data, noteFile }];
    })
    .toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
