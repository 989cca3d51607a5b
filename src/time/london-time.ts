import type { Temporal } from "temporal-polyfill";
import { Failure } from "../model/failure.ts";
import { temporal } from "./temporal.ts";

/** A time in the format in which it is sent to the platform. */
export interface ResolvedTime {
  /** UTC, `YYYY-MM-DDTHH:MM:SSZ` (API specification 2.7.4). */
  readonly utc: string;
  /** True if the text had no zone and was therefore read as London time. */
  readonly assumed: boolean;
}

const LONDON = "Europe/London";
const DAY = String.raw`\d{4}-\d{2}-\d{2}`;
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const ZONE = String.raw`Z|[-+](?:[01]\d|2[0-3]):?[0-5]\d`;
const MOMENT = new RegExp(`^(${DAY})(?:[T ](${CLOCK})(${ZONE})?)?$`, "i");

/**
 * Parses a time from user input: a day (its midnight), or a day and a time, with or without a zone. The platform reads
 * a time without a zone as Europe/London (API specification 4.2), so this function does the same and sets `assumed`.
 * @param name name of the input, for messages: `--from`
 * @throws Failure `usage` for an invalid time, and for a time that London clocks skip or show twice; the hint then
 * contains both possible moments
 */
export function resolveTime(text: string, name: string): ResolvedTime {
  const [, day = "", clock = "00:00", zone] = MOMENT.exec(text.trim()) ?? [];
  const plain = plainTime(`${day}T${clock}`);
  if (plain === undefined) throw noTime(text, name);
  if (zone !== undefined)
    return { utc: temporal().Instant.from(`${plain.toString()}${zone}`).toString(), assumed: false };
  const [earlier, later] = possibleMoments(plain);
  if (earlier === later) return { utc: earlier, assumed: true };
  throw ambiguousTime(text, name, [earlier, later]);
}

function plainTime(text: string): Temporal.PlainDateTime | undefined {
  try {
    const time = temporal().PlainDateTime.from(text);
    return time.year >= 1 ? time : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns the two possible moments of a local time. The moments are equal unless the clocks skip this time or show it
 * twice.
 */
function possibleMoments(plain: Temporal.PlainDateTime): readonly [string, string] {
  const reading = (disambiguation: "earlier" | "later"): string =>
    plain.toZonedDateTime(LONDON, { disambiguation }).toInstant().toString();
  return [reading("earlier"), reading("later")];
}

function noTime(text: string, name: string): Failure {
  return new Failure("usage", `${name} ${text}: not a valid day or time`, {
    hint: "enter a day (2026-03-29), or a time, preferably with its zone (2026-03-29T12:30Z, 2026-03-29T13:30+01:00)",
  });
}

function ambiguousTime(text: string, name: string, both: readonly [string, string]): Failure {
  const twice = londonTime(both[0]).clock === londonTime(both[1]).clock;
  const shown = both.map((utc) => {
    const { clock, zone } = londonTime(utc);
    return `${name} ${utc} (${clock} ${zone})`;
  });
  return new Failure(
    "usage",
    `${name} ${text}: London clocks ${twice ? "show this time twice" : "skip this time"} on that day`,
    { hint: `enter the intended time: ${shown.join(" or ")}` },
  );
}

/** The date and the time of day in London at a moment. */
export interface LondonTime {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** `HH:MM`. */
  readonly clock: string;
  /** `GMT` or `BST`; for the historical periods in which London used another offset, that offset. */
  readonly zone: string;
}

/**
 * Converts a moment to London time.
 * @param utc ISO 8601 with a zone
 * @throws RangeError for any other text
 */
export function londonTime(utc: string): LondonTime {
  const zoned = temporal().Instant.from(utc).toZonedDateTimeISO(LONDON);
  const zone = zoned.offset === "+00:00" ? "GMT" : zoned.offset === "+01:00" ? "BST" : zoned.offset;
  return { day: zoned.toPlainDate().toString(), clock: zoned.toPlainTime().toString({ smallestUnit: "minute" }), zone };
}

/** A day in London as a half-open period in UTC: from its first moment to the first moment of the next day. */
export interface LondonDay {
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the day in London that contains a moment. The day has 23 or 25 hours if the clocks change. */
export function londonDay(utc: string): LondonDay {
  const start = temporal().Instant.from(utc).toZonedDateTimeISO(LONDON).startOfDay();
  const end = start.add({ days: 1 }).startOfDay();
  return { day: start.toPlainDate().toString(), from: start.toInstant().toString(), to: end.toInstant().toString() };
}
