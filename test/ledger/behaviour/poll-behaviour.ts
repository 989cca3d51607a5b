import { beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { attemptOutcomeOf, intentOf, item, outcomesOf, planned, POLICY, PUSH, sendAll } from "../ledger-input.ts";

/** Tests records whose requests were answered, but whose results are polled. */
export function describePolls(opened: () => Ledger): void {
  describe("a run that polls", () => {
    let ledger: Ledger;
    beforeEach(() => {
      ledger = opened();
    });

    test("continues a scheduled record at its step, and considers it ambiguous if its content has changed", async () => {
      const policy = { resendAmbiguous: true, scheduledStep: "schedule" };
      const first = await planned(ledger, [item(1, "A", "x"), item(2, "B", "x")], { policy });
      await sendAll(ledger, first, "pending", { step: "schedule" });
      const later = await planned(ledger, [item(1, "A", "x"), item(2, "B", "y")], { policy });
      expect(await ledger.sendable(later, 1, 9)).toMatchObject([
        { record: 1, isAmbiguous: false, prior: "none", step: "schedule" },
        { record: 2, isAmbiguous: true, prior: "other" },
      ]);
      await sendAll(ledger, later, "pending");
      await ledger.resumeRun(later, { ...POLICY, ...policy });
      expect(await ledger.sendable(later, 2, 9)).toMatchObject([{ record: 2, prior: "other" }]);
    });

    test("counts a scheduled record with changed content as ambiguous before it is polled", async () => {
      const policy = { resendAmbiguous: true, scheduledStep: "schedule" };
      const first = await planned(ledger, [item(1, "A", "x"), item(2, "B", "x")], { policy });
      await sendAll(ledger, first, "pending", { step: "schedule" });
      const later = await planned(ledger, [item(1, "A", "x"), item(2, "B", "y")], { policy });
      for (const run of [first, later]) {
        expect((await ledger.summary(run)).counts).toEqual({ pending: 1, ambiguous: 1 });
        expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "pending" }, { status: "ambiguous" }]);
      }
    });

    test("keeps the content of the last request and its step if a later run with other content only polls", async () => {
      const policy = { resendAmbiguous: true, scheduledStep: "schedule" };
      const first = await planned(ledger, [item(1, "A", "x")], { policy });
      await sendAll(ledger, first, "pending", { step: "schedule" });
      const later = await planned(ledger, [item(1, "A", "y")], { policy });
      const [poll] = (await ledger.sendable(later, 1, 9)).map((found) => ({ ...intentOf(found), isPoll: true }));
      if (poll === undefined) throw new Error("Nothing to poll.");
      await ledger.saveIntents(later, [poll]);
      await ledger.resumeRun(first, { ...POLICY, ...policy });
      expect(await ledger.sendable(first, 1, 9)).toMatchObject([
        { isAmbiguous: true, prior: "same", step: "schedule" },
      ]);
      await ledger.refresh(later, POLICY);
      expect(await ledger.undecidedByKey(later, "ambiguous", ["A"])).toMatchObject([
        { isAsSent: false, sentBy: first, mayHoldOther: false, step: "schedule" },
      ]);
    });

    test("gives a record the content of a later run that polls first and then sends, and holds it in the earlier run", async () => {
      const policy = { resendAmbiguous: true };
      const first = await planned(ledger, [item(1, "A", "x")]);
      await sendAll(ledger, first, "ambiguous");
      const later = await planned(ledger, [item(1, "A", "y")], { policy });
      const [found] = await ledger.sendable(later, 1, 9);
      if (found === undefined) throw new Error("Nothing to poll.");
      const poll = { ...intentOf(found), isPoll: true };
      await ledger.saveIntents(later, [poll]);
      const notFound = attemptOutcomeOf(poll, "pending", { mayHoldOther: true });
      await ledger.saveIntents(later, [{ ...poll, isPoll: false, attempt: poll.attempt + 1 }], [notFound]);
      await ledger.resumeRun(first, { ...POLICY, ...policy });
      expect(await ledger.sendable(first, 1, 9)).toEqual([]);
      await ledger.refresh(first, POLICY);
      expect(await ledger.undecidedByKey(first, "ambiguous", ["A"])).toMatchObject([
        { isAsSent: false, sentBy: later },
      ]);
    });

    test("does not assume the content of a record whose only known request is a poll", async () => {
      await ledger.recovery?.noteRecovery({ id: "one", at: PUSH.startedAt, isUncertain: true });
      const held = await planned(ledger, [item(1, "A", "x")]);
      await ledger.resumeRun(held, { ...POLICY, resendAmbiguous: true });
      const polls = (await ledger.sendable(held, 1, 9)).map((found) => ({ ...intentOf(found), isPoll: true }));
      await ledger.saveIntents(held, polls);
      await ledger.resumeRun(held, { ...POLICY, resendAmbiguous: true });
      expect(await ledger.sendable(held, 1, 9)).toMatchObject([{ attempts: 1, prior: "other" }]);
    });
  });
}
