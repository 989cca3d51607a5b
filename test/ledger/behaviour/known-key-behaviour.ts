import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { recordIdentity } from "../../../src/ledger/records/record-hashes.ts";
import type { AttemptOutcome } from "../../../src/ledger/records/requests.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { PlannedItem } from "../../../src/ledger/records/planned-item.ts";
import type { LocalProblem } from "../../../src/model/problem.ts";
import {
  attemptOutcomeOf,
  intentOf,
  item,
  outcomesOf,
  planned,
  POLICY,
  PUSH,
  sendAll,
  statusesOf,
} from "../ledger-input.ts";

type Result = "accepted" | "ambiguous" | "rejected" | "unsent";

/** Tests how new keys are compared with the keys that the ledger already contains. */
export function describeKnownKeys(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  async function sent(known: string, status: AttemptOutcome["status"] = "accepted"): Promise<void> {
    await sendAll(ledger, await planned(ledger, [item(1, known, "x")], { policy: { newKeys: true } }), status);
  }

  /** Plans records with these keys, and returns the problem codes of each record. */
  async function codesOf(...keys: readonly string[]): Promise<readonly (readonly string[])[]> {
    const run = await planned(
      ledger,
      keys.map((key, index) => item(index + 1, key, "x")),
    );
    return (await outcomesOf(ledger, run)).map(({ problems }) => problems.map(({ code }) => code));
  }

  /** Sends the remaining records, except those whose result is `unsent`, and saves the results. */
  async function sendSome(run: string, results: readonly Result[]): Promise<readonly AttemptOutcome[]> {
    const intents = (await ledger.sendable(run, 1, 9)).map(intentOf);
    const outcomes = intents.flatMap((intent, index) => {
      const status = results[index] ?? "unsent";
      return status === "unsent" ? [] : [attemptOutcomeOf(intent, status)];
    });
    const numbers = new Set(outcomes.map(({ record }) => record));
    await ledger.saveIntents(
      run,
      intents.filter(({ record }) => numbers.has(record)),
    );
    await ledger.saveOutcomes(run, outcomes);
    return outcomes;
  }

  test("a dry run does not make an earlier run refuse a key", async () => {
    const run = await planned(ledger, [item(1, "7.0", "x")]);
    await planned(ledger, [item(1, "007", "x")], { run: { dryRun: true } });
    await ledger.resumeRun(run, POLICY);
    expect(await statusesOf(ledger, run)).toEqual(["pending"]);
    expect(await codesOf("7.0")).toEqual([["near_known_key"]]);
  });

  describe("a push of new keys that may be corrupt forms of known keys", () => {
    test.each([
      ["zeros", "00000003", "3"],
      ["case", "EXT-1", "ext-1"],
      ["spaces", "EXT-1", "EXT -1"],
      ["characters", "123", "１２３"],
      ["decimals", "1234", "1234.0"],
      ["fraction", "123.50", "123.5"],
      ["digits", "1234567890123456789", "1234567890123450000"],
      ["digits", "1234567890123450000", "1234567890123456789"],
      ["scientific", "1200000", "1.2E+06"],
      ["thousands", "1200000", "1,200,000"],
      ["apostrophe", "0000000001", "'0000000001"],
      ["formula", "0000000001", '="0000000001"'],
      ["dash", "EXT-00123", "EXT00123"],
      ["dash", "EXT00123", "EXT-00123"],
      ["plus", "+441234567", "441234567"],
      ["date", "2010-01-11", "11/01/2010"],
      ["date", "2010-01-11", "01/11/2010"],
      ["date", "1-11", "11-Jan"],
      ["date", "11/01/2010", "2010-01-11"],
    ])("refuses a new key that differs from an accepted key by %s: %s, %s", async (corruption, known, key) => {
      await sent(known);
      const run = await planned(ledger, [item(1, key, "x"), item(2, "else", "x")]);
      const found = await outcomesOf(ledger, run);
      expect(found.map(({ status }) => status)).toEqual(["invalid", "pending"]);
      expect(found[0]?.problems).toMatchObject([
        { code: "near_known_key", attr: POLICY.keyAttr, key, known, corruption, wasSent: true, place: { line: 2 } },
      ]);
      expect(found[0]?.problems).toHaveLength(1);
    });

    test.each(["rejected", "pending", "ambiguous"] as const)(
      "refuses a key without its leading zeros if the original was %s",
      async (status) => {
        await sent("007", status);
        expect(await codesOf("7")).toEqual([["near_known_key"]]);
        expect(await codesOf("07")).toEqual([["near_known_key"]]);
      },
    );

    test("refuses a key without its leading zeros if the original was invalid and never sent", async () => {
      await planned(ledger, [item(1, "007", "x", { status: "invalid" })]);
      expect(await codesOf("7")).toEqual([["near_known_key"]]);
    });

    test("sends the corrected key of a record that was not accepted", async () => {
      await sent("7", "rejected");
      await planned(ledger, [item(1, "8", "x", { status: "invalid" })]);
      expect(await codesOf("007", "008")).toEqual([[], []]);
    });

    test("sends a key after its corrupt form was refused", async () => {
      await sent("1");
      expect(await codesOf("'00123", "ＡＢ１", "01")).toEqual([["damaged_key"], [], ["near_known_key"]]);
      expect(await codesOf("00123")).toEqual([[]]);
    });

    test.each(["1.40384E+11", "1,40384e+11", "'00123", '="00123"', "#REF!"])(
      "refuses the key %s in an empty ledger",
      async (key) => {
        expect(await codesOf(key, "140384123456")).toEqual([["damaged_key"], []]);
      },
    );

    test("does not refuse a new key that resembles a known key but is written in the same notation", async () => {
      await sent("12-3");
      await sent("2010-01-11");
      expect(await codesOf("1-23", "2010-11-01", "12-4")).toEqual([[], [], []]);
    });

    test("names the accepted key rather than the rejected key if both are similar to the new key", async () => {
      await sent("0007", "rejected");
      await sent("007");
      const run = await planned(ledger, [item(1, "7", "x")]);
      expect((await outcomesOf(ledger, run))[0]?.problems).toMatchObject([{ known: "007", wasSent: true }]);
    });

    test("sends a new key that the user declares as intended", async () => {
      await sent("007");
      const items = [item(1, "7", "x"), item(2, "1.4E+11", "x"), item(3, "else", "x", { rowHash: 5 })];
      expect(await statusesOf(ledger, await planned(ledger, items, { policy: { newKeys: true } }))).toEqual([
        "pending",
        "pending",
        "pending",
      ]);
    });
  });

  describe("rows that were sent under another key", () => {
    test("are sent under only one key, in any order of pushes and resumed pushes", async () => {
      const results = fc.array(fc.constantFrom<Result>("accepted", "ambiguous", "rejected", "unsent"), {
        minLength: 4,
        maxLength: 4,
      });
      const step = fc.record({
        prefix: fc.constantFrom("A", "B", "C"),
        rows: fc.subarray([1, 2, 3, 4], { minLength: 1 }),
        resumed: fc.option(fc.nat({ max: 5 })),
        results,
      });
      let history = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
          history += 1;
          const keysOf = new Map<number, Set<string>>();
          const runs: { readonly id: string; readonly items: readonly PlannedItem[] }[] = [];
          for (const { prefix, rows, resumed, results: given } of steps) {
            const earlier = resumed === null ? undefined : runs[resumed];
            const items = rows.map((row, index) =>
              item(index + 1, `${prefix}${history}-${row}`, "x", { rowHash: history * 10 + row }),
            );
            const run = earlier ?? { id: await planned(ledger, items), items };
            if (earlier === undefined) runs.push(run);
            else await ledger.resumeRun(run.id, POLICY);
            for (const { record, status } of await sendSome(run.id, given)) {
              const { rowHash = 0, key = "" } = run.items[record - 1] ?? {};
              if (status !== "rejected") keysOf.set(rowHash, (keysOf.get(rowHash) ?? new Set()).add(key));
            }
          }
          expect([...keysOf.values()].filter(({ size }) => size > 1)).toEqual([]);
        }),
        { numRuns: 15 },
      );
    });

    test("are refused when a run is resumed, unless the run's keys are declared as intended", async () => {
      const rows = [1, 2, 3].map((record) => ({ record, rowHash: record }));
      const under = (prefix: string, records: readonly number[] = [1, 2, 3]): readonly PlannedItem[] =>
        rows
          .filter(({ record }) => records.includes(record))
          .map(({ record, rowHash }) => item(record, `${prefix}${record}`, "x", { rowHash }));
      const first = await planned(ledger, under("OLD-"));
      const intended = await planned(ledger, under("MEANT-"), { policy: { newKeys: true } });
      await sendAll(ledger, await planned(ledger, under("ALTERED-", [1, 2])), "accepted");
      await ledger.resumeRun(first, POLICY);
      expect(await statusesOf(ledger, first)).toEqual(["invalid", "invalid", "pending"]);
      expect((await keyProblemsOf(ledger, first))[0]).toMatchObject([
        { code: "row_sent_under_other_key", key: "OLD-1", known: "ALTERED-1" },
      ]);
      const last = await planned(ledger, under("LAST-", [3]));
      await ledger.resumeRun(first, POLICY);
      await sendAll(ledger, first, "accepted");
      await ledger.resumeRun(last, POLICY);
      expect(await statusesOf(ledger, last)).toEqual(["invalid"]);
      await ledger.resumeRun(intended, { ...POLICY, newKeys: true });
      expect(await statusesOf(ledger, intended)).toEqual(["pending", "pending", "pending"]);
    });

    test.each(["accepted", "ambiguous"] as const)("are refused if they are %s under the other key", async (status) => {
      const before = [item(1, "A", "x", { rowHash: 2 ** 52 - 1 }), item(2, "B", "x", { rowHash: 8 })];
      await sendAll(ledger, await planned(ledger, before), status);
      const now = [item(1, "NEW-A", "x", { rowHash: 2 ** 52 - 1 }), item(2, "C", "x", { rowHash: 9 })];
      const run = await planned(ledger, now);
      expect(await statusesOf(ledger, run)).toEqual(["invalid", "pending"]);
      expect(await keyProblemsOf(ledger, run)).toMatchObject([
        [{ code: "row_sent_under_other_key", key: "NEW-A", known: "A" }],
        [],
      ]);
    });

    test("are refused if they wait for another record and were accepted under the other key", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A", "x", { rowHash: 7 })]), "accepted");
      const waits = item(1, "NEW-A", "x", { rowHash: 7, awaits: recordIdentity({ ...PUSH, key: "LATER" }) });
      const run = await planned(ledger, [waits], { policy: { after: "import-account" } });
      expect(await statusesOf(ledger, run)).toEqual(["invalid"]);
      await ledger.resumeRun(run, POLICY);
      expect(await statusesOf(ledger, run)).toEqual(["invalid"]);
    });

    test("are sent again if they were rejected under the other key", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A", "x", { rowHash: 7 })]), "rejected");
      expect(await statusesOf(ledger, await planned(ledger, [item(1, "B", "x", { rowHash: 7 })]))).toEqual(["pending"]);
    });

    test("do not include a row if the same run also contains a row with the other key and the same cells", async () => {
      await sendAll(ledger, await planned(ledger, [item(1, "A", "x", { rowHash: 7 })]), "accepted");
      const both = [item(1, "A", "x", { rowHash: 7 }), item(2, "B", "x", { rowHash: 7 })];
      expect(await statusesOf(ledger, await planned(ledger, both))).toEqual(["skipped", "pending"]);
    });
  });
}

async function keyProblemsOf(ledger: Ledger, run: string): Promise<readonly (readonly LocalProblem[])[]> {
  return (await outcomesOf(ledger, run)).map(({ problems }) =>
    problems.flatMap((problem) => (problem.by === "local" && "known" in problem ? [problem] : [])),
  );
}
