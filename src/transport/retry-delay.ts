import type { Random } from "../time/clock.ts";
import type { HttpReply } from "./http.ts";

/**
 * Converts a `Retry-After` header to milliseconds from now. The header contains whole seconds or an HTTP date (RFC
 * 9110, 10.2.3). Returns undefined if the header is absent or in neither form (`-1`, `1.5`, `1e400`, `soon`), and 0 for
 * a past date. A wait beyond `LONGEST_WAIT_MS` is reduced to this limit, and the caller must reject it. A date is
 * compared with the platform's clock (the reply's `Date`), so that a wrong local clock does not change the wait.
 * @param now local wall clock, for a platform that sends no time
 */
export function retryAfterMs({ headers }: HttpReply, now: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_WAIT_MS);
  const at = momentIn(text);
  if (at === undefined) return undefined;
  return Math.min(Math.max(0, at - (momentIn(headers["date"] ?? "") ?? now)), LONGEST_WAIT_MS);
}

/** The maximum duration of a timer, almost 25 days. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Parses an HTTP date as milliseconds since 1970; undefined for other strings. */
function momentIn(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;

/** Returns a random delay (full jitter) between zero and a cap that doubles with every attempt, from 0.5 s to 20 s. */
export function fullJitter(tries: number, random: Random): number {
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(tries - 1, 16));
}
