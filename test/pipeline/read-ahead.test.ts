import { expect, it } from "vitest";
import { readAhead } from "../../src/pipeline/send/read-ahead.ts";

it("requests the next batch while the current batch is processed, but not earlier", async () => {
  const events: string[] = [];
  async function* batches(): AsyncGenerator<number> {
    try {
      for (let batch = 1; batch <= 9; batch += 1) {
        events.push(`made ${batch}`);
        yield batch;
      }
    } finally {
      events.push("closed");
    }
  }
  for await (const batch of readAhead(batches())) {
    await new Promise(setImmediate);
    events.push(`took ${batch}`);
    if (batch === 2) break;
  }
  expect(events).toEqual(["made 1", "made 2", "took 1", "made 3", "took 2", "closed"]);
});

async function* brokenBatches(): AsyncGenerator<number> {
  yield 1;
  throw new Error("broken");
}

it("delivers all earlier batches before a failure", async () => {
  const taken: number[] = [];
  const taking = (async () => {
    for await (const batch of readAhead(brokenBatches())) {
      await new Promise(setImmediate);
      taken.push(batch);
    }
  })();
  await expect(taking).rejects.toThrow("broken");
  expect(taken).toEqual([1]);
});
