import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { LedgerStore } from "../../../src/ledger/ledger-store.ts";
import type { LocalProblem } from "../../../src/model/problem.ts";
import {
  attemptOutcomeOf,
  intendAll,
  item,
  outcomesOf,
  planned,
  POLICY,
  PUSH,
  REFUSED,
  sendAll,
} from "../ledger-input.ts";

const missing: LocalProblem = { attr: "name", severity: "error", by: "local", code: "required" };

/** Returns an item with six problems, four of which are not listed. */
export function invalid(record: number): ReturnType<typeof item> {
  return item(record, `K${record}`, "bad", { status: "invalid", problems: [missing, { ...missing, unlisted: 4 }] });
}

/** Returns the number of records and the number of accepted records for each operation. */
async function coverageOf(ledger: Ledger): Promise<readonly number[][]> {
  return (await ledger.coverage()).map(({ records, accepted }) => [records, accepted]);
}

/** Tests that the counts of a ledger equal a full count after any changes: `check` counts everything again. */
export function describeCounts(kind: string, open: () => Promise<LedgerStore>): void {
  describe(`${kind}, which updates its counts incrementally,`, () => {
    let store: LedgerStore;
    let ledger: Ledger;
    beforeEach(async () => {
      store = await open();
      ledger = await store.write("push", { create: true });
    });
    afterEach(async () => {
      await ledger.close();
      expect((await store.check()).findings).toEqual([]);
    });

    test("counts the problems of the plan, of an attempt, and of the next attempt", async () => {
      const run = await planned(ledger, [item(1, "K1"), invalid(2)]);
      expect(await ledger.summary(run)).toMatchObject({ counts: { pending: 1, invalid: 1 }, errors: { required: 6 } });
      const [intent] = await intendAll(ledger, run);
      if (intent === undefined) throw new Error("Nothing to send.");
      await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, "blocked", { problems: [REFUSED, REFUSED] })]);
      expect((await ledger.summary(run)).errors).toEqual({ required: 6, invalid_phone_number: 2 });
      await ledger.resumeRun(run, POLICY);
      await sendAll(ledger, run, "rejected", { problems: [REFUSED] });
      expect((await ledger.summary(run)).errors).toEqual({ required: 6, invalid_phone_number: 1 });
      expect((await ledger.history()).requests).toBe(2);
    });

    test("counts a record that is in several plans, or was sent several times, only once", async () => {
      const run = await planned(ledger, [item(1, "K1"), invalid(2), item(3, "K3", "same"), item(4, "K3", "same")]);
      await sendAll(ledger, run, "accepted");
      expect(await coverageOf(ledger)).toEqual([[3, 2]]);
      const corrected = await planned(ledger, [item(1, "K2", "good"), invalid(5)]);
      await sendAll(ledger, corrected, "accepted");
      expect(await coverageOf(ledger)).toEqual([[4, 3]]);
      const revised = await planned(ledger, [item(1, "K1", "new"), invalid(2)], { policy: { revise: true } });
      await sendAll(ledger, revised, "accepted");
      expect(await coverageOf(ledger)).toEqual([[4, 3]]);
    });

    test("does not count records twice while a plan is open or after the plan was restarted", async () => {
      await planned(ledger, [item(1, "K1")]);
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, packItems([invalid(1), item(2, "K2")]));
      expect((await ledger.summary(id)).counts).toEqual({ invalid: 1, pending: 1 });
      await ledger.restartPlan(id);
      await ledger.plan(id, packItems([item(1, "K1")]));
      const { counts, errors } = await ledger.summary(id);
      expect([counts, errors]).toEqual([{ pending: 1 }, {}]);
      expect(await coverageOf(ledger)).toEqual([[1, 0]]);
    });

    test("counts a record by its decided status after a manual decision", async () => {
      const run = await planned(ledger, [item(1, "K1"), item(2, "K2"), item(3, "K3")]);
      await sendAll(ledger, run, "ambiguous");
      for (const [index, decision] of (["accepted", "rejected", "resend"] as const).entries()) {
        const [found] = await ledger.ambiguous(run, index + 1, index + 1);
        if (found === undefined) throw new Error("The record is not ambiguous.");
        const made = { record: index + 1, identity: found.identity, decision, by: "operator", who: "me" } as const;
        await ledger.saveDecisions(run, [{ ...made, reason: "seen", at: "2026-11-21T10:00:00.000Z" }], POLICY);
      }
      expect((await ledger.summary(run)).counts).toEqual({ accepted: 1, rejected: 1, pending: 1 });
      expect(await coverageOf(ledger)).toEqual([[3, 1]]);
    });

    test("removes the problem `version_unknown` after a manual decision", async () => {
      const run = await planned(ledger, [item(1, "K1")]);
      const unknown = { attr: "non_field_errors", severity: "error", by: "platform", detail: "Perhaps." } as const;
      await sendAll(ledger, run, "ambiguous", { problems: [{ ...unknown, code: "version_unknown" }, REFUSED] });
      const [found] = await ledger.ambiguous(run, 1, 1);
      if (found === undefined) throw new Error("The record is not ambiguous.");
      const { record, identity } = found;
      const made = { by: "operator", who: "me", reason: "seen", at: "2026-11-21T10:00:00.000Z" } as const;
      await ledger.saveDecisions(run, [{ record, identity, decision: "accepted", ...made }], POLICY);
      expect((await ledger.summary(run)).errors).toEqual({ [REFUSED.code]: 1 });
      expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "accepted", problems: [REFUSED] }]);
    });

    test("counts a record as ambiguous if it will be sent again after an unanswered request from this or another run", async () => {
      const run = await planned(ledger, [item(1, "K1"), item(2, "K2")]);
      await sendAll(ledger, run, "ambiguous");
      const policy = { ...POLICY, resendAmbiguous: true };
      await ledger.resumeRun(run, policy);
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 2 });
      const later = await planned(ledger, [item(1, "K1"), item(2, "K9")], { policy });
      expect((await ledger.summary(later)).counts).toEqual({ ambiguous: 1, pending: 1 });
    });
  });
}
