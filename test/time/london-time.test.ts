import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import { londonDay, londonTime, resolveTime } from "../../src/time/london-time.ts";

function refusal(text: string): Failure {
  try {
    resolveTime(text, "--from");
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

describe("a time on the command line:", () => {
  test.each([
    ["2026-03-29T01:30Z", "2026-03-29T01:30:00Z", false],
    ["2026-03-29T01:30+01:00", "2026-03-29T00:30:00Z", false],
    ["2026-03-29 12:30:15.25-0500", "2026-03-29T17:30:15.25Z", false],
    ["2026-01-15T12:30", "2026-01-15T12:30:00Z", true],
    ["2026-07-15T12:30", "2026-07-15T11:30:00Z", true],
    ["2026-07-15", "2026-07-14T23:00:00Z", true],
    ["2026-03-29", "2026-03-29T00:00:00Z", true],
    ["2026-03-30", "2026-03-29T23:00:00Z", true],
  ])("%s is read as %s", (text, utc, assumed) => {
    expect(resolveTime(text, "--from")).toEqual({ utc, assumed });
  });

  test("a time that London's clocks skip is refused, with both possible instants", () => {
    const { message, hint, exitCode } = refusal("2026-03-29T01:30");
    expect(exitCode).toBe(2);
    expect(message).toBe("--from 2026-03-29T01:30: London clocks skip this time on that day");
    expect(hint).toContain("2026-03-29T00:30:00Z (00:30 GMT) or --from 2026-03-29T01:30:00Z (02:30 BST)");
  });

  test("a time that London's clocks show twice is refused, with both possible instants", () => {
    const { message, hint } = refusal("2026-10-25T01:30");
    expect(message).toBe("--from 2026-10-25T01:30: London clocks show this time twice on that day");
    expect(hint).toContain("2026-10-25T00:30:00Z (01:30 BST) or --from 2026-10-25T01:30:00Z (01:30 GMT)");
  });

  test.each([
    "",
    "soon",
    "2026-02-29",
    "2026-13-01",
    "2026-01-01T24:00",
    "2026-01-01T12:00:60Z",
    "0000-01-01",
    "12:30",
  ])("%j is not a time", (text) => {
    expect(refusal(text).message).toContain("not a valid day or time");
  });

  test("a time is read as the only instant at which London's clocks show it, and is refused if there are two such instants or none", () => {
    const local = fc.date({ min: new Date("1973-01-01"), max: new Date("2060-01-01"), noInvalidDate: true });
    const nearChange = fc
      .tuple(fc.integer({ min: 1981, max: 2037 }), fc.constantFrom(2, 9), fc.integer({ min: 25, max: 31 }))
      .chain(([year, month, day]) =>
        fc.integer({ min: 0, max: 239 }).map((minute) => new Date(Date.UTC(year, month, day, 0, minute))),
      );
    fc.assert(
      fc.property(fc.oneof(local, nearChange), (date) => {
        const text = date.toISOString().slice(0, 16);
        const moments = [60, 0].flatMap((ahead) => {
          const moment = new Date(Date.parse(`${text}Z`) - ahead * 60_000);
          return shownInLondon(moment) === text ? [moment.toISOString().replace(".000Z", "Z")] : [];
        });
        expect(readingsOf(text)).toEqual(moments);
      }),
      { numRuns: 500 },
    );
  });
});

/** Returns the instants that `resolveTime` accepts or suggests, or none if the clocks skip the time. */
function readingsOf(text: string): readonly string[] {
  try {
    return [resolveTime(text, "--from").utc];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message.includes("skip") ? [] : (error.hint?.match(/\d{4}-\S+Z/g) ?? []);
  }
}

const LONDON = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/London", dateStyle: "short", timeStyle: "short" });

/** Returns the local time in London, from `Intl` instead of the tested library. */
function shownInLondon(moment: Date): string {
  return LONDON.format(moment).replace(" ", "T");
}

describe("London time:", () => {
  test("times are shown in winter and summer time", () => {
    expect(londonTime("2026-01-15T12:30:00Z")).toEqual({ day: "2026-01-15", clock: "12:30", zone: "GMT" });
    expect(londonTime("2026-07-15T23:30:00Z")).toEqual({ day: "2026-07-16", clock: "00:30", zone: "BST" });
  });

  test.each([
    ["2025-03-30T12:00:00Z", 23],
    ["2025-10-26T00:15:00Z", 25],
    ["2025-07-01T12:00:00Z", 24],
  ])("the day of %s has %i hours", (utc, hours) => {
    const { from, to } = londonDay(utc);
    expect((Date.parse(to) - Date.parse(from)) / 3_600_000).toBe(hours);
    expect([londonTime(from).clock, londonTime(to).clock]).toEqual(["00:00", "00:00"]);
  });
});
