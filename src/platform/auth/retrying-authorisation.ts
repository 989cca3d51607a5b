import type { Sleeper } from "../../time/clock.ts";
import { TransportError } from "../../transport/http.ts";
import { FIRST_CONTACT_MS } from "../../transport/retrying-http.ts";
import type { Authorisation } from "./authorisation.ts";

export interface AuthorisationRetryOptions {
  readonly clock: Sleeper;
  /** Maximum number of token requests, including the first. */
  readonly maxTries: number;
  readonly signal: AbortSignal;
  /** Called before every wait. */
  readonly onWait?: ((wait: { readonly reason: string; readonly ms: number }) => void) | undefined;
}

/** Equal to the pauses of the login itself (`withLoginBackoff`), so that each attempt sends a request. */
const FIRST_DELAY_MS = 1_000;

/** Retries while no token is available, for callers without their own retries. Throws the last error. */
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
        if (!hasReplied && spentMs >= FIRST_CONTACT_MS) throw error;
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
