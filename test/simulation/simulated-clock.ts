import type { Clock } from "../../src/time/clock.ts";

/** Time that passes only when somebody says so, in whole milliseconds as the timers of Node.js have it. */
export interface SimulatedClock extends Clock {
  /** Goes on to the next sleeper and wakes it. False when nobody sleeps. */
  readonly step: () => boolean;
  /** The same time for a process that may die: nobody wakes the sleepers of a dead one. */
  readonly of: (process: Mortal) => Clock;
}

/** A process of the simulated machine. Dead, nothing of it goes on. */
export interface Mortal {
  readonly isDead: () => boolean;
  /** Resolves when it goes on: one may be frozen for a while. */
  readonly awake?: () => Promise<void>;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const EPOCH = Date.UTC(2026, 0, 1);

/** @param wall what a clock on the wall shows at a moment, apart from the date; default: the same */
export function createSimulatedClock(wall: (monotonic: number) => number = (monotonic) => monotonic): SimulatedClock {
  let now = 0;
  const sleepers: Sleeper[] = [];

  /** Those who wake at the same time wake in the order in which they fell asleep. */
  const add = (sleeper: Sleeper): void => {
    let at = sleepers.length;
    while (at > 0 && (sleepers[at - 1]?.at ?? 0) > sleeper.at) at -= 1;
    sleepers.splice(at, 0, sleeper);
  };

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const wake = (): void => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      };
      const sleeper = { at: now + Math.max(1, Math.trunc(ms)), wake };
      const aborted = (): void => {
        sleepers.splice(sleepers.indexOf(sleeper), 1);
        resolve();
      };
      signal?.addEventListener("abort", aborted, { once: true });
      add(sleeper);
    });

  const clock: Clock = { now: () => EPOCH + wall(now), monotonic: () => now, sleep };
  return {
    ...clock,
    step() {
      const next = sleepers.shift();
      if (next === undefined) return false;
      now = Math.max(now, next.at);
      next.wake();
      return true;
    },
    of: ({ isDead, awake }) => ({
      ...clock,
      async sleep(ms, signal) {
        await sleep(ms, signal);
        await awake?.();
        if (isDead()) await never();
      },
    }),
  };
}

/** What the dead wait for. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
