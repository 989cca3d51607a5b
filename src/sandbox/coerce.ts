import type { JsonScalar } from "../model/json.ts";

/** `BooleanField.TRUE_VALUES` and `FALSE_VALUES` of the Django REST framework, beside true and false themselves. */
const TRUE_WORDS: ReadonlySet<unknown> = new Set([
  "t",
  "T",
  "y",
  "Y",
  "yes",
  "Yes",
  "YES",
  "true",
  "True",
  "TRUE",
  "on",
  "On",
  "ON",
  "1",
  1,
]);
const FALSE_WORDS: ReadonlySet<unknown> = new Set([
  "f",
  "F",
  "n",
  "N",
  "no",
  "No",
  "NO",
  "false",
  "False",
  "FALSE",
  "off",
  "Off",
  "OFF",
  "0",
  0,
]);

/**
 * Converts a value as the platform's fields do without a word (Django REST framework, fields.py).
 * What cannot be converted is returned as it is, for the judge to refuse.
 */
export function coerce(value: unknown, to: string, choices: readonly JsonScalar[] = []): unknown {
  switch (to) {
    case "text":
      return typeof value === "string" ? value.trim() : numberText(value);
    case "path":
      return numberText(value);
    case "decimal":
      return typeof value === "string" ? value.trim() : numberText(value);
    case "boolean":
      return toBoolean(value);
    case "integer":
      return typeof value === "string" && /^\s*[-+]?\d+(?:\.0*)?\s*$/.test(value) ? Number(value) : value;
    case "number":
      return typeof value === "string" && /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(value)
        ? Number(value)
        : value;
    case "choice":
      return sameText(value, choices);
    default:
      return value;
  }
}

function numberText(value: unknown): unknown {
  return typeof value === "number" ? plainNumber(value) : value;
}

/** A number without an exponent: 1e21 as a decimal field reads it. */
function plainNumber(value: number): string {
  const text = String(value);
  const [, sign = "", whole = "", fraction = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?e([-+]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const shift = Number(exponent);
  if (shift < 0) return `${sign}0.${"0".repeat(-shift - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction.padEnd(shift, "0")}`;
}

function toBoolean(value: unknown): unknown {
  const word = typeof value === "string" ? value.trim() : value;
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : value;
}

/** A choice is recognised by its text: "3" is the choice 3. */
function sameText(value: unknown, choices: readonly JsonScalar[]): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  return (
    choices.find((choice) => choice === value) ?? choices.find((choice) => String(choice) === String(value)) ?? value
  );
}
