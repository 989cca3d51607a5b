import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Ledger, Settlement } from "../../src/ledger/ledger.ts";
import type { PlatformProblem } from "../../src/model/problem.ts";
import {
  intendAll,
  intentOf,
  item,
  outcomesOf,
  planned,
  POLICY,
  PUSH,
  sendAll,
  settlementOf,
  statusesOf,
} from "./ledger-input.ts";

const REFUSED: PlatformProblem = {
  attr: "customers.0.mobile",
  severity: "error",
  by: "platform",
  code: "invalid_phone_number",
  detail: "Not a phone number.",
  place: { file: "a.csv", line: 2, column: "MOBILE", columnNumber: 5 },
};

const place = (line: number): object => ({ file: "a.csv", line, column: "REF", columnNumber: 2 });

async function sendOne(ledger: Ledger, status: Settlement["status"]): Promise<void> {
  await sendAll(ledger, await planned(ledger, [item(1, "A", "x")]), status, { account: "A-1" });
}

/** What every ledger does, whatever it is kept in. */
export function describeLedger(kind: string, open: () => Promise<Ledger>): void {
  describe(`${kind} keeps what it promises`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
    });
    afterEach(() => ledger.close());

    describe("runs", () => {
      test("a run is found by id, by prefix, and as the latest", async () => {
        const first = await ledger.startRun(PUSH);
        const second = await ledger.startRun({ ...PUSH, startedAt: "2026-11-21T01:00:00.000Z" });
        expect(first).toMatchObject({ ...PUSH, state: "planning" });
        expect(first.id).toMatch(/^20261120-2341-[0-9a-f]{4}$/);
        expect(await ledger.findRun(first.id)).toEqual(first);
        expect(await ledger.findRun("20261121")).toEqual(second);
        expect(await ledger.findRun()).toEqual(second);
        expect(await ledger.findRun("1999")).toBeUndefined();
        await expect(ledger.findRun("2026112")).rejects.toMatchObject({ code: "run_unknown" });
        await expect(ledger.summary("nope")).rejects.toMatchObject({ code: "run_unknown" });
      });

      test("a run goes from planning over sending to finished, and back when it is resumed", async () => {
        const run = await planned(ledger, [item(1, "A")]);
        expect(await ledger.findRun(run)).toMatchObject({ state: "sending" });
        await ledger.finishRun(run, 3);
        expect(await ledger.findRun(run)).toMatchObject({ state: "finished", exitCode: 3 });
        const resumed = await ledger.resumeRun(run, POLICY);
        expect(resumed).toMatchObject({ id: run, state: "sending" });
        expect(resumed).not.toHaveProperty("exitCode");
      });

      test("a run that ends before its input was read stays in planning, and can be planned anew", async () => {
        const { id } = await ledger.startRun(PUSH);
        await ledger.plan(id, [item(1, "A")]);
        await ledger.finishRun(id, 3);
        expect(await ledger.findRun(id)).toMatchObject({ state: "planning", exitCode: 3 });
        await ledger.restartPlan(id);
        await ledger.plan(id, [item(1, "A"), item(2, "B")]);
        await ledger.settlePlan(id, POLICY);
        expect(await ledger.summary(id)).toMatchObject({ records: 2 });
      });

      test("an interrupted plan is forgotten when it starts anew", async () => {
        const { id } = await ledger.startRun(PUSH);
        await ledger.plan(id, [item(1, "A"), item(2, "B", "b", { status: "invalid", problems: [REFUSED] })]);
        await ledger.restartPlan(id);
        await ledger.plan(id, [item(1, "A")]);
        await ledger.settlePlan(id, POLICY);
        expect(await ledger.summary(id)).toMatchObject({ records: 1, errors: {} });
        await expect(ledger.restartPlan(id)).rejects.toThrow("settled already");
      });
    });

    describe("the plan", () => {
      test("keeps key, place and problems in input order, and never the value", async () => {
        const problems = [{ ...REFUSED, value: "07700 900123" }];
        const run = await planned(ledger, [item(1, "A", "a", { status: "invalid", problems }), item(2, "B")]);
        expect(await outcomesOf(ledger, run)).toEqual([
          { record: 1, key: "A", source: { file: "a.csv", line: 2 }, status: "invalid", problems: [REFUSED] },
          { record: 2, key: "B", source: { file: "a.csv", line: 3 }, status: "pending", problems: [] },
        ]);
        expect(await ledger.summary(run)).toEqual({
          records: 2,
          counts: { invalid: 1, pending: 1 },
          errors: { invalid_phone_number: 1 },
          warnings: {},
          exitCode: 3,
        });
      });

      test("what is held back is invalid with the reason appended, and is not sent", async () => {
        const { id } = await ledger.startRun(PUSH);
        await ledger.plan(id, [
          item(1, "A"),
          item(2, "B", "b", { status: "invalid", problems: [REFUSED] }),
          item(3, "C"),
        ]);
        const problem = { attr: "number", code: "required", severity: "error", by: "local" } as const;
        await ledger.holdBack(id, [
          { file: "a.csv", line: 3, problem },
          { file: "a.csv", line: 2, problem },
          { file: "a.csv", line: 99, problem },
        ]);
        await ledger.settlePlan(id, POLICY);
        expect((await outcomesOf(ledger, id)).map(({ status, problems }) => [status, problems])).toEqual([
          ["invalid", [problem]],
          ["invalid", [REFUSED, problem]],
          ["pending", []],
        ]);
        expect((await ledger.sendable(id, 1, 3)).map(({ record }) => record)).toEqual([3]);
      });

      test("more than one batch comes in input order, complete, whatever the number of rows", async () => {
        const items = Array.from({ length: 1234 }, (_, index) => item(index + 1, `K${index}`, `c${index}`));
        const run = await planned(ledger, items);
        expect((await outcomesOf(ledger, run)).map(({ record }) => record)).toEqual(items.map(({ record }) => record));
      });

      test.each([
        ["a dry run", { dryRun: true }],
        ["validate", { command: "validate" as const }],
      ])("records of %s stay valid", async (_, run) => {
        const id = await planned(ledger, [item(1, "A"), item(2, "B", "b", { status: "invalid" })], { run });
        expect(await ledger.summary(id)).toMatchObject({ counts: { valid: 1, invalid: 1 }, exitCode: 1 });
        expect(await ledger.sendable(id, 1, 9)).toEqual([]);
      });

      test("a dry run knows what was accepted before", async () => {
        await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
        const id = await planned(ledger, [item(1, "A"), item(2, "B")], { run: { dryRun: true } });
        expect(await statusesOf(ledger, id)).toEqual(["skipped", "valid"]);
      });
    });

    describe("keys that occur twice", () => {
      test.each([
        ["side by side", ["A", "B", "B", "C"], [2, 3]],
        ["far apart", ["A", "B", "C", "A"], [1, 4]],
        ["in a later batch", ["A", "B", "|", "B"], [2, 3]],
        ["in an earlier place of a later batch", ["B", "C", "|", "A", "B"], [1, 4]],
      ])("are found %s, in an input that is sorted or almost sorted", async (_, keys, twice) => {
        const { id } = await ledger.startRun(PUSH);
        const batches = keys
          .join(",")
          .split(",|,")
          .map((batch) => batch.split(","));
        let record = 0;
        for (const batch of batches)
          await ledger.plan(
            id,
            batch.map((key) => item((record += 1), key, `content ${record}`)),
          );
        await ledger.settlePlan(id, POLICY);
        const invalid = (await outcomesOf(ledger, id)).filter(({ status }) => status === "invalid");
        expect(invalid.map((outcome) => outcome.record)).toEqual(twice);
      });

      test("with one content: the first stays, the others are duplicates of it", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "A"), item(4, "A")]);
        const found = await outcomesOf(ledger, run);
        expect(found.map(({ status }) => status)).toEqual(["pending", "pending", "duplicate", "duplicate"]);
        expect(found[0]?.problems).toEqual([]);
        const common = {
          attr: POLICY.keyAttr,
          severity: "error",
          by: "local",
          code: "duplicate_key",
          sameContent: true,
        };
        expect(found[2]?.problems).toEqual([{ ...common, place: place(4), other: place(2) }]);
        expect(found[3]?.problems).toEqual([{ ...common, place: place(5), other: place(2) }]);
      });

      test("with several contents: all are invalid, each naming its nearest other", async () => {
        const run = await planned(ledger, [item(1, "A", "x"), item(4, "A", "y"), item(5, "A", "x")]);
        const found = await outcomesOf(ledger, run);
        expect(found.map(({ status }) => status)).toEqual(["invalid", "invalid", "invalid"]);
        expect(found.map(({ problems }) => problems)).toMatchObject([
          [{ other: place(5), sameContent: false }],
          [{ other: place(6), sameContent: false }],
          [{ other: place(5), sameContent: false }],
        ]);
      });

      test("a record whose content is unknown is not taken to be the same", async () => {
        const unmapped = item(2, "A", "x", { content: undefined, status: "invalid", problems: [REFUSED] });
        const run = await planned(ledger, [item(1, "A", "x"), unmapped]);
        const found = await outcomesOf(ledger, run);
        expect(found.map(({ status }) => status)).toEqual(["invalid", "invalid"]);
        expect(found[1]?.problems.map(({ code }) => code)).toEqual(["invalid_phone_number", "duplicate_key"]);
      });

      test.each([
        ["case", "EXT-1", "ext-1"],
        ["spaces", "EXT-1", " EXT -1 "],
        ["leading zeros", "00123", "123"],
        ["full-width forms", "123", "１２３"],
      ])("keys that differ by %s are warned of and sent", async (_, one, other) => {
        const run = await planned(ledger, [item(1, one, "x"), item(2, other, "y"), item(3, "else")]);
        const found = await outcomesOf(ledger, run);
        expect(found.map(({ status }) => status)).toEqual(["pending", "pending", "pending"]);
        const common = { attr: POLICY.keyAttr, severity: "warning", by: "local", code: "near_duplicate_key" };
        expect(found.map(({ problems }) => problems)).toEqual([
          [{ ...common, place: place(2), other: place(3) }],
          [{ ...common, place: place(3), other: place(2) }],
          [],
        ]);
        expect((await ledger.summary(run)).warnings).toEqual({ near_duplicate_key: 2 });
      });

      test.each([
        ["0", "1"],
        ["1000", "1"],
        ["A-1", "A-01"],
      ])("%s and %s are just two keys", async (one, other) => {
        const run = await planned(ledger, [item(1, one, "x"), item(2, other, "y")]);
        expect((await ledger.summary(run)).warnings).toEqual({});
      });

      test("a near key and a doubled one at once", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "a"), item(3, "A")]);
        const found = await outcomesOf(ledger, run);
        expect(found.map(({ status }) => status)).toEqual(["pending", "pending", "duplicate"]);
        expect(found.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
          ["near_duplicate_key"],
          ["near_duplicate_key"],
          ["duplicate_key", "near_duplicate_key"],
        ]);
      });

      test("two Unicode forms of one key are one key", async () => {
        const run = await planned(ledger, [item(1, "caf\u00e9"), item(2, "cafe\u0301")]);
        expect(await statusesOf(ledger, run)).toEqual(["pending", "duplicate"]);
        expect(await outcomesOf(ledger, run, { key: "cafe\u0301" })).toHaveLength(2);
      });

      test("keys are compared within a run only, and records without a key not at all", async () => {
        const keyless = item(2, "x", "x", { key: undefined });
        const other = item(3, "y", "y", { key: undefined });
        await planned(ledger, [item(1, "A", "x")], { run: { dryRun: true } });
        const run = await planned(ledger, [item(1, "A", "y"), keyless, other], { run: { dryRun: true } });
        expect(await statusesOf(ledger, run)).toEqual(["valid", "valid", "valid"]);
      });

      test("thousands of doubled keys", async () => {
        const items = Array.from({ length: 3000 }, (_, index) => item(index + 1, `K${index % 1500}`));
        const run = await planned(ledger, items);
        expect((await ledger.summary(run)).counts).toEqual({ pending: 1500, duplicate: 1500 });
      });
    });

    describe("sending", () => {
      test("an outcome holds what the platform answered", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
        const [first, second] = await intendAll(ledger, run);
        if (first === undefined || second === undefined) throw new Error("Nothing to send.");
        await ledger.settle(run, [
          settlementOf(first, "accepted", { http: 201, account: "A-12AB34CD", durationMs: 41.5 }),
          settlementOf(second, "rejected", { http: 400, problems: [REFUSED] }),
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

      test("sendable gives the pending ones of a range, and nothing that is on its way", async () => {
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

      test("what is on its way shows as ambiguous", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
        await intendAll(ledger, run);
        expect(await ledger.summary(run)).toMatchObject({ counts: { ambiguous: 2 }, exitCode: 5 });
        expect(await outcomesOf(ledger, run, { statuses: ["ambiguous"] })).toHaveLength(2);
      });

      test("after a retry only the last attempt's problems stand; explain has them all", async () => {
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

      test("a settlement of another attempt, or a second one, is refused and changes nothing", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
        const [first, second] = await intendAll(ledger, run);
        if (first === undefined || second === undefined) throw new Error("Nothing to send.");
        const late = settlementOf({ ...second, attempt: 7 }, "accepted");
        await expect(ledger.settle(run, [settlementOf(first, "accepted"), late])).rejects.toMatchObject({
          code: "ledger_in_use",
        });
        expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 2 });
        await ledger.settle(run, [settlementOf(first, "accepted")]);
        await expect(ledger.settle(run, [settlementOf(first, "rejected")])).rejects.toMatchObject({
          code: "ledger_in_use",
        });
      });

      test("an intent for what is on its way, or was sent meanwhile, is refused", async () => {
        const run = await planned(ledger, [item(1, "A")]);
        const intents = await intendAll(ledger, run);
        await expect(ledger.intend(run, intents)).rejects.toMatchObject({ code: "ledger_in_use" });
        await ledger.settle(
          run,
          intents.map((intent) => settlementOf(intent, "accepted")),
        );
        await expect(ledger.intend(run, intents)).rejects.toMatchObject({ code: "ledger_in_use" });
      });

      test("outcomes go with the next intents, both or neither", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
        const [first, second] = (await ledger.sendable(run, 1, 2)).map(intentOf);
        if (first === undefined || second === undefined) throw new Error("Nothing to send.");
        await ledger.intend(run, [first]);
        const accepted = settlementOf(first, "accepted");
        await expect(ledger.intend(run, [{ ...second, attempt: 9 }], [accepted])).rejects.toMatchObject({
          code: "ledger_in_use",
        });
        expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 1, pending: 1 });
        await ledger.intend(run, [second], [accepted]);
        expect((await ledger.summary(run)).counts).toEqual({ accepted: 1, ambiguous: 1 });
      });

      test("blocked and pending mean: incomplete, safe to run again", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "B", "b", { status: "invalid" })]);
        await sendAll(ledger, run, "blocked");
        expect(await ledger.summary(run)).toMatchObject({ counts: { blocked: 1, invalid: 1 }, exitCode: 3 });
      });

      test("outcomes can be chosen by status and by key", async () => {
        const run = await planned(ledger, [
          item(1, "A"),
          item(2, "B", "b", { status: "invalid", problems: [REFUSED] }),
        ]);
        await sendAll(ledger, run, "accepted");
        expect(await outcomesOf(ledger, run, { statuses: ["invalid", "rejected"] })).toMatchObject([
          { record: 2, problems: [REFUSED] },
        ]);
        expect(await outcomesOf(ledger, run, { key: "A" })).toMatchObject([{ record: 1 }]);
        expect(await outcomesOf(ledger, run, { key: "A", statuses: ["invalid"] })).toEqual([]);
      });
    });

    describe("what later runs know", () => {
      test("accepted with this content is skipped, and sends nothing", async () => {
        await sendOne(ledger, "accepted");
        const run = await planned(ledger, [item(1, "A", "x")]);
        expect(await outcomesOf(ledger, run)).toMatchObject([{ status: "skipped", account: "A-1" }]);
        expect(await ledger.sendable(run, 1, 9)).toEqual([]);
        expect(await ledger.summary(run)).toMatchObject({ exitCode: 0 });
      });

      test("accepted with other content is an error at the key's cell", async () => {
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

      test("with --revise it is sent; refused, the earlier content is still the accepted one", async () => {
        await sendOne(ledger, "accepted");
        const run = await planned(ledger, [item(1, "A", "y")], { policy: { revise: true } });
        expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ record: 1, attempts: 1 }]);
        await sendAll(ledger, run, "rejected");
        expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["skipped"]);
        expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toEqual(["invalid"]);
      });

      test.each(["rejected", "blocked", "pending"] as const)("%s is sent again", async (status) => {
        await sendOne(ledger, status);
        expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["pending"]);
      });

      test("ambiguous is held, unless it may be sent again", async () => {
        await sendOne(ledger, "ambiguous");
        expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["ambiguous"]);
        expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "y")]))).toEqual(["ambiguous"]);
        const run = await planned(ledger, [item(1, "A", "x")], { policy: { resendAmbiguous: true } });
        expect(await statusesOf(ledger, run)).toEqual(["ambiguous"]);
        expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ record: 1, attempts: 1, inDoubt: true }]);
        await sendAll(ledger, run, "accepted");
        expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["skipped"]);
      });

      test("another target is another record", async () => {
        await sendOne(ledger, "accepted");
        const elsewhere = item(1, "A", "x", { identity: item(1, "elsewhere").identity ?? new Uint8Array(32) });
        expect(await statusesOf(ledger, await planned(ledger, [elsewhere]))).toEqual(["pending"]);
      });
    });

    describe("after a death", () => {
      test("what was in flight is ambiguous in its own run and in the next", async () => {
        const dead = await planned(ledger, [item(1, "A"), item(2, "B")]);
        const [first] = await intendAll(ledger, dead);
        if (first === undefined) throw new Error("Nothing to send.");
        await ledger.settle(dead, [settlementOf(first, "accepted")]);
        const next = await planned(ledger, [item(1, "A"), item(2, "B")]);
        expect(await statusesOf(ledger, dead)).toEqual(["accepted", "ambiguous"]);
        expect(await statusesOf(ledger, next)).toEqual(["skipped", "ambiguous"]);
        expect(await ledger.attempts("B")).toMatchObject([{ status: "ambiguous", settledAt: PUSH.startedAt }]);
      });

      test("resume holds it as ambiguous, or sends it again where the platform dedupes", async () => {
        const run = await planned(ledger, [item(1, "A")]);
        await intendAll(ledger, run);
        await ledger.resumeRun(run, POLICY);
        expect(await statusesOf(ledger, run)).toEqual(["ambiguous"]);
        expect(await ledger.sendable(run, 1, 9)).toEqual([]);
        await ledger.resumeRun(run, { ...POLICY, resendAmbiguous: true });
        expect(await ledger.sendable(run, 1, 9)).toMatchObject([{ record: 1, attempts: 1 }]);
      });

      test("resume takes up what was blocked, and what another run has sent meanwhile it leaves alone", async () => {
        const run = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C", "x")]);
        const [first] = await intendAll(ledger, run);
        if (first === undefined) throw new Error("Nothing to send.");
        await ledger.settle(run, [settlementOf(first, "blocked")]);
        const other = await planned(ledger, [item(1, "C", "y"), item(2, "B")], { policy: { resendAmbiguous: true } });
        await sendAll(ledger, other, "accepted");
        await ledger.resumeRun(run, POLICY);
        expect(await statusesOf(ledger, run)).toEqual(["pending", "skipped", "invalid"]);
      });
    });
  });
}
