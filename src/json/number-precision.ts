/**
 * Whether the number `token` (RFC 8259) keeps its value when it is converted to a double and back. Always false for
 * integers beyond 2^53, because adjacent integers may become the same double.
 */
export function survivesDouble(token: string): boolean {
  if (token.length <= 15 && !/[eE]/.test(token)) return true;
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(value);
  return sameDecimal(token, String(value));
}

/** The number 0.`digits` times ten to the power of `exponent`. `digits` is empty for zero. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(token: string): Decimal {
  const [mantissa = "", power = "0"] = token.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  const leading = all.length - all.replace(/^0+/, "").length;
  const digits = withoutTrailingZeros(all.slice(leading));
  return { digits, exponent: digits === "" ? 0 : whole.length - leading + Number(power) };
}

/** True if two numbers (RFC 8259) have the same absolute value: `1.50` and `15e-1`. */
export function sameDecimal(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return one.digits === other.digits && one.exponent === other.exponent;
}

/** `1200` -> `12`. A regular expression (`/0+$/`) takes a minute if 200,000 zeros are followed by a 1. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.slice(0, end);
}

const ZERO = 48;
