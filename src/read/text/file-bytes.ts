import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { errorCode } from "../../files/error-code.ts";
import { Failure } from "../../model/failure.ts";
import type { ReadLimits } from "../read-limits.ts";

/** A regular file, which may be compressed with gzip. */
export interface PackedFile {
  readonly path: string;
  /** The name to show in places and messages. */
  readonly file: string;
  readonly gzip: boolean;
  readonly limits: ReadLimits;
  /** When the file was last modified, in milliseconds since 1970; absent for standard input. */
  readonly modifiedMs?: number | undefined;
  /** The byte to start at, for a file that is not compressed; default: 0. */
  readonly start?: number;
  /** Called for each chunk, with the current read position in the file on disk, in bytes. */
  readonly onPosition?: (position: number) => void;
}

/**
 * Maximum size of a chunk. It contains a few hundred rows, whose objects become garbage before they reach the old
 * generation of the heap.
 */
const CHUNK_BYTES = 64 * 1024;
/** Each read returns several chunks, because starting a read costs as much time as reading one chunk. */
const READ_BYTES = 4 * CHUNK_BYTES;
/** Below this size, any compression ratio is accepted, because only a large output can be a decompression bomb. */
export const RATIO_CHECKED_FROM_BYTES = 10_000_000;

/**
 * Yields the unpacked bytes of a file, in chunks. Reads all members of a `.gz` file.
 * @throws Failure `source_damaged` for a `.gz` file that is truncated or does not match its checksum;
 * `source_too_large` if the unpacked bytes exceed the limits; `source_unreadable` if the system cannot read the file
 */
export async function* fileBytes(packed: PackedFile): AsyncGenerator<Buffer> {
  const { start = 0 } = packed;
  const raw = createReadStream(packed.path, { highWaterMark: READ_BYTES, start });
  const gunzip = packed.gzip ? createGunzip({ chunkSize: CHUNK_BYTES }) : undefined;
  if (gunzip !== undefined) raw.on("error", (error) => gunzip.destroy(error)).pipe(gunzip);
  let total = 0;
  try {
    for await (const read of gunzip ?? raw) {
      if (!Buffer.isBuffer(read)) continue;
      for (let at = 0; at < read.length; at += CHUNK_BYTES) {
        const chunk = read.subarray(at, at + CHUNK_BYTES);
        total += chunk.length;
        refuseTooLarge(packed, start + total, raw.bytesRead);
        packed.onPosition?.(start + (packed.gzip ? raw.bytesRead : total));
        yield chunk;
      }
    }
  } catch (error) {
    throw readFailure(packed.file, error);
  } finally {
    raw.destroy();
    gunzip?.destroy();
  }
}

function refuseTooLarge(packed: PackedFile, total: number, packedBytes: number): void {
  const { inputBytes, gzipRatio } = packed.limits;
  if (total > inputBytes) {
    throw new Failure("source_too_large", `${packed.file}: contains more than ${inputBytes} bytes`, {
      hint: "split it into several files; a source can consist of several files",
    });
  }
  if (packed.gzip && total > RATIO_CHECKED_FROM_BYTES && total > packedBytes * gzipRatio) {
    throw new Failure("source_too_large", `${packed.file}: unpacks to more than ${gzipRatio} times its size`, {
      hint: "this looks like a decompression bomb; if it is a real extract, unpack it first",
    });
  }
}

/** Converts a Node error from reading `file` to a Failure. Returns any other error unchanged. */
export function readFailure(file: string, error: unknown): unknown {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  if (code === undefined) return error;
  if (code.startsWith("Z_")) {
    return new Failure("source_damaged", `${file}: the compressed data is corrupt (${gzipError(code)})`, {
      hint: "copy the file again, and compare its size or checksum with the original",
      cause: error,
    });
  }
  return new Failure("source_unreadable", `${file}: ${READ_ERRORS.get(code) ?? `cannot be read (${code})`}`, {
    file,
    cause: error,
  });
}

const READ_ERRORS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "no such file"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EISDIR", "is a folder"],
  ["ELOOP", "its symbolic links form a cycle"],
  ["EMFILE", "too many files are open"],
]);

function gzipError(code: string): string {
  return code === "Z_BUF_ERROR" ? "it ends too early" : "some of it is not gzip data, or the checksum does not match";
}
