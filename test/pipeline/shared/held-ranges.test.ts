import { expect, test } from "vitest";
import type { AttemptOutcome, Intent } from "../../../src/ledger/records/requests.ts";
import type { SharedWorker } from "../../../src/ledger/runs/shared-run.ts";
import { createRangeProgress } from "../../../src/pipeline/shared/held-ranges.ts";

const AT = "2026-01-01T00:00:00Z";
const hash = new Uint8Array(32);
const intent: Intent = { record: 3, identity: hash, content: hash, attempt: 1, at: AT };
const outcome: AttemptOutcome = { record: 3, identity: hash, attempt: 1, status: "accepted", at: AT, problems: [] };

async function unused(): Promise<never> {
  throw new Error("not used in this test");
}

test("a range with a request in flight is finished only after the outcome is saved", async () => {
  const finished: number[] = [];
  const worker: SharedWorker = {
    leaseMs: 30_000,
    beat: unused,
    claim: unused,
    leave: unused,
    stop: unused,
    hold: unused,
    finish: async ({ first }) => void finished.push(first),
    saveIntents: async () => undefined,
    saveOutcomes: async () => undefined,
  };
  const progress = createRangeProgress(worker, async () => false);
  const range = { first: 1, last: 10 };
  progress.take(range);
  progress.fed(range);
  await progress.ledger.saveIntents("run", [intent]);
  await progress.settle();
  await progress.settleAll();
  expect(finished).toEqual([]);
  await progress.ledger.saveOutcomes("run", [outcome]);
  await progress.settleAll();
  expect(finished).toEqual([1]);
  expect(progress.settled()).toBe(1);
});
