import { POLICY, item } from "../../ledger/ledger-input.ts";
import type { SharedRunSetup } from "../../ledger/behaviour/shared-run-setup.ts";
import { describeSharedRun } from "../../ledger/behaviour/shared-run-behaviour.ts";
import type { SharedRun } from "../../../src/ledger/runs/shared-run.ts";
import { createModelServer } from "./model-server.ts";
import { type ModelConnection, modelSharedRun } from "./model-shared-run.ts";

describeSharedRun(async (): Promise<SharedRunSetup> => {
  let now = 0;
  let asked = 1_000_000;
  // No two calls see the same time.
  const server = createModelServer(() => (asked += 1));
  const connection: ModelConnection = {
    async once(fence, work) {
      fence();
      return work();
    },
    retryIfLost: async (work) => work(),
  };
  const clock = { monotonic: () => now, sleep: async () => undefined };
  let fence = server.take("planner", 30_000);
  const ledger = { summary: async (run: string) => server.tables.summary(run) };
  const runOf = (run: string, planner?: number): SharedRun =>
    modelSharedRun(run, { server, connection, planner, clock });
  return {
    async plan(records) {
      const items = Array.from({ length: records }, (_, index) => item(index + 1, `K${index}`));
      server.tables.plan("run", items, POLICY);
      return { ledger, run: "run" };
    },
    planner: async (run) => runOf(run, fence),
    process: async (run) => runOf(run),
    async takeOver() {
      server.release(fence);
      fence = server.take("another", 30_000);
      return ledger;
    },
    silence: async (ms, workers) => server.silence(ms, workers),
    pass(ms) {
      now += ms;
    },
  };
});
