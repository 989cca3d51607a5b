/** Whether the numbers are an existing day of the Gregorian calendar in the years 1 to 9999. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** Whether the text is an existing day in the form `YYYY-MM-DD` (API specification 2.7.4). Rejects the year 0000. */
export function isIsoDate(text: string): boolean {
  return text.length === 10 && isDay(text);
}

/**
 * Whether the text is an RFC 3339 date-time: date, `T`, time with seconds, an optional fraction, then `Z` or an offset.
 * The zone is required, because the platform would otherwise assume one. The letters may be lower case. Second 60 is
 * valid only in the last minute of a UTC day. The year in UTC must be 1 to 9999.
 */
export function isIsoDateTime(text: string): boolean {
  if (!DATE_TIME.test(text) || !isDay(text)) return false;
  const isLeapSecond = text.charAt(17) === "6";
  if (!isLeapSecond && !OUTERMOST_DAY.test(text)) return true;
  const utc = new Date(instantOf(text)).toISOString();
  return /^(?!0000)\d{4}-/.test(utc) && (!isLeapSecond || utc.slice(11, 16) === "23:59");
}

/**
 * Returns the instant of a date-time in milliseconds since 1970; NaN if `Date.parse` does not accept the text. A leap
 * second counts as the second before it.
 */
export function instantOf(text: string): number {
  return Date.parse(text.replace(LEAP_SECOND, ":59"));
}

/**
 * Converts a date-time to the form of API specification 2.7.4: UTC, `Z`, whole seconds. Drops a fraction of a second
 * (`losesFraction`). Returns other strings unchanged.
 */
export function utcDateTime(text: string): string {
  if (!isIsoDateTime(text) || SENT_FORM.test(text)) return text;
  const utc = new Date(instantOf(text)).toISOString();
  const seconds = text.slice(17, 19) === "60" ? "60" : utc.slice(17, 19);
  return `${utc.slice(0, 17)}${seconds}Z`;
}

/** Whether `utcDateTime` drops a fraction of a second other than zero. */
export function losesFraction(text: string): boolean {
  return text.length > 20 && /\.\d*[1-9]/.test(text);
}

/** Whether the text is `HH:MM`, `HH:MM:SS`, or `HH:MM:SS` with a fraction, each with an optional `Z` or offset. */
export function isIsoTime(text: string): boolean {
  return TIME.test(text);
}

/** Excludes 24:00, which the platform rejects. */
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const SECONDS = String.raw`:[0-5]\d(?:\.\d+)?`;
const ZONE = String.raw`(?:Z|[-+](?:[01]\d|2[0-3]):[0-5]\d)`;
const DATE_TIME = new RegExp(String.raw`^\d{4}-\d{2}-\d{2}T${CLOCK}:(?:[0-5]\d|60)(?:\.\d+)?${ZONE}$`, "i");
const OUTERMOST_DAY = /^(?:0001-01-01|9999-12-31)/;
const LEAP_SECOND = /(?<=[Tt]..:..):60/;
const SENT_FORM = /^.{10}T.{8}Z$/;
const TIME = new RegExp(`^${CLOCK}(?:${SECONDS})?${ZONE}?$`);

const DASH = 0x2d;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * Whether the first ten characters are a calendar day. Uses no regular expression, because regular expressions are slow
 * and every payload contains dates.
 */
function isDay(text: string): boolean {
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return false;
  return isCalendarDay(100 * twoDigits(text, 0) + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8));
}

/**
 * Returns the number that two digits represent. Returns NaN if the characters are not digits; every comparison with NaN
 * is false.
 */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const units = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? 10 * tens + units : Number.NaN;
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

const DAY_MS = 86_400_000;

/** The range of dates with four-digit years. Other dates cannot be compared as strings. */
const FIRST_INSTANT = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Shifts a date (YYYY-MM-DD) or a date-time by a number of 24-hour days. Limits the result to the years 0 to 9999.
 * Returns undefined if `Date.parse` does not accept the text.
 */
export function shiftDays(text: string, count: number): string | undefined {
  const instant = Date.parse(text) + count * DAY_MS;
  if (Number.isNaN(instant)) return undefined;
  const shifted = new Date(Math.min(Math.max(instant, FIRST_INSTANT), LAST_INSTANT)).toISOString();
  return text.length === 10 ? shifted.slice(0, 10) : shifted;
}

export function daysBetween(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS);
}
