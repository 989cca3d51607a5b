/**
 * Milliseconds since 1970 of an ISO 8601 datetime, or date, of a query. Without a zone it means Europe/London
 * (specification 4.2); an hour that the clocks repeat is the first of the two, one that they skip is read by winter time.
 */
export function momentMs(text: string): number | undefined {
  const [, date, time = "00:00", zone] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?(Z|[-+ ]\d{2}:?\d{2})?$/.exec(text) ?? [];
  if (date === undefined) return undefined;
  const local = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== date) return undefined;
  return zone === undefined ? local - londonOffsetMs(local) : local - zoneOffsetMs(zone);
}

const HOUR_MS = 3_600_000;

function londonOffsetMs(local: number): number {
  return isSummer(local - HOUR_MS) ? HOUR_MS : 0;
}

const LONDON = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/London", timeZoneName: "longOffset" });

function isSummer(moment: number): boolean {
  return LONDON.formatToParts(moment).some((part) => part.type === "timeZoneName" && part.value === "GMT+01:00");
}

/** A `+` that was not escaped in the query arrives as a space. */
function zoneOffsetMs(zone: string): number {
  if (zone === "Z") return 0;
  const [, sign, hours, minutes] = /^([-+ ])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? -size : size;
}
