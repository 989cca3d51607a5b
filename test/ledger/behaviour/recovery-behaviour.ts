import { beforeEach, describe, expect, test } from "vitest";
import type { JournaledRequest, LedgerRecovery } from "../../../src/ledger/journal/recovery.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { rowMarker } from "../../../src/ledger/records/row-hash.ts";
import { contentHash } from "../../../src/ledger/records/record-hashes.ts";
import { item, outcomesOf, planned, POLICY, PUSH, sendAll, statusesOf } from "../ledger-input.ts";

const AT = "2126-11-24T00:00:00.000Z";
const ROW = 2 ** 52 - 77;
const OTHER = contentHash({ content: "y" });

/** Tests the recovery of requests from a separately stored journal. */
export function describeRecovery(opened: () => Ledger): void {
  describe("comparing the ledger with a journal", () => {
    let ledger: Ledger;
    let recovery: LedgerRecovery;
    beforeEach(() => {
      ledger = opened();
      if (ledger.recovery === undefined) throw new Error("the ledger does not support journals");
      recovery = ledger.recovery;
    });

    test("finds the requests that the ledger does not contain", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      const requests = [request("A", 1), request("A", 2), request("B", 1)];
      expect(await recovery.unknownRequests(requests)).toEqual(requests.slice(1));
      expect(await recovery.unknownRequests([])).toEqual([]);
    });

    test("stores each unknown request once, and plans its record as ambiguous", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      const requests = [request("A", 1), request("B", 1), request("B", 1), request("B", 2)];
      expect(await recovery.markPossiblySent(requests, AT)).toBe(2);
      expect(await recovery.markPossiblySent(requests, AT)).toBe(0);
      expect(await recovery.unknownRequests(requests)).toEqual([]);
      const { requests: count, msSinceAbandoned = 0 } = await ledger.history();
      expect(count).toBe(3);
      expect(Math.abs(Date.now() - msSinceAbandoned - Date.parse(AT))).toBeLessThan(60_000);
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: false });
      expect(await ledger.unplannedRecords()).toBe(1);
      const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C")]);
      expect(await ledger.unplannedRecords()).toBe(0);
      expect(await statusesOf(ledger, run)).toEqual(["skipped", "ambiguous", "pending"]);
      expect(await ledger.coverage()).toMatchObject([{ records: 3, accepted: 1 }]);
    });

    test("counts a record only once if no plan could send it before its request was found in a journal", async () => {
      const invalid = { status: "invalid" } as const;
      await planned(ledger, [item(1, "A", "x", invalid), item(2, "B", "x", invalid)]);
      await recovery.markPossiblySent([request("A", 1)], AT);
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: false });
      await planned(ledger, [item(1, "A", "x", invalid)]);
      expect(await ledger.coverage()).toMatchObject([{ records: 2, accepted: 0 }]);
      const { records, counts } = (await ledger.migration())[0] ?? {};
      expect({ records, counts }).toMatchObject({ records: 2, counts: { ambiguous: 1, invalid: 1, pending: 0 } });
      expect(await ledger.unplannedRecords()).toBe(0);
    });

    test("makes an accepted record ambiguous if it was sent again with other content", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A", "x")]), "accepted");
      await recovery.markPossiblySent([request("A", 2, { content: contentHash({ content: "y" }) })], AT);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toEqual(["ambiguous"]);
    });

    test.each<readonly [string, (again: JournaledRequest) => readonly JournaledRequest[], string]>([
      ["the same content", (again) => [again], "skipped"],
      ["the same content, twice", (again) => [again, { ...again, attempt: 3 }], "skipped"],
      [
        "the same content, after an attempt that is missing from the journal",
        (again) => [{ ...again, attempt: 3 }],
        "ambiguous",
      ],
      [
        "other content, then the same content",
        (again) => [
          { ...again, content: OTHER },
          { ...again, attempt: 3 },
        ],
        "ambiguous",
      ],
      [
        "the same content, then other content",
        (again) => [again, { ...again, content: OTHER, attempt: 3 }],
        "ambiguous",
      ],
      [
        "the same content, after an idempotent request with other content",
        (again) => [
          { ...again, content: OTHER, idempotent: true },
          { ...again, attempt: 3 },
        ],
        "skipped",
      ],
      [
        "other content, after an idempotent request with that other content",
        (again) => [
          { ...again, content: OTHER, idempotent: true },
          { ...again, content: OTHER, attempt: 3 },
        ],
        "ambiguous",
      ],
    ])("determines the status of an accepted record that was sent again with %s", async (_, requests, expected) => {
      const run = await planned(ledger, [item(1, "A", "x")]);
      await sendAll(ledger, run, "accepted");
      await recovery.markPossiblySent(requests(request("A", 2, { content: contentHash({ content: "x" }) })), AT);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual([expected]);
      expect(await statusesOf(ledger, run)).toEqual(["accepted"]);
    });

    test("leaves a record pending if its request was idempotent", async () => {
      await recovery.markPossiblySent([request("A", 1, { idempotent: true })], AT);
      const run = await planned(ledger, [item(1, "A")]);
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ attempts: 1, isAmbiguous: false }]);
    });

    test("does not assume that the platform has the content of a request if other content was scheduled before it", async () => {
      const first = await planned(ledger, [item(1, "A", "x")]);
      await sendAll(ledger, first, "pending", { step: "schedule" });
      await recovery.markPossiblySent([request("A", 2, { content: OTHER })], AT);
      const later = await planned(ledger, [item(1, "A", "y")], { policy: { resendAmbiguous: true } });
      expect(await ledger.sendable(later, 1, 9)).toMatchObject([{ isAmbiguous: true, prior: "other" }]);
    });

    test("gives a poll the content of the request before it, in the ledger or in the journal", async () => {
      const policy = { resendAmbiguous: true, scheduledStep: "schedule" };
      const first = await planned(ledger, [item(1, "A", "x")], { policy });
      await sendAll(ledger, first, "pending", { step: "schedule" });
      const sent = contentHash({ content: "x" });
      const poll = { content: OTHER, isPoll: true };
      const ofC = [request("C", 1, { content: sent }), request("C", 2, poll), request("C", 3, poll)];
      await recovery.markPossiblySent([request("A", 2, poll), request("A", 3, poll), ...ofC], AT);
      const later = await planned(ledger, [item(1, "A", "x"), item(2, "C", "x")], { policy });
      expect(await ledger.sendable(later, 1, 9)).toMatchObject([
        { isAmbiguous: true, prior: "same", step: "schedule" },
        { isAmbiguous: true, prior: "same" },
      ]);
    });

    test.each([{ isPoll: true }, { idempotent: true }, {}])(
      "does not assume that a record was sent only once if its first request is unknown: %j",
      async (more) => {
        await recovery.markPossiblySent([request("A", 2, more)], AT);
        const later = await planned(ledger, [item(1, "A")], { policy: { resendAmbiguous: true } });
        expect(await ledger.sendable(later, 1, 9)).toMatchObject([{ isAmbiguous: true, prior: "other" }]);
        expect(await ledger.summary(later)).toMatchObject({ counts: { ambiguous: 1 }, exitCode: 5 });
      },
    );

    test.each([
      ["no longer knows the step of a record with a further request that creates something", false, undefined],
      ["still knows the step of a record with a further idempotent request", true, "stage"],
    ])("%s", async (_, idempotent, step) => {
      const sent = await planned(ledger, [item(1, "A", "x")]);
      await sendAll(ledger, sent, "pending", { step: "stage" });
      await recovery.markPossiblySent([request("A", 2, { content: contentHash({ content: "x" }), idempotent })], AT);
      const later = await planned(ledger, [item(1, "A", "x")], { policy: { resendAmbiguous: true } });
      const [found] = await ledger.sendable(later, 1, 9);
      expect([found?.isAmbiguous, found?.step]).toEqual([!idempotent, step]);
    });

    test("makes records of an unfinished run ambiguous if the journal contains requests for them", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await recovery.markPossiblySent([request("B", 1)], AT);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["pending", "ambiguous"]);
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ key: "B", isAsSent: true }]);
    });

    test("makes a rejected record ambiguous if only the journal contains a later request (the record used to stay rejected)", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await sendAll(ledger, run, "rejected");
      await recovery.markPossiblySent([request("A", 2)], AT);
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: false });
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["ambiguous", "rejected"]);
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 1, rejected: 1 });
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ key: "A", isAsSent: true }]);
    });

    test("recognises a recovery by its id, and changes nothing if every request is known", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      expect(await recovery.isRecoveryKnown("one")).toBe(false);
      await recovery.noteRecovery({ id: "one", at: AT, isUncertain: false });
      expect(await recovery.isRecoveryKnown("one")).toBe(true);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["pending"]);
    });

    test.each([
      ["the same destination", PUSH, "invalid"],
      ["another endpoint", { ...PUSH, endpoint: "POST platform.example/other" }, "pending"],
      ["another supplier", { ...PUSH, supplier: "OTHER" }, "pending"],
    ])(
      "gives a new key the expected status if only the journal records that its row was sent to %s",
      async (_, destination, expected) => {
        await recovery.markPossiblySent([request("A", 1, { rowMark: rowMarker(destination)(ROW) })], AT);
        const row = item(1, "B", "same", { rowHash: ROW });
        const run = await planned(ledger, [row, item(2, "C", "same", { rowHash: ROW - 1 }), item(3, "D")]);
        expect(await statusesOf(ledger, run)).toEqual([expected, "pending", "pending"]);
        const [outcome] = await outcomesOf(ledger, run);
        const problem = { code: "row_sent_under_other_key", key: "B", place: { column: "REF" } };
        expect(outcome?.problems).toMatchObject(expected === "invalid" ? [problem] : []);
        expect(await statusesOf(ledger, await planned(ledger, [row], { policy: { newKeys: true } }))).toEqual([
          "pending",
        ]);
      },
    );

    test("makes only the record with the sent key ambiguous if two records match the row in the journal", async () => {
      await recovery.markPossiblySent([request("A", 1, { rowMark: rowMarker(PUSH)(ROW) })], AT);
      const items = [item(1, "A", "same", { rowHash: ROW }), item(2, "B", "same", { rowHash: ROW })];
      expect(await statusesOf(ledger, await planned(ledger, items))).toEqual(["ambiguous", "pending"]);
    });

    test("allows a new key for a row that was sent and rejected", async () => {
      await recovery.markPossiblySent([request("A", 1, { rowMark: rowMarker(PUSH)(ROW) })], AT);
      const run = await planned(ledger, [item(1, "A", "same", { rowHash: ROW })], {
        policy: { resendAmbiguous: true },
      });
      await sendAll(ledger, run, "rejected");
      const again = await planned(ledger, [item(1, "B", "same", { rowHash: ROW })]);
      expect(await statusesOf(ledger, again)).toEqual(["pending"]);
    });
  });
}

function request(key: string, attempt: number, more: Partial<JournaledRequest> = {}): JournaledRequest {
  const { identity, content } = item(1, key);
  if (identity === undefined || content === undefined || typeof content === "number") throw new Error("no hashes");
  return { identity, content, attempt, ...more };
}
