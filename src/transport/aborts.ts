import type { Exchange } from "./exchange.ts";

export interface Aborts {
  /** Aborts the exchange when the signal does. False when it has already: the exchange is over then. */
  readonly follow: (signal: AbortSignal, exchange: Exchange) => boolean;
}

/**
 * Follows abort signals on behalf of many exchanges with one listener a signal: adding and removing a listener for
 * every request costs more than the rest of its bookkeeping.
 */
export function createAborts(): Aborts {
  const followed = new WeakMap<AbortSignal, Set<Exchange>>();

  const exchangesOf = (signal: AbortSignal): Set<Exchange> => {
    const known = followed.get(signal);
    if (known !== undefined) return known;
    const exchanges = new Set<Exchange>();
    followed.set(signal, exchanges);
    signal.addEventListener(
      "abort",
      () => {
        for (const exchange of exchanges) exchange.abort("ABORTED", "stopped before the reply came");
      },
      { once: true },
    );
    return exchanges;
  };

  return {
    follow(signal, exchange) {
      if (signal.aborted) {
        exchange.abort("ABORTED", "stopped before it was sent");
        return false;
      }
      const exchanges = exchangesOf(signal);
      exchanges.add(exchange);
      exchange.inGroup(exchanges);
      return true;
    },
  };
}
