import { type LondonDay, londonTime } from "./london-time.ts";
import type { UnitRate } from "./rates.ts";

/** Half an hour of a day in London. */
export interface HalfHour {
  /** `HH:MM` at its start; on the day of the autumn clock change two are the same. */
  readonly clock: string;
  /** The rate that is valid then; absent when the platform sent none. */
  readonly rate: UnitRate | undefined;
}

const HALF_HOUR_MS = 1_800_000;

/** The half hours of a day, 46 or 50 of them where the clocks change, each with the first of the rates that covers it. */
export function halfHours({ from, to }: LondonDay, rates: readonly UnitRate[]): readonly HalfHour[] {
  const start = Date.parse(from);
  const spans = rates.map((rate) => ({
    rate,
    from: Date.parse(rate.valid_from),
    to: rate.valid_to === undefined || rate.valid_to === null ? Infinity : Date.parse(rate.valid_to),
  }));
  return Array.from({ length: (Date.parse(to) - start) / HALF_HOUR_MS }, (_, index) => {
    const at = start + index * HALF_HOUR_MS;
    const span = spans.find((one) => one.from <= at && at < one.to);
    return { clock: londonTime(new Date(at).toISOString()).clock, rate: span?.rate };
  });
}
