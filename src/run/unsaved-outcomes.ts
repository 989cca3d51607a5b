import { open } from "node:fs/promises";
import path from "node:path";
import type { Run } from "../ledger/ledger.ts";
import type { UploadEnd } from "../upload/sendable.ts";
import type { Parts } from "./parts.ts";

type Unsaved = UploadEnd["unsaved"];

/**
 * Tells outcomes that the ledger would not take, which holds them for sent without an answer from now on: on the screen,
 * and in a private file (0600) of the rescue folder, a JSON object a line and without any value. Whoever reconciles by
 * hand knows from it what has arrived.
 */
export async function tellUnsaved(
  unsaved: Unsaved,
  { id }: Pick<Run, "id">,
  { notice, rescueFolder }: Pick<Parts, "notice" | "rescueFolder">,
): Promise<void> {
  const file = await written(path.join(rescueFolder, `migrate-${id}-unsaved.ndjson`), linesOf(unsaved, id));
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
async function written(file: string, text: string): Promise<string | undefined> {
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
