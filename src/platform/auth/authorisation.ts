import type { Sleeper } from "../../time/clock.ts";
import { TransportError } from "../../transport/http.ts";
import { isFirstContactLost } from "../../transport/retrying-http.ts";

/** Provides the `Authorization` header of every request; shared by all workers. */
export interface Authorisation {
  /**
   * Returns the header's value. Obtains a token if there is none yet; concurrent callers share one request.
   * @throws Failure `authentication`, which is permanent; TransportError (phase `unsent`) if no token is available at
   * the moment
   */
  readonly header: () => Promise<string>;
  /** Reports that the platform accepted `header`. */
  readonly accepted: (header: string) => void;
  /** Whether `header` may have been valid earlier: the platform has accepted it, or it has been replaced since. */
  readonly mayHaveExpired: (header: string) => boolean;
  /**
   * Reports that the platform rejected `header` (HTTP 401), and resolves when `header()` returns a newer header.
   * @throws the errors of `header()`
   */
  readonly refused: (header: string) => Promise<void>;
}

/**
 * Maximum number of `Authorization` headers that are tried for one request. A request that waits for a long time may
 * arrive after its token has expired, possibly more than once.
 */
const MAX_HEADERS = 3;

/**
 * Calls `send` with the `Authorization` header, and again with a newer header if the platform rejects the first. A
 * second rejection is final unless the newer header may also have expired. A third rejection is always final.
 * @throws the error of `send`; Failure `authentication` if there is no newer header; TransportError (phase `unsent`) if
 * no token is available at the moment
 */
export async function sendAuthorised<Result>(
  authorisation: Authorisation,
  send: (header: string) => Promise<Result>,
  isRefused: (result: Result) => boolean,
): Promise<Result> {
  for (let headers = 1; ; headers += 1) {
    const header = await authorisation.header();
    const result = await send(header);
    if (!isRefused(result)) {
      authorisation.accepted(header);
      return result;
    }
    if (headers === MAX_HEADERS || (headers > 1 && !authorisation.mayHaveExpired(header))) return result;
    await authorisation.refused(header);
  }
}

interface AuthorisationRetryOptions {
  readonly clock: Sleeper;
  /** Maximum number of token requests, including the first. */
  readonly maxTries: number;
  readonly signal: AbortSignal;
  /** Called before every wait. */
  readonly onWait?: ((wait: { readonly reason: string; readonly ms: number }) => void) | undefined;
}

/** Equal to the first pause of the login (`withLoginBackoff`), so that each attempt sends a request. */
const FIRST_DELAY_MS = 1_000;

/**
 * Wraps an `Authorisation` so that it retries while no token is available, for callers without their own retries.
 * Throws the last error.
 */
export function retryingAuthorisation(authorisation: Authorisation, options: AuthorisationRetryOptions): Authorisation {
  const { clock, maxTries, signal, onWait } = options;

  let hasReplied = false;
  const retried = async <Value>(ask: () => Promise<Value>): Promise<Value> => {
    let spentMs = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        const value = await ask();
        hasReplied = true;
        return value;
      } catch (error) {
        if (!(error instanceof TransportError) || tries >= maxTries || signal.aborted) throw error;
        spentMs += error.durationMs;
        if (!hasReplied && isFirstContactLost(error, spentMs)) throw error;
        const ms = FIRST_DELAY_MS * 2 ** (tries - 1);
        onWait?.({ reason: error.message, ms });
        await clock.sleep(ms, signal);
        if (signal.aborted) throw error;
      }
    }
  };

  return {
    header: () => retried(authorisation.header),
    accepted: authorisation.accepted,
    mayHaveExpired: authorisation.mayHaveExpired,
    async refused(header) {
      try {
        await authorisation.refused(header);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        await retried(authorisation.header);
      }
    },
  };
}
