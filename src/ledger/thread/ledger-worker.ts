import { parentPort, workerData } from "node:worker_threads";
import { Failure } from "../../model/failure.ts";
import type { Outcome } from "../../model/outcome.ts";
import { packFailure } from "../../model/thread-failure.ts";
import { type OpenedBeside, openBeside } from "../sqlite/sqlite-ledger.ts";
import type { CallMethods, CallName, CallsOf, LedgerAnswer, LedgerCall, LedgerWork } from "./ledger-calls.ts";
import { packSendable, unpackIntents, unpackOutcomes } from "./packed-attempts.ts";
import { isPackedRows, piecesOf } from "./packed-rows.ts";

const work: LedgerWork = workerData;
/** Where it cannot be opened, that is the answer to every call. */
let opened: CallMethods | undefined;

parentPort?.on("message", (call: LedgerCall) => {
  void reply(call);
});

async function reply<Name extends CallName>({ id, name, given }: LedgerCall<Name>): Promise<void> {
  const answer = await answerTo(name, given);
  parentPort?.postMessage({ ...answer, id }, "result" in answer ? moved(answer.result) : []);
}

async function answerTo<Name extends CallName>(name: Name, given: CallsOf<Name>["given"]): Promise<LedgerAnswer<Name>> {
  try {
    opened ??= methodsOf(openBeside(work));
    const method: (...given: CallsOf<Name>["given"]) => Promise<CallsOf<Name>["result"]> = opened[name];
    return { result: await method(...given) };
  } catch (error) {
    return error instanceof Failure ? { failure: packFailure(error) } : { error };
  }
}

function moved(result: unknown): readonly ArrayBuffer[] {
  return isPackedRows(result) ? piecesOf(result) : [];
}

function methodsOf({ ledger, close }: OpenedBeside): CallMethods {
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
