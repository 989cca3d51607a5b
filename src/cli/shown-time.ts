import { type LondonTime, londonTime } from "../platform/london-time.ts";

/** A time of the platform by the clocks of London; as it was sent when it is none, and nothing for none. */
export function shownTime(time: string | null | undefined, show: (london: LondonTime) => string): string {
  if (time === null || time === undefined) return "";
  try {
    return show(londonTime(time));
  } catch (error) {
    if (error instanceof RangeError) return time;
    throw error;
  }
}
