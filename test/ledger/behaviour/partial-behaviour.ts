import { beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { PlannedItem, PlanPolicy } from "../../../src/ledger/records/planned-item.ts";
import { item, outcomesOf, planned, sendAll, statusesOf } from "../ledger-input.ts";

const REVISE: Partial<PlanPolicy> = { revise: true };
/** The outcome of a request with rejected items, if a repeat of the request may create a second object. */
const ONCE = { account: "A-1", partial: { mayRepeat: false } };
/** The outcome of a request with rejected items, if a repeat of the request creates nothing. */
const REPEATABLE = { account: "A-1", partial: { mayRepeat: true } };

/** Tests records of which the platform has rejected only some items. */
export function describePartial(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  const plan = (items: readonly PlannedItem[], policy: Partial<PlanPolicy> = {}): Promise<string> =>
    planned(ledger, items, { policy });

  describe("a rejected record that the platform has in part", () => {
    test.each(["x", "y"])("is sent again only with `revise`, with its account number: content %s", async (content) => {
      const run = await plan([item(1, "A", "x")]);
      await sendAll(ledger, run, "rejected", ONCE);
      expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "rejected", account: "A-1" }]);
      expect(await outcomesOf(ledger, await plan([item(1, "A", content)]))).toMatchObject([
        { status: "invalid", problems: [{ code: "unique", isPartial: true }] },
      ]);
      const revised = await plan([item(1, "A", content)], REVISE);
      expect(await ledger.sendable(revised, 1, 9)).toMatchObject([
        { isAmbiguous: false, prior: "other", account: "A-1" },
      ]);
      expect(await ledger.coverage()).toMatchObject([{ records: 1, accepted: 0 }]);
    });

    test.each(["x", "y"])("is sent again if a repeat creates nothing: content %s", async (content) => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "rejected", REPEATABLE);
      const again = await plan([item(1, "A", content)]);
      expect(await ledger.sendable(again, 1, 9)).toMatchObject([
        { isAmbiguous: false, prior: "other", account: "A-1" },
      ]);
      await sendAll(ledger, again, "accepted", { account: "A-1", isNewAccount: true });
      expect(await ledger.coverage()).toMatchObject([{ records: 1, accepted: 1 }]);
    });

    test.each([ONCE, REPEATABLE])("no longer has its accepted version: %j", async (partial) => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "accepted", { account: "A-1" });
      await sendAll(ledger, await plan([item(1, "A", "y")], REVISE), "rejected", partial);
      expect(await ledger.coverage()).toMatchObject([{ records: 1, accepted: 0 }]);
      for (const content of ["x", "y"]) {
        expect(await statusesOf(ledger, await plan([item(1, "A", content)]))).toEqual(["invalid"]);
      }
      const revised = await plan([item(1, "A", "x")], REVISE);
      expect(await ledger.sendable(revised, 1, 9)).toMatchObject([{ prior: "other", account: "A-1" }]);
      await sendAll(ledger, revised, "accepted", { account: "A-1", isNewAccount: true });
      expect(await ledger.coverage()).toMatchObject([{ records: 1, accepted: 1 }]);
      expect(await ledger.migration()).toMatchObject([{ counts: { accepted: 1, outdated: 0, rejected: 0 } }]);
    });

    test("keeps its account number if a later reply names none", async () => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "rejected", ONCE);
      await sendAll(ledger, await plan([item(1, "A", "x")], REVISE), "rejected", { partial: ONCE.partial });
      const revised = await plan([item(1, "A", "x")], REVISE);
      expect(await ledger.sendable(revised, 1, 9)).toMatchObject([{ account: "A-1" }]);
    });

    test("stays in this state if a later request is rejected as a whole", async () => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "rejected", ONCE);
      await sendAll(ledger, await plan([item(1, "A", "y")], REVISE), "rejected");
      expect(await statusesOf(ledger, await plan([item(1, "A", "y")]))).toEqual(["invalid"]);
    });

    test("may have different content from a later request without a clear reply", async () => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "rejected", REPEATABLE);
      const run = await plan([item(1, "A", "y")]);
      await sendAll(ledger, run, "ambiguous");
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ mayHoldOther: true }]);
    });
  });
}
