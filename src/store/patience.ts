import type { Clock, Random } from "../model/clock.ts";
import { Failure } from "../model/failure.ts";
import type { HttpReply } from "../transport/http.ts";
import { TransportError } from "../transport/http.ts";
import { tlsFailure } from "../transport/tls-failure.ts";

const MOST_TRIES = 6;
const BASE_MS = 500;
const CAP_MS = 8_000;

/** Statuses that pass: timeouts, throttling, and servers that are down for a moment. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export interface Patience {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Where the requests go, for words. */
  readonly origin: string;
}

/**
 * Sends a request that only asks, as often as it takes, at most six times: full jitter under a cap that doubles from
 * 0.5 s.
 * @throws Failure `store_unreachable` when that was not often enough, `tls`
 */
export async function patiently(send: () => Promise<HttpReply>, patience: Patience): Promise<HttpReply> {
  const { clock, random, signal, origin } = patience;
  for (let tries = 1; ; tries += 1) {
    const answer = await send().catch(asTransportError);
    const unanswered = answer instanceof TransportError;
    if (!unanswered && !PASSING.has(answer.status)) return answer;
    const refusal = unanswered ? tlsFailure(answer, origin) : undefined;
    if (refusal !== undefined) throw refusal;
    if (tries === MOST_TRIES || signal.aborted) throw unreachable(answer, origin);
    await clock.sleep(random() * Math.min(CAP_MS, BASE_MS * 2 ** (tries - 1)), signal);
  }
}

function asTransportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  throw error;
}

function unreachable(answer: HttpReply | TransportError, origin: string): Failure {
  const hint = "check --endpoint and the network, then run the same command again";
  return answer instanceof TransportError
    ? new Failure("store_unreachable", `cannot reach the store at ${origin}: ${answer.code}`, { hint, cause: answer })
    : new Failure("store_unreachable", `the store at ${origin} answers ${answer.status} again and again`, { hint });
}
