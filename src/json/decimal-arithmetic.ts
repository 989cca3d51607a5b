/**
 * Whether the text is a plain decimal with at least one digit: `-12.50`. Rejects exponents (`1e5`), a lone point,
 * whitespace, digits of other scripts, NaN, infinities and more than 1000 characters. The platform accepts some of
 * these forms, but in an extract they are always errors.
 */
export function isDecimalText(text: string): boolean {
  return text.length <= MAX_LENGTH && PLAIN_DECIMAL.test(text);
}

/** Formats a finite number as plain decimal text, without an exponent. */
export function decimalTextOf(value: number): string {
  const text = String(value);
  return plainDecimal(text) ?? text;
}

/** Counts the digits before the decimal point, without leading zeros: 1 for `007.5`, 0 for `0.5`. */
export function wholeDigits(text: string): number {
  const point = text.indexOf(".");
  const end = point < 0 ? text.length : point;
  let start = 0;
  while (start < end && SIGN_OR_ZERO.includes(text.charAt(start))) start += 1;
  return end - start;
}

/** Counts the digits after the decimal point, including trailing zeros. */
export function decimalPlaces(text: string): number {
  const point = text.indexOf(".");
  return point < 0 ? 0 : text.length - point - 1;
}

/** Compares exactly: negative if `a < b`, zero if equal, positive if `a > b`. Both strings may have an exponent. */
export function compareDecimals(a: string, b: string): number {
  const [one, other] = [magnitudeOf(a), magnitudeOf(b)];
  if (one.sign !== other.sign || one.sign === 0) return one.sign - other.sign;
  if (one.length !== other.length) return one.length < other.length ? -one.sign : one.sign;
  if (one.digits === other.digits) return 0;
  return one.digits < other.digits ? -one.sign : one.sign;
}

/** A decimal as `sign * 0.digits * 10 ** length`. Neither the first nor the last digit is 0. */
interface Magnitude {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly length: bigint;
}

function magnitudeOf(text: string): Magnitude {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace(/^[-+]/, "").split(".");
  const all = whole + fraction;
  const start = all.search(/[1-9]/);
  if (start < 0) return { sign: 0, digits: "", length: 0n };
  const [exponent = "0"] = /-?\d+/.exec(power.replace(/^([-+]?)0+(?=\d)/, "$1")) ?? [];
  // A longer exponent is out of range anyway, and the time to convert it grows faster than its length.
  const length = BigInt(whole.length - start) + BigInt(exponent.slice(0, MAX_LENGTH));
  return { sign: mantissa.startsWith("-") ? -1 : 1, digits: withoutZerosBehind(all.slice(start)), length };
}

function withoutZerosBehind(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

export function isSameDecimal(a: string, b: string): boolean {
  return compareDecimals(a, b) === 0;
}

/** Whether the text is a decimal that may have an exponent. */
export function isNumberText(text: string): boolean {
  return text.length <= MAX_LENGTH && NUMBER_TEXT.test(text);
}

/**
 * Returns a decimal that may have an exponent as plain decimal text: `12.5` for `1.25e1`. Returns undefined for any
 * other text, and if the plain text would not satisfy `isDecimalText`.
 */
export function plainDecimal(text: string): string | undefined {
  if (isDecimalText(text)) return text;
  if (!isNumberText(text)) return undefined;
  const [mantissa = "", power = ""] = text.toLowerCase().split("e");
  const places = decimalPlaces(mantissa) - Number(power);
  if (Math.abs(places) > MAX_LENGTH) return undefined;
  const units = scaled(mantissa, decimalPlaces(mantissa));
  const plain = places < 0 ? String(units * 10n ** BigInt(-places)) : decimalOf(units, places);
  return isDecimalText(plain) ? plain : undefined;
}

/**
 * Whether a value is the text of a number that no JavaScript number equals, such as a limit with very many digits or a
 * very large exponent in a contract. Never expands the exponent to digits.
 */
export function isLongNumber(value: unknown): value is string {
  return typeof value === "string" && isNumberText(value) && !isExactNumber(Number(value), value);
}

/** Whether a number has exactly the value of a decimal that is given as text. */
export function isExactNumber(value: number, text: string): boolean {
  return Number.isFinite(value) && isSameDecimal(decimalTextOf(value), text);
}

/**
 * Returns the nearest JavaScript number that is not above (or not below) the decimal. The result is infinite if there
 * is no such finite number.
 */
export function numberWithin(text: string, side: "not above" | "not below"): number {
  const nearest = Number(text);
  const direction = side === "not above" ? 1 : -1;
  if (!Number.isFinite(nearest)) return direction * nearest > 0 ? Math.sign(nearest) * Number.MAX_VALUE : nearest;
  if (direction * compareDecimals(decimalTextOf(nearest), text) <= 0) return nearest;
  if (nearest === 0) return -direction * Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, nearest);
  bits.setBigInt64(0, bits.getBigInt64(0) - BigInt(direction * Math.sign(nearest)));
  return bits.getFloat64(0);
}

/** Whether `text` is an exact multiple of `size`. Neither may have an exponent, and `size` must not be zero. */
export function isMultiple(text: string, size: string): boolean {
  const places = Math.max(decimalPlaces(text), decimalPlaces(size));
  return scaled(text, places) % scaled(size, places) === 0n;
}

/** Maximum length of a decimal. Longer strings are rejected without parsing, as on the platform. */
const MAX_LENGTH = 1000;
const SIGN_OR_ZERO = "+-0";

/** The platform accepts `12.` and `.5` as decimals. */
const PLAIN_DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const NUMBER_TEXT = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

function scaled(text: string, places: number): bigint {
  const digits = text.replace(/[-+.]/g, "") + "0".repeat(places - decimalPlaces(text));
  return text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
}

export interface DecimalSum {
  /** @param text must satisfy `isDecimalText` */
  readonly add: (text: string) => void;
  /** Returns the sum, with the decimal places of the most precise summand; `0` if nothing was added. */
  readonly text: () => string;
}

export function createDecimalSum(): DecimalSum {
  let units = 0n;
  let places = 0;
  return {
    add: (text) => {
      const more = decimalPlaces(text);
      if (more > places) {
        units *= 10n ** BigInt(more - places);
        places = more;
      }
      units += scaled(text, places);
    },
    text: () => decimalOf(units, places),
  };
}

function decimalOf(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return `${units < 0n ? "-" : ""}${whole}${places === 0 ? "" : `.${digits.slice(-places)}`}`;
}
