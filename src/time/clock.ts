/** Time as an argument, so that tests of retry and pace run in milliseconds. */
export interface Clock {
  /** Wall clock, milliseconds since 1970; for stamps only. */
  readonly now: () => number;
  /** Monotonic milliseconds; for durations. */
  readonly monotonic: () => number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A number in [0, 1). */
export type Random = () => number;

/** The time now as text, in UTC: `2026-03-29T12:30:00.000Z`. */
export function timestamp({ now }: Pick<Clock, "now">): string {
  const ms = now();
  // Many are asked for within one millisecond.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

let last = { ms: Number.NaN, text: "" };
