import { closeSync, openSync, readSync } from "node:fs";

/**
 * The pages of a database whose latest version lies in its write-ahead log, as far as it was committed; those in the
 * database's own file are of no account. The log's checksums are SQLite's to check.
 * Format: https://sqlite.org/fileformat2.html#walformat
 */
export function pagesInLog(logPath: string): ReadonlySet<number> {
  const file = openIfThere(logPath);
  if (file === undefined) return new Set();
  try {
    return readPages(file);
  } finally {
    closeSync(file);
  }
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALTS_AT = 16;

function readPages(file: number): ReadonlySet<number> {
  const committed = new Set<number>();
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return committed;
  const pageSize = header.readUInt32BE(8);
  const frame = Buffer.alloc(FRAME_HEADER_BYTES);
  let pending: number[] = [];
  for (let at = HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageSize) {
    if (readSync(file, frame, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES) return committed;
    // What follows is left over from before the log was begun anew.
    if (header.compare(frame, 8, SALTS_AT, SALTS_AT, SALTS_AT + 8) !== 0) return committed;
    pending.push(frame.readUInt32BE(0));
    if (frame.readUInt32BE(4) === 0) continue;
    for (const page of pending) committed.add(page);
    pending = [];
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return undefined;
    throw error;
  }
}
