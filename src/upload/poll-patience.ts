import type { MonotonicClock, Sleeper } from "../time/clock.ts";

/** The remaining time for polling the status of one record (`patience` of `x-migrate-poll`). */
export interface PollPatience {
  readonly isOver: () => boolean;
  readonly leftMs: () => number;
  /** Aborts when the time has expired. */
  readonly over: AbortSignal;
  /** Stops the timer. Call this when no further status is needed. */
  readonly end: () => void;
}

interface PatienceOptions {
  readonly ms: number;
  readonly clock: MonotonicClock & Sleeper;
  /** When this signal aborts, the timer stops, as with `end`. */
  readonly stopping: AbortSignal;
}

export function startPatience({ ms, clock, stopping }: PatienceOptions): PollPatience {
  const until = clock.monotonic() + ms;
  const over = new AbortController();
  const ended = new AbortController();
  const end = (): void => ended.abort();
  if (stopping.aborted) end();
  else stopping.addEventListener("abort", end, { once: true, signal: ended.signal });
  const wait = async (): Promise<void> => {
    await clock.sleep(ms, ended.signal);
    if (!ended.signal.aborted) over.abort();
  };
  void wait();
  return {
    isOver: () => over.signal.aborted || clock.monotonic() >= until,
    leftMs: () => Math.max(0, until - clock.monotonic()),
    over: over.signal,
    end,
  };
}
