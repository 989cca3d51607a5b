import type { CallMethods, CallName, CallsOf } from "./ledger-calls.ts";
import type { LedgerThread } from "./ledger-thread.ts";

/**
 * Number of groups of requests that the calling thread handles before it starts another thread. Starting a thread takes
 * longer than saving these requests.
 */
const GROUPS_HERE = 10;

interface LateThread {
  readonly start: () => LedgerThread;
  /** Called when the thread takes over. */
  readonly onMoved: () => void;
}

/**
 * Returns a thread that starts only after `GROUPS_HERE` groups of requests. Until the thread is ready, a ledger that is
 * already open in the calling thread handles the calls. The first requests of a run therefore do not wait for the
 * thread, and a run with few requests never starts it. The thread takes over between two groups of requests.
 */
export function lateThread(here: CallMethods, { start, onMoved }: LateThread): LedgerThread {
  let groups = 0;
  let starting: LedgerThread | undefined;
  let moved: LedgerThread | undefined;

  const noteIntents = (): void => {
    groups += 1;
    if (groups > GROUPS_HERE) starting ??= start();
    if (starting?.isReady() !== true) return;
    moved = starting;
    onMoved();
  };

  return {
    async ask<Name extends CallName>(
      name: Name,
      given: CallsOf<Name>["given"],
      transferred: readonly ArrayBuffer[] = [],
    ): Promise<CallsOf<Name>["result"]> {
      if (moved === undefined && name === "saveIntents") noteIntents();
      if (moved !== undefined) return moved.ask(name, given, transferred);
      const method: (...given: CallsOf<Name>["given"]) => Promise<CallsOf<Name>["result"]> = here[name];
      return method(...given);
    },
    isReady: () => true,
    end: async () => starting?.end(),
  };
}
