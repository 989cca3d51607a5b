import type { CallMethods, CallName, CallsOf } from "./ledger-calls.ts";
import type { LedgerThread } from "./ledger-thread.ts";

/** As many groups of requests are begun here first: a thread takes longer to start than to send as many. */
const GROUPS_HERE = 10;

interface LateThread {
  readonly start: () => LedgerThread;
  /** Called when the thread is asked from here on. */
  readonly onMoved: () => void;
}

/**
 * A thread that is started when it pays: until it is ready, calls are done here, by a ledger that is open already. So the
 * first requests of a run need not wait for it, and a run with few requests has none. It takes over between two groups of
 * requests.
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
