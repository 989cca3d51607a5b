import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { Failure } from "../../model/failure.ts";
import { readFailure } from "./file-bytes.ts";
import { countLineEnds, firstInvalidByte } from "./utf8.ts";
import { inspectFile } from "../input/source-files.ts";

export interface TextFile {
  /** The file name as given. */
  readonly file: string;
  /** The text without a byte order mark. */
  readonly text: string;
}

/** The largest text file that is read, in bytes. */
export const SIZE_LIMIT: number = 64 * 2 ** 20;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads a contract, mapping or configuration file as text.
 * @param path path of the file in messages
 * @param from path to read it from; default: `path`
 * @throws Failure `config` for a file that is missing, not a regular file, larger than 64 MiB, or not UTF-8 text
 */
export async function readTextFile(path: string, from: string = path): Promise<TextFile> {
  const bytes = await readSmall(from);
  if (!isUtf8(bytes)) {
    const offset = firstInvalidByte(bytes);
    const line = 1 + countLineEnds(bytes.subarray(0, offset));
    throw new Failure("config", `${path}:${line}: byte 0x${bytes.toString("hex", offset, offset + 1)} is not UTF-8`, {
      hint: "save the file as UTF-8",
      place: { file: path, line },
    });
  }
  if (bytes.includes(0)) throw new Failure("config", `${path}: this is a binary file, not text`);
  const text = bytes.toString();
  return { file: path, text: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
}

async function readSmall(path: string): Promise<Buffer> {
  try {
    const { bytes } = await inspectFile(path, "use a single file");
    if (bytes > SIZE_LIMIT) throw new Failure("config", `${path}: is larger than ${SIZE_LIMIT} bytes`);
    return await readFile(path);
  } catch (error) {
    const failure = readFailure(path, error);
    if (!(failure instanceof Failure)) throw failure;
    throw new Failure("config", failure.message, { hint: failure.hint, file: failure.file, cause: failure });
  }
}
