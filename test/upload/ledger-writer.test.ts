import { expect, test } from "vitest";
import type { AttemptOutcome, Intent } from "../../src/ledger/records/requests.ts";
import { createLedgerWriter } from "../../src/upload/ledger-writer.ts";
import { fakeClock } from "./scene.ts";

function outcome(record: number, status: AttemptOutcome["status"]): AttemptOutcome {
  return { record, identity: new Uint8Array(32), attempt: 1, status, at: "2026-01-01T00:00:00Z", problems: [] };
}

const intent: Intent = {
  record: 1,
  identity: new Uint8Array(32),
  content: new Uint8Array(32),
  attempt: 2,
  at: "2026-01-01T00:00:00Z",
};

async function refuse(): Promise<void> {
  throw new Error("the disk is full");
}

function fullDisk() {
  const ledger = { saveIntents: refuse, saveOutcomes: refuse };
  return createLedgerWriter({ ledger, run: "run", clock: fakeClock(), onFailure: () => undefined });
}

test("every outcome that the ledger refused is reported at the end, however many there are", async () => {
  const writer = fullDisk();
  writer.saveOutcome(outcome(1, "accepted"), () => undefined);
  await expect(writer.saveIntents([intent])).rejects.toThrow("full");
  writer.saveOutcome(outcome(2, "accepted"), () => undefined);
  await expect(writer.saveIntents([intent])).rejects.toThrow("full");
  expect((await writer.close()).map(({ record }) => record)).toEqual([1, 2]);
});

test("an ambiguous record stays ambiguous if the intent of its next attempt cannot be written", async () => {
  const writer = fullDisk();
  const repeated = { outcome: outcome(1, "pending"), fallback: outcome(1, "ambiguous") };
  await expect(writer.saveIntents([intent], [repeated])).rejects.toThrow("full");
  expect((await writer.close()).map(({ status }) => status)).toEqual(["ambiguous"]);
});
