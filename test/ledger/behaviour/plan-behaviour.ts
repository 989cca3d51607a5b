import { beforeEach, describe, expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { PlannedItem } from "../../../src/ledger/records/planned-item.ts";
import { item, outcomesOf, planned, POLICY, PUSH, REFUSED, sendAll, statusesOf } from "../ledger-input.ts";

/** Tests the data that the ledger stores before anything is sent. */
export function describePlan(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  describe("the plan", () => {
    test("keeps keys, places and problems in input order, and never stores an invalid value", async () => {
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

    test("counts unlisted problems in the summary", async () => {
      const counted = [REFUSED, { ...REFUSED, unlisted: 4900 }];
      const run = await planned(ledger, [item(1, "A", "a", { status: "invalid", problems: counted })]);
      expect((await ledger.summary(run)).errors).toEqual({ invalid_phone_number: 4902 });
      expect(await outcomesOf(ledger, run)).toMatchObject([{ problems: counted }]);
    });

    test("stores hundreds of problems at once, each with its record", async () => {
      const problems = Array.from({ length: 7 }, (_, index) => ({ ...REFUSED, attr: `phones.${index}` }));
      const items = Array.from({ length: 33 }, (_, index) =>
        item(index + 1, `K${index}`, "a", { status: "invalid", problems }),
      );
      const run = await planned(ledger, items);
      const outcomes = await outcomesOf(ledger, run);
      expect(outcomes.map((outcome) => outcome.problems)).toEqual(items.map(() => problems));
    });

    test("makes an excluded record invalid, adds the problem, and does not send the record", async () => {
      const { id } = await ledger.startRun(PUSH);
      const refused = item(2, "B", "b", { status: "invalid", problems: [REFUSED] });
      await ledger.plan(id, packItems([item(1, "A"), refused, item(3, "C")]));
      const problem = { attr: "number", code: "required", severity: "error", by: "local" } as const;
      await ledger.exclude(id, [
        { file: "a.csv", line: 3, problem },
        { file: "a.csv", line: 2, problem },
        { file: "a.csv", line: 99, problem },
      ]);
      await ledger.finishPlan(id, POLICY);
      expect((await outcomesOf(ledger, id)).map(({ status, problems }) => [status, problems])).toEqual([
        ["invalid", [problem]],
        ["invalid", [REFUSED, problem]],
        ["pending", []],
      ]);
      expect((await ledger.sendable(id, 1, 3)).map(({ record }) => record)).toEqual([3]);
    });

    test("makes only the excluded record invalid if several records begin on its line", async () => {
      const { id } = await ledger.startRun(PUSH);
      const items = ["A", "B", "C"].map((key, index) => item(index + 1, key, "same", { line: 1 }));
      await ledger.plan(id, packItems(items));
      const problem = { attr: "number", code: "required", severity: "error", by: "local" } as const;
      await ledger.finishPlan(id, { ...POLICY, excluded: [{ file: "a.csv", line: 1, record: 2, problem }] });
      expect((await outcomesOf(ledger, id)).map(({ status }) => status)).toEqual(["pending", "invalid", "pending"]);
    });

    test("does not finish a plan that lacks records, and plans the run again", async () => {
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, packItems([item(1, "A"), item(2, "B")]));
      await expect(ledger.finishPlan(id, { ...POLICY, records: 3 })).rejects.toMatchObject({
        code: "storage",
        message: expect.stringMatching(/contains 2 of the 3 planned records/),
      });
      expect((await ledger.findRun(id))?.state).toBe("planning");
      await ledger.restartPlan(id);
      await ledger.plan(id, packItems([item(1, "A"), item(2, "B"), item(3, "C")]));
      await ledger.finishPlan(id, { ...POLICY, records: 3 });
      expect((await ledger.summary(id)).counts).toEqual({ pending: 3 });
    });

    test("returns the outcomes of several batches completely and in input order", async () => {
      const items = Array.from({ length: 1234 }, (_, index) => item(index + 1, `K${index}`, `c${index}`));
      const run = await planned(ledger, items);
      expect((await outcomesOf(ledger, run)).map(({ record }) => record)).toEqual(items.map(({ record }) => record));
    });

    test.each([
      ["a dry run", { dryRun: true }],
      ["validate", { command: "validate" as const }],
    ])("keeps records of %s valid", async (_, run) => {
      const id = await planned(ledger, [item(1, "A"), item(2, "B", "b", { status: "invalid" })], { run });
      expect(await ledger.summary(id)).toMatchObject({ counts: { valid: 1, invalid: 1 }, exitCode: 1 });
      expect(await ledger.sendable(id, 1, 9)).toEqual([]);
    });

    test("skips previously accepted records in a dry run", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "accepted");
      const id = await planned(ledger, [item(1, "A"), item(2, "B")], { run: { dryRun: true } });
      expect(await statusesOf(ledger, id)).toEqual(["skipped", "valid"]);
    });

    describe("with records that wait for each other", () => {
      const policy = { after: "import-account" };

      test("makes a record that waits for itself invalid, and blocks records that wait for it", async () => {
        const id = await planned(ledger, [waiting(1, "A", "A"), waiting(2, "B", "A"), item(3, "C")], { policy });
        expect(await outcomesOf(ledger, id)).toMatchObject([
          {
            status: "invalid",
            problems: [{ code: "circular_dependency", after: "import-account", place: { line: 2 } }],
          },
          { status: "blocked", problems: [{ code: "account_not_found" }] },
          { status: "pending" },
        ]);
        expect((await ledger.summary(id)).errors).toEqual({ circular_dependency: 1, account_not_found: 1 });
      });

      test("points to the attr and the cell that refer to the other record", async () => {
        const awaited = [{ column: "PARENT", columnNumber: 3 }];
        const fileCells = new Map([["a.csv", { key: [{ column: "REF", columnNumber: 2 }], asOf: [], awaited }]]);
        const referring = { ...policy, awaitedAttr: "parent", fileCells };
        const id = await planned(ledger, [waiting(1, "A", "A"), waiting(2, "B", "A")], { policy: referring });
        expect(await outcomesOf(ledger, id)).toMatchObject([
          { problems: [{ code: "circular_dependency", attr: "parent", place: { column: "PARENT" } }] },
          { problems: [{ code: "account_not_found", attr: "parent", place: { column: "PARENT" } }] },
        ]);
      });

      test("finds a cycle of several records, and accepts a chain", async () => {
        const records = [
          waiting(1, "A", "B"),
          waiting(2, "B", "C"),
          waiting(3, "C", "A"),
          waiting(4, "D", "A"),
          waiting(5, "E", "F"),
          waiting(6, "F", "G"),
          item(7, "G"),
        ];
        const id = await planned(ledger, records, { policy });
        const [invalid, blocked] = ["invalid", "blocked"];
        expect(await statusesOf(ledger, id)).toEqual([invalid, invalid, invalid, blocked, blocked, blocked, "pending"]);
      });

      test("finds a cycle through a record of an earlier run, unless that record has been accepted since then", async () => {
        await planned(ledger, [waiting(1, "A", "B")], { policy });
        expect(await statusesOf(ledger, await planned(ledger, [waiting(1, "B", "A")], { policy }))).toEqual([
          "invalid",
        ]);
        const free = await planned(ledger, [item(1, "A", "other")]);
        await sendAll(ledger, free, "accepted");
        expect(await statusesOf(ledger, await planned(ledger, [waiting(1, "B", "A")], { policy }))).toEqual([
          "pending",
        ]);
      });

      test("reports a cycle of records that wait for their own keys as an error in the mapping", async () => {
        await planned(ledger, [waiting(1, "A", "B")], { policy });
        const ownKey = { ...policy, awaitsOwnKey: true };
        await expect(planned(ledger, [waiting(1, "B", "A")], { policy: ownKey })).rejects.toMatchObject({
          code: "mapping_invalid",
        });
      });
    });
  });
}

/** Returns an item that waits for the record with another key. */
function waiting(record: number, key: string, forKey: string): PlannedItem {
  const { identity } = item(1, forKey);
  return item(record, key, "same", identity === undefined ? {} : { awaits: identity });
}
