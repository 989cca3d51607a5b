import { expect, test } from "vitest";
import type { HeartbeatReply, SharedWorker } from "../../../src/ledger/runs/shared-run.ts";
import { startHeartbeat } from "../../../src/pipeline/shared/heartbeat.ts";
import { createFindings } from "../../../src/pipeline/shared/worker-findings.ts";
import { createWorkerPace } from "../../../src/pipeline/shared/worker-pace.ts";
import { createReport } from "../../../src/pipeline/shared/worker-report.ts";
import { createLeaseWatch } from "../../../src/time/lease-watch.ts";

const ORDERS: HeartbeatReply = {
  state: "open",
  concurrency: 4,
  workers: 1,
  position: 0,
  isKnown: true,
  holdMs: 0,
  ranges: { waiting: 1, taken: 0, done: 0 },
  released: 0,
};

async function unused(): Promise<never> {
  throw new Error("not used in this test");
}

test("a renewed lease starts at the renewal request, not at the server's reply", async () => {
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve())),
  };
  const worker: SharedWorker = {
    leaseMs: 10_000,
    claim: unused,
    leave: unused,
    stop: unused,
    hold: unused,
    finish: unused,
    saveIntents: unused,
    saveOutcomes: unused,
    // The reply takes almost as long as the lease.
    beat: async () => {
      now += 7_000;
      return ORDERS;
    },
  };
  const lease = createLeaseWatch(worker.leaseMs, worker.leaseMs, clock);
  const heartbeat = startHeartbeat({
    worker,
    clock,
    lease,
    report: createReport(clock, () => 1),
    findings: createFindings(clock),
    pace: createWorkerPace(clock),
    onBeat: async () => undefined,
  });
  await heartbeat.ready;
  expect(lease.isHeld()).toBe(true);
  now += 1_500;
  expect(lease.isHeld()).toBe(false);
  await heartbeat.stop();
});
