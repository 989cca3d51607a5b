import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Intent } from "../../src/ledger/records/requests.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { campaignSize } from "../campaign.ts";
import { scaledTimeout } from "../scaled-timeout.ts";
import { createTestFolder } from "../temporary-folder.ts";
import { intentOf, item, outcomesOf, planned, POLICY, attemptOutcomeOf } from "./ledger-input.ts";
import { ledgerScript } from "./ledger-script.ts";
import { playScript } from "./play-script.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./postgres/cluster.ts";
import { reusedDatabase, type ReusedDatabase, type StoredLedger, storedInSqlite } from "./stored-ledgers.ts";

const RECORDS = 12;
const items = Array.from({ length: RECORDS }, (_, index) => item(index + 1, `K${index}`));
type Result = "accepted" | "rejected" | "ambiguous" | "blocked" | "pending";

/** A minimal model of a ledger's contents. */
interface Model {
  readonly stored: StoredLedger;
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

/** Opens the ledger again. The old ledger stays open, because a dead process closes nothing. */
async function crash(model: Model): Promise<void> {
  await model.stored.loseProcess();
  model.ledger = await model.stored.open();
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

async function followModel(stored: StoredLedger, steps: readonly Step[]): Promise<void> {
  const ledger = await stored.open();
  const run = await planned(ledger, items);
  const statuses = items.map(() => "pending");
  const model: Model = { stored, ledger, run, statuses, accepted: new Set(), ambiguous: new Set(), flying: [] };
  try {
    for (const take of steps) {
      await take(model);
      const found = await outcomesOf(model.ledger, model.run);
      expect(found.map(({ status }) => status)).toEqual(model.statuses);
      const { records, counts } = await model.ledger.summary(model.run);
      expect([records, counts]).toEqual([RECORDS, tally(model.statuses)]);
      expect(await model.ledger.coverage()).toMatchObject([{ records: RECORDS, accepted: model.accepted.size }]);
    }
  } finally {
    await stored.close();
  }
  expect((await stored.store.check()).findings).toEqual([]);
}

const steps = fc.array(step, { minLength: 3, maxLength: 25 });

/** Calls `work` with a new folder, because a closed ledger keeps its files open for a while. */
async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  count += 1;
  const own = join(folder, `${count}`);
  mkdirSync(own);
  await work(own);
  rmSync(own, { recursive: true });
}

const { folder, remove } = createTestFolder();
let count = 0;
afterAll(remove);

describe("a SQLite ledger", () => {
  test("every record has the expected state after any intents, outcomes, kills, resumes and pushes", async () => {
    const follows = fc.asyncProperty(steps, (taken) =>
      withFolder(async (own) => followModel(await storedInSqlite(own), taken)),
    );
    await fc.assert(follows, { numRuns: campaignSize({ part: 15, whole: 40 }) });
  });
});

describe.skipIf(!POSTGRES_IS_HERE)(`a PostgreSQL ledger ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let database: ReusedDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await reusedDatabase(await server.createDatabase("migrate_test_ledger_model"));
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });

  test("every record has the expected state after any intents, outcomes, kills, resumes and pushes", async () => {
    const follows = fc.asyncProperty(steps, async (taken) => followModel(await database.emptied(), taken));
    const numRuns = campaignSize({ part: 5, whole: 14 });
    await fc.assert(follows, { numRuns });
  });

  test("contains the same data as SQLite and packed ledgers after any plans, requests, restarts and takeovers", async () => {
    const agrees = fc.asyncProperty(ledgerScript, (script) =>
      withFolder(async (own) => playScript([await storedInSqlite(own), await database.emptied()], script, own)),
    );
    const numRuns = campaignSize({ part: 5, whole: 15 });
    // The time limit also ends the shrinking of a failing script.
    const interruptAfterTimeLimit = scaledTimeout(60_000);
    await fc.assert(agrees, { numRuns, interruptAfterTimeLimit });
  });
});
