/** Gives the day that the clocks of a zone show at an instant, as YYYY-MM-DD. @throws RangeError for an unknown zone */
export function localDays(zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    return `${(parts.get("year") ?? "").padStart(4, "0")}-${parts.get("month")}-${parts.get("day")}`;
  };
}

const DAY_MS = 86_400_000;

/** Moves a date (YYYY-MM-DD) or a date-time by days of 24 hours; undefined beyond the years that ISO 8601 writes. */
export function shiftDays(text: string, count: number): string | undefined {
  const instant = Date.parse(text) + count * DAY_MS;
  if (!(Math.abs(instant) <= 8.64e15)) return undefined;
  const shifted = new Date(instant).toISOString();
  return text.length === 10 ? shifted.slice(0, 10) : shifted;
}

/** Days from one date to another. */
export function daysBetween(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS);
}
