import type { Clock } from "../model/clock.ts";
import type { Login, NoToken } from "./login.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Keeps logins apart that failed for now, because the end-point that gives tokens is itself limited: a second, doubled
 * with every failure up to a minute; longer where the platform says so, a minute where it has had too many. Who asks
 * in the meantime is told the same again without a request.
 */
export function pausedLogin(login: Login, clock: Pick<Clock, "monotonic">): Login {
  let pause: { readonly until: number; readonly end: NoToken } | undefined;
  let nextMs = FIRST_PAUSE_MS;

  const begin = (end: NoToken, leastMs: number): void => {
    pause = { until: clock.monotonic() + Math.max(nextMs, leastMs), end };
    nextMs = Math.min(nextMs * 2, LONGEST_PAUSE_MS);
  };

  return async (grant) => {
    if (pause !== undefined && clock.monotonic() < pause.until) return pause.end;
    const end = await login(grant);
    if (end.kind === "later") begin(end, end.afterMs ?? 0);
    if (end.kind === "limited") begin(end, LONGEST_PAUSE_MS);
    if (end.kind === "token") nextMs = FIRST_PAUSE_MS;
    return end;
  };
}
