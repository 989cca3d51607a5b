import { beforeEach, describe, expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { item, outcomesOf, planned, POLICY, PUSH, REFUSED, statusesOf } from "../ledger-input.ts";

const place = (line: number): object => ({ file: "a.csv", line, column: "REF", columnNumber: 2 });

/** Tests which keys count as equal, and which similar keys cause a warning. */
export function describeDuplicateKeys(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  describe("duplicate keys", () => {
    test.each([
      ["next to each other", ["A", "B", "B", "C"], [2, 3]],
      ["far apart", ["A", "B", "C", "A"], [1, 4]],
      ["in consecutive batches", ["A", "B", "|", "B"], [2, 3]],
      ["in two batches, the second of which starts with a lower key", ["B", "C", "|", "A", "B"], [1, 4]],
    ])("are found if they are %s", async (_, keys, twice) => {
      const { id } = await ledger.startRun(PUSH);
      const batches = keys
        .join(",")
        .split(",|,")
        .map((batch) => batch.split(","));
      let record = 0;
      for (const batch of batches) {
        const items = batch.map((key) => item((record += 1), key, `content ${record}`));
        await ledger.plan(id, packItems(items));
      }
      await ledger.finishPlan(id, POLICY);
      const invalid = (await outcomesOf(ledger, id)).filter(({ status }) => status === "invalid");
      expect(invalid.map((outcome) => outcome.record)).toEqual(twice);
    });

    test("with equal content keep the first record, and make the other records duplicates", async () => {
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

    test("with different content make all records invalid, and each problem names the nearest other record", async () => {
      const run = await planned(ledger, [item(1, "A", "x"), item(4, "A", "y"), item(5, "A", "x")]);
      const found = await outcomesOf(ledger, run);
      expect(found.map(({ status }) => status)).toEqual(["invalid", "invalid", "invalid"]);
      expect(found.map(({ problems }) => problems)).toMatchObject([
        [{ other: place(5), sameContent: false }],
        [{ other: place(6), sameContent: false }],
        [{ other: place(5), sameContent: false }],
      ]);
    });

    test("do not make a record with unknown content a duplicate", async () => {
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
    ])(
      "do not include keys that differ only in %s, and their records are sent with a warning",
      async (_, one, other) => {
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
      },
    );

    test.each([
      ["0", "1"],
      ["1000", "1"],
      ["A-1", "A-01"],
    ])("do not include the different keys %s and %s, which cause no warning", async (one, other) => {
      const run = await planned(ledger, [item(1, one, "x"), item(2, other, "y")]);
      expect((await ledger.summary(run)).warnings).toEqual({});
    });

    test("are reported together with similar keys if a record has both problems", async () => {
      const run = await planned(ledger, [item(1, "A"), item(2, "a"), item(3, "A")]);
      const found = await outcomesOf(ledger, run);
      expect(found.map(({ status }) => status)).toEqual(["pending", "pending", "duplicate"]);
      expect(found.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
        ["near_duplicate_key"],
        ["near_duplicate_key"],
        ["duplicate_key", "near_duplicate_key"],
      ]);
    });

    test("include two Unicode forms of one key", async () => {
      const run = await planned(ledger, [item(1, "caf\u00e9"), item(2, "cafe\u0301")]);
      expect(await statusesOf(ledger, run)).toEqual(["pending", "duplicate"]);
      expect(await outcomesOf(ledger, run, { key: "cafe\u0301" })).toHaveLength(2);
    });

    test("include keys that differ only in surrounding whitespace", async () => {
      const run = await planned(ledger, [
        item(1, "K2"),
        item(2, " K2\u00a0"),
        item(3, "\tcafe\u0301"),
        item(4, "caf\u00e9"),
      ]);
      expect(await statusesOf(ledger, run)).toEqual(["pending", "duplicate", "pending", "duplicate"]);
      expect(await outcomesOf(ledger, run, { key: "K2 " })).toHaveLength(2);
    });

    test("are found only within a run, and never among records without a key", async () => {
      const keyless = item(2, "x", "x", { key: undefined });
      const other = item(3, "y", "y", { key: undefined });
      await planned(ledger, [item(1, "A", "x")], { run: { dryRun: true } });
      const run = await planned(ledger, [item(1, "A", "y"), keyless, other], { run: { dryRun: true } });
      expect(await statusesOf(ledger, run)).toEqual(["valid", "valid", "valid"]);
    });

    test("are found even if there are thousands of them", async () => {
      const items = Array.from({ length: 3000 }, (_, index) => item(index + 1, `K${index % 1500}`));
      const run = await planned(ledger, items);
      expect((await ledger.summary(run)).counts).toEqual({ pending: 1500, duplicate: 1500 });
    });
  });
}
