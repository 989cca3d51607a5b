import type { Random } from "../time/clock.ts";
import type { HttpReply } from "./http.ts";

/**
 * A `Retry-After` header as milliseconds from now: whole seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when
 * it is absent or makes no sense; a date gone by means at once. A date is reckoned by the platform's clock (the reply's
 * `Date`): a wrong clock here makes no wait longer or shorter.
 * @param now wall clock here, for a platform that tells no time
 */
export function retryAfterMs({ headers }: Pick<HttpReply, "headers">, now: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = momentIn(text);
  return at === undefined ? undefined : Math.max(0, at - (momentIn(headers["date"] ?? "") ?? now));
}

/** Milliseconds since 1970. */
function momentIn(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;

/** Full jitter: anything between nothing and a cap that doubles with every try, 0.5 s to 20 s. */
export function fullJitter(tries: number, random: Random): number {
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(tries - 1, 16));
}
