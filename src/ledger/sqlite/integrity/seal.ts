import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { errorCode } from "../../../files/error-code.ts";
import type { Seal } from "./seal-file.ts";
import { readSeal, sealPath, writeSeal } from "./seal-file.ts";

/**
 * Whether the file of a database is what it was when it was sealed, apart from the pages that its log holds anew.
 * Undefined when it is; what is wrong otherwise. `unsealed`: there is nothing to hold it against.
 */
export function findDamage(database: string): string | undefined {
  const seal = readSeal(sealPath(database));
  if (seal === undefined || seal === "damaged") return "unsealed";
  const inLog = pagesInLog(`${database}-wal`);
  let broken: number | undefined;
  eachPage(database, seal.pageSize, (number, page) => {
    if (seal.pages[number - 1] !== crc32(page) && number <= seal.pages.length && !inLog.has(number)) broken ??= number;
  });
  if (broken !== undefined) return `page ${broken} is not what was written`;
  const missing = missingPage(database, seal, inLog);
  return missing === undefined ? undefined : `page ${missing} is missing`;
}

function missingPage(database: string, { pages, pageSize }: Seal, inLog: ReadonlySet<number>): number | undefined {
  const whole = Math.floor(sizeOf(database) / pageSize);
  for (let page = whole + 1; page <= pages.length; page += 1) if (!inLog.has(page)) return page;
  return undefined;
}

/**
 * Seals the file of a database anew, of which only the pages that its log holds have changed since the last time. To be
 * called when all of the log has been written into the file, and before the log is begun anew.
 */
export function updateSeal(database: string, now: Pick<Seal, "pageSize" | "commits">): Seal {
  const { pageSize, commits } = now;
  const before = readSeal(sealPath(database));
  const known = before === undefined || before === "damaged" || before.pageSize !== pageSize ? undefined : before;
  const pages = new Uint32Array(Math.floor(sizeOf(database) / pageSize));
  if (known === undefined) {
    eachPage(database, pageSize, (number, page) => {
      pages[number - 1] = crc32(page);
    });
  } else {
    pages.set(known.pages.subarray(0, pages.length));
    const changed = [...pagesInLog(`${database}-wal`)];
    for (let page = known.pages.length + 1; page <= pages.length; page += 1) changed.push(page);
    checksumsOf(database, pageSize, changed, pages);
  }
  const seal = { pageSize, commits, pages };
  writeSeal(sealPath(database), seal);
  return seal;
}

function checksumsOf(database: string, pageSize: number, wanted: readonly number[], pages: Uint32Array): void {
  const page = Buffer.alloc(pageSize);
  withFile(database, (file) => {
    for (const number of wanted) {
      if (readSync(file, page, 0, pageSize, (number - 1) * pageSize) === pageSize) pages[number - 1] = crc32(page);
    }
  });
}

const PAGES_AT_ONCE = 256;

function eachPage(database: string, pageSize: number, visit: (number: number, page: Buffer) => void): void {
  const buffer = Buffer.alloc(pageSize * PAGES_AT_ONCE);
  withFile(database, (file) => {
    for (let number = 1; ;) {
      const read = readSync(file, buffer, 0, buffer.length, (number - 1) * pageSize);
      for (let at = 0; at + pageSize <= read; at += pageSize, number += 1)
        visit(number, buffer.subarray(at, at + pageSize));
      if (read < buffer.length) return;
    }
  });
}

function sizeOf(database: string): number {
  return withFile(database, (file) => fstatSync(file).size);
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
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
