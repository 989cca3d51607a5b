import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemsOfRule } from "./compiled-rules.ts";

const cents = fc.integer({ min: -10_000_000, max: 10_000_000 });
const dayNumber = fc.integer({ min: 0, max: 20_000 });

function decimal(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, "0");
  return `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function day(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10);
}

describe("sum-equals", () => {
  const rule = { kind: "sum-equals", sum: "sum(list[].amount)", equals: "total" };

  it("gives the same result as integer arithmetic in cents", () => {
    fc.assert(
      fc.property(fc.array(cents, { maxLength: 30 }), fc.integer({ min: -2, max: 2 }), (amounts, off) => {
        const list = amounts.map((amount) => ({ amount: decimal(amount) }));
        const total = decimal(amounts.reduce((sum, amount) => sum + amount, 0) + off);
        expect(problemsOfRule(rule, { list, total }).length === 0).toBe(off === 0);
      }),
      { numRuns: 60 },
    );
  });
});

interface Span {
  readonly from: number;
  readonly days: number | undefined;
}

const spans = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 60 }),
    days: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  }),
  { maxLength: 6 },
);

function written(list: readonly Span[]): { readonly from: string; readonly to?: string }[] {
  return list.map(({ from, days }) => ({ from: day(from), ...(days !== undefined && { to: day(from + days) }) }));
}

/** Returns the days of all spans, with repetitions. An open span ends before day 200. */
function daysHeld(list: readonly Span[]): readonly number[] {
  return list.flatMap(({ from, days }) => Array.from({ length: days ?? 200 - from }, (_unused, index) => from + index));
}

describe("no-overlap", () => {
  it("holds if and only if no day belongs to two periods", () => {
    const rule = { kind: "no-overlap", list: "list[]", start: "from", end: "to" };
    fc.assert(
      fc.property(spans, (list) => {
        const held = daysHeld(list);
        expect(problemsOfRule(rule, { list: written(list) }).length === 0).toBe(new Set(held).size === held.length);
      }),
      { numRuns: 100 },
    );
  });
});

describe("contiguous", () => {
  it("holds if and only if each day from the first start date onwards belongs to exactly one period", () => {
    const rule = { kind: "contiguous", list: "list[]", start: "from", end: "to", last: "open" };
    const chain = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }));
    fc.assert(
      fc.property(chain, fc.constantFrom(-1, 0, 1), ([first, lengths], slip) => {
        let from = first;
        const list: Span[] = lengths.map((days, index) => {
          const span = { from, days };
          from += days + (index === lengths.length - 1 ? slip : 0);
          return span;
        });
        const whole = [{ from, days: undefined }, ...list];
        const right = slip === 0 || lengths.length === 0;
        expect(problemsOfRule(rule, { list: written(whole) }).length === 0).toBe(right);
      }),
      { numRuns: 100 },
    );
  });
});

describe("dates", () => {
  it("can be moved by a number of calendar days", () => {
    fc.assert(
      fc.property(dayNumber, fc.integer({ min: 0, max: 400 }), (start, count) => {
        const payload = { a: day(start), b: day(start + count) };
        expect(
          problemsOfRule({ kind: "holds", test: `a + ${count} days = b and b - ${count} days = a` }, payload),
        ).toEqual([]);
        expect(problemsOfRule({ kind: "date-order", earlier: "a", later: "b" }, payload)).toEqual([]);
        expect(problemsOfRule({ kind: "date-order", earlier: "b", later: "a", strict: true }, payload)).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });
});

describe("any payload", () => {
  it("is checked without throwing", () => {
    const rules = [
      'sum(a[].b) = 1 and min(a[].c) < today and a[b = this.c].d[] in (1, "x")',
      "join(a, b[].c) = upper(a) or same(a, above.b) or date(a) = b + 3 days",
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.jsonValue()),
        (test, payload) => {
          const plain = JSON.parse(JSON.stringify(payload));
          expect(problemsOfRule({ kind: "holds", test }, plain).length).toBeLessThan(2);
          for (const kind of ["no-overlap", "contiguous", "covered-by"]) {
            const more = kind === "covered-by" ? { value: "c" } : {};
            problemsOfRule({ kind, list: "a[]", start: "b", end: "c", ...more }, plain);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
