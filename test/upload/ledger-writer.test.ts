import { expect, test, vi } from "vitest";
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

test("every outcome that the ledger refused is reported at the end, even if there are many", async () => {
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

/**
 * Creates a ledger that records its groups. The write of a group with intents completes when `finishGroup` is called
 * for the group.
 */
function slowDisk() {
  const groups: (readonly string[])[] = [];
  const waiting: (() => void)[] = [];
  const add = (outcomes: readonly AttemptOutcome[], intents: readonly Intent[]): void => {
    groups.push([
      ...outcomes.map(({ record }) => `outcome ${record}`),
      ...intents.map(({ record }) => `intent ${record}`),
    ]);
  };
  const ledger = {
    async saveIntents(_: string, intents: readonly Intent[], outcomes: readonly AttemptOutcome[] = []) {
      add(outcomes, intents);
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    saveOutcomes: async (_: string, outcomes: readonly AttemptOutcome[]) => add(outcomes, []),
  };
  return {
    writer: createLedgerWriter({ ledger, run: "run", clock: fakeClock(), onFailure: () => undefined }),
    groups,
    finishGroup: async (number: number): Promise<void> => {
      await vi.waitUntil(() => waiting.length === number);
      waiting[number - 1]?.();
    },
  };
}

test("steps that are completed while a group is being written form one group, with the outcomes first", async () => {
  const { writer, groups, finishGroup } = slowDisk();
  const saved: number[] = [];
  const first = writer.saveIntents([intent]);
  await vi.waitUntil(() => groups.length === 1);
  const others = [2, 3].map((record) => {
    const repeated = { outcome: outcome(record, "pending"), fallback: outcome(record, "ambiguous") };
    return writer.saveIntents([{ ...intent, record }], [repeated]);
  });
  const accepted = Array.from({ length: 200 }, (_, index) => 100 + index);
  for (const record of accepted) writer.saveOutcome(outcome(record, "accepted"), () => saved.push(record));
  await finishGroup(1);
  await first;
  expect(saved).toEqual([]);
  await finishGroup(2);
  await Promise.all(others);
  expect(saved).toEqual(accepted);
  expect(await writer.close()).toEqual([]);
  const outcomes = [2, 3, ...accepted].map((record) => `outcome ${record}`);
  expect(groups).toEqual([["intent 1"], [...outcomes, "intent 2", "intent 3"]]);
});
