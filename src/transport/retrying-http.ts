import type { Random, Sleeper, WallClock } from "../time/clock.ts";
import { MAX_TIMER_MS } from "../time/system-clock.ts";
import { type Http, type HttpReply, TransportError } from "./http.ts";

export interface RetryDependencies {
  readonly clock: WallClock & Sleeper;
  readonly random: Random;
  /** Called before every wait. */
  readonly onWait?: (wait: Wait) => void;
}

interface Wait {
  /** A short reason, such as `HTTP 503` or `connection reset before the reply`. */
  readonly reason: string;
  readonly ms: number;
}

interface RetryOptions extends RetryDependencies {
  /** Maximum number of requests, including the first. */
  readonly maxTries: number;
  /** Returns a short reason why a request without a reply may be repeated; undefined if it must not be repeated. */
  readonly reasonToRetry: (error: TransportError, origin: string) => string | undefined;
}

/**
 * Time after which the client stops trying an address that it has never reached. A try that starts just before this
 * limit ends within 30 s of the first try.
 */
const FIRST_CONTACT_MS = 12_000;

/** Whether another try cannot help a client that has never reached the address. */
export function isFirstContactLost(error: TransportError, spentMs: number): boolean {
  return error.code === "ENOTFOUND" || spentMs >= FIRST_CONTACT_MS;
}

/** The maximum `Retry-After` that is honoured. */
const MAX_WAIT_MS = 120_000;

/** Timeouts, throttling and temporary server errors. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether a repeated request may get a different status. */
export function isTemporary(status: number): boolean {
  return TEMPORARY_STATUSES.has(status);
}

/**
 * Returns an `Http` that repeats a request while the error is temporary: no reply, a truncated reply, or a status in
 * `TEMPORARY_STATUSES`. Waits for the time in `Retry-After`, and does not repeat the request if that time exceeds two
 * minutes. Without the header, the delay is random with a cap that doubles. Returns the last reply or throws the last
 * error. Use this only for requests that change nothing.
 */
export function retryingHttp(http: Http, options: RetryOptions): Http {
  let hasReplied = false;
  return async (request) => {
    let spentMs = 0;
    for (let tries = 1; ; tries += 1) {
      const end = await http(request).catch(asTransportError);
      spentMs += end.durationMs;
      hasReplied ||= isContact(end);
      const isLost = !hasReplied && end instanceof TransportError && isFirstContactLost(end, spentMs);
      const isLast = tries >= options.maxTries || isLost;
      const wait = isLast ? undefined : waitAfter(end, tries, request.url.origin, options);
      if (wait !== undefined && request.signal?.aborted !== true) {
        options.onWait?.(wait);
        spentMs += wait.ms;
        await options.clock.sleep(wait.ms, request.signal);
      } else if (end instanceof TransportError) throw end;
      else return end;
    }
  };
}

function isContact(end: HttpReply | TransportError): boolean {
  return !(end instanceof TransportError) || end.phase !== "unsent";
}

function asTransportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  throw error;
}

/** Returns the wait before the next request; undefined if the request must not be repeated. */
function waitAfter(
  end: HttpReply | TransportError,
  tries: number,
  origin: string,
  { clock, random, reasonToRetry }: RetryOptions,
): Wait | undefined {
  const isReply = !(end instanceof TransportError);
  const reason = isReply ? temporaryFault(end) : reasonToRetry(end, origin);
  if (reason === undefined) return undefined;
  const afterMs = isReply && isTemporary(end.status) ? retryAfterMs(end, clock.now()) : undefined;
  if (afterMs === undefined) return { reason, ms: fullJitter(tries, random) };
  return afterMs > MAX_WAIT_MS ? undefined : { reason, ms: afterMs };
}

function temporaryFault({ status, complete }: HttpReply): string | undefined {
  if (isTemporary(status)) return `HTTP ${status}`;
  return complete ? undefined : "truncated reply";
}

/**
 * Converts a `Retry-After` header to milliseconds from now. The header contains whole seconds or an HTTP date (RFC
 * 9110, 10.2.3). Returns undefined if the header is absent or in neither form (`-1`, `1.5`, `1e400`, `soon`), and 0 for
 * a past date. A wait beyond `MAX_TIMER_MS` is reduced to this limit, and the caller must reject it. A date is
 * compared with the platform's clock (the reply's `Date`), so that a wrong local clock does not change the wait.
 * @param now local wall clock, for a platform that sends no time
 */
export function retryAfterMs({ headers }: HttpReply, now: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_TIMER_MS);
  const at = momentIn(text);
  if (at === undefined) return undefined;
  return Math.min(Math.max(0, at - (momentIn(headers["date"] ?? "") ?? now)), MAX_TIMER_MS);
}

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
