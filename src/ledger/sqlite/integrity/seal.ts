import {
  type BigIntStats,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { endianness } from "node:os";
import { crc32 } from "node:zlib";
import { unlessMissing } from "../../../files/error-code.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";

/** What a database was when it was last seen whole. */
export interface Seal {
  readonly pageSize: number;
  /** Transactions that were committed; more may have been. */
  readonly commits: number;
  /** The checksum (CRC-32) of each page in the database's own file, without what lies in its log. */
  readonly pages: Uint32Array;
  /** Of the database's own file, when its pages were what the checksums say. */
  readonly stamp?: FileStamp;
}

/** Device, inode, size, and the times (ns) at which content and inode were changed last. */
type FileStamp = BigUint64Array;

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp {
  return BigUint64Array.of(dev, ino, size, mtimeNs, ctimeNs);
}

/** Whether nobody has written to the file of a database since it was sealed. */
export function isAsSealed(database: string, { stamp }: Seal): boolean {
  if (stamp === undefined) return false;
  const now = stampOf(statSync(database, { bigint: true }));
  return now.every((value, index) => value === stamp[index]);
}

/** The file beside the database that holds its seal. */
export function sealPath(database: string): string {
  return `${database}-seal`;
}

/** `damaged`: there is one, and it cannot be believed. */
export function readSeal(path: string): Seal | "damaged" | undefined {
  const bytes = unlessMissing(() => readFileSync(path));
  if (bytes === undefined) return undefined;
  if (bytes.length < HEADER_BYTES || bytes.subarray(0, MAGIC.length).compare(MAGIC) !== 0) return "damaged";
  if (crc32(bytes.subarray(0, CHECKED_BYTES)) !== bytes.readUInt32LE(CHECKED_BYTES)) return "damaged";
  const count = bytes.readUInt32LE(12);
  const tableEnd = HEADER_BYTES + 4 * count;
  const table = bytes.subarray(HEADER_BYTES, tableEnd);
  if (bytes.length < tableEnd + 4 || crc32(table) !== bytes.readUInt32LE(tableEnd)) return "damaged";
  const pages = new Uint32Array(count);
  const asBytes = Buffer.from(pages.buffer);
  table.copy(asBytes);
  lowestByteFirst(asBytes);
  const seal = { pageSize: bytes.readUInt32LE(8), commits: bytes.readDoubleLE(16), pages };
  const stamp = readStamp(bytes.subarray(tableEnd + 4));
  if (stamp === "damaged") return stamp;
  return stamp === undefined ? seal : { ...seal, stamp };
}

const STAMP_VALUES = 5;
const STAMP_BYTES = 8 * STAMP_VALUES;

/** Five numbers and their checksum; seals of earlier versions have none. */
function readStamp(bytes: Buffer): FileStamp | "damaged" | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.length !== STAMP_BYTES + 4) return "damaged";
  if (crc32(bytes.subarray(0, STAMP_BYTES)) !== bytes.readUInt32LE(STAMP_BYTES)) return "damaged";
  return BigUint64Array.from({ length: STAMP_VALUES }, (_, index) => bytes.readBigUInt64LE(8 * index));
}

function stampBytes(stamp: FileStamp | undefined): Buffer {
  if (stamp === undefined) return Buffer.alloc(0);
  const bytes = Buffer.alloc(STAMP_BYTES + 4);
  for (const [index, value] of stamp.entries()) bytes.writeBigUInt64LE(value, 8 * index);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, STAMP_BYTES)), STAMP_BYTES);
  return bytes;
}

/** Puts a seal in the place of the old one, whole and on the disk, or not at all. */
function writeSeal(path: string, seal: Seal): void {
  const { buffer, byteOffset, byteLength } = seal.pages;
  const tableEnd = HEADER_BYTES + byteLength;
  const end = stampBytes(seal.stamp);
  const bytes = Buffer.alloc(tableEnd + 4 + end.length);
  headerOf(seal).copy(bytes);
  const table = bytes.subarray(HEADER_BYTES, tableEnd);
  Buffer.from(buffer, byteOffset, byteLength).copy(table);
  lowestByteFirst(table);
  bytes.writeUInt32LE(crc32(table), tableEnd);
  end.copy(bytes, tableEnd + 4);
  replaceFileSync(path, bytes);
}

/** Numbers of 32 bits as this machine has them become those of the file, or the other way round. */
function lowestByteFirst(numbers: Buffer): void {
  if (endianness() === "BE") numbers.swap32();
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
    const { pageSize, commits } = seal;
    writeSeal(path, { pageSize, commits, pages: new Uint32Array() });
  } catch {
    rmSync(path, { force: true });
  }
}

/** The same where only the file knows the seal. */
export function forgetChecksums(database: string): void {
  const path = sealPath(database);
  const seal = readSeal(path);
  if (seal !== undefined && seal !== "damaged") writeSealWithoutChecksums(path, seal);
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

/**
 * What is wrong with the file of a database, compared with its seal; pages with a newer version in the log are left out.
 * Undefined when nothing is. `unsealed`: there is no seal to hold it against.
 */
export function findDamage(database: string): string | undefined {
  const seal = readSeal(sealPath(database));
  if (seal === undefined || seal === "damaged") return "unsealed";
  const inLog = pagesInLog(`${database}-wal`);
  let broken: number | undefined;
  const count = eachPage(database, seal.pageSize, (number, page) => {
    if (seal.pages[number - 1] !== crc32(page) && number <= seal.pages.length && !inLog.has(number)) broken ??= number;
  });
  if (broken !== undefined) return brokenPage(broken);
  for (let page = count + 1; page <= seal.pages.length; page += 1) {
    if (!inLog.has(page)) return `page ${page} is missing`;
  }
  return undefined;
}

/**
 * Seals the file of a database anew, of which only the pages that its log holds have changed since it was sealed, and
 * new ones have come. To be called when all of the log has been written into the file, and before it is begun anew.
 */
export function updateSeal(database: string, before: Seal): Seal {
  const { pageSize, commits } = before;
  const changed = new Set(pagesInLog(`${database}-wal`));
  const seal = withFile(database, (file) => {
    const pages = new Uint32Array(Math.floor(fstatSync(file).size / pageSize));
    pages.set(before.pages.subarray(0, pages.length));
    for (let page = before.pages.length + 1; page <= pages.length; page += 1) changed.add(page);
    const page = Buffer.alloc(pageSize);
    for (const number of changed) {
      if (readSync(file, page, 0, pageSize, (number - 1) * pageSize) === pageSize) pages[number - 1] = crc32(page);
    }
    return { pageSize, commits, pages, stamp: stampOf(fstatSync(file, { bigint: true })) };
  });
  writeSeal(sealPath(database), seal);
  return seal;
}

/**
 * What is wrong with some pages from number `first` on, and the number of the page behind them; as `findDamage` has it.
 * @param about `buffer`: a `pagesBuffer`, to be used again
 */
export function findDamageFrom(
  database: string,
  first: number,
  { seal: { pageSize, pages }, buffer }: { readonly seal: Seal; readonly buffer: Buffer },
): { readonly broken: string | undefined; readonly next: number } {
  const read = withFile(database, (file) => readSync(file, buffer, 0, buffer.length, (first - 1) * pageSize));
  let number = first;
  for (let at = 0; at + pageSize <= read && number <= pages.length; at += pageSize, number += 1) {
    if (pages[number - 1] === crc32(buffer.subarray(at, at + pageSize))) continue;
    if (!pagesInLog(`${database}-wal`).has(number)) return { broken: brokenPage(number), next: number };
  }
  return { broken: undefined, next: number };
}

const brokenPage = (number: number): string => `page ${number} is not what was written`;

const PAGES_AT_ONCE = 256;

/** Room for as many pages as are looked at in one go. */
export function pagesBuffer({ pageSize }: Pick<Seal, "pageSize">): Buffer {
  return Buffer.alloc(pageSize * PAGES_AT_ONCE);
}

/** Gives the number of whole pages. */
function eachPage(database: string, pageSize: number, visit: (number: number, page: Buffer) => void): number {
  const buffer = pagesBuffer({ pageSize });
  return withFile(database, (file) => {
    for (let number = 0; ;) {
      const read = readSync(file, buffer, 0, buffer.length, number * pageSize);
      for (let at = 0; at + pageSize <= read; at += pageSize) visit((number += 1), buffer.subarray(at, at + pageSize));
      if (read < buffer.length) return number;
    }
  });
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, "r");
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

/**
 * The pages of a database whose latest version lies in its write-ahead log, as far as it was committed; those in the
 * database's own file are of no account. The log's checksums are SQLite's to check.
 * Format: https://sqlite.org/fileformat2.html#walformat
 */
function pagesInLog(logPath: string): ReadonlySet<number> {
  const file = unlessMissing(() => openSync(logPath, "r"));
  if (file === undefined) return new Set();
  try {
    return readPages(file);
  } finally {
    closeSync(file);
  }
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
    // What follows is left over from before the log was begun anew.
    if (header.compare(frame, 8, SALTS_AT, SALTS_AT, SALTS_AT + 8) !== 0) return committed;
    pending.push(frame.readUInt32BE(0));
    if (frame.readUInt32BE(4) === 0) continue;
    for (const page of pending) committed.add(page);
    pending = [];
  }
}
