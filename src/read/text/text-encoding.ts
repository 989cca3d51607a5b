import { iconv } from "./iconv.ts";
import { isUtf8 } from "node:buffer";
import { Failure } from "../../model/failure.ts";

export interface TextEncoding {
  /** The lower-case name of the encoding in iconv-lite. */
  readonly name: string;
  /** Length of the byte order mark at the start; 0 if there is none. */
  readonly bomBytes: number;
}

const BYTE_ORDER_MARKS: readonly { readonly name: string; readonly bytes: readonly number[] }[] = [
  { name: "utf-32le", bytes: [0xff, 0xfe, 0x00, 0x00] },
  { name: "utf-32be", bytes: [0x00, 0x00, 0xfe, 0xff] },
  { name: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { name: "utf-16le", bytes: [0xff, 0xfe] },
  { name: "utf-16be", bytes: [0xfe, 0xff] },
];

/**
 * Detects the encoding of a file from its byte order mark. Without a mark, returns the declared encoding; default:
 * UTF-8.
 * @param head the start of the unpacked file
 * @throws Failure `source_bad_encoding` for undeclared UTF-16 without a mark, and for UTF-8 that was declared as a
 * single-byte encoding; `usage` for a name that is unknown or does not specify the byte order
 */
export function textEncoding(file: string, head: Uint8Array, declared: string | undefined): TextEncoding {
  const wanted = declared === undefined ? undefined : knownEncoding(declared);
  const mark = BYTE_ORDER_MARKS.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (mark !== undefined) return { name: mark.name, bomBytes: mark.bytes.length };
  if (wanted === undefined) refuseUnmarkedUtf16(file, head);
  else refuseUtf8(file, head, wanted);
  return { name: wanted ?? "utf-8", bomBytes: 0 };
}

/** Suggests an encoding for a file that is not UTF-8: UTF-16 without a mark, otherwise windows-1252. */
export function likelyEncoding(head: Uint8Array): string {
  return unmarkedUtf16(head) ?? "windows-1252";
}

/**
 * Returns the name of the encoding in iconv-lite.
 * @throws Failure `usage` if the name is unknown or lacks the byte order
 */
function knownEncoding(declared: string): string {
  const name = declared.trim().toLowerCase();
  if (/^(utf-?(16|32)|ucs-?2)$/.test(name)) {
    throw new Failure("usage", `encoding "${declared}" does not specify the byte order`, {
      hint: "use utf-16le (usual on Windows), utf-16be, utf-32le or utf-32be; a file with a byte order mark needs no --encoding",
    });
  }
  if (NOT_TEXT.test(name) || !iconv().encodingExists(name)) {
    throw new Failure("usage", `unknown encoding "${declared}"`, {
      hint: "known encodings include utf-8, windows-1252, windows-1250, iso-8859-1, iso-8859-15, utf-16le, utf-16be, cp850, macroman",
    });
  }
  return UTF8_NAMES.has(name) ? "utf-8" : name;
}

const UTF8_NAMES: ReadonlySet<string> = new Set(["utf8", "utf-8", "ascii", "us-ascii"]);
/** Codecs of iconv-lite that are not text encodings, and UTF-7. */
const NOT_TEXT = /^(base64|hex|binary|_internal|utf-?7(-imap)?)$/;

function refuseUnmarkedUtf16(file: string, head: Uint8Array): void {
  const name = unmarkedUtf16(head);
  if (name === undefined) return;
  throw new Failure("source_bad_encoding", `${file}: looks like UTF-16 without a byte order mark`, {
    hint: `declare it: --encoding ${name}`,
    place: { file, line: 1 },
  });
}

/** Recognises UTF-16 without a mark by the zero bytes of ASCII characters. Returns undefined for any other encoding. */
function unmarkedUtf16(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const sample = head.subarray(0, 1024);
  const nulsAt = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) nulsAt[index % 2] = (nulsAt[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = nulsAt;
  const max = Math.max(even, odd);
  if (sample.length < 4 || max < sample.length * 0.3 || Math.min(even, odd) > max / 4) return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}

/**
 * Rejects a file that contains non-ASCII UTF-8 but was declared as a single-byte encoding: `O’Brien` would become
 * `Oâ€™Brien`.
 */
function refuseUtf8(file: string, head: Uint8Array, wanted: string): void {
  const text = isUtf8(head) ? head : head.subarray(0, lastCharacterStart(head));
  if (wanted === "utf-8" || !text.some((byte) => byte >= 0x80) || !isUtf8(text) || !isSingleByte(wanted)) return;
  throw new Failure("source_bad_encoding", `${file}: is UTF-8, but was declared as ${wanted}`, {
    hint: "a spreadsheet program may have saved this file as UTF-8: save all files in the same encoding. If that encoding is UTF-8, remove the encoding setting",
    place: { file, line: 1 },
  });
}

/**
 * Returns the offset of the last character if it is not ASCII, because it may be incomplete; otherwise the length of
 * `head`.
 */
function lastCharacterStart(head: Uint8Array): number {
  let end = head.length;
  while (end > head.length - 4 && end > 0 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end > 0 && (head[end - 1] ?? 0) >= 0xc0 ? end - 1 : head.length;
}

/** The characters of a single-byte encoding. */
export interface SingleByteTable {
  /** The character for each of the 256 bytes; undefined for an unassigned byte. */
  readonly characters: readonly (string | undefined)[];
  /** Whether the bytes below 0x80 are ASCII, so that they need no conversion. */
  readonly asciiCompatible: boolean;
  /** Converts bytes to UTF-8. The caller must have rejected unassigned bytes. */
  readonly toUtf8: (bytes: Uint8Array) => Buffer;
}

/**
 * Returns the table of a single-byte encoding; `undefined` for an encoding with multi-byte characters. The five
 * unassigned bytes of windows-1252 (0x81, 0x8D, 0x8F, 0x90, 0x9D) become the control characters with the same numbers,
 * as in the WHATWG Encoding Standard. Therefore, no byte is lost, and the reader reports the character.
 */
export function singleByteTable(encoding: string): SingleByteTable | undefined {
  if (!isSingleByte(encoding)) return undefined;
  const characters = Array.from({ length: 256 }, (_, byte) => characterOf(byte, encoding));
  const encoded = characters.map((character) => Buffer.from(character ?? ""));
  return {
    characters,
    asciiCompatible: characters.slice(0, 128).every((character, byte) => character === String.fromCharCode(byte)),
    toUtf8: (bytes) => convert(bytes, encoded),
  };
}

/**
 * Whether the encoding has one byte per character. Each byte, if repeated, must decode to two characters, and two
 * characters must encode to at most two bytes.
 */
function isSingleByte(encoding: string): boolean {
  for (let byte = 0; byte < 256; byte += 1) {
    if (iconv().decode(Buffer.from([byte, byte]), encoding, { stripBOM: false }).length !== 2) return false;
  }
  return iconv().encode("\u00E9\u0416", encoding).length <= 2;
}

function characterOf(byte: number, encoding: string): string | undefined {
  if (byte === 0xdb && MAC_ROMAN.test(encoding)) return "\u20AC";
  const character = iconv().decode(Buffer.from([byte]), encoding, { stripBOM: false });
  if (character !== "\uFFFD") return character;
  return WINDOWS_1252.test(encoding) ? String.fromCharCode(byte) : undefined;
}

/** iconv-lite uses the table from before 1998, in which the byte 0xDB is the currency sign. */
const MAC_ROMAN = /^(cs)?mac(intosh|[^\da-z]*roman)?$/;
const WINDOWS_1252 = /^(windows-?1252|win-?1252|cp-?1252|1252)$/;

function convert(bytes: Uint8Array, encoded: readonly Buffer[]): Buffer {
  const out = Buffer.allocUnsafe(bytes.length * 3);
  let at = 0;
  for (const byte of bytes) {
    const character = encoded[byte];
    if (character === undefined) continue;
    for (const part of character) {
      out[at] = part;
      at += 1;
    }
  }
  return out.subarray(0, at);
}
