import { Worker } from "node:worker_threads";
import { unpackFailure } from "../../model/thread-failure.ts";
import { type CallName, type CallsOf, type LedgerAnswer, type LedgerWork, READY } from "./ledger-calls.ts";

/** The thread of a ledger. Performs calls one at a time, in the order in which they are made. */
export interface LedgerThread {
  /** @throws errors from the ledger, and an error if the thread has ended */
  readonly ask: <Name extends CallName>(
    name: Name,
    given: CallsOf<Name>["given"],
    transferred?: readonly ArrayBuffer[],
  ) => Promise<CallsOf<Name>["result"]>;
  /** Whether the thread has started and answers calls without delay. */
  readonly isReady: () => boolean;
  readonly end: () => Promise<void>;
}

/**
 * A pending call. The answer has the type of the call. `settle` is a method, because TypeScript checks the parameters
 * of methods less strictly.
 */
interface Waiting {
  settle(answer: LedgerAnswer): void;
}

/** Starts the thread immediately. The thread opens the ledger at the first call. */
export function startLedgerThread(
  work: LedgerWork,
  entry: URL = new URL("./ledger-worker.js", import.meta.url),
): LedgerThread {
  const worker = new Worker(entry, { workerData: work });
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let wrong: { readonly error: unknown } | undefined;
  let isReady = false;

  const fail = (error: unknown): void => {
    wrong ??= { error };
    for (const call of waiting.values()) call.settle(wrong);
    waiting.clear();
  };
  worker.on("message", (message: typeof READY | (LedgerAnswer & { readonly id: number })) => {
    if (message === READY) {
      isReady = true;
      return;
    }
    const { id, ...answer } = message;
    waiting.get(id)?.settle(answer);
    waiting.delete(id);
  });
  worker.on("error", fail);
  worker.on("messageerror", fail);
  worker.on("exit", () => fail(new Error("the thread of the ledger has ended")));

  return {
    ask: <Name extends CallName>(name: Name, given: CallsOf<Name>["given"], transferred: readonly ArrayBuffer[] = []) =>
      new Promise<CallsOf<Name>["result"]>((resolve, reject) => {
        const settle = (answer: LedgerAnswer<Name>): void => {
          if ("result" in answer) resolve(answer.result);
          else reject("failure" in answer ? unpackFailure(answer.failure) : answer.error);
        };
        if (wrong !== undefined) {
          settle(wrong);
          return;
        }
        calls += 1;
        waiting.set(calls, { settle });
        worker.postMessage({ id: calls, name, given }, transferred);
      }),
    isReady: () => isReady && wrong === undefined,
    async end() {
      await worker.terminate();
    },
  };
}
