import type { DecimalType, NumberType, NumericLimit } from "../contract/field-type.ts";
import { compareDecimals, decimalTextOf, isMultiple } from "./decimal-text.ts";
import type { Found } from "./found.ts";

/** Takes a number, or text that is known to be a decimal. */
export type LimitsCheck = (value: number | string, found: Found) => void;

/** Maximum, minimum and step, compared digit by digit where it matters. */
export function limitsCheck(type: DecimalType | NumberType): LimitsCheck {
  const checks = [bound(type.maximum, "max_value"), bound(type.minimum, "min_value"), step(type.multipleOf)];
  const set = checks.filter((check) => check !== undefined);
  return (value, found) => {
    for (const check of set) check(value, found);
  };
}

function bound(limit: NumericLimit | undefined, code: "max_value" | "min_value"): LimitsCheck | undefined {
  if (limit === undefined) return undefined;
  const edge = decimalTextOf(limit.value);
  const direction = code === "max_value" ? 1 : -1;
  const finding = { code, limit: edge, exclusive: limit.exclusive };
  return (value, found) => {
    // Rounding keeps the order, so only what rounds to the limit itself has to be compared by its digits.
    const beyond = direction * (Number(value) - limit.value || compareDecimals(textOf(value), edge));
    if (beyond > 0 || (beyond === 0 && limit.exclusive)) found.add(value, finding);
  };
}

/** The platform has no code of its own for a value that is not a whole number of steps. */
function step(size: number | undefined): LimitsCheck | undefined {
  if (size === undefined || size <= 0) return undefined;
  const stepText = decimalTextOf(size);
  const notAStep = { code: "invalid", expected: "multiple", written: { as: stepText } } as const;
  return (value, found) => {
    if (!isMultiple(textOf(value), stepText)) found.add(value, notAStep);
  };
}

function textOf(value: number | string): string {
  return typeof value === "string" ? value : decimalTextOf(value);
}
