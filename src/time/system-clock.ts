import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "./clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const options = signal === undefined ? {} : { signal };
    await delay(Math.min(ms, MAX_TIMER_MS), undefined, options).catch(() => undefined);
    if (ms > MAX_TIMER_MS && signal?.aborted !== true) await systemClock.sleep(ms - MAX_TIMER_MS, signal);
  },
};

/** The maximum delay of a timer, almost 25 days. Node.js ends a timer with a longer delay after 1 ms. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;
