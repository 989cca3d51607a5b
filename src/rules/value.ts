import { isIsoDate, isIsoDateTime, isIsoTime } from "../model/calendar.ts";
import { canonicalJson, isJsonArray, isJsonObject, type JsonValue } from "../model/json.ts";
import { compareNumbers, ExactNumber, exactNumber } from "./exact-number.ts";

/** What an expression gives. Null, blank text, empty lists and empty objects are missing: undefined. */
export type Value = JsonValue | ExactNumber | undefined;

/** The value, or undefined when it counts as missing. */
export function given(value: JsonValue | undefined): JsonValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return isBlank(value) ? undefined : value;
  if (typeof value !== "object") return value;
  if (isJsonArray(value)) return value.length === 0 ? undefined : value;
  for (const _ in value) return value;
  return undefined;
}

function isBlank(text: string): boolean {
  return text === "" || (text.charCodeAt(0) <= 32 && text.trim() === "");
}

/** Compares what an instance's time zone makes comparable. */
export interface Comparer {
  /** Below 0, 0, above 0; undefined where the two cannot be compared. */
  readonly order: (a: Value, b: Value) => number | undefined;
  readonly equal: (a: Value, b: Value) => boolean;
}

/** `dayOf`: the day that the instance's clocks show at an instant. */
export function comparer(dayOf: (instant: number) => string): Comparer {
  const day = (text: string): string => (text.length === 10 ? text : dayOf(Date.parse(text)));
  const temporal = (a: string, b: string): number | undefined => {
    const [one, other] = [temporalKind(a), temporalKind(b)];
    if (one === undefined || other === undefined) return undefined;
    if (one === "datetime" && other === "datetime") return Date.parse(a) - Date.parse(b);
    if (one === "time" || other === "time") return one === other ? alphabetic(a, b) : undefined;
    return alphabetic(day(a), day(b));
  };
  return {
    order: (a, b) => {
      if (typeof a === "string" && typeof b === "string") return temporal(a, b) ?? numeric(a, b);
      return numeric(a, b);
    },
    equal: (a, b) => {
      if (a === undefined || b === undefined) return false;
      if (a === b) return true;
      if (typeof a === "string" && typeof b === "string") return temporal(a, b) === 0;
      if (isNumber(a) || isNumber(b)) return numeric(a, b) === 0;
      return isComposite(a) && isComposite(b) && canonicalJson(a) === canonicalJson(b);
    },
  };
}

/** How far apart two texts are in the alphabet is nobody's business: only which one comes first. */
function alphabetic(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function temporalKind(text: string): "date" | "datetime" | "time" | undefined {
  if (text.length === 10) return isIsoDate(text) ? "date" : undefined;
  if (text.charCodeAt(2) === COLON) return isIsoTime(text) ? "time" : undefined;
  return text.length > 10 && isIsoDateTime(text) ? "datetime" : undefined;
}

const COLON = 0x3a;

function isNumber(value: Value): boolean {
  return typeof value === "number" || value instanceof ExactNumber;
}

function numeric(a: Value, b: Value): number | undefined {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [one, other] = [exactNumber(a), exactNumber(b)];
  return one === undefined || other === undefined ? undefined : compareNumbers(one, other);
}

function isComposite(value: Value): value is JsonValue {
  return !(value instanceof ExactNumber) && (isJsonArray(value) || isJsonObject(value));
}

/** A text by which equal values are found in a set: what `equal` holds for has the same. */
export function keyText(value: Value): string {
  if (value === undefined) return "-";
  if (typeof value === "string") return `"${value}`;
  if (typeof value === "number" || value instanceof ExactNumber) return `#${numberKey(value)}`;
  return canonicalJson(value);
}

function numberKey(value: number | ExactNumber): string {
  const exact = exactNumber(value);
  if (exact === undefined) return "";
  const divisor = greatestDivisor(exact.numerator < 0n ? -exact.numerator : exact.numerator, exact.denominator);
  return `${exact.numerator / divisor}/${exact.denominator / divisor}`;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}
