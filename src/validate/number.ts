import type { NumberType } from "../contract/field-type.ts";
import { isDecimalText } from "./decimal-text.ts";
import type { Check, Present } from "./found.ts";
import { limitsCheck } from "./numeric-limits.ts";
import { strip } from "./unicode-text.ts";

/** A JSON number. Numeric text is taken too, but changed by the platform: a warning. */
export function numberCheck(type: NumberType): Check {
  const checkLimits = limitsCheck(type);
  const read = type.kind === "integer" ? readInteger : readNumber;
  const invalid = { code: "invalid", expected: type.kind } as const;
  const coerced = { code: "coerced", from: "string", to: type.kind } as const;
  return (value, found) => {
    const number = read(value);
    if (number === undefined) return found.add(value, invalid);
    if (typeof value === "string") found.add(value, coerced, { severity: "warning" });
    checkLimits(number, found);
  };
}

/** `1e5` as text is a number, as it is in JSON; NaN and infinities are not. */
function readNumber(value: Present): number | undefined {
  const number = typeof value === "string" && isNumericText(strip(value)) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function isNumericText(text: string): boolean {
  return isDecimalText(text.replace(/e[-+]?\d{1,3}$/i, ""));
}

/** `5`, `5.0` and "5.0" are whole numbers to the platform. Text stays text: it may have more digits than a number. */
function readInteger(value: Present): number | string | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  const text = typeof value === "string" ? strip(value) : "";
  return isDecimalText(text) && /^[-+]?\d+(?:\.0*)?$/.test(text) ? text : undefined;
}
