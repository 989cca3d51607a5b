export interface WallClock {
  /** Milliseconds since 1970. Use this only for timestamps, because the clock may be adjusted. */
  readonly now: () => number;
}

/** A clock for durations. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment. Never decreases. */
  readonly monotonic: () => number;
}

export interface Sleeper {
  /** Resolves after `ms` milliseconds, or immediately when `signal` aborts. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Time as a parameter, so that tests of retries and pacing run in milliseconds. */
export interface Clock extends WallClock, MonotonicClock, Sleeper {}

/** Returns a random number in [0, 1). */
export type Random = () => number;

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Formats a time (milliseconds since 1970) in ISO 8601 UTC. Omits the fraction of a second if it is zero. */
export function isoSeconds(moment: number): string {
  return new Date(moment).toISOString().replace(".000Z", "Z");
}

/** Returns the current time in UTC, as a string such as `2026-03-29T12:30:00.000Z`. */
export function timestamp({ now }: WallClock): string {
  return new Date(now()).toISOString();
}
