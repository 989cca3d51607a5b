import { isIP } from "node:net";
import type { JsonScalar } from "../../json/json-value.ts";

/** `BooleanField.TRUE_VALUES`, `FALSE_VALUES` and `NULL_VALUES` of the Django REST framework. */
const TRUE_WORDS: ReadonlySet<unknown> = new Set(["t", "y", "yes", "true", "on", "1", 1]);
const FALSE_WORDS: ReadonlySet<unknown> = new Set(["f", "n", "no", "false", "off", "0", 0]);
const NULL_WORDS: ReadonlySet<unknown> = new Set(["", "null"]);

/** The platform refuses a longer string without parsing it (`MAX_STRING_LENGTH`). */
const MAX_NUMBER_LENGTH = 1000;

/**
 * Converts a value as the platform's fields do (Django REST framework, fields.py), but reports no errors. A value that
 * cannot be converted is returned unchanged, and a later check refuses it.
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
      return matchingChoice(value, choices);
    default:
      return value;
  }
}

/** Removes leading and trailing whitespace as defined by Python (`str.strip`). */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charAt(start))) start += 1;
  while (end > start && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string): boolean {
  return PYTHON_ONLY_SPACES.includes(character) || (character !== "\ufeff" && character.trim() === "");
}

const PYTHON_ONLY_SPACES = "\u001c\u001d\u001e\u001f\u0085";

function stripped(value: unknown): unknown {
  return typeof value === "string" ? strip(value) : value;
}

function toNumber(value: unknown, form: RegExp): unknown {
  const text = stripped(value);
  return typeof text === "string" && text.length <= MAX_NUMBER_LENGTH && form.test(text) ? Number(text) : value;
}

/** Writes a number without an exponent, as a decimal field requires. 1e21 has 22 digits. */
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

/**
 * Returns the choice that equals the value as text: "3" matches the choice 3. Returns the value itself if none matches.
 */
function matchingChoice(value: unknown, choices: readonly JsonScalar[]): unknown {
  if (choices.some((choice) => choice === value)) return value;
  if (typeof value !== "string" && typeof value !== "number") return value;
  return choices.find((choice) => typeof choice !== "boolean" && String(choice) === String(value)) ?? value;
}

export interface DecimalRule {
  readonly maxDigits?: number;
  readonly maxDecimalPlaces?: number;
  readonly maxWholeDigits?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multiplesOf?: readonly number[];
}

/** Returns the error codes of `DecimalField` for a decimal that is sent as text. */
export function decimalCodes(text: string, rule: DecimalRule): readonly string[] {
  const [, whole = "", fraction = ""] = /^[-+]?(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === "" && fraction === "") return ["invalid"];
  const precision = digitsCode(whole.replace(/^0+/, "").length, fraction.length, rule);
  if (precision !== undefined) return [precision];
  const formed = rule.pattern === undefined || new RegExp(rule.pattern).test(text);
  return [...(formed ? [] : ["invalid"]), ...limitCodes(text, rule)];
}

/** Checks the limits in the order of `DecimalField.validate_precision`. Reports only the first violated limit. */
function digitsCode(whole: number, places: number, rule: DecimalRule): string | undefined {
  if (whole + places > (rule.maxDigits ?? Infinity)) return "max_digits";
  if (places > (rule.maxDecimalPlaces ?? Infinity)) return "max_decimal_places";
  return whole > (rule.maxWholeDigits ?? Infinity) ? "max_whole_digits" : undefined;
}

function limitCodes(text: string, rule: DecimalRule): readonly string[] {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = rule;
  const value = Number(text);
  const isMultiple = (step: number): boolean => Math.abs(value / step - Math.round(value / step)) <= 1e-9;
  return [
    ...(value < minimum || value <= exclusiveMinimum ? ["min_value"] : []),
    ...(value > maximum || value >= exclusiveMaximum ? ["max_value"] : []),
    ...(rule.multiplesOf?.every(isMultiple) === false ? ["invalid"] : []),
  ];
}

/** Whether the text is `YYYY-MM-DD` with an existing day, in year 1 or later (API specification 2.7.4). */
export function isDate(text: string): boolean {
  const start = /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` reads 30 February as 2 March.
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text);
}

/**
 * Whether the text is a date, `T`, a time with at least seconds, and `Z` or an offset in hours and minutes. As in RFC
 * 3339, the letters may be in lower case, and the last minute of a UTC day may contain a leap second (`:60`). A date
 * without a time is also accepted and means the start of that day. The year must also be 1 to 9999 in UTC, because
 * Python has no other years.
 */
export function isDateTime(text: string): boolean {
  const form = /^(.{10})T(\d{2}:\d{2}:)(\d{2})((?:\.\d+)?)(Z|[-+]\d{2}:\d{2})$/;
  const [, date, time, seconds, fraction, offset] = form.exec(text.toUpperCase()) ?? [];
  if (date === undefined) return isDate(text);
  if (!isDate(date)) return false;
  const start = new Date(`${date}T${time}00${offset}`);
  if (start.getUTCFullYear() < 1 || start.getUTCFullYear() > 9999) return false;
  if (seconds !== "60") return isTime(`${time}${seconds}${fraction}${offset}`);
  return isTime(`${time}00${offset}`) && start.getUTCHours() === 23 && start.getUTCMinutes() === 59;
}

/**
 * Whether the text is `HH:MM`, `HH:MM:SS` or finer, from 00:00 to 23:59:59.999..., with or without an offset. There is
 * no 24:00 and no leap second.
 */
export function isTime(text: string): boolean {
  const form = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:Z|[-+](\d{2}):(\d{2}))?$/;
  const [, hours, minutes, seconds = "0", offsetHours = "0", offsetMinutes = "0"] = form.exec(text) ?? [];
  const inDay = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  return inDay && Number(offsetHours) < 24 && Number(offsetMinutes) < 60;
}

/**
 * Whether the text is an e-mail address for Django's `EmailValidator`: a dot-atom or a quoted string, then a domain in
 * any script, `localhost`, or an IP address in brackets.
 */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [user, host] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || text.length > 320 || !EMAIL_USER.test(user) || /^\.|\.\.|\.$/.test(user)) return false;
  const [, literal] = /^\[(?:IPv6:)?(.*)\]$/i.exec(host) ?? [];
  return literal === undefined ? EMAIL_HOST.test(host) : isIP(literal) > 0;
}

const EMAIL_USER = /^(?:[-!#$%&'*+/=?^_`{}|~.0-9A-Z]+|"(?:[ !#-[\]-~]|\\[ -~])*")$/i;
const EMAIL_HOST =
  /^(?:localhost|(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?!-)[\p{L}\p{N}-]{2,63}(?<!-))$/iu;
