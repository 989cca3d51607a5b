import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  compareDecimals,
  createDecimalSum,
  isExactNumber,
  isSameDecimal,
  numberWithin,
  plainDecimal,
} from "../../src/json/decimal-arithmetic.ts";

function sumOf(...texts: readonly string[]): string {
  const sum = createDecimalSum();
  for (const text of texts) sum.add(text);
  return sum.text();
}

describe("the sum of decimals", () => {
  it.each([
    [[], "0"],
    [["0.1", "0.2"], "0.3"],
    [["12.50", "-12.5"], "0.00"],
    [["-0.05", "0.01"], "-0.04"],
    [["99999999999999999999.99", ".01"], "100000000000000000000.00"],
    [["+7", "007."], "14"],
  ])("in %j is %s", (texts, sum) => {
    expect(sumOf(...texts)).toBe(sum);
  });

  it("is the same in any order, and a value that was added can be subtracted again", () => {
    const cents = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(fc.array(cents), (amounts) => {
        const total = amounts.reduce((sum, one) => sum + one, 0n);
        const texts = amounts.map(textOf);
        expect(isSameDecimal(sumOf(...texts), textOf(total))).toBe(true);
        expect(isSameDecimal(sumOf(...texts.toReversed(), textOf(-total)), "0")).toBe(true);
      }),
    );
  });
});

function textOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

it("writes a decimal that has an exponent as plain text of the same value", () => {
  const sign = fc.constantFrom("", "-", "+");
  const digits = fc.stringMatching(/^(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})$/);
  fc.assert(
    fc.property(sign, digits, fc.integer({ min: -400, max: 400 }), (minus, mantissa, exponent) => {
      const text = `${minus}${mantissa}E${exponent}`;
      const plain = plainDecimal(text) ?? "";
      expect(plain).toMatch(/^-?\d+(?:\.\d+)?$/);
      expect(isSameDecimal(plain, text)).toBe(true);
    }),
  );
  expect(["1e-999999999", "1e1000", "e1", "1e", " 1"].map(plainDecimal)).toEqual(Array(5).fill(undefined));
});

it("compares decimals exactly, with and without exponents", () => {
  const number = fc.record({ digits: fc.bigInt(-1000n, 1000n), exponent: fc.integer({ min: -6, max: 6 }) });
  type Number = typeof number extends fc.Arbitrary<infer Value> ? Value : never;
  const textOfNumber = ({ digits, exponent }: Number): string => `${digits}e${exponent}`;
  const plain = ({ digits, exponent }: Number): bigint => digits * 10n ** BigInt(exponent + 6);
  fc.assert(
    fc.property(number, number, (one, other) => {
      const difference = plain(one) - plain(other);
      expect(Math.sign(compareDecimals(textOfNumber(one), textOfNumber(other)))).toBe(
        difference === 0n ? 0 : difference < 0n ? -1 : 1,
      );
    }),
  );
  expect(compareDecimals("1e400000000", "9".repeat(1000))).toBe(1);
  expect(compareDecimals("-1e400000000", "-1e400000001")).toBe(1);
  expect(compareDecimals("0e400000000", "-0.00")).toBe(0);
});

describe("the nearest double", () => {
  it.each([
    ["1e400000000", "not above", Number.MAX_VALUE],
    ["1e400000000", "not below", Infinity],
    ["-1e400000000", "not above", -Infinity],
    ["1e-400000000", "not above", 0],
    ["1e-400000000", "not below", Number.MIN_VALUE],
    ["-1e-400000000", "not above", -Number.MIN_VALUE],
    ["9223372036854775807", "not above", 9_223_372_036_854_774_784],
    ["9223372036854775807", "not below", 2 ** 63],
    ["-9223372036854775807", "not above", -(2 ** 63)],
    ["0.1", "not above", 0.1],
  ] as const)("to %s that is %s this decimal is %s", (text, side, number) => {
    expect(numberWithin(text, side)).toBe(number);
  });
});

describe("an exponent with a million digits", () => {
  const zeros = "0".repeat(1_000_000);
  const nines = "9".repeat(1_000_000);

  it.each([
    [10, `1e${zeros}1`, true],
    [10, `1e+${zeros}1`, true],
    [0.1, `1e-${zeros}1`, true],
    [0, `0e${nines}`, true],
    [0, `1e-${nines}`, false],
    [10, `1e${nines}`, false],
  ])("is compared with %d exactly, in time proportional to its length", (value, text, isExact) => {
    const converted = vi.spyOn(globalThis, "BigInt");
    try {
      expect(isExactNumber(value, text)).toBe(isExact);
      // The duration of a BigInt conversion grows faster than the number of digits.
      expect(Math.max(0, ...converted.mock.calls.map(([given]) => String(given).length))).toBeLessThanOrEqual(1000);
    } finally {
      converted.mockRestore();
    }
  });
});
