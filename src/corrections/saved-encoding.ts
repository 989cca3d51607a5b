import { createReadStream } from "node:fs";
import { readFailure } from "../read/text/file-bytes.ts";

/**
 * Returns the encoding of a file that another program may have saved. Returns undefined for UTF-8, for an encoding that
 * a byte order mark identifies, and for workbooks. Returns `otherwise` for any other file, which is assumed to have one
 * byte per character.
 */
export async function savedEncoding(path: string, otherwise: string): Promise<string | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  try {
    for await (const chunk of createReadStream(path)) {
      if (!Buffer.isBuffer(chunk)) continue;
      if (isFirst && NO_PLAIN_TEXT.some((mark) => chunk.subarray(0, 2).equals(mark))) return undefined;
      isFirst = false;
      if (!isValid(() => decoder.decode(chunk, { stream: true }))) return otherwise;
    }
  } catch (error) {
    throw readFailure(path, error);
  }
  return isValid(() => decoder.decode()) ? undefined : otherwise;
}

/** The bytes at the start of UTF-16 text, and at the start of a workbook, which is a ZIP archive. */
const NO_PLAIN_TEXT = [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff), Buffer.from("PK")];

function isValid(decode: () => string): boolean {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
}
