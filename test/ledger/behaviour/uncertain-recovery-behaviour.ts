import { beforeEach, describe, expect, test } from "vitest";
import type { LedgerRecovery } from "../../../src/ledger/journal/recovery.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { item, planned, POLICY, sendAll, statusesOf } from "../ledger-input.ts";

const AT = "2126-11-24T00:00:00.000Z";

/** Tests a ledger that may lack requests that no journal contains. */
export function describeUncertainRecovery(opened: () => Ledger): void {
  describe("after an uncertain recovery, a ledger", () => {
    let ledger: Ledger;
    let recovery: LedgerRecovery;
    beforeEach(() => {
      ledger = opened();
      if (ledger.recovery === undefined) throw new Error("the ledger does not support journals");
      recovery = ledger.recovery;
    });

    test("lists a rejected record as ambiguous, because it may have been sent again", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      await sendAll(ledger, run, "rejected");
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      await ledger.refresh(run, POLICY);
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ key: "A" }]);
    });

    test.each([
      [true, expect.any(Number)],
      [false, undefined],
    ])(
      "measures the quiet period from a recovery if it is uncertain (%s), because a missing request may be in progress",
      async (isUncertain, expected) => {
        await recovery.noteRecovery({ id: "one", at: AT, isUncertain });
        expect((await ledger.history()).msSinceAbandoned).toEqual(expected);
      },
    );

    test("makes new and unaccepted records ambiguous", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      await sendAll(ledger, await planned(ledger, [item(1, "B")]), "rejected");
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const items = [item(1, "A"), item(2, "B"), item(3, "C")];
      const run = await planned(ledger, items);
      expect(await statusesOf(ledger, run)).toEqual(["skipped", "ambiguous", "ambiguous"]);
      expect(await ledger.ambiguous(run, 1, 9)).toHaveLength(2);
      expect(await ledger.unplannedRecords()).toBe(0);
      expect(await ledger.coverage()).toMatchObject([{ records: 3, accepted: 1 }]);
    });

    test("counts the records that became ambiguous as ambiguous (PostgreSQL used to count them as pending)", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "rejected");
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const items = [item(1, "A"), item(2, "B")];
      const run = await planned(ledger, items, { policy: { resendAmbiguous: true, createsOnce: true } });
      expect(await statusesOf(ledger, run)).toEqual(["ambiguous", "pending"]);
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 1, pending: 1 });
    });

    test("makes no record ambiguous if the platform deduplicates", async () => {
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const run = await planned(ledger, [item(1, "A")], { policy: { resendAmbiguous: true, createsOnce: true } });
      expect(await statusesOf(ledger, run)).toEqual(["pending"]);
    });

    test("makes new records ambiguous even if they can be polled (they used to be sent again)", async () => {
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const policy = { resendAmbiguous: true, scheduledStep: "schedule" };
      const run = await planned(ledger, [item(1, "A")], { policy });
      expect(await statusesOf(ledger, run)).toEqual(["ambiguous"]);
      await ledger.resumeRun(run, { ...POLICY, ...policy });
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ attempts: 0, isAmbiguous: true, prior: "other" }]);
    });

    test("gives an ambiguous record without a request the content of the latest run (it used to keep that of an earlier plan)", async () => {
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const first = await planned(ledger, [item(1, "A", "x")]);
      const run = await planned(ledger, [item(1, "A", "y")]);
      for (const each of [run, first, run]) {
        await ledger.refresh(each, POLICY);
        expect(await ledger.ambiguous(each, 1, 9)).toMatchObject([{ isAsSent: true, mayHoldOther: true }]);
      }
      const [{ record, identity } = { record: 0, identity: new Uint8Array() }] = await ledger.ambiguous(run, 1, 9);
      const decision = { decision: "accepted", by: "operator", who: "ann", reason: "seen", at: AT } as const;
      await ledger.saveDecisions(run, [{ ...decision, record, identity }], POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["accepted"]);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toEqual(["skipped"]);
    });

    test("does not assume the content of a new record (a refused repeat used to accept it)", async () => {
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const policy = { resendAmbiguous: true, createsOnce: true };
      const run = await planned(ledger, [item(1, "A")], { policy });
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ isAmbiguous: false, prior: "other" }]);
      await sendAll(ledger, run, "ambiguous");
      await ledger.resumeRun(run, { ...POLICY, ...policy });
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ isAmbiguous: true, prior: "other" }]);
    });
  });
}
