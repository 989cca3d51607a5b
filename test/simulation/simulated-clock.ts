import type { Clock } from "../../src/time/clock.ts";

/** A clock that advances only by `step`, in whole milliseconds like the timers of Node.js. */
export interface SimulatedClock extends Clock {
  /** Advances to the next sleeper and wakes it. Returns false if there is no sleeper. */
  readonly step: () => boolean;
  /** The clock of a process that may die: sleeps of a dead process never end. */
  readonly of: (process: Killable) => Clock;
}

/** A process of the simulated machine, which may die. */
export interface Killable {
  readonly isDead: () => boolean;
  /** Resolves when the process is not frozen. */
  readonly untilThawed?: () => Promise<void>;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const EPOCH = Date.UTC(2026, 0, 1);

/** @param wall the time of the wall clock for a monotonic time; default: the same */
export function createSimulatedClock(wall: (monotonic: number) => number = (monotonic) => monotonic): SimulatedClock {
  let now = 0;
  const sleepers: Sleeper[] = [];

  /** Adds a sleeper. Sleepers with the same wake-up time wake in the order in which they were added. */
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
    of: ({ isDead, untilThawed }) => ({
      ...clock,
      async sleep(ms, signal) {
        await sleep(ms, signal);
        await untilThawed?.();
        if (isDead()) await never();
      },
    }),
  };
}

/** Returns a promise that never resolves, for dead processes. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
