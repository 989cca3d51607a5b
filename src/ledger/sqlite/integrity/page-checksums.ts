import { type BigIntStats, fstatSync, readFileSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { endianness } from "node:os";
import { crc32 } from "node:zlib";
import { unlessMissing } from "../../../files/error-code.ts";
import { withFile } from "../../../files/open-file.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";

/** The state of a database when it was last known to be intact. */
export interface PageChecksums {
  readonly pageSize: number;
  /** Number of recorded commits. The database may contain further commits that are not recorded. */
  readonly commits: number;
  /** The checksum (CRC-32) of each page in the database file itself, without the contents of its log. */
  readonly pages: Uint32Array;
  /** Stamp of the database file when its pages last matched the checksums. */
  readonly stamp?: FileStamp;
}

/** Device, inode, size, and the times (ns) of the last changes to content and inode. */
type FileStamp = BigUint64Array;

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp {
  return BigUint64Array.of(dev, ino, size, mtimeNs, ctimeNs);
}

/** Whether the database file has stayed the same since its pages matched the checksums. False without a stamp. */
export function matchesStamp(database: string, { stamp }: PageChecksums): boolean {
  if (stamp === undefined) return false;
  const now = stampOf(statSync(database, { bigint: true }));
  return now.every((value, index) => value === stamp[index]);
}

/** Returns the path of the checksum file, which is next to the database. */
export function checksumsPath(database: string): string {
  return `${database}-checksums`;
}

/** Returns undefined if there is no file, and `corrupt` if the file is invalid. */
export function readChecksums(path: string): PageChecksums | "corrupt" | undefined {
  const bytes = unlessMissing(() => readFileSync(path));
  if (bytes === undefined) return undefined;
  if (bytes.length < HEADER_BYTES || bytes.subarray(0, MAGIC.length).compare(MAGIC) !== 0) return "corrupt";
  if (crc32(bytes.subarray(0, CHECKED_BYTES)) !== bytes.readUInt32LE(CHECKED_BYTES)) return "corrupt";
  const count = bytes.readUInt32LE(12);
  const tableEnd = HEADER_BYTES + 4 * count;
  const table = bytes.subarray(HEADER_BYTES, tableEnd);
  if (bytes.length < tableEnd + 4 || crc32(table) !== bytes.readUInt32LE(tableEnd)) return "corrupt";
  const pages = new Uint32Array(count);
  const asBytes = Buffer.from(pages.buffer);
  table.copy(asBytes);
  lowestByteFirst(asBytes);
  const checksums = { pageSize: bytes.readUInt32LE(8), commits: bytes.readDoubleLE(16), pages };
  const stamp = readStamp(bytes.subarray(tableEnd + 4));
  if (stamp === "corrupt") return stamp;
  return stamp === undefined ? checksums : { ...checksums, stamp };
}

const STAMP_VALUES = 5;
const STAMP_BYTES = 8 * STAMP_VALUES;

/**
 * Reads the stamp: five numbers and their checksum. Returns undefined if there is no stamp, because the file has no
 * page checksums.
 */
function readStamp(bytes: Buffer): FileStamp | "corrupt" | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.length !== STAMP_BYTES + 4) return "corrupt";
  if (crc32(bytes.subarray(0, STAMP_BYTES)) !== bytes.readUInt32LE(STAMP_BYTES)) return "corrupt";
  return BigUint64Array.from({ length: STAMP_VALUES }, (_, index) => bytes.readBigUInt64LE(8 * index));
}

function stampBytes(stamp: FileStamp | undefined): Buffer {
  if (stamp === undefined) return Buffer.alloc(0);
  const bytes = Buffer.alloc(STAMP_BYTES + 4);
  for (const [index, value] of stamp.entries()) bytes.writeBigUInt64LE(value, 8 * index);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, STAMP_BYTES)), STAMP_BYTES);
  return bytes;
}

/** Replaces the checksum file atomically and durably. */
function writeChecksums(path: string, checksums: PageChecksums): void {
  const { buffer, byteOffset, byteLength } = checksums.pages;
  const tableEnd = HEADER_BYTES + byteLength;
  const end = stampBytes(checksums.stamp);
  const bytes = Buffer.alloc(tableEnd + 4 + end.length);
  headerOf(checksums).copy(bytes);
  const table = bytes.subarray(HEADER_BYTES, tableEnd);
  Buffer.from(buffer, byteOffset, byteLength).copy(table);
  lowestByteFirst(table);
  bytes.writeUInt32LE(crc32(table), tableEnd);
  end.copy(bytes, tableEnd + 4);
  replaceFileSync(path, bytes);
}

/** Converts 32-bit numbers between this machine's byte order and the file's byte order. */
function lowestByteFirst(numbers: Buffer): void {
  if (endianness() === "BE") numbers.swap32();
}

/**
 * Updates the number of commits, without a sync. After a power failure, the file may record fewer commits than the
 * ledger has, but never more.
 */
export function writeCommitCount(path: string, checksums: PageChecksums): void {
  withFile(path, (file) => writeSync(file, headerOf(checksums), 0, HEADER_BYTES, 0), "r+");
}

/**
 * Keeps the number of commits and removes the checksums. Used if SQLite may later write into the database file without
 * updating the checksums, for example because a process ends without closing the database properly.
 */
export function writeHeaderOnly(path: string, checksums: PageChecksums): void {
  try {
    const { pageSize, commits } = checksums;
    writeChecksums(path, { pageSize, commits, pages: new Uint32Array() });
  } catch {
    rmSync(path, { force: true });
  }
}

/** Removes the checksums from the existing checksum file, and keeps its number of commits. */
export function forgetChecksums(database: string): void {
  const path = checksumsPath(database);
  const checksums = readChecksums(path);
  if (checksums !== undefined && checksums !== "corrupt") writeHeaderOnly(path, checksums);
}

const MAGIC: Buffer = Buffer.from("MIGSUMS1");
/** Size of the header without its checksum: magic, page size, number of pages and number of commits. */
const CHECKED_BYTES = 24;
const HEADER_BYTES = CHECKED_BYTES + 4;

function headerOf({ pageSize, pages, commits }: PageChecksums): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(pageSize, 8);
  header.writeUInt32LE(pages.length, 12);
  header.writeDoubleLE(commits, 16);
  header.writeUInt32LE(crc32(header.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
  return header;
}

/**
 * Describes the first corruption that the checksums reveal in a database file. Ignores pages with a newer version in
 * the log. Returns undefined if there is no corruption, and `unchecked` if there are no checksums to compare with.
 */
export function findCorruption(database: string): string | undefined {
  const checksums = readChecksums(checksumsPath(database));
  if (checksums === undefined || checksums === "corrupt") return "unchecked";
  const inLog = pagesInLog(`${database}-wal`);
  let broken: number | undefined;
  const count = eachPage(database, checksums.pageSize, (number, page) => {
    if (checksums.pages[number - 1] !== crc32(page) && number <= checksums.pages.length && !inLog.has(number))
      broken ??= number;
  });
  if (broken !== undefined) return brokenPage(broken);
  for (let page = count + 1; page <= checksums.pages.length; page += 1) {
    if (!inLog.has(page)) return `page ${page} is missing`;
  }
  return undefined;
}

/**
 * Updates the checksums of the pages that the log has changed or added. Call this when the whole log has been written
 * into the database file, and before the log restarts.
 */
export function updateChecksums(database: string, before: PageChecksums): PageChecksums {
  const { pageSize, commits } = before;
  const changed = new Set(pagesInLog(`${database}-wal`));
  const checksums = withFile(database, (file) => {
    const pages = new Uint32Array(Math.floor(fstatSync(file).size / pageSize));
    pages.set(before.pages.subarray(0, pages.length));
    for (let page = before.pages.length + 1; page <= pages.length; page += 1) changed.add(page);
    const page = Buffer.alloc(pageSize);
    for (const number of changed) {
      if (readSync(file, page, 0, pageSize, (number - 1) * pageSize) === pageSize) pages[number - 1] = crc32(page);
    }
    return { pageSize, commits, pages, stamp: stampOf(fstatSync(file, { bigint: true })) };
  });
  writeChecksums(checksumsPath(database), checksums);
  return checksums;
}

/**
 * Checks some pages as `findCorruption` does, beginning with page number `first`. Returns the corruption, if any, and
 * the number of the next page.
 * @param options `buffer`: a `pagesBuffer`, which can be reused
 */
export function findCorruptPage(
  database: string,
  first: number,
  { checksums: { pageSize, pages }, buffer }: { readonly checksums: PageChecksums; readonly buffer: Buffer },
): { readonly broken: string | undefined; readonly next: number } {
  const read = withFile(database, (file) => readSync(file, buffer, 0, buffer.length, (first - 1) * pageSize));
  let number = first;
  for (let at = 0; at + pageSize <= read && number <= pages.length; at += pageSize, number += 1) {
    if (pages[number - 1] === crc32(buffer.subarray(at, at + pageSize))) continue;
    if (!pagesInLog(`${database}-wal`).has(number)) return { broken: brokenPage(number), next: number };
  }
  return { broken: undefined, next: number };
}

const brokenPage = (number: number): string => `page ${number} has the wrong checksum`;

const PAGES_AT_ONCE = 256;

/** Returns a buffer for the pages of one step. */
export function pagesBuffer(pageSize: number): Buffer {
  return Buffer.alloc(pageSize * PAGES_AT_ONCE);
}

/** Calls `visit` for each complete page. Returns the number of complete pages. */
function eachPage(database: string, pageSize: number, visit: (number: number, page: Buffer) => void): number {
  const buffer = pagesBuffer(pageSize);
  return withFile(database, (file) => {
    for (let number = 0; ;) {
      const read = readSync(file, buffer, 0, buffer.length, number * pageSize);
      for (let at = 0; at + pageSize <= read; at += pageSize) visit((number += 1), buffer.subarray(at, at + pageSize));
      if (read < buffer.length) return number;
    }
  });
}

/**
 * Returns the numbers of the pages whose latest committed version is in the write-ahead log of a database. Their
 * versions in the database file do not matter. SQLite itself verifies the checksums in the log. Format:
 * https://sqlite.org/fileformat2.html#walformat
 */
function pagesInLog(logPath: string): ReadonlySet<number> {
  return unlessMissing(() => withFile(logPath, readPages)) ?? new Set();
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALTS_AT = 16;

function readPages(file: number): ReadonlySet<number> {
  const committed = new Set<number>();
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  if (readSync(file, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return committed;
  const pageSize = header.readUInt32BE(8);
  const frame = Buffer.alloc(FRAME_HEADER_BYTES);
  let pending: number[] = [];
  for (let at = LOG_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageSize) {
    if (readSync(file, frame, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES) return committed;
    // The remaining frames were written before the log restarted.
    if (header.compare(frame, 8, SALTS_AT, SALTS_AT, SALTS_AT + 8) !== 0) return committed;
    pending.push(frame.readUInt32BE(0));
    if (frame.readUInt32BE(4) === 0) continue;
    for (const page of pending) committed.add(page);
    pending = [];
  }
}
