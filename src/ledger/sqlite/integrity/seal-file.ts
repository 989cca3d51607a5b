import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { errorCode } from "../../../files/error-code.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";

/** What a database was when it was last seen whole. */
export interface Seal {
  readonly pageSize: number;
  /** Transactions that were committed; more may have been. */
  readonly commits: number;
  /** The checksum (CRC-32) of each page in the database's own file, without what lies in its log. */
  readonly pages: Uint32Array;
}

/** The file beside the database that holds its seal. */
export function sealPath(database: string): string {
  return `${database}-seal`;
}

/** `damaged`: there is one, and it cannot be believed. */
export function readSeal(path: string): Seal | "damaged" | undefined {
  const bytes = readIfThere(path);
  if (bytes === undefined) return undefined;
  if (bytes.length < HEADER_BYTES || bytes.subarray(0, MAGIC.length).compare(MAGIC) !== 0) return "damaged";
  if (crc32(bytes.subarray(0, CHECKED_BYTES)) !== bytes.readUInt32LE(CHECKED_BYTES)) return "damaged";
  const count = bytes.readUInt32LE(12);
  const table = bytes.subarray(HEADER_BYTES, HEADER_BYTES + 4 * count);
  if (bytes.length !== HEADER_BYTES + 4 * count + 4 || crc32(table) !== bytes.readUInt32LE(bytes.length - 4)) {
    return "damaged";
  }
  const pages = Uint32Array.from({ length: count }, (_, index) => table.readUInt32LE(4 * index));
  return { pageSize: bytes.readUInt32LE(8), commits: bytes.readDoubleLE(16), pages };
}

/** Puts a seal in the place of the old one, whole and on the disk, or not at all. */
export function writeSeal(path: string, seal: Seal): void {
  const table = Buffer.alloc(4 * seal.pages.length + 4);
  for (const [index, checksum] of seal.pages.entries()) table.writeUInt32LE(checksum, 4 * index);
  table.writeUInt32LE(crc32(table.subarray(0, -4)), table.length - 4);
  replaceFileSync(path, Buffer.concat([headerOf(seal), table]));
}

/**
 * Notes one more commit. Not synced: after a loss of power the file may know of fewer commits than there were, never of
 * more.
 */
export function writeCommitCount(path: string, seal: Pick<Seal, "pageSize" | "pages" | "commits">): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, headerOf(seal), 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
}

/**
 * Leaves the count of commits and no checksums: for when SQLite may write into the file on its own, as it does when a
 * process ends that could not do so in order.
 */
export function writeSealWithoutChecksums(path: string, seal: Seal): void {
  try {
    writeSeal(path, { ...seal, pages: new Uint32Array() });
  } catch {
    rmSync(path, { force: true });
  }
}

const MAGIC: Buffer = Buffer.from("MIGSEAL1");
/** Magic, page size, number of pages, commits; then the checksum of these. */
const CHECKED_BYTES = 24;
const HEADER_BYTES = CHECKED_BYTES + 4;

function headerOf({ pageSize, pages, commits }: Seal): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(pageSize, 8);
  header.writeUInt32LE(pages.length, 12);
  header.writeDoubleLE(commits, 16);
  header.writeUInt32LE(crc32(header.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
  return header;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
