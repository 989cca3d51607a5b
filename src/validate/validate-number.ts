import { type DecimalType, exactLimit, type NumberType, type NumericLimit } from "../contract/types/field-type.ts";
import type { PayloadFinding } from "../model/problem.ts";
import {
  compareDecimals,
  decimalPlaces,
  decimalTextOf,
  isDecimalText,
  isMultiple,
  wholeDigits,
} from "../json/decimal-arithmetic.ts";
import type { ByteCheck } from "./byte-check.ts";
import {
  type Check,
  type NonNullJson,
  patternMismatch,
  type ProblemCollector,
  reportTrimmed,
} from "./problem-collector.ts";
import { digitsOf, type PatternDigits } from "../contract/types/pattern.ts";
import { matcherOf } from "../text/linear-pattern.ts";
import { strip } from "../text/unicode-text.ts";

/** Checks a JSON number. Numeric text causes a warning, because the platform accepts and converts it. */
export function numberCheck(type: NumberType): Check {
  const checkLimits = limitsCheck(type);
  const read = type.kind === "integer" ? readInteger : readNumber;
  const invalid = { code: "invalid", expected: type.kind } as const;
  const coerced = { code: "coerced", from: "string", to: type.kind } as const;
  return (value, collector) => {
    const number = read(value);
    if (number === undefined) return collector.add(value, invalid);
    if (typeof value === "string") collector.add(value, coerced, { severity: "warning" });
    checkLimits(number, collector);
  };
}

/**
 * Returns the value as a number, or undefined if it is not a number. The text `1e5` is a number, as in JSON; NaN and
 * infinities are not.
 */
export function readNumber(value: NonNullJson): number | undefined {
  const number = typeof value === "string" && isNumericText(strip(value)) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function isNumericText(text: string): boolean {
  return isDecimalText(text.replace(/e[-+]?\d{1,3}$/i, ""));
}

/**
 * Returns an integer, or undefined for any other value. The platform accepts `5`, `5.0` and "5.0". Text is trimmed, but
 * not converted to a number, because it may have more digits than a double can represent.
 */
export function readInteger(value: NonNullJson): number | string | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  const text = typeof value === "string" ? strip(value) : "";
  return isDecimalText(text) && /^[-+]?\d+(?:\.0*)?$/.test(text) ? text : undefined;
}

/**
 * Checks a decimal as text. Surrounding whitespace and JSON numbers cause warnings, because the platform accepts and
 * converts them.
 */
export function decimalCheck(type: DecimalType): Check {
  const checkLimits = limitsCheck(type);
  const matches = type.pattern && matcherOf(type.pattern);
  const mismatch = type.pattern && patternMismatch(type.pattern);
  return (value, collector) => {
    const text = decimalTextIn(value);
    if (text === undefined || !isDecimalText(text)) return collector.add(value, NOT_DECIMAL);
    if (typeof value === "number") collector.add(value, NUMBER_TO_DECIMAL, { severity: "warning" });
    else if (typeof value === "string") reportTrimmed(text, value, collector);
    const wrong = precisionFinding(wholeDigits(text), decimalPlaces(text), type);
    if (wrong !== undefined) return collector.add(value, wrong);
    if (mismatch !== undefined && matches?.(text) === false) collector.add(value, mismatch);
    checkLimits(text, collector);
  };
}

/**
 * Compiles a check that accepts plain decimals, such as `-12.50`, with the required precision and pattern. Unlike the
 * value check, it counts leading zeros. It may therefore leave a valid decimal to the value check, but it never accepts
 * an invalid decimal. Returns undefined if bytes alone are not sufficient.
 */
export function decimalByteCheck(type: DecimalType): ByteCheck | undefined {
  const allowed = type.pattern === undefined ? ANY_DIGITS : digitsOf(type.pattern);
  if (limitChecks(type).length > 0 || allowed === undefined) return undefined;
  return (bytes, from, to) => {
    const isNegative = bytes[from] === MINUS;
    const start = isNegative ? from + 1 : from;
    const point = digitsEnd(bytes, start, to);
    const end = point === to ? to : digitsEnd(bytes, point + 1, to);
    const whole = point - start;
    const places = point === to ? 0 : end - point - 1;
    if (end !== to || whole === 0 || (point < to && (bytes[point] !== POINT || places === 0))) return false;
    if (whole + places > LONGEST) return false;
    return allowsDigits(allowed, isNegative, whole, places) && precisionFinding(whole, places, type) === undefined;
  };
}

function allowsDigits(allowed: PatternDigits, isNegative: boolean, whole: number, places: number): boolean {
  return (allowed.allowsMinus || !isNegative) && whole <= allowed.whole && places <= allowed.places;
}

const ANY_DIGITS: PatternDigits = { whole: Infinity, places: Infinity, allowsMinus: true };

/** Returns the end offset of the digits that start at `from`. */
function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && ((bytes[at] ?? 0) - ZERO) >>> 0 <= 9) at += 1;
  return at;
}

/**
 * Maximum number of digits for the byte check. Longer numbers do not occur in practice, and are left to the value
 * check.
 */
const LONGEST = 100;
const [MINUS, POINT, ZERO] = [0x2d, 0x2e, 0x30];

const NOT_DECIMAL = { code: "invalid", expected: "decimal" } as const;
const NUMBER_TO_DECIMAL = { code: "coerced", from: "number", to: "decimal" } as const;

function decimalTextIn(value: NonNullJson): string | undefined {
  if (typeof value === "number") return decimalTextOf(value);
  return typeof value === "string" ? strip(value) : undefined;
}

/**
 * Returns the finding for the first limit that is violated. Digits are counted as in the Django REST framework: `0.05`
 * and `007.5` both have two digits.
 */
function precisionFinding(
  whole: number,
  places: number,
  { maxDigits, maxDecimalPlaces, maxWholeDigits }: DecimalType,
): PayloadFinding | undefined {
  if (maxDigits !== undefined && whole + places > maxDigits) return { code: "max_digits", limit: maxDigits };
  if (maxDecimalPlaces !== undefined && places > maxDecimalPlaces) {
    return { code: "max_decimal_places", limit: maxDecimalPlaces };
  }
  if (maxWholeDigits === undefined || whole <= maxWholeDigits) return undefined;
  return { code: "max_whole_digits", limit: maxWholeDigits };
}

/** Checks a number, or a string that is a valid decimal. */
type LimitsCheck = (value: number | string, collector: ProblemCollector) => void;

/** Compiles the check of the maximum, minimum and step. The check compares exact digits if necessary. */
function limitsCheck(type: DecimalType | NumberType): LimitsCheck {
  const checks = limitChecks(type);
  return (value, collector) => {
    for (const check of checks) check(value, collector);
  };
}

function limitChecks(type: DecimalType | NumberType): readonly LimitsCheck[] {
  const checks = [
    boundCheck(type.maximum, "max_value"),
    boundCheck(type.minimum, "min_value"),
    stepCheck(type.multipleOf),
  ];
  return checks.filter((check) => check !== undefined);
}

function boundCheck(limit: NumericLimit | undefined, code: "max_value" | "min_value"): LimitsCheck | undefined {
  if (limit === undefined) return undefined;
  const edge = exactLimit(limit);
  const direction = code === "max_value" ? 1 : -1;
  const finding = { code, limit: edge, exclusive: limit.exclusive };
  return (value, collector) => {
    // Rounding preserves the order, so digits are compared only if the value rounds to the limit.
    const beyond = direction * (Number(value) - limit.value || compareDecimals(asDecimalText(value), edge));
    if (beyond > 0 || (beyond === 0 && limit.exclusive)) collector.add(value, finding);
  };
}

/**
 * Checks that a value is a multiple of the step. The problem has the code `invalid`, because the platform has no
 * specific code.
 */
function stepCheck(size: number | undefined): LimitsCheck | undefined {
  if (size === undefined || size <= 0) return undefined;
  const stepText = decimalTextOf(size);
  const notAStep = { code: "invalid", expected: "multiple", written: { as: stepText } } as const;
  return (value, collector) => {
    if (!isMultiple(asDecimalText(value), stepText)) collector.add(value, notAStep);
  };
}

function asDecimalText(value: number | string): string {
  return typeof value === "string" ? value : decimalTextOf(value);
}
