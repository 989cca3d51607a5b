import fc from "fast-check";
import { expect, test } from "vitest";
import { shiftDays } from "../../src/time/calendar.ts";
import {
  dayInZone,
  endOfDay,
  isZone,
  type LocalTime,
  momentInZone,
  startOfDay,
  utcConverter,
  utcInZone,
} from "../../src/time/zoned-time.ts";

const iso = (moment: number): string => new Date(moment).toISOString();

test.each([
  ["Europe/London", "2026-03-28T23:59:59Z", "2026-03-28"],
  ["Europe/London", "2026-06-30T23:00:00Z", "2026-07-01"],
  ["Pacific/Apia", "2026-03-28T11:00:00Z", "2026-03-29"],
  ["+05:45", "2026-03-28T18:14:59Z", "2026-03-28"],
])("the day in %s at %s is %s", (zone, moment, day) => {
  expect(dayInZone(Date.parse(moment), zone)).toBe(day);
});

test.each([
  ["Europe/London", "2026-03-29", "2026-03-29T00:00:00.000Z"],
  ["Europe/London", "2026-03-30", "2026-03-29T23:00:00.000Z"],
  // The clocks of this zone are set forward at midnight, so the day starts at one o'clock.
  ["America/Asuncion", "2023-10-01", "2023-10-01T04:00:00.000Z"],
  // The zone skipped this day, so it starts at the same instant as the next day.
  ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"],
])("in %s the day %s starts at %s", (zone, day, start) => {
  expect(iso(startOfDay(day, zone))).toBe(start);
});

test.each([
  ["an hour that the clocks repeat is read as the first of the two", "2025-10-26T01:30", "2025-10-26T00:30:00.000Z"],
  [
    "a time that the clocks skip is read with the offset before the change",
    "2025-03-30T01:30",
    "2025-03-30T01:30:00.000Z",
  ],
  ["summer time is an hour ahead of UTC", "2025-07-01T00:00", "2025-06-30T23:00:00.000Z"],
])("%s", (_name, time, moment) => {
  expect(iso(momentInZone(time, "Europe/London"))).toBe(moment);
});

test("a zone is a name from the time zone database or an offset", () => {
  expect(["Europe/London", "UTC", "+01:00", "Mars/Olympus", ""].map(isZone)).toEqual([true, true, true, false, false]);
});

test.each([
  ["2026-03-29", "2026-03-29T22:59:59.999Z"],
  ["2025-10-26", "2025-10-26T23:59:59.999Z"],
  ["9999-12-31", "9999-12-31T23:59:59.999Z"],
])("in London the day %s ends at %s", (day, end) => {
  expect(iso(endOfDay(day, "Europe/London"))).toBe(end);
});

test.each([
  ["2024-02-28", 1, "2024-02-29"],
  ["2026-01-01T10:00:00Z", -1, "2025-12-31T10:00:00.000Z"],
  ["9999-12-30", 1, "9999-12-31"],
  ["9999-12-31", 1, "9999-12-31"],
  ["0000-01-01", -1, "0000-01-01"],
  ["2026-01-01T10:00:00Z", 1e12, "9999-12-31T23:59:59.999Z"],
  ["soon", 1, undefined],
])("%s moved by %d days is %s", (day, count, moved) => {
  expect(shiftDays(day, count)).toBe(moved);
});

/**
 * Zones whose clocks change at midnight, by half an hour, twice in a month, by a day, or by seconds, and other zones.
 */
const ZONES = [
  "Europe/London",
  "America/Asuncion",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Pacific/Apia",
  "Europe/Amsterdam",
  "Asia/Kathmandu",
  "+05:45",
];

/** Days on which the clocks of one of the zones change, and the days around them. */
const changes = fc
  .constantFrom("2025-03-30", "2025-10-26", "2023-10-01", "2024-03-24", "2006-10-29", "2024-03-10", "2011-12-30")
  .chain((day) => fc.integer({ min: -2, max: 2 }).map((days) => shiftDays(day, days)));
const anyDay = fc
  .date({ min: new Date("0100-01-01"), max: new Date("9998-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const localTimes: fc.Arbitrary<LocalTime> = fc
  .tuple(fc.oneof(changes, anyDay), fc.nat({ max: 23 }), fc.nat({ max: 59 }), fc.nat({ max: 59 }))
  .map(([date, hour, minute, second]) => {
    const [year = 0, month = 0, day = 0] = String(date).split("-").map(Number);
    return { year, month, day, hour, minute, second };
  });

test("a converter that remembers offsets returns the same instants as a single conversion", () => {
  const converters = new Map(ZONES.map((zone) => [zone, utcConverter(zone)]));
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.array(localTimes, { minLength: 1, maxLength: 5 }), (zone, times) => {
      for (const time of times) expect(converters.get(zone)?.(time)).toBe(utcInZone(time, zone));
    }),
    { numRuns: 500 },
  );
});
