import type { BooleanType } from "../contract/field-type.ts";
import type { Check } from "./found.ts";
import { strip } from "./unicode-text.ts";

/** What the Django REST framework reads as a boolean although it is none, in lower case. */
const BOOLEAN_TEXTS: ReadonlySet<string> = new Set([
  "t",
  "true",
  "y",
  "yes",
  "on",
  "1",
  "f",
  "false",
  "n",
  "no",
  "off",
  "0",
]);
const NULL_TEXTS: ReadonlySet<string> = new Set(["", "null"]);

export function booleanCheck(type: BooleanType): Check {
  return (value, found) => {
    if (typeof value === "boolean") return;
    if (readsAsBoolean(value)) {
      found.add(value, { code: "coerced", from: typeof value, to: "boolean" }, { severity: "warning" });
    } else if (type.nullable && typeof value === "string" && NULL_TEXTS.has(value.toLowerCase())) {
      found.add(value, { code: "coerced", from: "string", to: "null" }, { severity: "warning" });
    } else {
      found.add(value, { code: "invalid", expected: "boolean" });
    }
  };
}

function readsAsBoolean(value: unknown): boolean {
  if (typeof value === "number") return value === 0 || value === 1;
  return typeof value === "string" && BOOLEAN_TEXTS.has(strip(value).toLowerCase());
}
