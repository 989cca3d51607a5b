import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Intent } from "../../src/ledger/records/requests.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import { intentOf, item, outcomesOf, planned, POLICY, sendAll, attemptOutcomeOf, statusesOf } from "./ledger-input.ts";
import { temporaryFolder } from "../temporary-folder.ts";

describe("the step that a record has reached", () => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await openLedger({ path: join(temporaryFolder(), "ledger.db") });
  });
  afterEach(() => ledger.close());

  async function intendStep(run: string, more: Pick<Intent, "step" | "idempotent">): Promise<Intent> {
    const [found] = await ledger.sendable(run, 1, 9);
    if (found === undefined) throw new Error("Nothing to send.");
    const intent = { ...intentOf(found), ...more };
    await ledger.saveIntents(run, [intent]);
    return intent;
  }

  async function staged(content = "same"): Promise<string> {
    const run = await planned(ledger, [item(1, "A", content)]);
    const intent = await intendStep(run, { step: "stage", idempotent: true });
    await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, "pending", { step: "stage" })]);
    return run;
  }

  test("is kept for this run and for the next run with the same content", async () => {
    const run = await staged();
    expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ step: "stage", attempts: 1, isAmbiguous: false }]);
    const next = await planned(ledger, [item(1, "A")]);
    expect(await ledger.sendable(next, 1, 9)).toMatchObject([{ step: "stage" }]);
  });

  test("is discarded for other content, and stays discarded after that content was tried", async () => {
    await staged();
    const changed = await planned(ledger, [item(1, "A", "other")]);
    const [found] = await ledger.sendable(changed, 1, 9);
    expect(found).not.toHaveProperty("step");
    await intendStep(changed, { step: "validate", idempotent: true });
    await ledger.resumeRun(changed, POLICY);
    const back = await planned(ledger, [item(1, "A")]);
    expect((await ledger.sendable(back, 1, 9))[0]).not.toHaveProperty("step");
  });

  test("is discarded after a refusal", async () => {
    const run = await staged();
    await sendAll(ledger, run, "rejected");
    const next = await planned(ledger, [item(1, "A")]);
    expect((await ledger.sendable(next, 1, 9))[0]).not.toHaveProperty("step");
  });

  test.each([
    [true, "pending"],
    [false, "ambiguous"],
  ])("is followed by a crash during the next step (idempotent: %s): the record is %s", async (idempotent, status) => {
    const run = await staged();
    await intendStep(run, { step: "process", idempotent });
    await ledger.resumeRun(run, POLICY);
    expect(await statusesOf(ledger, run)).toEqual([status]);
  });

  test("is named in each attempt", async () => {
    const run = await staged();
    const intent = await intendStep(run, { step: "process" });
    await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, "accepted", { account: "A-1" })]);
    expect((await ledger.attempts("A")).map(({ step, status }) => [step, status])).toEqual([
      ["stage", "pending"],
      ["process", "accepted"],
    ]);
  });
});

describe("a record that waits for another record", () => {
  const awaits = item(1, "A").identity;
  const policy = { after: "POST /data-import/accounts/" };
  const note = item(1, "A", "note", { ...(awaits !== undefined && { awaits }), identity: Uint8Array.of(7) });

  test("is blocked with the same problem until the other record is accepted, even after `reconcile` and `resume`", async () => {
    const ledger = await openLedger({ path: join(temporaryFolder(), "ledger.db") });
    const run = await planned(ledger, [note], { policy });
    expect(await outcomesOf(ledger, run)).toMatchObject([
      { status: "blocked", problems: [{ code: "account_not_found", place: { line: 2, column: "REF" } }] },
    ]);
    const accounts = await planned(ledger, [item(1, "A")]);
    const before = await outcomesOf(ledger, run);
    const resumed = { ...POLICY, ...policy, keyColumns: new Map() };
    await ledger.refresh(run, resumed);
    expect(await outcomesOf(ledger, run)).toEqual(before);
    await ledger.resumeRun(run, resumed);
    expect(await outcomesOf(ledger, run)).toEqual(before);
    await sendAll(ledger, accounts, "accepted");
    await ledger.resumeRun(run, { ...POLICY, ...policy });
    expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "pending", problems: [] }]);
    await ledger.close();
  });
});
