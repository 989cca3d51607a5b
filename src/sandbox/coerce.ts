import type { JsonScalar } from "../model/json.ts";

/** `BooleanField.TRUE_VALUES`, `FALSE_VALUES` and `NULL_VALUES` of the Django REST framework. */
const TRUE_WORDS: ReadonlySet<unknown> = new Set(["t", "y", "yes", "true", "on", "1", 1]);
const FALSE_WORDS: ReadonlySet<unknown> = new Set(["f", "n", "no", "false", "off", "0", 0]);
const NULL_WORDS: ReadonlySet<unknown> = new Set(["", "null"]);

/** Fields of the platform refuse longer texts unread (`MAX_STRING_LENGTH`). */
const LONGEST_NUMBER = 1000;

/**
 * Converts a value as the platform's fields do without a word (Django REST framework, fields.py).
 * What cannot be converted is returned as it is, for the judge to refuse.
 */
export function coerce(value: unknown, to: string, choices: readonly JsonScalar[] = []): unknown {
  switch (to) {
    case "text":
      return typeof value === "number" ? String(value) : stripped(value);
    case "decimal":
      return typeof value === "number" ? plainNumber(value) : stripped(value);
    case "boolean":
    case "nullableBoolean":
      return toBoolean(value, to === "nullableBoolean");
    case "integer":
      return toNumber(value, /^[-+]?\d+(?:\.0*)?$/);
    case "number":
      return toNumber(value, /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?$/);
    case "choice":
      return sameText(value, choices);
    default:
      return value;
  }
}

/** Takes the white space off both ends, by Python's idea of it (`str.strip`). */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charAt(start))) start += 1;
  while (end > start && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string): boolean {
  return PYTHON_ONLY.includes(character) || (character !== "\ufeff" && character.trim() === "");
}

const PYTHON_ONLY = "\u001c\u001d\u001e\u001f\u0085";

function stripped(value: unknown): unknown {
  return typeof value === "string" ? strip(value) : value;
}

function toNumber(value: unknown, form: RegExp): unknown {
  const text = stripped(value);
  return typeof text === "string" && text.length <= LONGEST_NUMBER && form.test(text) ? Number(text) : value;
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

function toBoolean(value: unknown, nullable: boolean): unknown {
  const word = typeof value === "string" ? strip(value).toLowerCase() : value;
  if (TRUE_WORDS.has(word)) return true;
  if (FALSE_WORDS.has(word)) return false;
  return nullable && NULL_WORDS.has(word) ? null : value;
}

/** A choice is recognised by its text: "3" is the choice 3. */
function sameText(value: unknown, choices: readonly JsonScalar[]): unknown {
  if (choices.some((choice) => choice === value)) return value;
  if (typeof value !== "string" && typeof value !== "number") return value;
  return choices.find((choice) => typeof choice !== "boolean" && String(choice) === String(value)) ?? value;
}
