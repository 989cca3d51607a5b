import { constants, copyFile } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import { remedyOf } from "../../files/write-error.ts";
import { Failure } from "../../model/failure.ts";
import { changedFiles, readManifest } from "../../corrections/read-manifest.ts";

/** A rejects file that was edited after its export, and its copy. */
interface KeptFile {
  readonly name: string;
  readonly copy: string;
}

/**
 * Copies the rejects files of a report that were edited after their export, because the report is about to be written
 * again. Returns the names of the files and of their copies.
 * @throws Failure `storage` if a file cannot be copied
 */
export async function keepEditedRejects(folder: string): Promise<readonly KeptFile[]> {
  const manifest = await readManifest(folder).catch((error: unknown) => {
    if (error instanceof Failure) return undefined;
    throw error;
  });
  if (manifest === undefined) return [];
  const kept: KeptFile[] = [];
  for (const name of await changedFiles(folder, manifest)) kept.push({ name, copy: await copyOf(folder, name) });
  return kept;
}

/** Copies a file to the first free name, such as `edited-rejects.csv` or `edited-rejects-2.csv`. */
async function copyOf(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = path.parse(name);
  for (let number = 1; ; number += 1) {
    const copy = `edited-${stem}${number === 1 ? "" : `-${number}`}${ext}`;
    try {
      await copyFile(path.join(folder, name), path.join(folder, copy), constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errorCode(error) === "EEXIST") continue;
      throw new Failure("storage", `${path.join(folder, name)} was edited but cannot be copied to ${copy}`, {
        hint: `${remedyOf(error, folder)}, or move the edited file to another folder`,
        cause: error,
      });
    }
  }
}
