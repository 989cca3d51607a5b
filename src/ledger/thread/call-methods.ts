import type { Outcome } from "../../model/outcome.ts";
import type { CallMethods, ClosableLedger } from "./ledger-calls.ts";
import { packSendable, unpackIntents, unpackOutcomes } from "./packed-attempts.ts";

/** What a thread is asked, done with the ledger itself. */
export function callMethodsOf({ ledger, close }: ClosableLedger): CallMethods {
  const readings = new Map<number, AsyncIterator<readonly Outcome[]>>();
  return {
    ...ledger,
    saveIntents: (run, intents, outcomes) => ledger.saveIntents(run, unpackIntents(intents), unpackOutcomes(outcomes)),
    saveOutcomes: (run, outcomes) => ledger.saveOutcomes(run, unpackOutcomes(outcomes)),
    sendable: async (run, from, to) => packSendable(await ledger.sendable(run, from, to)),
    async nextOutcomes({ number, run, filter }) {
      const reading = readings.get(number) ?? ledger.outcomes(run, filter)[Symbol.asyncIterator]();
      readings.set(number, reading);
      const next = await reading.next();
      if (next.done !== true) return next.value;
      readings.delete(number);
      return undefined;
    },
    async endOutcomes(number) {
      await readings.get(number)?.return?.();
      readings.delete(number);
    },
    close: async () => close(),
  };
}
