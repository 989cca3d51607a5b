import fc from "fast-check";
import { expect, it, test } from "vitest";
import { type Outcome, STATUSES, type Status } from "../../../src/model/outcome.ts";
import type { OwnerRule } from "../../../src/model/owner.ts";
import { type FindOwners, outcomesOfShare, ownerShares } from "../../../src/pipeline/owners/owner-shares.ts";
import { findOwners } from "../../../src/pipeline/owners/record-owner.ts";
import type { Report } from "../../../src/report/report.ts";

const ATTRS = ["customers.0.mobile", "customers.1.mobile", "name"];
const CODES = ["required", "blank"] as const;
const FILES = ["north.csv", "south.csv"];
const WORK: ReadonlySet<string> = new Set(["invalid", "rejected", "duplicate"]);

const listOf = (values: readonly string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });

const rule: fc.Arbitrary<OwnerRule> = fc.record(
  {
    owner: fc.constantFrom("A", "B", "C", "no owner"),
    days: fc.nat(9),
    codes: listOf([...CODES, "duplicate"]),
    attrs: listOf(["customers", "customers.*.mobile", "name"]),
    statuses: listOf(["invalid", "rejected"]),
    files: listOf(FILES),
  },
  { requiredKeys: ["owner"] },
);

function problemOf<Code extends (typeof CODES)[number]>(code: Code) {
  return fc.record({
    attr: fc.constantFrom(...ATTRS),
    code: fc.constant(code),
    severity: fc.constantFrom("error", "warning"),
    by: fc.constant("local"),
  });
}

const outcome: fc.Arbitrary<Omit<Outcome, "record">> = fc.record({
  status: fc.constantFrom(...STATUSES),
  source: fc.record({ file: fc.constantFrom(...FILES), line: fc.nat() }),
  problems: fc.array(fc.oneof(problemOf("required"), problemOf("blank")), { maxLength: 3 }),
});

function reading(all: readonly Outcome[], size: number): Report["outcomes"] {
  return async function* outcomes(statuses: readonly Status[] = STATUSES) {
    const wanted = all.filter(({ status }) => statuses.includes(status));
    for (let at = 0; at < wanted.length; at += size) yield wanted.slice(at, at + size);
  };
}

async function recordsOf(outcomes: Report["outcomes"]): Promise<readonly Outcome[]> {
  const found: Outcome[] = [];
  for await (const batch of outcomes()) found.push(...batch);
  return found;
}

const findIn =
  (rules: readonly OwnerRule[]): FindOwners =>
  async (batch) => {
    const records = batch.map(({ status: state, ...each }) => ({ ...each, state, run: "R", supplier: "S" }));
    const found = await findOwners(rules, records, undefined);
    return found.map((owner = { name: "no owner" }) => owner);
  };

test("every record that needs correction is in exactly one share, and the counts add up", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rule), fc.array(outcome), fc.integer({ min: 1, max: 4 }), async (rules, found, size) => {
      const all = found.map((each, index) => ({ ...each, record: index + 1 }));
      const outcomes = reading(all, size);
      const find = findIn(rules);
      const shares = await ownerShares(outcomes, find);
      const seen: number[] = [];
      for (const { ranges, summary } of shares.values()) {
        const own = await recordsOf(outcomesOfShare(outcomes, ranges));
        const numbers = own.map(({ record }) => record);
        expect(ranges.flatMap(([from, to]) => all.slice(from - 1, to).map(({ record }) => record))).toEqual(numbers);
        expect(summary.records).toBe(own.length);
        expect(Object.values(summary.counts).reduce((sum, count) => sum + count, 0)).toBe(own.length);
        seen.push(...numbers);
      }
      const work = all.filter(({ status }) => WORK.has(status)).map(({ record }) => record);
      expect(seen.toSorted((a, b) => a - b)).toEqual(work);
    }),
  );
});

it("a share has the shortest deadline and all addresses of the rules that apply", async () => {
  const rules = [
    { owner: "A", address: "a@example.com", days: 9, codes: ["blank"] },
    { owner: "A", address: "b@example.com", days: 3 },
  ];
  const problem = { attr: "name", severity: "error", by: "local", unlisted: 2 } as const;
  const place = { status: "invalid", source: { file: "a.csv", line: 1 } } as const;
  const all: readonly Outcome[] = [
    { record: 1, ...place, problems: [{ ...problem, code: "blank" }] },
    { record: 2, ...place, problems: [{ ...problem, code: "required", severity: "warning" }] },
  ];
  const share = (await ownerShares(reading(all, 9), findIn(rules))).get("A");
  expect(share).toMatchObject({ addresses: ["a@example.com", "b@example.com"], days: 3, ranges: [[1, 2]] });
  expect(share?.summary).toMatchObject({ counts: { invalid: 2 }, errors: { blank: 3 }, warnings: { required: 3 } });
});
