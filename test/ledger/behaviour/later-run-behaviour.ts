import { beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { AttemptOutcome } from "../../../src/ledger/records/requests.ts";
import {
  intendAll,
  item,
  outcomesOf,
  planned,
  POLICY,
  PUSH,
  REFUSED,
  sendAll,
  attemptOutcomeOf,
  statusesOf,
} from "../ledger-input.ts";

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("hex");
}

/** Tests how a run uses the data of earlier runs, including after a crash. */
export function describeLaterRuns(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  const acceptedLast = async (run: string, from: number, to: number): Promise<readonly number[]> =>
    [...(await ledger.acceptedLast(run, from, to)).keys()].toSorted((a, b) => a - b);

  describe("a later run", () => {
    test("considers, at each resume, the requests that other runs have sent since the previous resume", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C")]);
      await ledger.resumeRun(run, POLICY);
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["skipped", "pending", "pending"]);
      await ledger.resumeRun(run, POLICY);
      await sendAll(ledger, await planned(ledger, [item(1, "B", "other")]), "accepted");
      await sendAll(ledger, await planned(ledger, [item(1, "C")]), "ambiguous");
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["skipped", "invalid", "ambiguous"]);
    });

    test("becomes the run whose content the platform accepted last", async () => {
      const first = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C")]);
      await sendAll(ledger, first, "accepted");
      const second = await planned(ledger, [item(1, "A", "other"), item(2, "B")], { policy: { revise: true } });
      expect(await acceptedLast(first, 1, 9)).toEqual([1, 2, 3]);
      await sendAll(ledger, second, "accepted");
      expect(await acceptedLast(first, 1, 9)).toEqual([2, 3]);
      expect(await acceptedLast(first, 3, 3)).toEqual([3]);
      expect(await acceptedLast(second, 1, 9)).toEqual([1, 2]);
    });

    test("can look up the content that the platform accepted last for a record, with its run and record number", async () => {
      const first = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await sendAll(ledger, first, "accepted");
      const { identity: a, content } = item(1, "A");
      const { identity: unknown } = item(1, "C");
      const known = await ledger.knownContents([hex(a), hex(unknown)]);
      expect([...known.keys()]).toEqual([hex(a)]);
      expect(known.get(hex(a))).toMatchObject({ run: first, record: 1 });
      expect(hex(known.get(hex(a))?.content)).toBe(content instanceof Uint8Array ? hex(content) : "");
      await planned(ledger, [item(1, "A", "other")]);
      expect(hex((await ledger.knownContents([hex(a)])).get(hex(a))?.content)).toBe(hex(known.get(hex(a))?.content));
    });

    test("can look up the run that sent the accepted content, even if a later run planned other content", async () => {
      const first = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await sendAll(ledger, first, "accepted", { account: "A-1" });
      const second = await planned(ledger, [item(1, "C"), item(2, "A", "y")], { policy: { revise: true } });
      await sendAll(ledger, second, "accepted", { account: "A-1" });
      await planned(ledger, [item(1, "A", "z"), item(2, "B", "z")]);
      const [a, b] = ["A", "B"].map((key) => hex(item(1, key).identity));
      const known = await ledger.knownContents([a ?? "", b ?? ""]);
      expect(known.get(a ?? "")).toMatchObject({ run: second, record: 2 });
      expect(known.get(b ?? "")).toMatchObject({ run: first, record: 2 });
    });

    test("skips a record that was accepted with the same content", async () => {
      await sendOne(ledger, "accepted");
      const run = await planned(ledger, [item(1, "A", "x")]);
      expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "skipped", account: "A-1" }]);
      expect(await ledger.sendable(run, 1, 9)).toEqual([]);
      expect(await ledger.summary(run)).toMatchObject({ exitCode: 0 });
    });

    test("reports a record that was accepted with different content, at the cell of its key", async () => {
      await sendOne(ledger, "accepted");
      const run = await planned(ledger, [item(1, "A", "y")]);
      expect(await outcomesOf(ledger, run)).toMatchObject([
        {
          status: "invalid",
          problems: [
            { code: "unique", attr: POLICY.keyAttr, acceptedAt: PUSH.startedAt, place: { line: 2, column: "REF" } },
          ],
        },
      ]);
    });

    test("sends a changed record with --revise, and keeps the earlier content as accepted if the change is rejected", async () => {
      await sendOne(ledger, "accepted");
      const run = await planned(ledger, [item(1, "A", "y")], { policy: { revise: true } });
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ record: 1, attempts: 1 }]);
      await sendAll(ledger, run, "rejected");
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["skipped"]);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toEqual(["invalid"]);
    });

    test("treats content as a change if its run refused it because an earlier run was resumed first", async () => {
      const first = await planned(ledger, [item(1, "A", "x")]);
      const second = await planned(ledger, [item(1, "A", "y")]);
      await ledger.resumeRun(first, POLICY);
      await sendAll(ledger, first, "accepted", { at: "2026-11-20T23:50:00.000Z" });
      await ledger.resumeRun(second, POLICY);
      expect(await statusesOf(ledger, second)).toEqual(["invalid"]);
      expect(await outcomesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toMatchObject([
        { status: "invalid", problems: [{ code: "unique" }] },
      ]);
      const revised = await planned(ledger, [item(1, "A", "y")], { policy: { revise: true } });
      expect(await statusesOf(ledger, revised)).toEqual(["pending"]);
    });

    test("treats invalid content as a change if only content from a run that began earlier has since been accepted", async () => {
      const first = await planned(ledger, [item(1, "A", "x")]);
      const newer = [item(1, "A", "y", { status: "invalid", problems: [REFUSED] })];
      await planned(ledger, newer);
      await ledger.resumeRun(first, POLICY);
      await sendAll(ledger, first, "accepted", { at: "2026-11-20T23:50:00.000Z" });
      expect(await outcomesOf(ledger, await planned(ledger, newer))).toMatchObject([
        { status: "invalid", problems: [{ code: REFUSED.code }] },
      ]);
      expect(await outcomesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toMatchObject([
        { status: "invalid", problems: [{ code: "unique" }] },
      ]);
    });

    test.each([
      ["two rows with its key differed", "duplicate_key"],
      ["it was invalid under an earlier contract", "max_length"],
    ] as const)("treats valid content as a change if an earlier run refused it because %s", async (_, code) => {
      await planned(ledger, [item(1, "A", "x", { status: "invalid", problems: [{ ...REFUSED, code }] })]);
      await sendAll(ledger, await planned(ledger, [item(1, "A", "y")]), "accepted", { at: "2026-11-20T23:50:00.000Z" });
      expect(await outcomesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toMatchObject([
        { status: "invalid", problems: [{ code: "unique" }] },
      ]);
      const revised = await planned(ledger, [item(1, "A", "x")], { policy: { revise: true } });
      expect(await statusesOf(ledger, revised)).toEqual(["pending"]);
    });

    test("skips the uncorrected version of an accepted record, unless its key was the error", async () => {
      const old = [
        item(1, "A", "x", { status: "invalid", problems: [REFUSED] }),
        item(2, "B", "x"),
        item(3, "C", "x", { status: "invalid", problems: [{ ...REFUSED, code: "duplicate_key" }] }),
      ];
      await sendAll(ledger, await planned(ledger, old), "rejected", { problems: [REFUSED] });
      const corrected = ["A", "B", "C"].map((key, index) => item(index + 1, key, "y"));
      await sendAll(ledger, await planned(ledger, corrected), "accepted", { at: "2026-11-20T23:50:00.000Z" });
      expect(await outcomesOf(ledger, await planned(ledger, old))).toMatchObject([
        { status: "skipped", problems: [{ code: "corrected_since" }] },
        { status: "skipped", problems: [{ code: "corrected_since" }] },
        { status: "invalid", problems: [{ code: "duplicate_key" }] },
      ]);
    });

    test.each(["rejected", "blocked", "pending"] as const)("sends a %s record again", async (status) => {
      await sendOne(ledger, status);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["pending"]);
    });

    test("does not send an ambiguous record unless resending is allowed", async () => {
      await sendOne(ledger, "ambiguous");
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["ambiguous"]);
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toEqual(["ambiguous"]);
      const run = await planned(ledger, [item(1, "A", "x")], { policy: { resendAmbiguous: true } });
      expect(await statusesOf(ledger, run)).toEqual(["ambiguous"]);
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ record: 1, attempts: 1, isAmbiguous: true }]);
      await sendAll(ledger, run, "accepted");
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["skipped"]);
    });

    test("sends an ambiguous change again without --revise only if its content is the same", async () => {
      const policy = { resendAmbiguous: true };
      const confirmed = { ...policy, revise: true };
      await sendOne(ledger, "accepted");
      await sendAll(ledger, await planned(ledger, [item(1, "A", "y")], { policy: confirmed }), "ambiguous");
      const other = await planned(ledger, [item(1, "A", "z")], { policy });
      expect(await outcomesOf(ledger, other)).toMatchObject([{ status: "ambiguous", problems: [] }]);
      await ledger.resumeRun(other, { ...POLICY, ...policy });
      expect(await ledger.sendable(other, 1, 9)).toEqual([]);
      expect(await ledger.summary(other)).toMatchObject({ exitCode: 5 });
      const revised = await planned(ledger, [item(1, "A", "z")], { policy: confirmed });
      expect(await ledger.sendable(revised, 1, 9)).toMatchObject([{ record: 1, isAmbiguous: true }]);
      const same = await planned(ledger, [item(1, "A", "y")], { policy });
      expect(await ledger.sendable(same, 1, 9)).toMatchObject([{ record: 1, isAmbiguous: true, prior: "accepted" }]);
    });

    test("does not send an ambiguous record without --revise if the platform was found to have other content", async () => {
      const policy = { resendAmbiguous: true };
      await sendOne(ledger, "ambiguous");
      const found = await planned(ledger, [item(1, "A", "x")]);
      const [ambiguous] = await ledger.ambiguous(found, 1, 9);
      if (ambiguous === undefined) throw new Error("No record is ambiguous.");
      const { record, identity } = ambiguous;
      const made = { decision: "rejected", by: "read-back", who: "t", at: PUSH.startedAt, reason: "r" } as const;
      await ledger.saveDecisions(found, [{ record, identity, ...made }], POLICY);
      const confirmed = await planned(ledger, [item(1, "A", "y")], { policy: { ...policy, revise: true } });
      await sendAll(ledger, confirmed, "ambiguous");
      const again = await planned(ledger, [item(1, "A", "y")], { policy });
      expect(await statusesOf(ledger, again)).toEqual(["ambiguous"]);
      expect(await ledger.sendable(again, 1, 9)).toEqual([]);
    });

    test("treats the same key at another target as a different record", async () => {
      await sendOne(ledger, "accepted");
      const elsewhere = item(1, "A", "x", { identity: item(1, "elsewhere").identity ?? new Uint8Array(32) });
      expect(await statusesOf(ledger, await planned(ledger, [elsewhere]))).toEqual(["pending"]);
    });
  });

  describe("after a crash,", () => {
    test("a record that was in flight is ambiguous in its own run and in the next run", async () => {
      const dead = await planned(ledger, [item(1, "A"), item(2, "B")]);
      const [first] = await intendAll(ledger, dead);
      if (first === undefined) throw new Error("Nothing to send.");
      await ledger.saveOutcomes(dead, [attemptOutcomeOf(first, "accepted")]);
      const next = await planned(ledger, [item(1, "A"), item(2, "B")]);
      expect(await statusesOf(ledger, dead)).toEqual(["accepted", "ambiguous"]);
      expect(await statusesOf(ledger, next)).toEqual(["skipped", "ambiguous"]);
      const [attempt] = await ledger.attempts("B");
      expect(attempt?.status).toBe("ambiguous");
      expect(Date.parse(attempt?.settledAt ?? "")).toBeGreaterThanOrEqual(Date.parse(PUSH.startedAt));
    });

    test("resume keeps a record that was in flight as ambiguous, or sends it again if the platform deduplicates", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      await intendAll(ledger, run);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["ambiguous"]);
      expect(await ledger.sendable(run, 1, 9)).toEqual([]);
      await ledger.resumeRun(run, { ...POLICY, resendAmbiguous: true });
      expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ record: 1, attempts: 1 }]);
    });

    test("resume drops the refusal of a blocked record that another run has since sent", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B", "x"), item(3, "C")]);
      await sendAll(ledger, run, "blocked", { problems: [REFUSED] });
      expect(await ledger.summary(run)).toMatchObject({ errors: { [REFUSED.code]: 3 } });
      await sendAll(ledger, await planned(ledger, [item(1, "A"), item(2, "B", "y")]), "accepted");
      await ledger.resumeRun(run, POLICY);
      await sendAll(ledger, run, "blocked", { problems: [REFUSED] });
      const codes = (await outcomesOf(ledger, run)).map(({ problems }) => problems.map(({ code }) => code));
      expect(codes).toEqual([[], ["unique"], [REFUSED.code]]);
      expect(await ledger.summary(run)).toMatchObject({ errors: { unique: 1, [REFUSED.code]: 1 } });
    });

    test("resume sends blocked records, but not records that another run has sent since then", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C", "x")]);
      const [first] = await intendAll(ledger, run);
      if (first === undefined) throw new Error("Nothing to send.");
      await ledger.saveOutcomes(run, [attemptOutcomeOf(first, "blocked")]);
      const other = await planned(ledger, [item(1, "C", "y"), item(2, "B")], { policy: { resendAmbiguous: true } });
      await sendAll(ledger, other, "accepted");
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["pending", "skipped", "invalid"]);
    });
  });
}

async function sendOne(ledger: Ledger, status: AttemptOutcome["status"]): Promise<void> {
  await sendAll(ledger, await planned(ledger, [item(1, "A", "x")]), status, { account: "A-1" });
}
