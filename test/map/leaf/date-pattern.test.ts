import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isoDate, isoDateTime, utcInZone } from "../../../src/time/zoned-time.ts";
import { isIsoDate } from "../../../src/time/calendar.ts";
import { compileDatePattern } from "../../../src/map/leaf/date-pattern.ts";

function read(pattern: string, text: string): string | undefined {
  const compiled = compileDatePattern(pattern);
  if (typeof compiled === "string") throw new Error(compiled);
  const time = compiled.read(text);
  return time && isoDateTime(time).replace("T00:00:00Z", "");
}

describe("date patterns:", () => {
  test.each([
    ["dd/MM/yyyy", "01/02/2024", "2024-02-01"],
    ["d.M.yyyy", "1.12.2024", "2024-12-01"],
    ["yyyyMMdd", "20240229", "2024-02-29"],
    ["dd-MMM-yy", "05-SEP-68", "2068-09-05"],
    ["dd-MMM-yy", "05-Sep-69", "1969-09-05"],
    ["d MMMM yyyy", "5 september 2024", "2024-09-05"],
    ["MMM d, yyyy", "May 5, 2024", "2024-05-05"],
    ["dd/MM/yyyy HH:mm:ss.SSS", "01/02/2024 23:59:58.123", "2024-02-01T23:59:58Z"],
    ["yyyy-MM-dd'T'H:m", "2024-02-01T9:5", "2024-02-01T09:05:00Z"],
    ["'Day' d 'o''clock' M yyyy", "Day 1 o'clock 2 2024", "2024-02-01"],
    ["dd''MM''yyyy", "01'02'2024", "2024-02-01"],
    ["dMMMyyyy", "1Feb2024", "2024-02-01"],
    ["d'a1'MM yyyy", "1a102 2024", "2024-02-01"],
    ["H:m:ss.Syyyy-MM-dd", "9:5:07.12024-02-01", "2024-02-01T09:05:07Z"],
  ])("%s reads %s", (pattern, text, expected) => expect(read(pattern, text)).toBe(expected));

  test.each([
    ["dd/MM/yyyy", "1/02/2024"],
    ["dd/MM/yyyy", "01/02/24"],
    ["dd/MM/yyyy", "01/02/2024 "],
    ["dd/MM/yyyy", "01/13/2024"],
    ["dd/MM/yyyy", "31/04/2024"],
    ["dd/MM/yyyy", "29/02/1900"],
    ["dd/MM/yyyy", "01/01/0000"],
    ["dd/MM/yyyy", "\uff10\uff11/02/2024"],
    ["dd-MMM-yyyy", "01-Foo-2024"],
    ["dd/MM/yyyy HH:mm", "01/02/2024 24:00"],
    ["dd/MM/yyyy HH:mm:ss", "01/02/2024 23:59:60"],
    ["yyyy-MM-dd HH:mmXXX", "2024-02-01 10:00+15:00"],
  ])("%s rejects %j", (pattern, text) => expect(read(pattern, text)).toBeUndefined());

  test.each([
    ["dd/mm/yyyy", "the month is missing"],
    ["dd/MM", "the year is missing"],
    ["dd/MM/yyyy dd", "the day occurs twice"],
    ["DD/MM/yyyy", '"DD" is not a part of a date'],
    ["dMMyyyy", "can have one or two digits"],
    ["dd/MM/yyyy 'o", "never closed"],
    ["YYYY-MM-dd", '"YYYY" is not a part of a date'],
  ])("%s is not a valid pattern", (pattern, words) => expect(compileDatePattern(pattern)).toContain(words));

  test.each([
    ["Z", 0],
    ["+00:00", 0],
    ["+05:30", 330],
    ["-0330", -210],
    ["+14:00", 840],
  ])("XXX reads the offset %s as minutes", (offset, minutes) => {
    const compiled = compileDatePattern("yyyy-MM-dd H:mXXX");
    if (typeof compiled === "string") throw new Error(compiled);
    expect(compiled.read(`2024-02-01 9:5${offset}`)).toMatchObject({ hour: 9, minute: 5, offset: minutes });
  });

  test("every calendar day is accepted, and any other day is rejected", () => {
    const day = fc.record({ year: fc.nat(9999), month: fc.nat(14), day: fc.nat(33) });
    fc.assert(
      fc.property(day, (date) => {
        const midnight = { ...date, hour: 0, minute: 0, second: 0 };
        const [year = "", month = "", dayOfMonth = ""] = isoDate(midnight).split("-");
        const moment = new Date(0);
        moment.setUTCFullYear(date.year, date.month - 1, date.day);
        const exists =
          date.year >= 1 &&
          date.month >= 1 &&
          moment.getUTCMonth() === date.month - 1 &&
          moment.getUTCDate() === date.day;
        expect(read("dd/MM/yyyy", `${dayOfMonth}/${month}/${year}`)).toBe(exists ? isoDate(midnight) : undefined);
        expect(isIsoDate(isoDate(midnight))).toBe(exists);
      }),
    );
  });
});

test("a local time that is skipped or repeated at a clock change does not identify an instant", () => {
  const halfPastTwo = { year: 2024, month: 3, day: 31, hour: 2, minute: 30, second: 0 };
  expect(utcInZone(halfPastTwo, "Europe/Berlin")).toBeUndefined();
  expect(utcInZone({ ...halfPastTwo, month: 10, day: 27 }, "Europe/Berlin")).toBeUndefined();
  expect(utcInZone({ ...halfPastTwo, month: 4, day: 1 }, "Europe/Berlin")).toBe("2024-04-01T00:30:00Z");
});
