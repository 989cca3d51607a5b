import type { MonotonicClock, Sleeper } from "../../time/clock.ts";
import { postgresFailure } from "./postgres-failure.ts";

/** A period during which the server cannot be reached. All queries wait until it ends. */
interface Outage {
  /** Waits before the next attempt. Resolves to false if the server has been unreachable for `patienceMs`. */
  readonly wait: (error: unknown) => Promise<boolean>;
  /** Call this when the server has replied. */
  readonly end: () => void;
}

interface OutageOptions {
  readonly name: string;
  readonly clock: MonotonicClock & Sleeper;
  readonly patienceMs: number;
  readonly notice: ((message: string) => void) | undefined;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

export function createOutage({ name, clock, patienceMs, notice }: OutageOptions): Outage {
  let since: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let isNotified = false;

  const notify = (error: unknown): void => {
    if (isNotified) return;
    isNotified = true;
    const failure = postgresFailure(error, name);
    const why = failure instanceof Error ? failure.message : `the ledger ${name} cannot be reached`;
    notice?.(`${why}. No new requests are sent; retrying for ${Math.round(patienceMs / 1000)} s`);
  };

  return {
    async wait(error) {
      if (patienceMs === 0) return false;
      since ??= clock.monotonic();
      if (clock.monotonic() - since >= patienceMs) return false;
      // Does not notify the user of a single failure, because the first retry succeeds if the server has only reset a
      // connection.
      if (pauseMs > FIRST_PAUSE_MS) notify(error);
      await clock.sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      return true;
    },
    end() {
      if (since === undefined) return;
      if (isNotified) notice?.(`The ledger ${name} is reachable again`);
      since = undefined;
      isNotified = false;
      pauseMs = FIRST_PAUSE_MS;
    },
  };
}
