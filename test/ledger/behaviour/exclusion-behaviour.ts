import { beforeEach, describe, expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { type Exclusion, rowIdentity } from "../../../src/ledger/records/exclusions.ts";
import { recordIdentity } from "../../../src/ledger/records/record-hashes.ts";
import {
  completeStep,
  intendAll,
  item,
  outcomesOf,
  planned,
  POLICY,
  PUSH,
  sendAll,
  statusesOf,
} from "../ledger-input.ts";

const AT = "2026-11-24T00:00:00.000Z";

const exclusionOf = (key: string): Exclusion => ({
  identity: recordIdentity({ endpoint: PUSH.endpoint, supplier: PUSH.supplier, key }),
  key,
  at: AT,
  who: "ann",
  reason: "closed account",
});

/** Tests records that the user has excluded from the migration. */
export function describeExclusions(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  const exclude = (...keys: readonly string[]): ReturnType<Ledger["excludeRecords"]> =>
    ledger.excludeRecords(keys.map(exclusionOf));
  const end = (...keys: readonly string[]): ReturnType<Ledger["endExclusions"]> =>
    ledger.endExclusions(
      keys.map((key) => exclusionOf(key).identity),
      { at: "2026-11-25T00:00:00.000Z", who: "bob" },
    );

  describe("excluded records", () => {
    test("are not sent by a later push and do not make it fail, even if they are invalid", async () => {
      expect(await exclude("A", "B", "C")).toEqual(["excluded", "excluded", "excluded"]);
      const required = { attr: "name", severity: "error", by: "local", code: "required" } as const;
      const run = await planned(ledger, [
        item(1, "A"),
        item(2, "B", "x", { status: "invalid", problems: [required] }),
        item(3, "C", "one"),
        item(4, "C", "other"),
        item(5, "D"),
      ]);
      expect(await outcomesOf(ledger, run)).toMatchObject([
        ...Array.from({ length: 4 }, () => ({ status: "excluded", problems: [] })),
        { status: "pending" },
      ]);
      await sendAll(ledger, run, "accepted");
      const { counts, errors, exitCode } = await ledger.summary(run);
      expect([counts, errors, exitCode]).toEqual([{ excluded: 4, accepted: 1 }, {}, 0]);
    });

    test("are not sent when a run that planned them earlier is resumed", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await exclude("A");
      expect(await statusesOf(ledger, run)).toEqual(["excluded", "pending"]);
      await ledger.resumeRun(run, POLICY);
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ record: 2 }]);
    });

    test("are shown as excluded in a run whose input was not read completely", async () => {
      await exclude("A");
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, packItems([item(1, "A", "x", { status: "invalid" }), item(2, "B")]));
      await ledger.exclude(id, []);
      expect(await statusesOf(ledger, id)).toEqual(["excluded", "pending"]);
    });

    test("do not prevent the reconciliation of a run whose input was not read completely", async () => {
      await exclude("A");
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, packItems([item(1, "A"), item(2, "B")]));
      await ledger.refresh(id, POLICY);
      expect(await ledger.ambiguous(id, 1, 9)).toEqual([]);
    });

    test("can be rows without a key, which are open again after the exclusion ends", async () => {
      const without = { key: undefined, identity: undefined, status: "invalid", rowHash: 7 } as const;
      const run = await planned(ledger, [item(1, "x", "x", without), item(2, "x", "x", { ...without, rowHash: 8 })]);
      const [first, second] = [1, 2].map((record) => rowIdentity({ run, record }));
      const row = { ...exclusionOf("a.csv:2"), identity: first ?? new Uint8Array() };
      expect(await ledger.excludeRecords([row])).toEqual(["excluded"]);
      expect(await ledger.excludeRecords([row])).toEqual(["excluded before"]);
      expect(await openRecords(ledger)).toEqual([2]);
      expect(await ledger.migration()).toMatchObject([{ records: 0, withoutKey: 1 }]);
      const ending = [first, second].flatMap((identity) => identity ?? []);
      expect(await ledger.endExclusions(ending, { at: "2026-11-25T00:00:00.000Z", who: "bob" })).toEqual([true, false]);
      expect(await openRecords(ledger)).toEqual([1, 2]);
    });

    test("are recognised by their row under another key, until the exclusion ends", async () => {
      const rejected = await planned(ledger, [item(1, "A", "x", { rowHash: 7 }), item(2, "B", "x", { rowHash: 8 })]);
      await sendAll(ledger, rejected, "rejected");
      await exclude("A", "C");
      await planned(ledger, [item(1, "C", "x", { rowHash: 9 })]);
      const renamed = ["A", "B", "C"].map((key, at) => item(at + 1, `NEW-${key}`, "y", { rowHash: at + 7 }));
      const refused = { status: "invalid", problems: [{ code: "row_sent_under_other_key", isExcluded: true }] };
      const outcomes = await outcomesOf(ledger, await planned(ledger, renamed));
      expect(outcomes).toMatchObject([refused, { status: "pending", problems: [] }, refused]);
      const confirmed = await planned(ledger, renamed, { policy: { newKeys: true } });
      expect(await statusesOf(ledger, confirmed)).toEqual(["pending", "pending", "pending"]);
      const { identity = new Uint8Array() } = item(1, "A");
      await ledger.endExclusions([identity], { at: "2026-11-25T00:00:00.000Z", who: "bob" });
      expect(await statusesOf(ledger, await planned(ledger, renamed))).toEqual(["pending", "pending", "invalid"]);
    });

    test("do not include a record of another supplier with the same key", async () => {
      await exclude("A");
      const run = await planned(
        ledger,
        [item(1, "A", "x", { identity: recordIdentity({ ...PUSH, supplier: "OTHER", key: "A" }) })],
        { run: { supplier: "OTHER" } },
      );
      expect(await statusesOf(ledger, run)).toEqual(["pending"]);
    });

    test("can include rejected, existing and blocked records, but not accepted, ambiguous or in-flight records", async () => {
      const results = ["accepted", "rejected", "existing", "ambiguous", "blocked"] as const;
      for (const status of results) await sendAll(ledger, await planned(ledger, [item(1, status, status)]), status);
      await intendAll(ledger, await planned(ledger, [item(1, "in flight")]));
      expect(await exclude(...results, "in flight")).toEqual([
        "accepted",
        "excluded",
        "excluded",
        "unsettled",
        "excluded",
        "unsettled",
      ]);
    });

    test("can include records whose completed steps create nothing, but not records that a completed step may create", async () => {
      const run = await planned(ledger, [item(1, "staged"), item(2, "scheduled"), item(3, "polled")]);
      await completeStep(ledger, run, { step: "stage", idempotent: true });
      expect(await exclude("staged")).toEqual(["excluded"]);
      await completeStep(ledger, run, { step: "schedule", idempotent: false });
      const [, polled] = await ledger.sendable(run, 1, 9);
      if (polled === undefined) throw new Error("no record to poll");
      const { record, identity, content } = polled;
      const poll = { record, identity, content, attempt: 3, at: AT, idempotent: true, isPoll: true, step: "schedule" };
      await ledger.saveIntents(run, [poll]);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["excluded", "pending", "pending"]);
      expect(await exclude("scheduled", "polled")).toEqual(["unsettled", "unsettled"]);
    });

    test("cannot include records with an interrupted request, even if the request was idempotent", async () => {
      const run = await planned(ledger, [item(1, "first step"), item(2, "second step")]);
      const [first, second] = await ledger.sendable(run, 1, 2);
      if (first === undefined || second === undefined) throw new Error("no records to send");
      const intent = { attempt: 1, at: AT, idempotent: true };
      const { record, identity, content } = second;
      await ledger.saveIntents(run, [{ ...intent, record, identity, content, step: "one" }]);
      const done = { record, identity, attempt: 1, at: AT, problems: [], status: "pending", step: "one" } as const;
      const next = { ...intent, record, identity, content, attempt: 2, step: "two" };
      await ledger.saveIntents(run, [next], [done]);
      await ledger.saveIntents(run, [{ ...intent, record: 1, identity: first.identity, content: first.content }]);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["pending", "pending"]);
      expect(await exclude("first step", "second step")).toEqual(["unsettled", "unsettled"]);
    });

    test("are excluded only once, and are listed by key with the user who excluded them and the reason", async () => {
      await exclude("B", "A");
      expect(await exclude("A", "C", "C")).toEqual(["excluded before", "excluded", "excluded before"]);
      expect(await ledger.exclusions()).toEqual(["A", "B", "C"].map(exclusionOf));
    });

    test("are sent by the first push after their exclusion ends, but not by resuming a run that excluded them", async () => {
      await exclude("A");
      const run = await planned(ledger, [item(1, "A", "x", { status: "invalid" })]);
      expect(await end("A", "B")).toEqual([true, false]);
      await ledger.resumeRun(run, POLICY);
      expect(await ledger.sendable(run, 1, 9)).toEqual([]);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A")]))).toEqual(["pending"]);
      const ended = { ...exclusionOf("A"), undoneAt: "2026-11-25T00:00:00.000Z", undoneBy: "bob" };
      expect([await ledger.exclusions(), await ledger.exclusions("A")]).toEqual([[], [ended]]);
    });

    test("are neither missing from an inventory nor open", async () => {
      await exclude("A", "B");
      await planned(ledger, [item(1, "A")]);
      expect(await ledger.unseenKeys([PUSH], ["A", "B", "C"])).toEqual(["C"]);
      expect(await ledger.migration()).toMatchObject([{ records: 1, counts: { excluded: 1, pending: 0 } }]);
      for await (const open of ledger.openRecords()) expect(open).toEqual([]);
    });
  });

  describe("accepted records that were compared with the platform", () => {
    test("are counted until the next request for those records", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C"), item(4, "D")]);
      await sendAll(ledger, run, "accepted");
      const later = await planned(ledger, [item(1, "A", "new")], { policy: { revise: true } });
      await ledger.saveVerifications(
        run,
        [
          { record: 1, verification: "same" },
          { record: 2, verification: "same" },
          { record: 3, verification: "absent" },
        ],
        AT,
      );
      expect(await ledger.migration()).toMatchObject([{ verified: { same: 2, different: 0, absent: 1, at: AT } }]);
      const [days] = await ledger.acceptedByDay();
      expect(days).toMatchObject({ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), records: 4, target: PUSH.target });
      await sendAll(ledger, later, "rejected");
      expect(await ledger.migration()).toMatchObject([{ verified: { same: 1, different: 0, absent: 1 } }]);
      expect([...(await ledger.acceptedLast(run, 1, 9))].toSorted(([a], [b]) => a - b)).toEqual([
        [1, undefined],
        [2, "same"],
        [3, "absent"],
        [4, undefined],
      ]);
    });

    test("do not include records whose content on the platform is unknown", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await sendAll(ledger, run, "accepted");
      await sendAll(ledger, await planned(ledger, [item(1, "A", "new")], { policy: { revise: true } }), "ambiguous");
      await ledger.saveVerifications(run, [{ record: 1, verification: "same" }], AT);
      const [state] = await ledger.migration();
      expect(state).not.toHaveProperty("verified");
    });
  });
}

async function openRecords(ledger: Ledger): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const batch of ledger.openRecords()) found.push(...batch.map(({ record }) => record));
  return found;
}
