import type { DateType } from "../contract/field-type.ts";
import type { Check } from "./found.ts";

/** ISO 8601 text, judged by calendar arithmetic (specification 2.7.4). A number is never a date. */
export function temporalCheck(type: DateType): Check {
  const isRight = FORMS[type.kind];
  const wrong = { code: "invalid", expected: type.kind } as const;
  return (value, found) => {
    if (typeof value !== "string" || !isRight(value)) found.add(value, wrong);
  };
}

const FORMS = { date: isDate, datetime: isDateTime, time: isTime };

/** `YYYY-MM-DD`, a day that the Gregorian calendar has. Year 0000 is refused, as the platform cannot hold it. */
function isDate(text: string): boolean {
  return text.length === 10 && isDay(text);
}

/** Date, `T`, time with seconds, then `Z` or an offset: without one, the platform would guess the zone. */
function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && isDay(text);
}

/** `HH:MM` or `HH:MM:SS`, a fraction or none, an offset or none. */
function isTime(text: string): boolean {
  return TIME.test(text);
}

/** No 24:00 and no leap second: the platform's clock has neither. */
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const SECONDS = String.raw`:[0-5]\d(?:\.\d+)?`;
const ZONE = String.raw`(?:Z|[-+](?:[01]\d|2[0-3]):[0-5]\d)`;
const DATE_TIME = new RegExp(String.raw`^\d{4}-\d{2}-\d{2}T${CLOCK}${SECONDS}${ZONE}$`);
const TIME = new RegExp(`^${CLOCK}(?:${SECONDS})?${ZONE}?$`);

const DASH = 0x2d;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether the first ten characters are a day, without a regular expression: dates are in every payload. */
function isDay(text: string): boolean {
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return false;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** NaN, which compares false with all, where there are not two digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const units = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? 10 * tens + units : Number.NaN;
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}
