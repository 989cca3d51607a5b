/** A day and a time of day as numbers, in no time zone. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** True for a day that the Gregorian calendar has, in the years 1 to 9999. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** True for 00:00:00 to 23:59:59; there is no 24:00 and no leap second. */
export function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 59;
}

export function isIsoDate(text: string): boolean {
  return ISO_DATE.test(text) && isDayText(text);
}

/** `YYYY-MM-DDTHH:MM:SS`, a fraction or none, then `Z` or an offset (RFC 3339). */
export function isIsoDateTime(text: string): boolean {
  return ISO_DATE_TIME.test(text) && isDayText(text) && isClockText(text.slice(11));
}

/** `HH:MM` or `HH:MM:SS`, a fraction or none, an offset or none. */
export function isIsoTime(text: string): boolean {
  return ISO_TIME.test(text) && isClockText(text);
}

export function isoDate(time: LocalTime): string {
  return `${digits(time.year, 4)}-${digits(time.month, 2)}-${digits(time.day, 2)}`;
}

/** The form of specification 2.7.4; the time has to be in UTC. */
export function isoDateTime(time: LocalTime): string {
  return `${isoDate(time)}T${digits(time.hour, 2)}:${digits(time.minute, 2)}:${digits(time.second, 2)}Z`;
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const ISO_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[-+](?:[01]\d|2[0-3]):[0-5]\d)$/;
const ISO_TIME = /^\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[-+](?:[01]\d|2[0-3]):[0-5]\d)?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

function isDayText(text: string): boolean {
  return isCalendarDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)));
}

function isClockText(text: string): boolean {
  const second = text[5] === ":" ? Number(text.slice(6, 8)) : 0;
  return isTimeOfDay(Number(text.slice(0, 2)), Number(text.slice(3, 5)), second);
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
