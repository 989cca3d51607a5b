import { parentPort, workerData } from "node:worker_threads";
import { Failure } from "../../model/failure.ts";
import { packFailure } from "../../model/thread-failure.ts";
import { HASH_BYTES } from "../records/record-hashes.ts";
import type { SendableItem } from "../records/requests.ts";
import { openSecondConnection } from "../sqlite/sqlite-ledger.ts";
import {
  type CallMethods,
  type CallName,
  type CallsOf,
  type LedgerAnswer,
  type LedgerCall,
  type LedgerWork,
  READY,
} from "./ledger-calls.ts";

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
  parentPort?.postMessage({ ...(await answerTo(name, given)), id }, []);
}

async function answerTo<Name extends CallName>(name: Name, given: CallsOf<Name>["given"]): Promise<LedgerAnswer<Name>> {
  try {
    opened ??= open();
    const method: (...given: CallsOf<Name>["given"]) => Promise<CallsOf<Name>["result"]> = opened[name];
    return { result: await method(...given) };
  } catch (error) {
    return error instanceof Failure ? { failure: packFailure(error) } : { error };
  }
}

function open(): CallMethods {
  const methods = openSecondConnection(work);
  return { ...methods, sendable: async (...range) => inOneBuffer(await methods.sendable(...range)) };
}

/** Moves the hashes into one buffer, because copying many small buffers to another thread would take longer. */
function inOneBuffer(items: readonly SendableItem[]): readonly SendableItem[] {
  const hashes = new Uint8Array(2 * HASH_BYTES * items.length);
  let end = 0;
  const moved = (hash: Uint8Array): Uint8Array => {
    hashes.set(hash, end);
    end += hash.length;
    return hashes.subarray(end - hash.length, end);
  };
  return items.map((item) => ({ ...item, identity: moved(item.identity), content: moved(item.content) }));
}

parentPort?.postMessage(READY, []);
