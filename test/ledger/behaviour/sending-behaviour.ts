import { beforeEach, describe, expect, test } from "vitest";
import type { Decision } from "../../../src/ledger/records/requests.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import {
  intendAll,
  intentOf,
  item,
  outcomesOf,
  planned,
  POLICY,
  REFUSED,
  sendAll,
  attemptOutcomeOf,
} from "../ledger-input.ts";

/** Tests intents, replies, and their effect on records. */
export function describeSending(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  describe("a ledger while records are sent", () => {
    test("stores the platform's reply in the outcome", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      const [first, second] = await intendAll(ledger, run);
      if (first === undefined || second === undefined) throw new Error("Nothing to send.");
      await ledger.saveOutcomes(run, [
        attemptOutcomeOf(first, "accepted", { http: 201, account: "A-12AB34CD", durationMs: 41.5 }),
        attemptOutcomeOf(second, "rejected", { http: 400, problems: [REFUSED] }),
      ]);
      expect(await outcomesOf(ledger, run)).toMatchObject([
        { status: "accepted", http: 201, attempts: 1, account: "A-12AB34CD", durationMs: 41.5, problems: [] },
        { status: "rejected", http: 400, attempts: 1, problems: [REFUSED] },
      ]);
      expect(await ledger.summary(run)).toMatchObject({
        counts: { accepted: 1, rejected: 1 },
        errors: { invalid_phone_number: 1 },
        exitCode: 1,
      });
    });

    test("returns the next sendable record with the last input position recorded before that record", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B", "same", { status: "invalid" }), item(3, "C")]);
      expect(await ledger.nextSendable(run, 1)).toEqual({ record: 1 });
      expect(await ledger.nextSendable(run, 2)).toEqual({ record: 3 });
      const place = { file: "a.csv", byte: 4_294_967_300, line: 3 };
      await ledger.notePosition(run, { record: 2, ...place });
      await ledger.notePosition(run, { record: 4, ...place, byte: 4_294_967_400 });
      await ledger.notePosition(run, { record: 3, ...place, file: "no-record-is-from-here.csv" });
      expect(await ledger.nextSendable(run, 1)).toEqual({ record: 1 });
      expect(await ledger.nextSendable(run, 2)).toEqual({ record: 3, position: { record: 2, ...place } });
      await sendAll(ledger, run, "accepted");
      expect(await ledger.nextSendable(run, 1)).toBeUndefined();
    });

    test("counts replies in timeline slots that fit the duration of the run", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C"), item(4, "D")]);
      expect(await ledger.timeline(run)).toBeUndefined();
      const intents = await intendAll(ledger, run);
      const answers = [
        ["accepted", "2126-11-20T23:41:07.999Z"],
        ["accepted", "2126-11-20T23:41:09.000Z"],
        ["rejected", "2126-11-20T23:41:09.500Z"],
      ] as const;
      for (const [at, [status, time]] of answers.entries()) {
        const intent = intents[at];
        if (intent !== undefined) await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, status, { at: time })]);
      }
      expect(await ledger.timeline(run)).toEqual({
        slotSeconds: 1,
        slots: [
          { at: "2126-11-20T23:41:07.000Z", counts: { accepted: 1 } },
          { at: "2126-11-20T23:41:09.000Z", counts: { accepted: 1, rejected: 1 } },
        ],
      });
      const last = intents[3];
      if (last === undefined) throw new Error("Nothing to send.");
      await ledger.saveOutcomes(run, [attemptOutcomeOf(last, "ambiguous", { at: "2126-11-22T10:00:00.000Z" })]);
      expect(await ledger.timeline(run)).toEqual({
        slotSeconds: 3600,
        slots: [
          { at: "2126-11-20T23:00:00.000Z", counts: { accepted: 2, rejected: 1 } },
          { at: "2126-11-22T10:00:00.000Z", counts: { ambiguous: 1 } },
        ],
      });
    });

    test("returns the pending records of a range that are not in flight", async () => {
      const run = await planned(ledger, [
        item(1, "A"),
        item(2, "B"),
        item(3, "C", "c", { status: "invalid" }),
        item(4, "D"),
      ]);
      expect((await ledger.sendable(run, 2, 4)).map(({ record }) => record)).toEqual([2, 4]);
      await intendAll(ledger, run);
      expect(await ledger.sendable(run, 1, 4)).toEqual([]);
    });

    test("shows a record in flight as ambiguous", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await intendAll(ledger, run);
      expect(await ledger.summary(run)).toMatchObject({ counts: { ambiguous: 2 }, exitCode: 5 });
      expect(await outcomesOf(ledger, run, { statuses: ["ambiguous"] })).toHaveLength(2);
    });

    test("shows the problems of the last attempt after a retry, and can list all attempts", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      await sendAll(ledger, run, "pending", {
        http: 429,
        problems: [{ ...REFUSED, code: "throttled" }],
        reason: "429",
      });
      await sendAll(ledger, run, "rejected", { http: 400, problems: [REFUSED] });
      expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "rejected", attempts: 2, problems: [REFUSED] }]);
      expect((await ledger.summary(run)).errors).toEqual({ invalid_phone_number: 1 });
      expect(await ledger.attempts("A")).toMatchObject([
        {
          run,
          record: 1,
          attempt: 1,
          status: "pending",
          http: 429,
          reason: "429",
          problems: [{ code: "throttled" }],
        },
        { run, record: 1, attempt: 2, status: "rejected", http: 400, problems: [REFUSED] },
      ]);
      expect(await ledger.attempts("B")).toEqual([]);
    });

    test("makes a record ambiguous if its new account already belongs to a record of an earlier run", async () => {
      const account = { http: 201, account: "A-1", isNewAccount: true };
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted", account);
      const run = await planned(ledger, [item(1, "B"), item(2, "C")]);
      const [first, second] = await intendAll(ledger, run);
      if (first === undefined || second === undefined) throw new Error("Nothing to send.");
      const added = { ...account, isNewAccount: false };
      await ledger.saveOutcomes(run, [attemptOutcomeOf(first, "accepted", account)]);
      await ledger.saveOutcomes(run, [attemptOutcomeOf(second, "accepted", added)]);
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 1, accepted: 1 });
      expect(await ledger.attempts("B")).toMatchObject([
        { status: "ambiguous", reason: expect.stringMatching(/^HTTP 201 with the account number of another record/) },
      ]);
    });

    test("leaves a decided record ambiguous if its new account already belongs to a record of any run", async () => {
      const account = { http: 201, account: "A-1", isNewAccount: true };
      const earlier = await planned(ledger, [item(1, "A")]);
      await sendAll(ledger, earlier, "accepted", account);
      const run = await planned(ledger, [item(1, "B"), item(2, "C"), item(3, "D"), item(4, "E")]);
      await sendAll(ledger, run, "ambiguous");
      const shared = await ledger.saveDecisions(
        run,
        [
          decide(1, { account: "A-1" }),
          decide(2, { account: "A-2" }),
          decide(3, { account: "A-2" }),
          decide(4, { account: "A-1", isNewAccount: false }),
        ],
        POLICY,
      );
      expect(shared).toEqual([
        { record: 1, holder: { record: 1, run: earlier } },
        { record: 3, holder: { record: 2, run } },
      ]);
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 2, accepted: 2 });
      const later = await planned(ledger, [item(1, "F")]);
      await sendAll(ledger, later, "accepted", { ...account, account: "A-2" });
      expect((await ledger.summary(later)).counts).toEqual({ ambiguous: 1 });
    });

    test("restarts a record at its first step after a decision to send it again", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      await sendAll(ledger, run, "ambiguous", { step: "schedule" });
      expect(await ledger.ambiguous(run, 1, 1)).toMatchObject([{ step: "schedule" }]);
      const [found] = await ledger.ambiguous(run, 1, 1);
      if (found === undefined) throw new Error("Nothing is ambiguous.");
      const made = { by: "operator", who: "me", reason: "seen", at: "2026-11-21T10:00:00.000Z" } as const;
      const { record, identity } = found;
      await ledger.saveDecisions(run, [{ record, identity, decision: "resend", ...made }], POLICY);
      const [left] = await ledger.sendable(run, 1, 1);
      expect(left).toMatchObject({ record: 1, isAmbiguous: false });
      expect(left).not.toHaveProperty("step");
    });

    test("refuses an outcome of another attempt or a second outcome, and changes nothing", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      const [first, second] = await intendAll(ledger, run);
      if (first === undefined || second === undefined) throw new Error("Nothing to send.");
      const late = attemptOutcomeOf({ ...second, attempt: 7 }, "accepted");
      await expect(ledger.saveOutcomes(run, [attemptOutcomeOf(first, "accepted"), late])).rejects.toMatchObject({
        code: "ledger_in_use",
      });
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 2 });
      await ledger.saveOutcomes(run, [attemptOutcomeOf(first, "accepted")]);
      await expect(ledger.saveOutcomes(run, [attemptOutcomeOf(first, "rejected")])).rejects.toMatchObject({
        code: "ledger_in_use",
      });
    });

    test("refuses an intent for a record that is in flight or has since been sent", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      const intents = await intendAll(ledger, run);
      await expect(ledger.saveIntents(run, intents)).rejects.toMatchObject({ code: "ledger_in_use" });
      await ledger.saveOutcomes(
        run,
        intents.map((intent) => attemptOutcomeOf(intent, "accepted")),
      );
      await expect(ledger.saveIntents(run, intents)).rejects.toMatchObject({ code: "ledger_in_use" });
    });

    test("saves outcomes and the next intents either together or not at all", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      const [first, second] = (await ledger.sendable(run, 1, 2)).map(intentOf);
      if (first === undefined || second === undefined) throw new Error("Nothing to send.");
      await ledger.saveIntents(run, [first]);
      const accepted = attemptOutcomeOf(first, "accepted");
      await expect(ledger.saveIntents(run, [{ ...second, attempt: 9 }], [accepted])).rejects.toMatchObject({
        code: "ledger_in_use",
      });
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 1, pending: 1 });
      await ledger.saveIntents(run, [second], [accepted]);
      expect((await ledger.summary(run)).counts).toEqual({ accepted: 1, ambiguous: 1 });
    });

    test("gives a run with blocked records exit code 3", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B", "b", { status: "invalid" })]);
      await sendAll(ledger, run, "blocked");
      expect(await ledger.summary(run)).toMatchObject({ counts: { blocked: 1, invalid: 1 }, exitCode: 3 });
    });

    test("filters outcomes by status and by key", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B", "b", { status: "invalid", problems: [REFUSED] })]);
      await sendAll(ledger, run, "accepted");
      expect(await outcomesOf(ledger, run, { statuses: ["invalid", "rejected"] })).toMatchObject([
        { record: 2, problems: [REFUSED] },
      ]);
      expect(await outcomesOf(ledger, run, { key: "A" })).toMatchObject([{ record: 1 }]);
      expect(await outcomesOf(ledger, run, { key: "A", statuses: ["invalid"] })).toEqual([]);
    });
  });
}

/** Returns a decision on the record with this number. Records 1 to 4 have the keys B to E. */
function decide(record: number, to: Partial<Decision>): Decision {
  return {
    record,
    identity: item(record, ["B", "C", "D", "E"][record - 1] ?? "").identity ?? new Uint8Array(),
    decision: "accepted",
    by: "read-back",
    who: "me",
    reason: "the platform has it",
    at: "2026-11-21T10:00:00.000Z",
    isNewAccount: true,
    ...to,
  };
}
