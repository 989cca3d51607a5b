import { type FileHandle, open, unlink } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import { makeFolder } from "../../files/make-folder.ts";
import type { RescueEnvironment } from "../../job/dependencies.ts";
import type { UploadEnd } from "../../upload/upload-types.ts";

type Unsaved = UploadEnd["unsaved"];

/**
 * Reports outcomes that could not be saved in the ledger. The ledger treats their records as sent without a reply, even
 * a `pending` record, which was not sent. With the report, an operator can reconcile these records manually. Writes the
 * outcomes to a private file (0600) as one JSON object per line, without values, and shows its path. Shows the same
 * lines if no file can be written.
 * @param out report folder, which may not exist yet; if it is undefined or not writable, the rescue folder is used
 */
export async function reportUnsaved(
  unsaved: Unsaved,
  run: string,
  { notice, rescueFolder }: RescueEnvironment,
  out?: string,
): Promise<void> {
  const lines = unsaved.map(({ record, status, account, http, at }) =>
    JSON.stringify({ run, record, status, account, http, at }),
  );
  const write = (folder: string): Promise<string | undefined> => writePrivateFile(folder, run, `${lines.join("\n")}\n`);
  const file = (out === undefined ? undefined : await write(out)) ?? (await write(rescueFolder));
  if (file === undefined) {
    notice(`Outcomes that could not be saved in the ledger or in ${rescueFolder}:`, "alert");
    for (const line of lines) notice(line, "alert");
    return;
  }
  const each = unsaved.map(
    ({ record, status, account }) => `record ${record} ${status}${account === undefined ? "" : ` as ${account}`}`,
  );
  // The path comes first, because a long line is cut at its end.
  notice(`Outcomes that could not be saved in the ledger: ${file} (${each.join(", ")})`, "alert");
}

/** Writes a new private file and returns its path; undefined if no file can be written. */
async function writePrivateFile(folder: string, run: string, text: string): Promise<string | undefined> {
  try {
    makeFolder(folder);
    const { file, handle } = await createFile(folder, `migrate-${run}-unsaved`);
    try {
      await handle.appendFile(text);
      await handle.sync();
      return file;
    } catch {
      await unlink(file);
      return undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** Creates a file with the first unused number, because the workers of a run may use the same folder. */
async function createFile(
  folder: string,
  name: string,
): Promise<{ readonly file: string; readonly handle: FileHandle }> {
  for (let number = 1; ; number += 1) {
    const file = path.join(folder, `${name}${number === 1 ? "" : `-${number}`}.ndjson`);
    try {
      return { file, handle: await open(file, "ax", 0o600) };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}
