import type { Clock, Random } from "../../time/clock.ts";
import { type Http, type HttpReply, TransportError } from "../../transport/http.ts";
import { fullJitter } from "../../transport/retry-delay.ts";
import { classifyError } from "../reply/classify-error.ts";
import { retryAfterMs } from "../../transport/retry-delay.ts";

export interface RetryDependencies {
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly random: Random;
  /** Told before every wait. */
  readonly onWait: (wait: Wait) => void;
}

interface Wait {
  /** `HTTP 503`, `connection reset before the reply`... */
  readonly reason: string;
  readonly ms: number;
}

const MAX_TRIES = 5;
/** A platform that wants to be left alone for longer is left alone. */
const MAX_WAIT_MS = 120_000;
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** True for a status that may be another one when the request is repeated. */
export function isTemporary(status: number): boolean {
  return TEMPORARY_STATUSES.has(status);
}

/**
 * Repeats a request while the fault is temporary: no reply, half a reply, 408, 425, 429, 5xx. `Retry-After` is
 * honoured up to two minutes; five requests at most. Gives the last reply, or throws the last error.
 * For GETs: repeating one does no harm.
 */
export function retryingHttp(http: Http, dependencies: RetryDependencies): Http {
  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      const end = await http(request).catch(temporaryError);
      const wait = tries < MAX_TRIES ? waitAfter(end, tries, { dependencies, origin: request.url.origin }) : undefined;
      if (wait !== undefined && request.signal?.aborted !== true) {
        dependencies.onWait(wait);
        await dependencies.clock.sleep(wait.ms, request.signal);
      } else if (end instanceof TransportError) throw end;
      else return end;
    }
  };
}

function temporaryError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  throw error;
}

interface RetryContext {
  readonly dependencies: RetryDependencies;
  readonly origin: string;
}

/** Undefined when there is nothing to wait for. */
function waitAfter(
  end: HttpReply | TransportError,
  tries: number,
  { dependencies, origin }: RetryContext,
): Wait | undefined {
  const jitter = (reason: string): Wait => ({ reason, ms: fullJitter(tries, dependencies.random) });
  if (end instanceof TransportError) {
    const { replyClass } = classifyError(end, origin);
    return "reason" in replyClass ? jitter(replyClass.reason) : undefined;
  }
  const { status, complete } = end;
  if (isTemporary(status)) {
    const afterMs = retryAfterMs(end, dependencies.clock.now());
    if (afterMs === undefined) return jitter(`HTTP ${status}`);
    return afterMs > MAX_WAIT_MS ? undefined : { reason: `HTTP ${status}`, ms: afterMs };
  }
  return complete ? undefined : jitter("half a reply");
}
