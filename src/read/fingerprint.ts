import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFailure } from "./file-bytes.ts";
import { lookAt } from "./source-paths.ts";

/** What a run remembers of a file, to know it again. */
export interface FileFingerprint {
  readonly file: string;
  /** On disk, packed if it is. */
  readonly bytes: number;
  /** Of the bytes on disk, in hex. */
  readonly sha256: string;
  readonly modifiedMs: number;
}

/** Reads the file once, a piece at a time. Raises `source_unreadable`. */
export async function fingerprintFile(path: string): Promise<FileFingerprint> {
  const { bytes, modifiedMs } = await lookAt(path);
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk);
  } catch (error) {
    throw readFailure(path, error);
  }
  return { file: path, bytes, sha256: hash.digest("hex"), modifiedMs };
}
