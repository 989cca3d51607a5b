import type { Clock } from "../model/clock.ts";

/** How many logins a minute the platform takes. */
export interface LoginLimit {
  /** Counts a login. False when it is one too many. */
  readonly take: () => boolean;
}

const WINDOW_MS = 60_000;

/** @param most logins in any minute; undefined: as many as come */
export function createLoginLimit(most: () => number | undefined, clock: Pick<Clock, "monotonic">): LoginLimit {
  let logins: readonly number[] = [];
  return {
    take() {
      const limit = most();
      const now = clock.monotonic();
      logins = limit === undefined ? [] : [...logins.filter((at) => at > now - WINDOW_MS), now];
      return limit === undefined || logins.length <= limit;
    },
  };
}
