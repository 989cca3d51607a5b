import { type Entry, openPromise, type ZipFile } from "yauzl";
import { errorCode } from "../../files/error-code.ts";
import { Failure } from "../../model/failure.ts";
import { RATIO_CHECKED_FROM_BYTES, readFailure } from "../text/file-bytes.ts";
import type { ReadLimits } from "../read-limits.ts";

/** A zip file on disk, by what is needed to read it. */
export interface ZipSource {
  readonly path: string;
  /** The name that messages show. */
  readonly file: string;
  /** Of the file on disk. */
  readonly bytes: number;
  readonly limits: ReadLimits;
}

/** The parts of an open zip file. Names are found whatever their case, as the format asks. */
export interface ZipPackage {
  readonly has: (part: string) => boolean;
  /** Of the part once it is unpacked; 0 where it is missing. */
  readonly sizeOf: (part: string) => number;
  /**
   * The unpacked bytes of a part. Raises `source_damaged` where it is missing, is not what the archive says of it, or
   * cannot be unpacked, and `source_too_large` beyond the limits.
   */
  readonly bytes: (part: string) => AsyncGenerator<Buffer>;
  readonly close: () => void;
}

/**
 * Opens a zip file by its directory. Raises `source_damaged` for one that is cut short, inconsistent, or names a part
 * twice, and `source_too_large` for more parts than the limits allow.
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

/** What is wrong with an archive that cannot be read. */
export function damagedPackage({ file }: Pick<ZipSource, "file">, what: string, cause?: unknown): Failure {
  return new Failure("source_damaged", `${file}: the workbook is damaged (${what})`, {
    hint: "copy the file again, or open it in a spreadsheet program and save it anew",
    ...(cause !== undefined && { cause }),
  });
}

async function directoryOf(zip: ZipFile, source: ZipSource): Promise<ReadonlyMap<string, Entry>> {
  const { workbookParts } = source.limits;
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (entries.has(name)) throw damagedPackage(source, `it holds ${JSON.stringify(entry.fileName)} twice`);
    entries.set(name, entry);
    if (entries.size <= workbookParts) continue;
    throw new Failure("source_too_large", `${source.file}: holds more than ${workbookParts} parts`, {
      hint: "save the sheet as a workbook of its own, or as CSV UTF-8",
    });
  }
  return entries;
}

interface PartName {
  readonly source: ZipSource;
  readonly part: string;
}

async function* partBytes(zip: ZipFile, entry: Entry | undefined, { source, part }: PartName): AsyncGenerator<Buffer> {
  if (entry === undefined) throw damagedPackage(source, `${part} is missing`);
  refuseTooLarge(entry, source);
  try {
    const stream = await zip.openReadStreamPromise(entry);
    try {
      for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield chunk;
    } finally {
      stream.destroy();
    }
  } catch (error) {
    throw zipFailure(source, error);
  }
}

/** The archive's own word for the size is enough: unpacking stops where a part turns out larger than that. */
function refuseTooLarge({ uncompressedSize }: Entry, { file, bytes, limits }: ZipSource): void {
  const { inputBytes, gzipRatio } = limits;
  if (uncompressedSize > inputBytes) {
    throw new Failure("source_too_large", `${file}: holds more than ${inputBytes} bytes`);
  }
  if (uncompressedSize <= RATIO_CHECKED_FROM_BYTES || uncompressedSize <= bytes * gzipRatio) return;
  throw new Failure("source_too_large", `${file}: unpacks to more than ${gzipRatio} times its size`, {
    hint: "this looks like an archive made to fill a disk; if it is a real extract, save the sheet as CSV UTF-8",
  });
}

/** yauzl's own errors have no code: they tell what is wrong with the archive, in words without values. */
function zipFailure(source: ZipSource, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = errorCode(error);
  if (code === undefined || code.startsWith("Z_")) {
    const isCut = /end of central directory/i.test(error.message);
    return damagedPackage(source, isCut ? "its end is missing" : "it cannot be unpacked", error);
  }
  return readFailure(source.file, error);
}
