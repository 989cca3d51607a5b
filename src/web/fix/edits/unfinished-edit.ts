import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { isRunning, processStart } from "../../../files/running-process.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { remedyOf } from "../../../files/write-error.ts";
import { Failure } from "../../../model/failure.ts";
import { namesIn } from "../../../runtime/temporary-folder.ts";

const NOTE = z.object({
  pid: z.number(),
  start: z.string().optional(),
  source: z.string(),
  column: z.string(),
  at: z.string(),
  by: z.string(),
});

/** An edit of many cells that may be saved only in part. */
interface EditNote {
  readonly source: string;
  /** The column of the first cell. */
  readonly column: string;
  /** ISO 8601 UTC. All lines of the edit have this time and this user. */
  readonly at: string;
  /** The person who made the edit: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly by: string;
}

/**
 * Before the first cell of a large edit is saved, writes a note about the edit next to the corrections file. If the
 * program ends before the edit is complete, the note remains. Each program has its own note.
 * @returns the path of the note; the caller removes it when the edit is complete
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

/** Returns the edits that ended programs left incomplete, earliest first. */
export function readUnfinishedEdits(file: string): readonly (EditNote & { readonly noteFile: string })[] {
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

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
