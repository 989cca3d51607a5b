import { open } from "node:fs/promises";
import path from "node:path";
import type { Dependencies } from "../../job/dependencies.ts";
import type { UploadEnd } from "../../upload/upload-types.ts";

type Unsaved = UploadEnd["unsaved"];

/**
 * Tells outcomes that the ledger would not take, which holds them for sent without an answer from now on: on the screen,
 * and in a private file (0600) of the rescue folder, a JSON object a line and without any value. Whoever reconciles by
 * hand knows from it what has arrived.
 */
export async function reportUnsaved(
  unsaved: Unsaved,
  run: string,
  { notice, rescueFolder }: Pick<Dependencies, "notice" | "rescueFolder">,
): Promise<void> {
  const file = await writePrivateFile(path.join(rescueFolder, `migrate-${run}-unsaved.ndjson`), linesOf(unsaved, run));
  const each = unsaved.map(
    ({ record, status, account }) => `record ${record} ${status}${account === undefined ? "" : ` as ${account}`}`,
  );
  notice(`Answered, but not written into the ledger: ${each.join(", ")}${file === undefined ? "" : ` (see ${file})`}`);
}

function linesOf(unsaved: Unsaved, run: string): string {
  return unsaved
    .map(({ record, status, account, http, at }) => `${JSON.stringify({ run, record, status, account, http, at })}\n`)
    .join("");
}

/** Undefined where that cannot be written either: the screen has to do. */
async function writePrivateFile(file: string, text: string): Promise<string | undefined> {
  try {
    const handle = await open(file, "ax", 0o600);
    try {
      await handle.appendFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return file;
  } catch {
    return undefined;
  }
}
