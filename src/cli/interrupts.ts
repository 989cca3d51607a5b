/** The two stages of being told to stop. */
export interface Interrupts {
  /** First SIGINT, SIGTERM or SIGHUP: finish what is in flight, then end. */
  readonly drain: AbortSignal;
  /** Second one: end at once. */
  readonly abort: AbortSignal;
}

/**
 * Listens for signals. The second one ends the process at once, with 130 (SIGINT) or 143 (any other): the ledger is
 * consistent at every moment, so nothing has to be tidied first.
 */
export function listenForInterrupts(onFirst: () => void): Interrupts {
  const drain = new AbortController();
  const abort = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (drain.signal.aborted) {
      abort.abort();
      endNow(signal);
    }
    drain.abort();
    onFirst();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  return { drain: drain.signal, abort: abort.signal };
}

/** Throw-away files are removed by the exit listeners of whoever made them. */
function endNow(signal: NodeJS.Signals): never {
  process.exit(signal === "SIGINT" ? 130 : 143);
}
