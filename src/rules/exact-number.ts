/** A rational number, so that sums, products and quotients of decimals are exact. The denominator is above 0. */
export class ExactNumber {
  readonly numerator: bigint;
  readonly denominator: bigint;

  constructor(numerator: bigint, denominator: bigint) {
    this.numerator = numerator;
    this.denominator = denominator;
  }
}

const DECIMAL = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?$/;
/** Longer texts are no amounts; arithmetic on them would only take time. */
const LONGEST = 100;

/** The number that a decimal text or a JSON number stands for; undefined for anything else. */
export function exactNumber(value: unknown): ExactNumber | undefined {
  if (value instanceof ExactNumber) return value;
  return typeof value === "string" || typeof value === "number" ? parsed(String(value).trim()) : undefined;
}

function parsed(text: string): ExactNumber | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = (text.length <= LONGEST && DECIMAL.exec(text)) || [];
  if (sign === undefined || whole + fraction === "") return undefined;
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  return places >= 0
    ? new ExactNumber(digits, 10n ** BigInt(places))
    : new ExactNumber(digits * 10n ** BigInt(-places), 1n);
}

export function add(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a.denominator === b.denominator) return new ExactNumber(a.numerator + b.numerator, a.denominator);
  if (a.denominator % b.denominator === 0n) {
    return new ExactNumber(a.numerator + b.numerator * (a.denominator / b.denominator), a.denominator);
  }
  if (b.denominator % a.denominator === 0n) return add(b, a);
  return new ExactNumber(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function subtract(a: ExactNumber, b: ExactNumber): ExactNumber {
  return add(a, new ExactNumber(-b.numerator, b.denominator));
}

export function multiply(a: ExactNumber, b: ExactNumber): ExactNumber {
  return new ExactNumber(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Undefined for a division by nothing. */
export function divide(a: ExactNumber, b: ExactNumber): ExactNumber | undefined {
  if (b.numerator === 0n) return undefined;
  const sign = b.numerator < 0n ? -1n : 1n;
  return new ExactNumber(a.numerator * b.denominator * sign, a.denominator * b.numerator * sign);
}

/** Below 0, 0 or above 0, as `a` is less than, equal to or greater than `b`. */
export function compareNumbers(a: ExactNumber, b: ExactNumber): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

export function magnitude(a: ExactNumber): ExactNumber {
  return a.numerator < 0n ? new ExactNumber(-a.numerator, a.denominator) : a;
}
