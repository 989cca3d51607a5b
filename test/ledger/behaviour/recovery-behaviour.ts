import { beforeEach, describe, expect, test } from "vitest";
import type { JournaledRequest, Ledger, LedgerRecovery } from "../../../src/ledger/ledger.ts";
import { contentHash } from "../../../src/ledger/records/record-hashes.ts";
import { item, planned, POLICY, sendAll, statusesOf } from "../ledger-input.ts";

const AT = "2026-11-24T00:00:00.000Z";

/** What a ledger learns from a journal that was kept outside of it. */
export function describeRecovery(opened: () => Ledger): void {
  describe("comparing the ledger with a journal", () => {
    let ledger: Ledger;
    let recovery: LedgerRecovery;
    beforeEach(() => {
      ledger = opened();
      if (ledger.recovery === undefined) throw new Error("the ledger compares itself with no journal");
      recovery = ledger.recovery;
    });

    test("finds the requests that the ledger does not know", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      const requests = [request("A", 1), request("A", 2), request("B", 1)];
      expect(await recovery.unknownRequests(requests)).toEqual(requests.slice(1));
      expect(await recovery.unknownRequests([])).toEqual([]);
    });

    test("notes each unknown request once, and plans its record as ambiguous", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      const requests = [request("A", 1), request("B", 1), request("B", 2)];
      expect(await recovery.markPossiblySent(requests, AT)).toBe(2);
      expect(await recovery.markPossiblySent(requests, AT)).toBe(0);
      expect(await recovery.unknownRequests(requests)).toEqual([]);
      expect(await ledger.history()).toMatchObject({ requests: 3, lastGivenUpAt: AT });
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: false });
      const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C")]);
      expect(await statusesOf(ledger, run)).toEqual(["skipped", "ambiguous", "pending"]);
      expect(await ledger.coverage()).toMatchObject([{ records: 3, accepted: 1 }]);
    });

    test("makes an accepted record ambiguous that was sent again with other content", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A", "x")]), "accepted");
      await recovery.markPossiblySent([request("A", 2, { content: contentHash({ content: "y" }) })], AT);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toEqual(["ambiguous"]);
    });

    test("leaves a record to be sent where its request was idempotent", async () => {
      await recovery.markPossiblySent([request("A", 1, { idempotent: true })], AT);
      const run = await planned(ledger, [item(1, "A")]);
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ attempts: 1, isAmbiguous: false }]);
    });

    test("holds an unfinished run's records that a journal shows to have been sent", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await recovery.markPossiblySent([request("B", 1)], AT);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["pending", "ambiguous"]);
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ key: "B", isAsSent: true }]);
    });

    test("a recovery is known by its id, and changes nothing when every request is known", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      expect(await recovery.isRecoveryKnown("one")).toBe(false);
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: false });
      expect(await recovery.isRecoveryKnown("one")).toBe(true);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["pending"]);
    });

    test("an uncertain recovery holds new records and those that are not accepted", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      await sendAll(ledger, await planned(ledger, [item(1, "B")]), "rejected");
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const items = [item(1, "A"), item(2, "B"), item(3, "C")];
      const run = await planned(ledger, items);
      expect(await statusesOf(ledger, run)).toEqual(["skipped", "ambiguous", "ambiguous"]);
      expect(await ledger.ambiguous(run, 1, 9)).toHaveLength(2);
      expect(await ledger.coverage()).toMatchObject([{ records: 3, accepted: 1 }]);
    });

    test("an uncertain recovery holds nothing where the platform dedupes", async () => {
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: true });
      const run = await planned(ledger, [item(1, "A")], { policy: { resendAmbiguous: true } });
      expect(await statusesOf(ledger, run)).toEqual(["pending"]);
    });
  });
}

function request(key: string, attempt: number, more: Partial<JournaledRequest> = {}): JournaledRequest {
  const { identity, content } = item(1, key);
  if (identity === undefined || content === undefined || typeof content === "number") throw new Error("no hashes");
  return { identity, content, attempt, ...more };
}
