import { pipeline, type Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { errorCode } from "../../files/error-code.ts";
import { Failure } from "../../model/failure.ts";
import { RATIO_CHECKED_FROM_BYTES, readFailure } from "../text/file-bytes.ts";
import type { ReadLimits } from "../read-limits.ts";

/** A ZIP file on disk, with the data needed to read it. */
export interface ZipSource {
  readonly path: string;
  /** The name to show in messages. */
  readonly file: string;
  /** Size of the file on disk. */
  readonly bytes: number;
  readonly limits: ReadLimits;
  /** When the file was last modified, in milliseconds since 1970; absent for standard input. */
  readonly modifiedMs?: number | undefined;
}

/** The parts of an open ZIP file. Part names are not case-sensitive, as the format requires. */
export interface ZipPackage {
  readonly has: (part: string) => boolean;
  /** Returns the size of the part after unpacking; 0 if the part is missing. */
  readonly sizeOf: (part: string) => number;
  /**
   * Yields the unpacked bytes of a part. Verifies the checksum of the whole part, even if the caller stops early.
   * @throws Failure `source_damaged` if the part is missing, does not match the archive's directory or its checksum, or
   * cannot be unpacked; `source_too_large` if it exceeds the limits
   */
  readonly bytes: (part: string) => AsyncGenerator<Buffer>;
  readonly close: () => void;
}

/**
 * Opens a ZIP file and reads its directory.
 * @throws Failure `source_damaged` for a file that is truncated or inconsistent, or that names a part twice;
 * `source_too_large` for more parts than the limits allow
 */
export async function openZipPackage(source: ZipSource): Promise<ZipPackage> {
  const zip = await openPromise(source.path, { autoClose: false, lazyEntries: true }).catch((error: unknown) => {
    throw zipFailure(source, error);
  });
  try {
    const entries = await directoryOf(zip, source);
    const entryOf = (part: string): Entry | undefined => entries.get(part.toLowerCase());
    return {
      has: (part) => entryOf(part) !== undefined,
      sizeOf: (part) => entryOf(part)?.uncompressedSize ?? 0,
      bytes: (part) => partBytes(zip, entryOf(part), { source, part }),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw zipFailure(source, error);
  }
}

export function corruptPackage(file: string, what: string, cause?: unknown): Failure {
  return new Failure("source_damaged", `${file}: the workbook is corrupt (${what})`, {
    hint: "copy the file again, or open it in a spreadsheet program and save it again",
    ...(cause !== undefined && { cause }),
  });
}

async function directoryOf(zip: ZipFile, source: ZipSource): Promise<ReadonlyMap<string, Entry>> {
  const { workbookParts } = source.limits;
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (entries.has(name)) throw corruptPackage(source.file, `it contains ${JSON.stringify(entry.fileName)} twice`);
    entries.set(name, entry);
    if (entries.size <= workbookParts) continue;
    throw new Failure("source_too_large", `${source.file}: the workbook has more than ${workbookParts} parts`, {
      hint: "save the sheet as a separate workbook, or as CSV UTF-8",
    });
  }
  return entries;
}

interface PartName {
  readonly source: ZipSource;
  readonly part: string;
}

async function* partBytes(zip: ZipFile, entry: Entry | undefined, { source, part }: PartName): AsyncGenerator<Buffer> {
  if (entry === undefined) throw corruptPackage(source.file, `${part} is missing`);
  refuseTooLarge(entry, source);
  try {
    const stream = await unpackedBytes(zip, entry);
    const chunks = checkedChunks(stream, entry, { source, part });
    try {
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    } finally {
      // The caller has stopped early: read the rest for its checksum.
      for await (const _ of chunks);
      stream.destroy();
    }
  } catch (error) {
    throw zipFailure(source, error);
  }
}

/** Size of the chunks of unpacked bytes. The 16 KB that yauzl would use make reading a sheet a tenth slower. */
const CHUNK_BYTES = 256 * 1024;

const DEFLATED = 8;

async function unpackedBytes(zip: ZipFile, entry: Entry): Promise<Readable> {
  if (entry.compressionMethod !== DEFLATED || entry.isEncrypted()) return zip.openReadStreamPromise(entry);
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  // An error in either stream reaches the reader of the second stream.
  return pipeline(packed, createInflateRaw({ chunkSize: CHUNK_BYTES }), () => undefined);
}

async function* checkedChunks(
  stream: AsyncIterable<unknown>,
  entry: Entry,
  { source, part }: PartName,
): AsyncGenerator<Buffer> {
  let checksum = 0;
  let size = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > entry.uncompressedSize) throw corruptPackage(source.file, `${part} is larger than the directory says`);
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (checksum !== entry.crc32) throw corruptPackage(source.file, `${part} does not match its checksum`);
}

/** Rejects a part whose declared size exceeds the limits. If the actual size is larger, unpacking fails later. */
function refuseTooLarge({ uncompressedSize }: Entry, { file, bytes, limits }: ZipSource): void {
  const { inputBytes, gzipRatio } = limits;
  if (uncompressedSize > inputBytes) {
    throw new Failure("source_too_large", `${file}: contains more than ${inputBytes} bytes`, {
      hint: "save the sheet as CSV UTF-8",
    });
  }
  if (uncompressedSize <= RATIO_CHECKED_FROM_BYTES || uncompressedSize <= bytes * gzipRatio) return;
  throw new Failure("source_too_large", `${file}: unpacks to more than ${gzipRatio} times its size`, {
    hint: "this looks like a decompression bomb; if it is a real extract, save the sheet as CSV UTF-8",
  });
}

/**
 * Converts an error from reading an archive into a failure. Errors from yauzl have no code, and the codes of zlib
 * errors begin with `Z_`. Error messages may name a part of the archive, but contain no cell values.
 */
function zipFailure(source: ZipSource, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = errorCode(error);
  if (code === undefined || code.startsWith("Z_")) {
    const isCut = /end of central directory/i.test(error.message);
    return corruptPackage(source.file, isCut ? "its end is missing" : "it cannot be unpacked", error);
  }
  return readFailure(source.file, error);
}
