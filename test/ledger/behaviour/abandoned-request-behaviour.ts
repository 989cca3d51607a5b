import { beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { PlanPolicy } from "../../../src/ledger/records/planned-item.ts";
import type { AttemptOutcome, Decision, Intent } from "../../../src/ledger/records/requests.ts";
import { attemptOutcomeOf, intendAll, intentOf, item, planned, POLICY, sendAll } from "../ledger-input.ts";

/** In the future, because a ledger on a server stores no time before the present for such a request. */
const ABANDONED_AT = "2126-11-20T23:50:00.000Z";
const LATER = "2126-11-20T23:51:00.000Z";

function toTheMinute(ms: number): string {
  return new Date(Math.round(ms / 60_000) * 60_000).toISOString();
}

/** Tests the time since an abandoned request with outdated content, which the platform may still process. */
export function describeAbandonedRequests(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  /** Plans record A with this content, and returns the time at which a request with other content was abandoned. */
  async function abandonedAt(content: string, policy: Partial<PlanPolicy> = {}): Promise<string | undefined> {
    const ms = await ledger.msSinceOtherContent(await planned(ledger, [item(1, "A", content)], { policy }));
    return ms === undefined ? undefined : toTheMinute(Date.now() - ms);
  }

  /** Sends record A with content x once, or repeatedly in one run. Saves these outcomes. */
  async function send(outcomes: readonly Partial<AttemptOutcome>[], more: Partial<Intent> = {}): Promise<string> {
    const run = await planned(ledger, [item(1, "A", "x")]);
    const [sendable] = await ledger.sendable(run, 1, 9);
    if (sendable === undefined) throw new Error("Nothing to send.");
    for (const [repeat, { status = "pending", ...rest }] of outcomes.entries()) {
      const intent = { ...intentOf(sendable), attempt: sendable.attempts + 1 + repeat, ...more };
      await ledger.saveIntents(run, [intent]);
      await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, status, { at: LATER, ...rest })]);
    }
    return run;
  }

  const STAGE = { step: "stage", idempotent: true };

  describe("an abandoned request with outdated content", () => {
    test("counts if its process was killed and its step may be repeated", async () => {
      const killed = await planned(ledger, [item(1, "A", "x")]);
      const intents = (await ledger.sendable(killed, 1, 9)).map((each) => ({ ...intentOf(each), ...STAGE }));
      await ledger.saveIntents(killed, intents);
      expect(await abandonedAt("x")).toBeUndefined();
      expect(Date.parse((await abandonedAt("y")) ?? "")).toBeGreaterThan(0);
      expect(await ledger.msSinceOtherContent(killed)).toBeUndefined();
    });

    test("counts with the same content if it belongs to another run and its stage has fields of its own", async () => {
      const run = await send([{ http: 502, reason: "HTTP 502", at: ABANDONED_AT }], STAGE);
      expect(await ledger.msSinceOtherContent(run, true)).toBeUndefined();
      const later = await planned(ledger, [item(1, "A", "x")]);
      expect(await ledger.msSinceOtherContent(later)).toBeUndefined();
      expect(await ledger.msSinceOtherContent(later, true)).toBeLessThan(0);
    });

    test("counts if its record is ambiguous and may be sent again", async () => {
      const policy = { resendAmbiguous: true };
      await sendAll(ledger, await planned(ledger, [item(1, "A", "x")], { policy }), "ambiguous", { at: ABANDONED_AT });
      expect(await abandonedAt("x", policy)).toBeUndefined();
      expect(await abandonedAt("y")).toBeUndefined();
      expect(await abandonedAt("y", policy)).toBe(ABANDONED_AT);
    });

    test.each([
      ["a 502", 502, "HTTP 502"],
      ["a 504", 504, "HTTP 504"],
      ["a 408", 408, "HTTP 408 after the whole request was sent"],
      ["a 409", 409, "HTTP 409: the record may already exist"],
      ["a truncated success", 201, "HTTP 201 with a truncated body"],
    ])("counts after %s, because the platform may still process it", async (_, http, reason) => {
      await send([{ http, reason, at: ABANDONED_AT }], STAGE);
      expect(await abandonedAt("x")).toBeUndefined();
      expect(await abandonedAt("y")).toBe(ABANDONED_AT);
    });

    test.each([
      ["the reply completed its step", 200, "done"],
      ["the reply refused it before it was processed", 429, "HTTP 429"],
    ])("does not count if %s", async (_, http, reason) => {
      await send([{ http, reason }], STAGE);
      expect(await abandonedAt("y")).toBeUndefined();
    });

    test("counts even if its repetition was accepted, because the platform may process it later", async () => {
      await send([
        { reason: "no reply", at: ABANDONED_AT },
        { status: "accepted", http: 201 },
      ]);
      expect(await abandonedAt("y", { revise: true })).toBe(ABANDONED_AT);
      expect(await abandonedAt("y")).toBeUndefined();
    });

    test("counts even if a person decided that its record may be sent again", async () => {
      const run = await send([{ status: "ambiguous", at: ABANDONED_AT }]);
      const [open] = await ledger.ambiguous(run, 1, 9);
      if (open === undefined) throw new Error("No record is ambiguous.");
      const { record, identity } = open;
      const decision: Decision = {
        record,
        identity,
        decision: "resend",
        by: "operator",
        who: "t",
        at: LATER,
        reason: "r",
      };
      await ledger.saveDecisions(run, [decision], POLICY);
      expect(await abandonedAt("y")).toBe(ABANDONED_AT);
    });

    test("does not count if it was never sent", async () => {
      await send([{ reason: "not sent" }]);
      expect(await abandonedAt("y")).toBeUndefined();
    });

    test("does not count for another record", async () => {
      const run = await planned(ledger, [item(1, "A", "x"), item(2, "B", "x")]);
      const [first, second] = await intendAll(ledger, run);
      if (first === undefined || second === undefined) throw new Error("Nothing to send.");
      const lost = attemptOutcomeOf(second, "ambiguous", { at: ABANDONED_AT });
      await ledger.saveOutcomes(run, [attemptOutcomeOf(first, "rejected"), lost]);
      expect(await abandonedAt("y")).toBeUndefined();
    });
  });
}
