import { beforeEach, describe, expect, test } from "vitest";
import type { Decision } from "../../../src/ledger/records/requests.ts";
import { type Ledger, MAX_RECORD } from "../../../src/ledger/ledger.ts";
import type { PlannedItem, PlanPolicy } from "../../../src/ledger/records/planned-item.ts";
import type { SendableItem } from "../../../src/ledger/records/requests.ts";
import {
  attemptOutcomeOf,
  intendAll,
  item,
  outcomesOf,
  planned,
  POLICY,
  PUSH,
  sendAll,
  statusesOf,
} from "../ledger-input.ts";

const AT = "2026-11-21T08:00:00.000Z";
const DEDUPES: Partial<PlanPolicy> = { resendAmbiguous: true };
const REVISE: Partial<PlanPolicy> = { revise: true };

/** Tests records that the platform refuses because it already has them. */
export function describeExisting(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  const plan = (items: readonly PlannedItem[], policy: Partial<PlanPolicy> = {}): Promise<string> =>
    planned(ledger, items, { policy });

  async function priorOf(run: string): Promise<SendableItem["prior"] | undefined> {
    return (await ledger.sendable(run, 1, 9))[0]?.prior;
  }

  async function decide(run: string, decision: Decision["decision"], more: Partial<Decision> = {}): Promise<void> {
    const items = [...(await ledger.ambiguous(run, 1, 9)), ...(await ledger.existing(run, 1, 9))];
    const made = items.map(({ record, identity }): Decision => ({
      record,
      identity,
      decision,
      by: "read-back",
      who: "ann",
      reason: "looked",
      at: AT,
      ...more,
    }));
    await ledger.saveDecisions(run, made, POLICY);
  }

  /** Returns a run whose change to an accepted record got no clear reply. */
  async function revisedUnclear(): Promise<string> {
    await sendAll(ledger, await plan([item(1, "A", "x")]), "accepted", { account: "A-1" });
    const run = await plan([item(1, "A", "y")], REVISE);
    await sendAll(ledger, run, "ambiguous");
    return run;
  }

  describe("existing records", () => {
    test("are counted separately from accepted records, and a later run sends them again", async () => {
      const run = await plan([item(1, "A", "x")]);
      await sendAll(ledger, run, "existing", { http: 400, account: "A-1", reason: "HTTP 400" });
      expect(await ledger.summary(run)).toMatchObject({ counts: { existing: 1 }, exitCode: 1 });
      expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "existing", http: 400, account: "A-1" }]);
      expect(await ledger.coverage()).toMatchObject([{ records: 1, accepted: 0 }]);
      for (const content of ["x", "y"]) {
        const later = await plan([item(1, "A", content)]);
        expect(await statusesOf(ledger, later)).toEqual(["pending"]);
        expect(await priorOf(later)).toBe("other");
      }
    });

    test("keep their status when their run is resumed", async () => {
      const run = await plan([item(1, "A", "x")]);
      await sendAll(ledger, run, "existing");
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["existing"]);
    });

    test("are listed until a later run has sent other content", async () => {
      const run = await plan([item(1, "A", "x"), item(2, "B", "x")]);
      await sendAll(ledger, run, "existing");
      expect(await ledger.existing(run, 1, 9)).toMatchObject([
        { record: 1, key: "A", isAsSent: true, mayHoldOther: true, attempts: 1 },
        { record: 2, key: "B" },
      ]);
      expect(await ledger.existing(run, 2, 2)).toHaveLength(1);
      expect(await ledger.existing(run, 1, MAX_RECORD)).toHaveLength(2);
      expect(await ledger.undecidedByKey(run, "existing", ["B", "C"])).toMatchObject([{ record: 2, key: "B" }]);
      expect(await ledger.undecidedByKey(run, "ambiguous", ["B"])).toEqual([]);
      expect(await ledger.ambiguous(run, 1, MAX_RECORD)).toEqual([]);
      await sendAll(ledger, await plan([item(1, "A", "y")]), "existing");
      expect(await ledger.existing(run, 1, 9)).toMatchObject([{ key: "B" }]);
    });

    test("are skipped by a later run after the decision `accepted`, and sent again after the decision `rejected`", async () => {
      const run = await plan([item(1, "A", "x")]);
      await sendAll(ledger, run, "existing");
      await decide(run, "rejected");
      expect(await statusesOf(ledger, run)).toEqual(["rejected"]);
      const second = await plan([item(1, "A", "x")]);
      expect(await statusesOf(ledger, second)).toEqual(["pending"]);
      await sendAll(ledger, second, "existing");
      await decide(second, "accepted", { account: "A-1", isNewAccount: true });
      expect(await outcomesOf(ledger, second)).toMatchObject([{ status: "accepted", account: "A-1" }]);
      expect(await ledger.coverage()).toMatchObject([{ accepted: 1 }]);
      expect(await statusesOf(ledger, await plan([item(1, "A", "x")]))).toEqual(["skipped"]);
      expect(await ledger.decisions("A")).toMatchObject([{ decision: "rejected" }, { decision: "accepted" }]);
    });

    test("keep their account number if a decision names none", async () => {
      const run = await plan([item(1, "A", "x")]);
      await sendAll(ledger, run, "existing", { account: "A-1" });
      await decide(run, "accepted");
      for (const id of [run, await plan([item(1, "A", "x")])]) {
        expect(await outcomesOf(ledger, id)).toMatchObject([{ account: "A-1" }]);
      }
    });

    test("of an earlier run become `skipped` once the platform has accepted the same content from a later run", async () => {
      const run = await plan([item(1, "A", "x"), item(2, "B", "x")]);
      await sendAll(ledger, run, "existing");
      await sendAll(ledger, await plan([item(1, "A", "x"), item(2, "B", "y")]), "accepted");
      await ledger.refresh(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["skipped", "existing"]);
    });

    test("count as sent when a new key is similar to their key", async () => {
      await sendAll(ledger, await plan([item(1, "0007", "x")]), "existing");
      const run = await plan([item(1, "7", "x")]);
      expect((await outcomesOf(ledger, run))[0]?.problems).toMatchObject([{ code: "near_known_key", wasSent: true }]);
    });

    test("block records that wait for them", async () => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "existing");
      const { identity: awaits = new Uint8Array() } = item(1, "A");
      const run = await plan([item(1, "M", "x", { awaits })], { after: "accounts" });
      expect(await statusesOf(ledger, run)).toEqual(["blocked"]);
    });
  });

  test("an ambiguous record that the platform has with other values blocks records that wait for it (they used to be sent)", async () => {
    const accounts = await plan([item(1, "A", "x")]);
    await sendAll(ledger, accounts, "ambiguous");
    await decide(accounts, "rejected");
    const { identity: awaits = new Uint8Array() } = item(1, "A");
    const run = await plan([item(1, "M", "x", { awaits })], { after: "accounts" });
    expect(await statusesOf(ledger, run)).toEqual(["blocked"]);
    await sendAll(ledger, await plan([item(1, "A", "x")], REVISE), "accepted");
    await ledger.resumeRun(run, { ...POLICY, after: "accounts" });
    expect(await statusesOf(ledger, run)).toEqual(["pending"]);
  });

  describe("the content that the platform may have from earlier requests", () => {
    test("is `none` for a new record and for a record that was rejected", async () => {
      expect(await priorOf(await plan([item(1, "A", "x")]))).toBe("none");
      await sendAll(ledger, await plan([item(1, "A", "x")]), "rejected");
      expect(await priorOf(await plan([item(1, "A", "y")]))).toBe("none");
    });

    test("is `same` after a request without a clear reply, even after a decision to send the record again", async () => {
      const run = await plan([item(1, "A", "x")]);
      await sendAll(ledger, run, "ambiguous");
      expect(await priorOf(await plan([item(1, "A", "x")], DEDUPES))).toBe("same");
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ mayHoldOther: false }]);
      await decide(run, "resend");
      expect(await priorOf(run)).toBe("same");
    });

    test("is `other` once different content was sent without a clear reply", async () => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "ambiguous");
      const run = await plan([item(1, "A", "y")], DEDUPES);
      expect(await priorOf(run)).toBe("other");
      await sendAll(ledger, run, "ambiguous");
      for (const content of ["x", "y"]) {
        expect(await priorOf(await plan([item(1, "A", content)], DEDUPES))).toBe("other");
      }
      expect(await ledger.ambiguous(await plan([item(1, "A", "y")]), 1, 9)).toMatchObject([{ mayHoldOther: true }]);
    });

    test("is `other` after a step that was already done on the platform, even if the next request had no clear reply", async () => {
      const run = await plan([item(1, "A", "x")]);
      const [staged] = await intendAll(ledger, run);
      if (staged === undefined) throw new Error("nothing to send");
      const next = { ...staged, attempt: staged.attempt + 1, step: "process" };
      await ledger.saveIntents(run, [next], [{ ...attemptOutcomeOf(staged, "pending"), mayHoldOther: true }]);
      await ledger.saveOutcomes(run, [attemptOutcomeOf(next, "ambiguous")]);
      expect(await priorOf(await plan([item(1, "A", "x")], DEDUPES))).toBe("other");
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ mayHoldOther: true }]);
    });

    test("is `other` for a record whose content has changed after a decision to send it again", async () => {
      const run = await plan([item(1, "A", "x")]);
      await sendAll(ledger, run, "ambiguous");
      await decide(run, "resend");
      expect(await priorOf(await plan([item(1, "A", "y")]))).toBe("other");
    });

    test("is `accepted` for a revision of an accepted record, even after the revision had no clear reply", async () => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "accepted", { account: "A-1" });
      const run = await plan([item(1, "A", "y")], REVISE);
      expect(await priorOf(run)).toBe("accepted");
      const [intent] = await intendAll(ledger, run);
      if (intent === undefined) throw new Error("nothing to send");
      await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, "ambiguous")]);
      expect(await priorOf(await plan([item(1, "A", "y")], { ...REVISE, ...DEDUPES }))).toBe("accepted");
      expect(await ledger.ambiguous(run, 1, 9)).toMatchObject([{ mayHoldOther: true }]);
    });

    test("is `other` for a second revision after the first revision had no clear reply", async () => {
      await sendAll(ledger, await plan([item(1, "A", "x")]), "accepted");
      await sendAll(ledger, await plan([item(1, "A", "y")], REVISE), "ambiguous");
      const run = await plan([item(1, "A", "z")], { ...REVISE, ...DEDUPES });
      expect(await priorOf(run)).toBe("other");
      await sendAll(ledger, run, "ambiguous");
      expect(await priorOf(await plan([item(1, "A", "z")], { ...REVISE, ...DEDUPES }))).toBe("other");
    });
  });

  describe("a record whose earlier version was accepted", () => {
    test("stays accepted with that version if the platform has content other than the revision", async () => {
      const run = await revisedUnclear();
      const [before] = await ledger.migration();
      await decide(run, "rejected");
      expect(await statusesOf(ledger, run)).toEqual(["rejected"]);
      expect(before).toMatchObject({ counts: { ambiguous: 1 } });
      expect(await ledger.migration()).toMatchObject([{ counts: { outdated: 1 } }]);
      expect(await ledger.coverage()).toMatchObject([{ records: 1, accepted: 1 }]);
      expect(await outcomesOf(ledger, await plan([item(1, "A", "x")]))).toMatchObject([
        { status: "skipped", account: "A-1" },
      ]);
      expect(await outcomesOf(ledger, await plan([item(1, "A", "y")]))).toMatchObject([
        { status: "invalid", problems: [{ code: "unique", acceptedAt: PUSH.startedAt }] },
      ]);
      const { identity = new Uint8Array() } = item(1, "A");
      const made = { identity, key: "A", at: AT, who: "ann", reason: "closed" };
      expect(await ledger.excludeRecords([made])).toEqual(["accepted"]);
    });

    test.each(["accepted", "rejected"] as const)(
      "keeps its account number after the decision `%s` without a number",
      async (decision) => {
        const run = await revisedUnclear();
        await decide(run, decision);
        expect(await outcomesOf(ledger, run)).toMatchObject([{ status: decision, account: "A-1" }]);
        const later = await plan([item(1, "A", decision === "accepted" ? "y" : "x")]);
        expect(await outcomesOf(ledger, later)).toMatchObject([{ status: "skipped", account: "A-1" }]);
      },
    );
  });
}
