import type { CallMethods, ClosableLedger } from "./ledger-calls.ts";
import { packSendable, unpackIntents, unpackOutcomes } from "./packed-attempts.ts";

/** Performs the calls of a thread directly on the ledger. */
export function callMethodsOf({ ledger, close }: ClosableLedger): CallMethods {
  return {
    ...ledger,
    saveIntents: (run, intents, outcomes) => ledger.saveIntents(run, unpackIntents(intents), unpackOutcomes(outcomes)),
    saveOutcomes: (run, outcomes) => ledger.saveOutcomes(run, unpackOutcomes(outcomes)),
    sendable: async (run, from, to) => packSendable(await ledger.sendable(run, from, to)),
    close: async () => close(),
  };
}
