import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makeFolder } from "../../files/make-folder.ts";
import { remedyOf } from "../../files/write-error.ts";
import { Failure } from "../../model/failure.ts";

/**
 * Writes stdin to a file (0600) in `folder` (created if missing, 0700), so that the input can be read more than once.
 * Returns the path of the file. The file name has no extension, so that the kind of the file is detected from its
 * content. The caller must remove the file.
 * @throws Failure `storage` if the file cannot be written
 */
export async function spoolStdin(stream: Readable, folder: string): Promise<string> {
  const path = join(folder, `stdin-${randomUUID()}`);
  try {
    makeFolder(folder);
    await pipeline(stream, createWriteStream(path, { flags: "wx", mode: 0o600 }));
    return path;
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw new Failure("storage", `${folder}: cannot store the data from stdin`, {
      hint: `${remedyOf(error, folder)}, choose another folder for temporary files (TMPDIR), or pass a file, because files are not copied`,
      cause: error,
    });
  }
}
