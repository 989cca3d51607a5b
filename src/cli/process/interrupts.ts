import { setOnStuckThread } from "../../model/ended-thread.ts";
import { setAroundInterruptible } from "../../model/interruptible.ts";
import type { StopSignals } from "../../job/dependencies.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Thrown by the listener for the second signal, to end the process immediately. */
export class SecondSignal extends Error {
  /** 130 for SIGINT, 143 for any other signal. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`second signal: ${signal}`);
    this.name = "SecondSignal";
    this.exitCode = signal === "SIGINT" ? 130 : 143;
  }
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. The first signal aborts `drain`. The run then finishes the requests in flight
 * and ends. The second signal aborts `abort` and ends the process immediately. Unfinished work can be abandoned because
 * the ledger is always consistent. Exit listeners remove temporary files. There are no listeners during `interruptible`
 * work, so the first signal ends the process.
 */
export function listenForInterrupts(onFirst: () => void): StopSignals {
  const drain = new AbortController();
  const abort = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (drain.signal.aborted) {
      abort.abort();
      throw new SecondSignal(signal);
    }
    drain.abort();
    onFirst();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  setAroundInterruptible((work) => {
    if (!process.listeners(SIGNALS[0]).includes(onSignal)) return work();
    for (const signal of SIGNALS) process.off(signal, onSignal);
    try {
      return work();
    } finally {
      for (const signal of SIGNALS) process.on(signal, onSignal);
    }
  });
  // On exit, Node.js waits for its threads, and a stuck thread never ends. Exit listeners that were added earlier
  // remove temporary files before the process is killed.
  setOnStuckThread(() => process.once("exit", () => process.kill(process.pid, "SIGKILL")));
  return { drain: drain.signal, abort: abort.signal };
}
