import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../src/json/json-value.ts";
import {
  absolute,
  add,
  comparer,
  compareRationals,
  divide,
  equalsOnlyItself,
  keyText,
  multiply,
  nonMissing,
  Rational,
  subtract,
  toRational,
  type Value,
} from "../../../../src/rules/engine/expressions/rule-value.ts";
import { dayInZone } from "../../../../src/time/zoned-time.ts";

const fraction = fc
  .tuple(fc.bigInt({ min: -60n, max: 60n }), fc.constantFrom(1n, 2n, 3n, 4n, 10n, 100n))
  .map(([numerator, denominator]) => new Rational(numerator, denominator));

/** Returns whether the result is the fraction, with a positive denominator. */
function isFraction({ numerator, denominator }: Rational, over: bigint, under: bigint): boolean {
  return denominator > 0n && numerator * under === over * denominator;
}

/** Returns the denominators of the sum in both orders. */
function denominators(one: string, other: string): readonly unknown[] {
  const [a, b] = [toRational(one), toRational(other)];
  return a === undefined || b === undefined ? [] : [add(a, b).denominator, add(b, a).denominator];
}

describe("the arithmetic of rules", () => {
  it("follows the laws of fractions", () => {
    fc.assert(
      fc.property(fraction, fraction, (a, b) => {
        const [p, q, r, s] = [a.numerator, a.denominator, b.numerator, b.denominator];
        expect(isFraction(add(a, b), p * s + r * q, q * s)).toBe(true);
        expect(isFraction(subtract(a, b), p * s - r * q, q * s)).toBe(true);
        expect(isFraction(multiply(a, b), p * r, q * s)).toBe(true);
        expect(isFraction(absolute(a), p < 0n ? -p : p, q)).toBe(true);
        const quotient = divide(a, b);
        expect(quotient === undefined ? r === 0n : isFraction(quotient, p * s, q * r)).toBe(true);
        const order = Number(p * s) - Number(r * q);
        expect(compareRationals(a, b)).toBe(Math.sign(order) + 0);
      }),
    );
  });

  it("does not enlarge the denominators of decimals in a sum, so that a long sum stays small", () => {
    expect(denominators("1.25", "2.75")).toEqual([100n, 100n]);
    expect(denominators("1.25", "3")).toEqual([100n, 100n]);
    expect(denominators("0.5", "0.125")).toEqual([1000n, 1000n]);
  });
});

describe("a decimal", () => {
  const digits = fc.stringMatching(/^\d{0,6}$/);
  const exponent = fc.integer({ min: -8, max: 8 });

  it("has its exact value, whether it is text or a JSON number", () => {
    fc.assert(
      fc.property(fc.constantFrom("", "+", "-"), digits, digits, exponent, (sign, whole, places, power) => {
        if (whole + places === "") return;
        const numerator = BigInt(whole + places) * (sign === "-" ? -1n : 1n);
        const scale = power - places.length;
        const [over, under] = scale < 0 ? [numerator, 10n ** BigInt(-scale)] : [numerator * 10n ** BigInt(scale), 1n];
        for (const mark of ["e", "E"]) {
          const value = toRational(` ${sign}${whole}.${places}${mark}${power} `);
          expect(value && isFraction(value, over, under)).toBe(true);
        }
        const number = Number(`${sign}${whole}.${places}e${power}`);
        const [exact, again] = [toRational(number), toRational(String(number))];
        expect(exact).toEqual(again);
        expect(Number(exact?.numerator) / Number(exact?.denominator)).toBeCloseTo(number, 10);
      }),
    );
  });

  it.each(["", " ", ".", "+", "-.", "e5", ".e5", "1e", "1e1234", "1,5", "0x10", "1 2", "a", "1".repeat(101)])(
    "is not %j",
    (text) => {
      expect(toRational(text)).toBeUndefined();
    },
  );

  it("has at most 100 characters", () => {
    expect(toRational("1".repeat(100))).toEqual(new Rational(BigInt("1".repeat(100)), 1n));
  });

  it.each([[true], [null], [undefined], [[1]], [{}], [Number.NaN]])("is not the value %j", (value) => {
    expect(toRational(value)).toBeUndefined();
  });

  it("that is already exact is returned unchanged", () => {
    const value = new Rational(2n, 4n);
    expect(toRational(value)).toBe(value);
  });
});

it("only null, blank text, empty lists and empty objects count as missing", () => {
  const missing: readonly (JsonValue | undefined)[] = [undefined, null, "", " ", "\t\n ", "\u00a0", [], {}];
  const present: readonly JsonValue[] = [0, false, "a", " a", "0", [null], [[]], { a: null }];
  expect(missing.map(nonMissing)).toEqual(missing.map(() => undefined));
  expect(present.map(nonMissing)).toEqual(present);
});

function dayInLondon(instant: number): string {
  return dayInZone(instant, "Europe/London");
}

describe("comparisons", () => {
  const { order, equal } = comparer(dayInLondon);

  /** Values that can be compared, in ascending order. Equal values are in the same list. */
  const ORDERS: Readonly<Record<string, readonly (readonly Value[])[]>> = {
    numbers: [
      [-2, "-2.0"],
      ["-0.5", -0.5],
      [0, "0", "-0"],
      [1.5, "1.50", new Rational(3n, 2n)],
      ["9", 9],
      [10, "1e1"],
    ],
    days: [
      ["2026-06-29", "2026-06-29T10:00:00Z"],
      ["2026-06-30", "2026-06-30T22:59:59Z"],
      ["2026-07-01", "2026-06-30T23:00:00Z"],
    ],
    instants: [
      ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"],
      ["2026-01-01T00:00:01Z"],
      ["2026-01-01T00:00:01.5Z"],
    ],
    times: [["09:59:59"], ["10:00:00"], ["10:30:00"]],
  };

  it.each(Object.entries(ORDERS))("of %s", (kind, groups) => {
    const all = groups.flatMap((group, index) => group.map((value) => ({ value, index })));
    for (const one of all) {
      for (const other of all) {
        const sign = order(one.value, other.value);
        expect([one.value, other.value, Math.sign(sign ?? Number.NaN)]).toEqual([
          one.value,
          other.value,
          Math.sign(one.index - other.index) + 0,
        ]);
        // Two decimals that are text are equal only if they have the same characters.
        const areTexts = kind === "numbers" && typeof one.value === "string" && typeof other.value === "string";
        expect(equal(one.value, other.value)).toBe(areTexts ? one.value === other.value : one.index === other.index);
      }
    }
  });

  it("find no order between values of different kinds", () => {
    const values: readonly Value[] = [1, "2026-06-29", "10:00:00", "A", true, [1], { a: 1 }, undefined];
    for (const [index, one] of values.entries()) {
      for (const other of values.slice(index + 1)) {
        expect([one, other, order(one, other), order(other, one)]).toEqual([one, other, undefined, undefined]);
        expect([one, other, equal(one, other), equal(other, one)]).toEqual([one, other, false, false]);
      }
    }
  });

  it("find no order between a date-time and a time", () => {
    expect(order("2026-06-29T10:00:00Z", "10:00:00")).toBeUndefined();
    expect(order("10:00:00", "2026-06-29T10:00:00Z")).toBeUndefined();
  });

  it("of text, lists and objects only detect equality and define no order", () => {
    expect(equal("A", "A")).toBe(true);
    expect(equal("A", "a")).toBe(false);
    expect(order("A", "B")).toBeUndefined();
    expect(equal([1, { a: 1, b: 2 }], [1, { b: 2, a: 1 }])).toBe(true);
    expect(equal([1], [2])).toBe(false);
    expect(equal([1], { 0: 1 })).toBe(false);
    expect(equal(true, true)).toBe(true);
    expect(equal(true, false)).toBe(false);
    expect(equal(true, 1)).toBe(false);
    expect(equal(undefined, undefined)).toBe(false);
    expect(equal(undefined, "A")).toBe(false);
    expect(equal("A", undefined)).toBe(false);
    expect(equal(new Rational(1n, 1n), [1])).toBe(false);
    expect(equal(new Rational(1n, 1n), new Rational(2n, 2n))).toBe(true);
  });

  it("treat an invalid date as text", () => {
    for (const text of ["2026-02-30", "2026-02-30T00:00:00Z", "25:00:00", "01:2", "20260101AB"]) {
      expect(order(text, "2026-03-01")).toBeUndefined();
      expect(equal(text, text)).toBe(true);
      expect(equalsOnlyItself(text)).toBe(true);
    }
  });

  it("treat text as equal only to the same text, unless it is a date or a time", () => {
    const temporal = ["2026-06-29", "2026-06-29T10:00:00Z", "10:00:00"];
    expect(temporal.map(equalsOnlyItself)).toEqual([false, false, false]);
    expect(["A", "", "1.5", "2026-06"].map(equalsOnlyItself)).toEqual([true, true, true, true]);
    expect([1, true, undefined, new Rational(1n, 1n)].map(equalsOnlyItself)).toEqual([false, false, false, false]);
  });
});

describe("the key of a value", () => {
  it("is the same for equal numbers, and for equal values of any other kind", () => {
    const groups: readonly (readonly Value[])[] = [
      [undefined],
      [""],
      ["-"],
      ["#1/1"],
      ["1"],
      ["true"],
      ["[1]"],
      [true],
      [false],
      [1, 1, new Rational(1n, 1n), new Rational(2n, 2n)],
      [-1.5, new Rational(-3n, 2n), new Rational(-15n, 10n)],
      [1.5, new Rational(3n, 2n)],
      [0, new Rational(0n, 10n)],
      [10],
      [100, new Rational(1000n, 10n)],
      [[1]],
      [["1"]],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ];
    const keys = groups.map((group) => [...new Set(group.map(keyText))]);
    expect(keys.map(({ length }) => length)).toEqual(groups.map(() => 1));
    expect(new Set(keys.flat()).size).toBe(groups.length);
  });
});
