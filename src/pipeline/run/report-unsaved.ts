import { open, unlink } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import type { RescueEnvironment } from "../../job/dependencies.ts";
import type { UploadEnd } from "../../upload/upload-types.ts";

type Unsaved = UploadEnd["unsaved"];

/**
 * Reports outcomes that could not be saved in the ledger. The ledger treats their records as sent without a reply. With
 * the report, an operator can reconcile these records manually. Shows the outcomes on the screen, and writes them to a
 * private file (0600) as one JSON object per line, without values.
 * @param out report folder, which may not exist yet; if it is undefined or not writable, the rescue folder is used
 */
export async function reportUnsaved(
  unsaved: Unsaved,
  run: string,
  { notice, rescueFolder }: RescueEnvironment,
  out?: string,
): Promise<void> {
  const lines = linesOf(unsaved, run);
  const write = (folder: string): Promise<string | undefined> =>
    writePrivateFile(path.join(folder, `migrate-${run}-unsaved.ndjson`), lines);
  const file = (out === undefined ? undefined : await write(out)) ?? (await write(rescueFolder));
  const each = unsaved.map(
    ({ record, status, account }) => `record ${record} ${status}${account === undefined ? "" : ` as ${account}`}`,
  );
  notice(
    `Replies that could not be saved in the ledger: ${each.join(", ")}${file === undefined ? "" : ` (see ${file})`}`,
  );
}

function linesOf(unsaved: Unsaved, run: string): string {
  return unsaved
    .map(({ record, status, account, http, at }) => `${JSON.stringify({ run, record, status, account, http, at })}\n`)
    .join("");
}

/**
 * Writes a private file and returns its path; undefined if the file cannot be written. The outcomes are then only shown
 * on the screen.
 */
async function writePrivateFile(file: string, text: string): Promise<string | undefined> {
  try {
    makeFolder(path.dirname(file));
    const handle = await open(file, "ax", 0o600);
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
