import { canonicalJson, isJsonArray, isJsonObject, type JsonValue } from "../../../../src/json/json-value.ts";
import { instantOf, isIsoDate, isIsoDateTime, isIsoTime } from "../../../../src/time/calendar.ts";

/** The result of an expression. Null, blank text, empty lists and empty objects are missing: undefined. */
export type Value = JsonValue | Rational | undefined;

/** Returns the value, or undefined if it counts as missing. */
export function nonMissing(value: JsonValue | undefined): JsonValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return isBlank(value) ? undefined : value;
  if (typeof value !== "object") return value;
  if (isJsonArray(value)) return value.length === 0 ? undefined : value;
  for (const _ in value) return value;
  return undefined;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Compares values. A date and a date-time are compared by the day in the instance's time zone. */
export interface Comparer {
  /** Returns a negative number, zero or a positive number; undefined if the values cannot be compared. */
  readonly order: (a: Value, b: Value) => number | undefined;
  readonly equal: (a: Value, b: Value) => boolean;
}

/** Returns functions that compare values. `dayOf`: converts an instant to the date in the instance's time zone. */
export function comparer(dayOf: (instant: number) => string): Comparer {
  const day = (text: string): string => (text.length === 10 ? text : dayOf(instantOf(text)));
  const temporal = (a: string, b: string): number | undefined => {
    const [one, other] = [temporalKind(a), temporalKind(b)];
    if (one === undefined || other === undefined) return undefined;
    if (one === "datetime" && other === "datetime") return instantOf(a) - instantOf(b);
    if (one === "time" || other === "time") return one === other ? alphabetic(a, b) : undefined;
    return alphabetic(day(a), day(b));
  };
  return {
    order: (a, b) => {
      if (typeof a === "string" && typeof b === "string") return temporal(a, b) ?? numeric(a, b);
      return numeric(a, b);
    },
    equal: (a, b) => {
      if (a === undefined || b === undefined) return false;
      if (a === b) return true;
      if (typeof a === "string" && typeof b === "string") return temporal(a, b) === 0;
      if (isNumber(a) || isNumber(b)) return numeric(a, b) === 0;
      return isComposite(a) && isComposite(b) && canonicalJson(a) === canonicalJson(b);
    },
  };
}

/** Compares by UTF-16 code units. */
function alphabetic(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function temporalKind(text: string): "date" | "datetime" | "time" | undefined {
  if (text.length === 10) return isIsoDate(text) ? "date" : undefined;
  if (text.charCodeAt(2) === COLON) return isIsoTime(text) ? "time" : undefined;
  return text.length > 10 && isIsoDateTime(text) ? "datetime" : undefined;
}

const COLON = 0x3a;

function isNumber(value: Value): boolean {
  return typeof value === "number" || value instanceof Rational;
}

function numeric(a: Value, b: Value): number | undefined {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [one, other] = [toRational(a), toRational(b)];
  return one === undefined || other === undefined ? undefined : compareRationals(one, other);
}

function isComposite(value: Value): value is JsonValue {
  return !(value instanceof Rational) && (isJsonArray(value) || isJsonObject(value));
}

/**
 * Returns a key for sets. Present values with the same key are equal. Equal values in different notations, such as 1.5
 * and "1.50", have different keys.
 */
export function keyText(value: Value): string {
  if (value === undefined) return "-";
  if (typeof value === "string") return `"${instantText(value)}`;
  if (typeof value === "number" || value instanceof Rational) return `#${numberKey(value)}`;
  return canonicalJson(value);
}

/** Returns the instant of a date-time in UTC, and other text unchanged. */
function instantText(text: string): string {
  const isTemporal = text.length > 10 && T.test(text.charAt(10)) && temporalKind(text) === "datetime";
  return isTemporal ? new Date(instantOf(text)).toISOString() : text;
}

const T = /^t$/i;

function numberKey(value: number | Rational): string {
  const exact = toRational(value);
  if (exact === undefined) return "";
  const divisor = greatestDivisor(exact.numerator < 0n ? -exact.numerator : exact.numerator, exact.denominator);
  return `${exact.numerator / divisor}/${exact.denominator / divisor}`;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}

/** A rational number, so that sums, products and quotients of decimals are exact. The denominator is positive. */
export class Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;

  constructor(numerator: bigint, denominator: bigint) {
    this.numerator = numerator;
    this.denominator = denominator;
  }
}

const DECIMAL = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?$/;
/** Maximum length of a number. Longer strings are not amounts, and arithmetic with them is slow. */
const MAX_DECIMAL_LENGTH = 100;

/** Returns the number in a decimal string or a JSON number; undefined for any other value. */
export function toRational(value: unknown): Rational | undefined {
  if (value instanceof Rational) return value;
  return typeof value === "string" || typeof value === "number" ? parseDecimal(String(value).trim()) : undefined;
}

function parseDecimal(text: string): Rational | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    (text.length <= MAX_DECIMAL_LENGTH && DECIMAL.exec(text)) || [];
  if (sign === undefined || whole + fraction === "") return undefined;
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  return places >= 0 ? new Rational(digits, 10n ** BigInt(places)) : new Rational(digits * 10n ** BigInt(-places), 1n);
}

export function add(a: Rational, b: Rational): Rational {
  if (a.denominator === b.denominator) return new Rational(a.numerator + b.numerator, a.denominator);
  if (a.denominator % b.denominator === 0n) {
    return new Rational(a.numerator + b.numerator * (a.denominator / b.denominator), a.denominator);
  }
  if (b.denominator % a.denominator === 0n) return add(b, a);
  return new Rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, new Rational(-b.numerator, b.denominator));
}

export function multiply(a: Rational, b: Rational): Rational {
  return new Rational(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Returns the quotient, or undefined for a division by zero. */
export function divide(a: Rational, b: Rational): Rational | undefined {
  if (b.numerator === 0n) return undefined;
  const sign = b.numerator < 0n ? -1n : 1n;
  return new Rational(a.numerator * b.denominator * sign, a.denominator * b.numerator * sign);
}

/** Returns -1, 0 or 1 if `a` is less than, equal to or greater than `b`. */
export function compareRationals(a: Rational, b: Rational): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

export function absolute(a: Rational): Rational {
  return a.numerator < 0n ? new Rational(-a.numerator, a.denominator) : a;
}
