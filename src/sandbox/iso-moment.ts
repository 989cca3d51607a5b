/** `YYYY-MM-DD`, a day that exists (specification 2.7.4), from year 1. */
export function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  return (
    Number(year) >= 1 && Number(month) >= 1 && Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month))
  );
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

/** A date, `T`, a time to the second or finer, and `Z` or an offset in hours and minutes. */
export function isDateTime(text: string): boolean {
  const [, date, time, offset] = /^(.{10})T(\d{2}:\d{2}:\d{2}(?:\.\d+)?)(Z|[-+]\d{2}:\d{2})$/.exec(text) ?? [];
  return date !== undefined && isDate(date) && isTime(`${time}${offset}`);
}

/** `HH:MM`, `HH:MM:SS` or finer, from 00:00 to 23:59:59.999..., an offset or none: neither 24:00 nor leap seconds. */
export function isTime(text: string): boolean {
  const form = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:Z|[-+](\d{2}):(\d{2}))?$/;
  const [, hours, minutes, seconds = "0", offsetHours = "0", offsetMinutes = "0"] = form.exec(text) ?? [];
  const inDay = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  return inDay && Number(offsetHours) < 24 && Number(offsetMinutes) < 60;
}
