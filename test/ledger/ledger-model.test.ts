import fc from "fast-check";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Intent } from "../../src/ledger/records/requests.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { checkLedger } from "../../src/ledger/sqlite/integrity/ledger-check.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import { intentOf, item, outcomesOf, planned, POLICY, attemptOutcomeOf } from "./ledger-input.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const RECORDS = 12;
const items = Array.from({ length: RECORDS }, (_, index) => item(index + 1, `K${index}`));
type Result = "accepted" | "rejected" | "ambiguous" | "blocked" | "pending";

/** A minimal model of the contents of a ledger. */
interface Model {
  readonly path: string;
  ledger: Ledger;
  run: string;
  /** By record: its status in the current run. */
  statuses: string[];
  readonly accepted: Set<number>;
  readonly ambiguous: Set<number>;
  flying: Intent[];
}

type Step = (model: Model) => Promise<void>;

const intend =
  (count: number): Step =>
  async (model) => {
    const found = (await model.ledger.sendable(model.run, 1, RECORDS)).slice(0, count).map(intentOf);
    await model.ledger.saveIntents(model.run, found);
    for (const { record } of found) model.statuses[record - 1] = "ambiguous";
    model.flying.push(...found);
  };

const settle =
  (results: readonly Result[]): Step =>
  async (model) => {
    const settled = model.flying.splice(0, results.length);
    const outcomes = settled.map((intent, index) => attemptOutcomeOf(intent, results[index] ?? "pending"));
    await model.ledger.saveOutcomes(model.run, outcomes);
    for (const { record, status } of outcomes) {
      model.statuses[record - 1] = status;
      if (status === "accepted") model.accepted.add(record);
      if (status === "ambiguous") model.ambiguous.add(record);
    }
  };

/** A dead process closes nothing: the old connection stays open and a new one opens the file. */
async function crash(model: Model): Promise<void> {
  model.ledger = await openLedger({ path: model.path });
  for (const { record } of model.flying) model.ambiguous.add(record);
  model.flying = [];
}

function fromHistory(model: Model, record: number): string {
  if (model.accepted.has(record)) return "skipped";
  return model.ambiguous.has(record) ? "ambiguous" : "pending";
}

const resume: Step = async (model) => {
  await crash(model);
  await model.ledger.resumeRun(model.run, POLICY);
  const open = new Set(["pending", "blocked", "ambiguous"]);
  model.statuses = model.statuses.map((status, index) => (open.has(status) ? fromHistory(model, index + 1) : status));
};

const pushAgain: Step = async (model) => {
  await crash(model);
  model.run = await planned(model.ledger, items);
  model.statuses = items.map(({ record }) => fromHistory(model, record));
};

function tally(statuses: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const result = fc.constantFrom<Result>("accepted", "rejected", "ambiguous", "blocked", "pending");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }).map(intend) },
  { weight: 4, arbitrary: fc.array(result, { minLength: 1, maxLength: 5 }).map(settle) },
  { weight: 1, arbitrary: fc.constant(resume) },
  { weight: 1, arbitrary: fc.constant(pushAgain) },
);

test("every record has the expected state after any sequence of intents, outcomes, kills, resumes and pushes", async () => {
  const folder = temporaryFolder();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      count += 1;
      const path = join(folder, `${count}`, "ledger.db");
      const ledger = await openLedger({ path });
      const run = await planned(ledger, items);
      const statuses = items.map(() => "pending");
      const model: Model = { path, ledger, run, statuses, accepted: new Set(), ambiguous: new Set(), flying: [] };
      for (const take of steps) {
        await take(model);
        const found = await outcomesOf(model.ledger, model.run);
        expect(found.map(({ status }) => status)).toEqual(model.statuses);
        const { records, counts } = await model.ledger.summary(model.run);
        expect([records, counts]).toEqual([RECORDS, tally(model.statuses)]);
        expect(await model.ledger.coverage()).toMatchObject([{ records: RECORDS, accepted: model.accepted.size }]);
      }
      await model.ledger.close();
      expect(checkLedger(path, () => false).findings).toEqual([]);
      rmSync(join(folder, `${count}`), { recursive: true });
    }),
    { numRuns: 40 },
  );
});
