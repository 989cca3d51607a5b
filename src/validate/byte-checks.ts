import { matcherOf } from "../text/linear-pattern.ts";
import type { DecimalType, FieldType, TextType } from "../contract/types/field-type.ts";

/**
 * Tells of the bytes of a text, without white space around it and not empty, whether it is right for sure. False where a closer
 * look is needed: with the value's own check. Bytes beyond ASCII, and control characters, are the caller's to refuse.
 */
export type ByteCheck = (bytes: Buffer, from: number, to: number) => boolean;

/** Of a value that is sent as the text that it is in its cell; undefined where bytes alone cannot tell. */
export function compileByteCheck(type: FieldType): ByteCheck | undefined {
  if (type.assertions !== undefined) return undefined;
  if (type.kind === "text") return textCheck(type);
  return type.kind === "decimal" ? decimalCheck(type) : undefined;
}

function textCheck({ format, pattern, documentPath, minLength = 0, maxLength }: TextType): ByteCheck | undefined {
  if (format !== undefined || documentPath !== false) return undefined;
  const most = maxLength ?? Number.POSITIVE_INFINITY;
  if (pattern === undefined) return (_bytes, from, to) => to - from >= minLength && to - from <= most;
  const matches = matcherOf(pattern);
  return (bytes, from, to) =>
    to - from >= minLength && to - from <= most && matches(bytes.toString("latin1", from, to));
}

/** Plain decimals, such as `-12.50`; all digits count, zeros in front among them. */
function decimalCheck(type: DecimalType): ByteCheck | undefined {
  if ((type.minimum ?? type.maximum ?? type.multipleOf) !== undefined) return undefined;
  const shape = type.pattern === undefined ? ANY_DIGITS : digitsOf(type.pattern.source);
  if (shape === undefined) return undefined;
  const mostWhole = Math.min(shape.whole, type.maxWholeDigits ?? LONGEST);
  const mostPlaces = Math.min(shape.places, type.maxDecimalPlaces ?? LONGEST);
  const most = type.maxDigits ?? LONGEST;
  return (bytes, from, to) => {
    const start = bytes[from] === MINUS && shape.signed ? from + 1 : from;
    const point = digitsEnd(bytes, start, to);
    const whole = point - start;
    if (whole === 0 || whole > mostWhole || whole > most) return false;
    if (point === to) return true;
    const end = digitsEnd(bytes, point + 1, to);
    const places = end - point - 1;
    return bytes[point] === POINT && end === to && places > 0 && places <= mostPlaces && whole + places <= most;
  };
}

/** No number in an extract has more digits; those that have are looked at closely. */
const LONGEST = 100;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const ANY_DIGITS = { signed: true, whole: LONGEST, places: LONGEST };

/** Where the digits end that begin here. */
function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && ((bytes[at] ?? 0) - ZERO) >>> 0 <= 9) at += 1;
  return at;
}

/** What a pattern such as `^-?\d{0,10}(?:\.\d{0,2})?$` lets through; undefined for other ones. */
function digitsOf(pattern: string): typeof ANY_DIGITS | undefined {
  const match = /^\^(-\?)?\\d\{0,(\d+)\}\(\?:\\\.\\d\{0,(\d+)\}\)\?\$$/.exec(pattern);
  if (match === null) return undefined;
  return { signed: match[1] !== undefined, whole: Number(match[2]), places: Number(match[3]) };
}
