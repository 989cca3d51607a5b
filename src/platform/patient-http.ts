import type { Clock, Random } from "../model/clock.ts";
import { type Http, type HttpReply, TransportError } from "../transport/http.ts";
import { fullJitter } from "./full-jitter.ts";
import { judgeError } from "./judge-error.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface PatientParts {
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

const MOST_TRIES = 5;
/** A platform that wants to be left alone for longer is left alone. */
const LONGEST_WAIT_MS = 120_000;
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** True for a status that may be another one when the request is repeated. */
export function isTemporary(status: number): boolean {
  return TEMPORARY.has(status);
}

/**
 * Repeats a request while the fault is temporary: no reply, half a reply, 408, 425, 429, 5xx. `Retry-After` is
 * honoured up to two minutes; five requests at most. Gives the last reply, or throws the last error.
 * For GETs: repeating one does no harm.
 */
export function patientHttp(http: Http, parts: PatientParts): Http {
  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      const end = await http(request).catch(temporaryError);
      const wait = tries < MOST_TRIES ? waitAfter(end, tries, { parts, origin: request.url.origin }) : undefined;
      if (wait !== undefined && request.signal?.aborted !== true) {
        parts.onWait(wait);
        await parts.clock.sleep(wait.ms, request.signal);
      } else if (end instanceof TransportError) throw end;
      else return end;
    }
  };
}

function temporaryError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  throw error;
}

interface About {
  readonly parts: PatientParts;
  readonly origin: string;
}

/** Undefined when there is nothing to wait for. */
function waitAfter(end: HttpReply | TransportError, tries: number, { parts, origin }: About): Wait | undefined {
  const jitter = (reason: string): Wait => ({ reason, ms: fullJitter(tries, parts.random) });
  if (end instanceof TransportError) {
    const { verdict } = judgeError(end, origin);
    return "reason" in verdict ? jitter(verdict.reason) : undefined;
  }
  const { status, complete } = end;
  if (isTemporary(status)) {
    const afterMs = retryAfterMs(end, parts.clock.now());
    if (afterMs === undefined) return jitter(`HTTP ${status}`);
    return afterMs > LONGEST_WAIT_MS ? undefined : { reason: `HTTP ${status}`, ms: afterMs };
  }
  return complete ? undefined : jitter("half a reply");
}
