import { beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { Decision } from "../../../src/ledger/records/requests.ts";
import { item, planned, POLICY, sendAll, statusesOf } from "../ledger-input.ts";

const AT = "2026-11-24T00:00:00.000Z";

/** Tests records that the platform accepted, but that a comparison did not find there. */
export function describeLost(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  /** Stores that a comparison found or did not find these records of a run. */
  const compared = (run: string, records: readonly number[], verification: "absent" | "same"): Promise<void> =>
    ledger.saveVerifications(
      run,
      records.map((record) => ({ record, verification })),
      AT,
    );
  const lostOf = async (run: string): Promise<readonly number[]> =>
    (await ledger.lost(run, 1, 9)).map(({ record }) => record);
  async function resend(run: string): Promise<void> {
    const decisions = (await ledger.lost(run, 1, 9)).map(({ record, identity }): Decision => {
      const made = { by: "operator", who: "ann", at: "2027-01-01T00:00:00.000Z", reason: "restored" } as const;
      return { record, identity, decision: "resend", ...made };
    });
    expect(await ledger.saveDecisions(run, decisions, POLICY)).toEqual([]);
  }

  describe("accepted records that the platform has lost", () => {
    test("are the records that the last comparison did not find", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C")]);
      await sendAll(ledger, run, "accepted");
      await compared(run, [1, 3], "absent");
      await compared(run, [1], "same");
      expect(await lostOf(run)).toEqual([3]);
      expect(await ledger.undecidedByKey(run, "lost", ["A", "C"])).toMatchObject([{ record: 3, key: "C" }]);
      const later = await planned(ledger, [item(1, "C"), item(2, "D")]);
      expect([await statusesOf(ledger, later), await lostOf(later)]).toEqual([["skipped", "pending"], [1]]);
    });

    test("can be sent again, and are then no longer accepted", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await sendAll(ledger, run, "accepted");
      await compared(run, [2], "absent");
      await resend(run);
      expect(await statusesOf(ledger, run)).toEqual(["accepted", "pending"]);
      expect(await ledger.coverage()).toMatchObject([{ records: 2, accepted: 1 }]);
      expect(await ledger.migration()).toMatchObject([{ records: 2, counts: { accepted: 1, pending: 1 } }]);
      expect(await ledger.decisions("B")).toMatchObject([{ decision: "resend", who: "ann", reason: "restored" }]);
      expect(await lostOf(run)).toEqual([]);
      await sendAll(ledger, run, "accepted");
      expect(await statusesOf(ledger, run)).toEqual(["accepted", "accepted"]);
      expect(await ledger.coverage()).toMatchObject([{ records: 2, accepted: 2 }]);
    });

    test("are sent again by a later push, with the content of that push", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await sendAll(ledger, run, "accepted");
      await compared(run, [1, 2], "absent");
      await resend(run);
      const later = await planned(ledger, [item(1, "A", "new"), item(2, "B")]);
      expect(await statusesOf(ledger, later)).toEqual(["pending", "pending"]);
      await sendAll(ledger, later, "accepted");
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["invalid", "skipped"]);
    });

    test("no longer have their account numbers, which the platform may assign again", async () => {
      const created = { account: "A-1", isNewAccount: true };
      const run = await planned(ledger, [item(1, "A")]);
      await sendAll(ledger, run, "accepted", created);
      await compared(run, [1], "absent");
      await resend(run);
      const other = await planned(ledger, [item(1, "B")]);
      await sendAll(ledger, other, "accepted", created);
      expect(await statusesOf(ledger, other)).toEqual(["accepted"]);
      await sendAll(ledger, run, "accepted", created);
      expect(await statusesOf(ledger, run)).toEqual(["ambiguous"]);
    });
  });
}
