import { isAscii, isUtf8 } from "node:buffer";
import { iconv } from "./iconv.ts";
import { Failure } from "../../model/failure.ts";
import { fileBytes, type PackedFile } from "./file-bytes.ts";
import { newLineCounter, firstInvalidByte, incompleteTail } from "./utf8.ts";
import { singleByteTable, type SingleByteTable, type TextEncoding } from "./text-encoding.ts";

/** A text file with its compression and encoding. */
export interface TextSource extends PackedFile {
  readonly encoding: TextEncoding;
}

/** Handles a byte that is not text. `offset` counts from the first byte that is decoded. */
type BadByte = (offset: number, what: string) => Promise<void>;

/**
 * Yields the text of a file as chunks of well-formed UTF-8 without a byte order mark. The chunks are split only between
 * characters.
 * @throws Failure `source_bad_encoding` with the offset and the line of the first byte that is not text; in multi-byte
 * encodings other than UTF-8 and UTF-16, of the chunk with this byte
 */
export function textBytes(source: TextSource): AsyncGenerator<Buffer> {
  const { bomBytes } = source.encoding;
  const { start = 0 } = source;
  const bytes = start === 0 ? withoutStart(fileBytes(source), bomBytes) : fileBytes(source);
  const bad: BadByte = async (offset, what) => {
    throw await encodingFailure(source, offset + (start === 0 ? bomBytes : start), what);
  };
  return decoded(bytes, source.encoding, bad);
}

function decoded(bytes: AsyncIterable<Buffer>, { name }: TextEncoding, bad: BadByte): AsyncGenerator<Buffer> {
  if (name === "utf-8") return fromUtf8(bytes, bad);
  if (name === "utf-16le" || name === "utf-16be") return fromUtf16(bytes, name === "utf-16be", bad);
  const table = singleByteTable(name);
  return table === undefined ? fromMultiByte(bytes, name, bad) : fromSingleByte(bytes, table, bad);
}

/** Whether the bytes of the text are identical to the bytes of the file, so that reading can start at any line. */
export function canBeginAnywhere({ gzip, encoding }: TextSource): boolean {
  return !gzip && encoding.name === "utf-8";
}

export async function* withoutStart(bytes: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of bytes) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

async function* fromUtf8(bytes: AsyncIterable<Buffer>, bad: BadByte): AsyncGenerator<Buffer> {
  let carried: Buffer = Buffer.alloc(0);
  let offset = 0;
  for await (const chunk of bytes) {
    const joined = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = joined.subarray(0, joined.length - incompleteTail(joined));
    if (!isUtf8(whole)) {
      const at = firstInvalidByte(whole);
      await bad(offset + at, `byte 0x${hex(whole[at] ?? 0)} is not UTF-8`);
    }
    carried = joined.subarray(whole.length);
    offset += whole.length;
    if (whole.length > 0) yield whole;
  }
  if (carried.length > 0) await bad(offset, "the file ends in the middle of a UTF-8 character");
}

async function* fromUtf16(bytes: AsyncIterable<Buffer>, bigEndian: boolean, bad: BadByte): AsyncGenerator<Buffer> {
  let carried: Buffer = Buffer.alloc(0);
  let offset = 0;
  for await (const chunk of bytes) {
    const joined = Buffer.concat([carried, chunk]);
    const even = joined.length - (joined.length % 2);
    const units = Buffer.from(joined.subarray(0, even));
    if (bigEndian) units.swap16();
    const endsInPair = even > 0 && (units[even - 1] ?? 0) >> 2 === 0x36;
    const text = units.toString("utf16le", 0, endsInPair ? even - 2 : even);
    const lone = text.search(/\p{Surrogate}/u);
    if (lone >= 0) await bad(offset + lone * 2, "an unpaired UTF-16 surrogate");
    carried = joined.subarray(text.length * 2);
    offset += text.length * 2;
    if (text !== "") yield Buffer.from(text);
  }
  if (carried.length > 0) await bad(offset, "the file ends in the middle of a UTF-16 character");
}

async function* fromSingleByte(
  bytes: AsyncIterable<Buffer>,
  table: SingleByteTable,
  bad: BadByte,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of bytes) {
    if (table.asciiCompatible && isAscii(chunk)) yield chunk;
    else {
      const undefinedAt = chunk.findIndex((byte) => table.characters[byte] === undefined);
      if (undefinedAt >= 0) {
        await bad(offset + undefinedAt, `byte 0x${hex(chunk[undefinedAt] ?? 0)} is undefined in this encoding`);
      }
      yield table.toUtf8(chunk);
    }
    offset += chunk.length;
  }
}

async function* fromMultiByte(bytes: AsyncIterable<Buffer>, name: string, bad: BadByte): AsyncGenerator<Buffer> {
  const decoder = iconv().getDecoder(name, { stripBOM: false });
  let offset = 0;
  for await (const chunk of bytes) {
    const text = decoder.write(chunk);
    if (text.includes("\uFFFD")) await bad(offset, `bytes on this line or later are not valid ${name}`);
    offset += chunk.length;
    if (text !== "") yield Buffer.from(text);
  }
  const rest = decoder.end() ?? "";
  if (rest !== "") await bad(offset, `the file ends in the middle of a ${name} character`);
}

async function encodingFailure(source: TextSource, offset: number, what: string): Promise<Failure> {
  const line = await lineAtByte(source, offset);
  const declared = source.encoding.name;
  return new Failure("source_bad_encoding", `${source.file}:${line}: ${what} (offset ${offset})`, {
    hint:
      declared === "utf-8"
        ? "if the extract comes from Windows or Excel, declare its encoding: usually --encoding windows-1252, or " +
          "windows-1250 for Central European languages. Then check names with accents"
        : `the file was read as ${declared}; declare its real encoding with --encoding`,
    place: { file: source.file, line },
  });
}

/**
 * Returns the 1-based line of a byte in the unpacked file. Reads the file again, because invalid bytes are too rare to
 * justify counting the lines of every file.
 */
async function lineAtByte(source: TextSource, offset: number): Promise<number> {
  const { bomBytes } = source.encoding;
  const before = firstBytes(withoutStart(fileBytes({ ...source, start: 0 }), bomBytes), offset - bomBytes);
  const lines = newLineCounter();
  // The bytes may end in the middle of a character, which is not an error here.
  for await (const text of decoded(before, source.encoding, () => Promise.resolve())) lines.add(text);
  return lines.line();
}

async function* firstBytes(bytes: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of bytes) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}
