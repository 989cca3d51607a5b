import { setOnStuckThread } from "../../model/ended-thread.ts";
import { setAroundInterruptible } from "../../model/interruptible.ts";
import type { StopSignals } from "../../job/dependencies.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Thrown out of the event loop by the second signal to end the process immediately. */
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
 * Listens for SIGINT, SIGTERM and SIGHUP. The first signal aborts `drain`: finish the requests in flight, then end. The
 * second aborts `abort` and ends the process immediately. The ledger is always consistent, so unfinished work can be
 * abandoned. Exit listeners remove temporary files. During `interruptible` work there are no listeners, so the first
 * signal ends the process.
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
  // On exit, Node.js waits for its threads. Exit listeners added earlier remove temporary files before the kill.
  setOnStuckThread(() => process.once("exit", () => process.kill(process.pid, "SIGKILL")));
  return { drain: drain.signal, abort: abort.signal };
}
