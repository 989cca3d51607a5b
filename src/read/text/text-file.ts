import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { Failure, failureAt } from "../../model/failure.ts";
import { readFailure } from "./file-bytes.ts";
import { countLineEndings, firstInvalidByte } from "./utf8.ts";
import { inspectFile } from "../input/source-files.ts";

export interface TextFile {
  /** The file name as given. */
  readonly file: string;
  /** The text without a byte order mark. */
  readonly text: string;
}

const MIB = 2 ** 20;

/** The largest text file that is read, in bytes. */
export const MAX_TEXT_FILE_BYTES: number = 64 * MIB;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads a small file as text, such as a contract, a mapping, a configuration file or a lookup table.
 * @param path path of the file, to show in messages
 * @param from path to read it from; default: `path`
 * @throws Failure `config` for a file that is missing, not a regular file, larger than 64 MiB, or not UTF-8 text
 */
export async function readTextFile(path: string, from: string = path): Promise<TextFile> {
  const bytes = await readSmall(from, () => readFile(from));
  checkText(path, bytes);
  const text = bytes.toString();
  return { file: path, text: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
}

/**
 * Checks that bytes are text.
 * @param path path of the file, to show in messages
 * @param line 1-based line on which the bytes start
 * @throws Failure `config` if the bytes are not UTF-8 text
 */
export function checkText(path: string, bytes: Buffer, line = 1): void {
  if (!isUtf8(bytes)) {
    const offset = firstInvalidByte(bytes);
    const found = line + countLineEndings(bytes.subarray(0, offset));
    throw failureAt(
      "config",
      { file: path, line: found },
      `byte 0x${bytes.toString("hex", offset, offset + 1)} is not UTF-8`,
      { hint: "save the file as UTF-8" },
    );
  }
  if (bytes.includes(0)) throw new Failure("config", `${path}: this is a binary file, not text`);
}

/**
 * Reads a file of limited size.
 * @param read reads the file; receives its size in bytes
 * @throws Failure `config` for a file that is missing, not a regular file, or larger than 64 MiB
 */
export async function readSmall<T>(path: string, read: (bytes: number) => Promise<T>): Promise<T> {
  try {
    const { bytes } = await inspectFile(path, "use a single file");
    if (bytes > MAX_TEXT_FILE_BYTES) {
      throw new Failure("config", `${path}: is larger than ${MAX_TEXT_FILE_BYTES / MIB} MiB`, {
        hint: "check that this is the intended file, or remove parts that are not needed",
      });
    }
    return await read(bytes);
  } catch (error) {
    const failure = readFailure(path, error);
    if (!(failure instanceof Failure)) throw failure;
    throw new Failure("config", failure.message, { hint: failure.hint, file: failure.file, cause: failure });
  }
}
