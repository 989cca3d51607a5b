/** A day and a time of day as numbers, in no time zone. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** True for 00:00:00 to 23:59:59; there is no 24:00 and no leap second. */
export function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 59;
}

export function isoDate(time: LocalTime): string {
  return `${digits(time.year, 4)}-${digits(time.month, 2)}-${digits(time.day, 2)}`;
}

/** The form of specification 2.7.4; the time has to be in UTC. */
export function isoDateTime(time: LocalTime): string {
  return `${isoDate(time)}T${digits(time.hour, 2)}:${digits(time.minute, 2)}:${digits(time.second, 2)}Z`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
