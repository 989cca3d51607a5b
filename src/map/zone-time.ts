import { Temporal } from "temporal-polyfill";
import { isoDateTime, type LocalTime } from "./local-time.ts";

/** True for a name of the time zone database (`Europe/London`), `UTC`, or an offset. */
export function isZone(zone: string): boolean {
  return inZone(MIDSUMMER, zone) !== undefined;
}

/**
 * The moment at which the clocks of a zone show this time, as `YYYY-MM-DDTHH:MM:SSZ`. Undefined for an hour that the
 * zone's clocks skip or show twice: which moment was meant cannot be told.
 */
export function utcInZone(time: LocalTime, zone: string): string | undefined {
  const zoned = inZone(time, zone);
  return zoned && written(zoned.withTimeZone("UTC"));
}

/** The moment of a time given with its offset, in minutes east of UTC. */
export function utcAtOffset(time: LocalTime, offset: number): string | undefined {
  return written(plain(time).subtract({ minutes: offset }));
}

const MIDSUMMER: LocalTime = { year: 2000, month: 6, day: 21, hour: 12, minute: 0, second: 0 };

function inZone(time: LocalTime, zone: string): Temporal.ZonedDateTime | undefined {
  try {
    return plain(time).toZonedDateTime(zone, { disambiguation: "reject" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function plain(time: LocalTime): Temporal.PlainDateTime {
  return new Temporal.PlainDateTime(time.year, time.month, time.day, time.hour, time.minute, time.second);
}

function written(time: LocalTime): string | undefined {
  return time.year >= 1 && time.year <= 9999 ? isoDateTime(time) : undefined;
}
