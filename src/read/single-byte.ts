import iconv from "iconv-lite";

/** What each of the 256 bytes of an encoding stands for. */
export interface SingleByteTable {
  /** By byte; `undefined` where the encoding gives the byte no meaning. */
  readonly characters: readonly (string | undefined)[];
  /** True when the bytes below 0x80 are ASCII, so that they need no conversion. */
  readonly asciiCompatible: boolean;
  /** `bytes` as UTF-8; bytes without a meaning must have been refused before. */
  readonly toUtf8: (bytes: Uint8Array) => Buffer;
}

/**
 * The table of a single-byte encoding; `undefined` when one byte alone is not always a character in it.
 * The five bytes that windows-1252 leaves open (0x81, 0x8D, 0x8F, 0x90, 0x9D) become the control characters of the
 * same number, as the WHATWG Encoding Standard has it: no byte is lost, and reading warns about the character.
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

/** An encoding is single-byte when every byte, twice in a row, is two characters. */
function isSingleByte(encoding: string): boolean {
  for (let byte = 0; byte < 256; byte += 1) {
    if (iconv.decode(Buffer.from([byte, byte]), encoding, { stripBOM: false }).length !== 2) return false;
  }
  return iconv.encode("\u00E9\u0416", encoding).length <= 2;
}

function characterOf(byte: number, encoding: string): string | undefined {
  const character = iconv.decode(Buffer.from([byte]), encoding, { stripBOM: false });
  if (character !== "\uFFFD") return character;
  return WINDOWS_1252.test(encoding) ? String.fromCharCode(byte) : undefined;
}

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
