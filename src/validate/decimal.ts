import type { DecimalType } from "../contract/field-type.ts";
import type { PayloadFinding } from "../model/problem.ts";
import { decimalPlaces, decimalTextOf, isDecimalText, wholeDigits } from "./decimal-text.ts";
import type { Check, Present } from "./found.ts";
import { limitsCheck } from "./numeric-limits.ts";
import { strip } from "./unicode-text.ts";
import { wrongForm } from "./wrong-form.ts";

/** A decimal as text, white space around it taken off. A JSON number is taken too, but changed into text by the platform: a warning. */
export function decimalCheck(type: DecimalType): Check {
  const checkLimits = limitsCheck(type);
  return (value, found) => {
    const text = textOf(value);
    if (text === undefined || !isDecimalText(text)) return found.add(value, INVALID);
    if (typeof value === "number") found.add(value, COERCED, { severity: "warning" });
    const wrong = precisionFinding(text, type);
    if (wrong !== undefined) return found.add(value, wrong);
    if (type.pattern?.test(text) === false) found.add(value, wrongForm(type.pattern));
    checkLimits(text, found);
  };
}

const INVALID = { code: "invalid", expected: "decimal" } as const;
const COERCED = { code: "coerced", from: "number", to: "decimal" } as const;

function textOf(value: Present): string | undefined {
  if (typeof value === "number") return decimalTextOf(value);
  return typeof value === "string" ? strip(value) : undefined;
}

/** The first that applies. `0.05` has two digits in all, `007.5` has two: so the Django REST framework counts. */
function precisionFinding(text: string, type: DecimalType): PayloadFinding | undefined {
  const { maxDigits, maxDecimalPlaces, maxWholeDigits } = type;
  const places = decimalPlaces(text);
  const whole = wholeDigits(text);
  if (maxDigits !== undefined && whole + places > maxDigits) return { code: "max_digits", limit: maxDigits };
  if (maxDecimalPlaces !== undefined && places > maxDecimalPlaces) {
    return { code: "max_decimal_places", limit: maxDecimalPlaces };
  }
  if (maxWholeDigits === undefined || whole <= maxWholeDigits) return undefined;
  return { code: "max_whole_digits", limit: maxWholeDigits };
}
