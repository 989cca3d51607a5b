import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { LedgerStore } from "../../../src/ledger/ledger-store.ts";
import type { LocalProblem } from "../../../src/model/problem.ts";
import { attemptOutcomeOf, intendAll, item, planned, POLICY, PUSH, REFUSED, sendAll } from "../ledger-input.ts";

const missing: LocalProblem = { attr: "name", severity: "error", by: "local", code: "required" };

/** An item with six problems, four of which are not listed. */
export function invalid(record: number): ReturnType<typeof item> {
  return item(record, `K${record}`, "bad", { status: "invalid", problems: [missing, { ...missing, unlisted: 4 }] });
}

/** Of each operation: how many records, and how many of them are accepted. */
async function coverageOf(ledger: Ledger): Promise<readonly number[][]> {
  return (await ledger.coverage()).map(({ records, accepted }) => [records, accepted]);
}

/** What a ledger counts as it changes: whatever was done, counting all anew at its end gives the same. */
export function describeCounts(kind: string, open: () => Promise<LedgerStore>): void {
  describe(`${kind} counts as it changes`, () => {
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

    test("the problems of the plan, of an attempt, and of the attempt after it", async () => {
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

    test("a record that several plans held counts once, and is accepted once, however often it was sent", async () => {
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

    test("a plan that was begun anew, and one that is still open, count nothing twice", async () => {
      await planned(ledger, [item(1, "K1")]);
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, [invalid(1), item(2, "K2")]);
      expect((await ledger.summary(id)).counts).toEqual({ invalid: 1, pending: 1 });
      await ledger.restartPlan(id);
      await ledger.plan(id, [item(1, "K1")]);
      expect(await ledger.summary(id)).toMatchObject({ counts: { pending: 1 }, errors: {} });
      expect(await coverageOf(ledger)).toEqual([[1, 0]]);
    });

    test("what was decided by hand counts as it was decided", async () => {
      const run = await planned(ledger, [item(1, "K1"), item(2, "K2"), item(3, "K3")]);
      await sendAll(ledger, run, "ambiguous");
      for (const [index, decision] of (["accepted", "rejected", "resend"] as const).entries()) {
        const [found] = await ledger.ambiguous(run, index + 1, index + 1);
        if (found === undefined) throw new Error("It is not ambiguous.");
        const made = { record: index + 1, identity: found.identity, decision, by: "operator", who: "me" } as const;
        await ledger.saveDecisions(run, [{ ...made, reason: "seen", at: "2026-11-21T10:00:00.000Z" }], POLICY);
      }
      expect((await ledger.summary(run)).counts).toEqual({ accepted: 1, rejected: 1, pending: 1 });
      expect(await coverageOf(ledger)).toEqual([[3, 1]]);
    });

    test("a record that is to be sent again after a request without an answer, of this run or of another, is ambiguous", async () => {
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
