import { Failure } from "../model/failure.ts";
import { localDays, shiftDays } from "./local-day.ts";
import type { RuleClock } from "./rule-world.ts";

/**
 * What rules take for now: this moment, or any moment of the day that the user has fixed. On such a day only what lies
 * after its end is the future, and only what lies before its start is the past.
 * @throws Failure `config` for a time zone that is not known
 */
export function ruleClock(now: number, zone: string, today: string | undefined): RuleClock {
  const dayOf = dayOfZone(zone);
  if (today === undefined) return { today: dayOf(now), earliest: now, latest: now, dayOf };
  return { today, earliest: startOf(today, dayOf), latest: startOf(shiftDays(today, 1) ?? today, dayOf) - 1, dayOf };
}

function dayOfZone(zone: string): (instant: number) => string {
  try {
    return localDays(zone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Failure("config", `rules.time_zone: "${zone}" is no time zone`, { hint: "write it as Europe/London" });
  }
}

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;

/** The first quarter of an hour at which the zone's clocks show the day: zones are no finer than that. */
function startOf(day: string, dayOf: (instant: number) => string): number {
  let instant = Date.parse(day) - 15 * HOUR_MS;
  while (dayOf(instant) < day) instant += QUARTER_MS;
  return instant;
}
