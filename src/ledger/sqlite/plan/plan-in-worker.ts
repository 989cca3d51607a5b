import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Failure } from "../../../model/failure.ts";
import type { Ledger } from "../../ledger.ts";
import { isPacked, packItems } from "../../packed/packed-items.ts";
import type { PlanReply, PlanRequest } from "./plan-worker.ts";

/**
 * The same ledger, whose plans a worker thread writes while the caller reads on: `plan` resolves when there is room for
 * more, which is before its items are written, and whatever reads them waits. What goes wrong with them is thrown by the
 * next call. Resolves when the worker has opened the file, which may be unlinked then.
 */
export async function plannedInWorker(ledger: Ledger, path: string): Promise<Ledger> {
  const worker = await startPlanWorker(path);
  return {
    ...ledger,
    plan: (run, items) =>
      worker.ask({ kind: "plan", run, items: isPacked(items) ? items : packItems(items) }, MAX_PENDING_BATCHES),
    restartPlan: (run) => worker.ask({ kind: "restartPlan", run }),
    exclude: (run, excluded) => worker.ask({ kind: "exclude", run, excluded }),
    finishPlan: (run, policy) => worker.ask({ kind: "finishPlan", run, policy }),
    async finishRun(run, exitCode) {
      await worker.idle();
      await ledger.finishRun(run, exitCode);
    },
    async summary(run) {
      await worker.idle();
      return ledger.summary(run);
    },
    async *outcomes(run, filter) {
      await worker.idle();
      yield* ledger.outcomes(run, filter);
    },
    async close() {
      await worker.stop();
      await ledger.close();
    },
  };
}

/** Batches that are not written yet: enough to keep the worker busy, and few enough to keep memory flat. */
const MAX_PENDING_BATCHES = 4;

interface PlanWorker {
  /**
   * Resolves when no more than `unanswered` requests (default: none) are.
   * @throws what has gone wrong with any request so far
   */
  readonly ask: (request: PlanRequest, unanswered?: number) => Promise<void>;
  /**
   * Resolves when every request is answered.
   * @throws as `ask` does
   */
  readonly idle: () => Promise<void>;
  readonly stop: () => Promise<unknown>;
}

async function startPlanWorker(path: string): Promise<PlanWorker> {
  const worker = new Worker(new URL("./plan-worker.js", import.meta.url), { workerData: path });
  const state: { unanswered: number; wrong?: unknown } = { unanswered: 0 };
  worker.on("message", ({ failure }: PlanReply) => {
    state.unanswered -= 1;
    if (failure !== undefined) state.wrong ??= new Failure(failure.code, failure.message, failure);
  });
  worker.on("error", (error) => {
    state.wrong ??= error;
  });

  async function until(most: number): Promise<void> {
    while (state.wrong === undefined && state.unanswered > most) await once(worker, "message");
    if (state.wrong !== undefined) throw state.wrong;
  }

  async function ask(request: PlanRequest, most = 0): Promise<void> {
    state.unanswered += 1;
    worker.postMessage(request, []);
    await until(most);
  }

  try {
    await ask({ kind: "open" });
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return { ask, idle: () => until(0), stop: () => worker.terminate() };
}
