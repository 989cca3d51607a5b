import { parentPort, workerData } from "node:worker_threads";
import { Failure } from "../../model/failure.ts";
import { packFailure } from "../../model/thread-failure.ts";
import { openSecondConnection } from "../sqlite/sqlite-ledger.ts";
import { callMethodsOf } from "./call-methods.ts";
import {
  type CallMethods,
  type CallName,
  type CallsOf,
  type LedgerAnswer,
  type LedgerCall,
  type LedgerWork,
  READY,
} from "./ledger-calls.ts";
import { isPackedRows, piecesOf } from "./packed-rows.ts";

const work: LedgerWork = workerData;
/**
 * Undefined until a call opens the ledger. If opening fails, the call fails with that error, and the next call tries
 * again.
 */
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
    opened ??= callMethodsOf(openSecondConnection(work));
    const method: (...given: CallsOf<Name>["given"]) => Promise<CallsOf<Name>["result"]> = opened[name];
    return { result: await method(...given) };
  } catch (error) {
    return error instanceof Failure ? { failure: packFailure(error) } : { error };
  }
}

function moved(result: unknown): readonly ArrayBuffer[] {
  return isPackedRows(result) ? piecesOf(result) : [];
}

parentPort?.postMessage(READY, []);
