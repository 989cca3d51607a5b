import type { Temporal } from "temporal-polyfill";
import { temporal } from "./temporal.ts";

/** Whether the text is a name from the time zone database (`Europe/London`), `UTC`, or an offset. */
export function isZone(zone: string): boolean {
  return inZone(SAMPLE_TIME, zone) !== undefined;
}

/**
 * Returns the moment at which clocks in a zone show this time, as `YYYY-MM-DDTHH:MM:SSZ`. Returns undefined for a time
 * that these clocks skip or show twice, because it is not clear which moment is meant. Also returns undefined for an
 * unknown zone, and for a moment outside the years 1 to 9999.
 */
export function utcInZone(time: LocalTime, zone: string): string | undefined {
  const zoned = inZone(time, zone);
  return zoned && written(zoned.withTimeZone("UTC"));
}

/** Returns a function that converts times as `utcInZone` does, but caches the offset of each day. */
export function utcConverter(zone: string): (time: LocalTime) => string | undefined {
  const offsets = new Map<number, number | undefined>();
  return (time) => {
    const { year, month, day, hour, minute, second } = time;
    if (year < 1000 || year > 9000) return utcInZone(time, zone);
    const key = (year * 13 + month) * 32 + day;
    if (!offsets.has(key)) {
      if (offsets.size >= MAX_DAYS) offsets.clear();
      offsets.set(key, offsetOfDay(time, zone));
    }
    const offset = offsets.get(key);
    if (offset === undefined) return utcInZone(time, zone);
    const moment = new Date(Date.UTC(year, month - 1, day, hour, minute, second) - offset);
    return `${moment.toISOString().slice(0, 19)}Z`;
  };
}

const MAX_DAYS = 50_000;

/**
 * Returns the offset of a whole day in milliseconds. Returns undefined for an unknown zone. Also returns undefined if
 * the clocks change on this day or the next day, because they may then show times of this day twice.
 */
function offsetOfDay(time: LocalTime, zone: string): number | undefined {
  const midnight = inZone({ ...time, hour: 0, minute: 0, second: 0 }, zone);
  if (midnight === undefined) return undefined;
  const change = midnight.getTimeZoneTransition("next");
  if (change !== null && change.epochMilliseconds < midnight.add({ days: 2 }).epochMilliseconds) return undefined;
  return midnight.offsetNanoseconds / 1_000_000;
}

/**
 * Returns the moment of a time with this offset in minutes (positive east of UTC), as `YYYY-MM-DDTHH:MM:SSZ`. Returns
 * undefined for a moment outside the years 1 to 9999.
 */
export function utcAtOffset(time: LocalTime, offset: number): string | undefined {
  return written(plain(time).subtract({ minutes: offset }));
}

/** Returns the day in a zone at a moment (milliseconds since 1970), as `YYYY-MM-DD`. */
export function dayInZone(moment: number, zone: string): string {
  return temporal().Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** Returns the first moment of a day (YYYY-MM-DD) in a zone, in milliseconds since 1970. */
export function startOfDay(day: string, zone: string): number {
  return temporal().PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds;
}

/** Adds days to a moment (milliseconds since 1970). The clocks of the zone then show the same time on another day. */
export function addDaysInZone(moment: number, days: number, zone: string): number {
  return temporal().Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).add({ days }).epochMilliseconds;
}

/** Returns the last millisecond of a day (YYYY-MM-DD) in a zone, in milliseconds since 1970. */
export function endOfDay(day: string, zone: string): number {
  return temporal().PlainDate.from(day).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds - 1;
}

/**
 * Returns the moment of a local time (ISO 8601 without a zone), in milliseconds since 1970. If the clocks of the zone
 * show the time twice, returns the first moment. If the clocks skip the time, uses the offset before the change.
 */
export function momentInZone(time: string, zone: string): number {
  return temporal().PlainDateTime.from(time).toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds;
}

const SAMPLE_TIME: LocalTime = { year: 2000, month: 6, day: 21, hour: 12, minute: 0, second: 0 };

function inZone(time: LocalTime, zone: string): Temporal.ZonedDateTime | undefined {
  try {
    return plain(time).toZonedDateTime(zone, { disambiguation: "reject" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function plain(time: LocalTime): Temporal.PlainDateTime {
  return new (temporal().PlainDateTime)(time.year, time.month, time.day, time.hour, time.minute, time.second);
}

function written(time: LocalTime): string | undefined {
  return time.year >= 1 && time.year <= 9999 ? isoDateTime(time) : undefined;
}

/** A date and a time of day as numbers, without a time zone. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Whether the time is between 00:00:00 and 23:59:59. Rejects 24:00 and leap seconds. */
export function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 59;
}

export function isoDate(time: LocalTime): string {
  return `${digits(time.year, 4)}-${digits(time.month, 2)}-${digits(time.day, 2)}`;
}

/** Formats a time in UTC in the form of API specification 2.7.4. */
export function isoDateTime(time: LocalTime): string {
  return `${isoDate(time)}T${digits(time.hour, 2)}:${digits(time.minute, 2)}:${digits(time.second, 2)}Z`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
