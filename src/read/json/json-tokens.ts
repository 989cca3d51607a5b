/** Returns the offset of the first byte that ends a string, begins an escape, or is a control character. */
export function textEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  while (ENDS_TEXT[bytes[end] ?? 0] === 0) end += 1;
  return end;
}

/**
 * Returns the offset after a string that may contain escapes; `limit` if the string is not closed.
 * @param start the offset of its opening quote
 * @param limit the offset after the record
 */
export function escapedTextEnd(bytes: Uint8Array, start: number, limit: number): number {
  for (let at = start + 1; at < limit; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return limit;
}

/**
 * Returns the characters of a string in quotes. Returns undefined if it is not a JSON string, or if it contains an
 * unpaired surrogate or a control character other than tabs and line breaks.
 */
export function decodedText(bytes: Buffer, start: number, end: number): string | undefined {
  try {
    const text: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof text === "string" && text.isWellFormed() && !CONTROLS.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

export function isWord(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index += 1) if (bytes[start + index] !== word[index]) return false;
  return true;
}

/** Returns the offset of the first byte that ends a number or a word, such as whitespace, a comma or a bracket. */
export function scalarEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  while (isScalarByte(bytes[end])) end += 1;
  return end;
}

function isScalarByte(byte = 0): boolean {
  return byte >= ZERO ? byte !== END_BRACE && byte !== END_BRACKET : byte === DOT || byte === MINUS;
}

/**
 * How JavaScript reads a JSON scalar.
 * - `null`: the scalar is `null`
 * - `same text`: the text of the value has the same bytes as the scalar
 * - `other number`: the text of the number differs from the scalar, such as `1.50`
 * - `unsuitable`: the scalar can lose digits, has an exponent, or is not JSON
 */
export type ScalarForm = "null" | "same text" | "other number" | "unsuitable";

export function scalarForm(bytes: Uint8Array, start: number, end: number): ScalarForm {
  const length = end - start;
  if (bytes[start] === NULL[0]) return length === NULL.length && isWord(bytes, start, NULL) ? "null" : "unsuitable";
  for (const word of BOOLEANS) if (length === word.length && isWord(bytes, start, word)) return "same text";
  return length > MAX_NUMBER_LENGTH ? "unsuitable" : numberForm(bytes, start, end);
}

function numberForm(bytes: Uint8Array, start: number, end: number): ScalarForm {
  const first = bytes[start] === MINUS ? start + 1 : start;
  const point = digitsEnd(bytes, first, end);
  const startsWithZero = bytes[first] === ZERO;
  if (point === first || (startsWithZero && point > first + 1)) return "unsuitable";
  if (point < end) return fractionForm(bytes, point, end);
  return startsWithZero && first > start ? "other number" : "same text";
}

function fractionForm(bytes: Uint8Array, point: number, end: number): ScalarForm {
  const decimals = end - point - 1;
  if (bytes[point] !== DOT || decimals === 0 || digitsEnd(bytes, point + 1, end) < end) return "unsuitable";
  return decimals > MAX_DECIMALS || bytes[end - 1] === ZERO ? "other number" : "same text";
}

function digitsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  for (; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
  }
  return at;
}

/** Numbers of at most this length keep all their digits as a double. */
const MAX_NUMBER_LENGTH = 14;
/** A number with more decimals can be so small that its text has an exponent. */
const MAX_DECIMALS = 6;

const [QUOTE, MINUS, DOT, ZERO, NINE, BACKSLASH, END_BRACKET, END_BRACE] = [
  0x22, 0x2d, 0x2e, 0x30, 0x39, 0x5c, 0x5d, 0x7d,
];
const NULL = Buffer.from("null");
const BOOLEANS = [Buffer.from("true"), Buffer.from("false")];

/** Control characters that are a problem in any cell. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;

/** 1 for each byte that ends a string, begins an escape, or is a control character. */
const ENDS_TEXT = new Uint8Array(256).fill(1, 0, 0x20);
for (const byte of [QUOTE, BACKSLASH, 0x7f]) ENDS_TEXT[byte] = 1;
