import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Failure } from "../../../model/failure.ts";
import type { Ledger } from "../../ledger.ts";
import { packItems } from "./packed-items.ts";
import type { PlanReply, PlanRequest } from "./plan-worker.ts";

/**
 * The same ledger, whose plans a thread of its own writes while the caller reads on: `plan` resolves when there is
 * room for more, which is before its items are written, and whatever reads them waits. What goes wrong with them is
 * thrown by the next call. Resolves when the thread has opened the file, which may lose its name then.
 */
export async function plannedInWorker(ledger: Ledger, path: string): Promise<Ledger> {
  const thread = await startPlanWorker(path);
  return {
    ...ledger,
    plan: (run, items) => thread.ask({ kind: "plan", run, items: packItems(items) }, MAX_PENDING_BATCHES),
    restartPlan: (run) => thread.ask({ kind: "restartPlan", run }),
    exclude: (run, held) => thread.ask({ kind: "holdBack", run, held }),
    finishPlan: (run, policy) => thread.ask({ kind: "settlePlan", run, policy }),
    async finishRun(run, exitCode) {
      await thread.idle();
      await ledger.finishRun(run, exitCode);
    },
    async summary(run) {
      await thread.idle();
      return ledger.summary(run);
    },
    async *outcomes(run, filter) {
      await thread.idle();
      yield* ledger.outcomes(run, filter);
    },
    async close() {
      await thread.stop();
      await ledger.close();
    },
  };
}

/** Batches on their way: enough to keep the thread busy, and few enough to keep memory flat. */
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
