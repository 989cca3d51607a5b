import { setOnStuckThread } from "../../model/ended-thread.ts";
import { setAroundInterruptible } from "../../model/interruptible.ts";
import type { Dependencies } from "../../job/dependencies.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Thrown out of the event loop by the second signal: the process is to end now. */
export class SecondSignal extends Error {
  /** 130 for SIGINT, 143 for any other. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`second signal: ${signal}`);
    this.name = "SecondSignal";
    this.exitCode = signal === "SIGINT" ? 130 : 143;
  }
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. The first aborts `drain`: finish what is in flight, then end. The second aborts
 * `abort` and ends the process at once: the ledger is consistent at every moment, so nothing has to be finished first,
 * and temporary files are removed by exit listeners. During `interruptible` work nobody listens, and the first ends the
 * process.
 */
export function listenForInterrupts(onFirst: () => void): Pick<Dependencies, "drain" | "abort"> {
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
  // Node.js waits for its threads at the end. Listeners that were added before remove temporary files.
  setOnStuckThread(() => process.once("exit", () => process.kill(process.pid, "SIGKILL")));
  return { drain: drain.signal, abort: abort.signal };
}
