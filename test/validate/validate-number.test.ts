import { describe, expect, it } from "vitest";
import type { DecimalType, NumberType } from "../../src/contract/types/field-type.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { codes, decimal, integer, number, problemsOf } from "./field-types.ts";

type DecimalCase = readonly [value: JsonValue, type: Partial<DecimalType>, expected: readonly string[]];

const DECIMALS: readonly DecimalCase[] = [
  ["12.50", {}, []],
  ["-0.05", {}, []],
  ["+5", {}, []],
  ["007.50", {}, []],
  ["12.", {}, []],
  [".5", {}, []],
  [" 12.50 ", {}, ["~coerced"]],
  ["", {}, ["invalid"]],
  ["-", {}, ["invalid"]],
  [".", {}, ["invalid"]],
  ["1e5", {}, ["invalid"]],
  ["1,234.50", {}, ["invalid"]],
  ["12 50", {}, ["invalid"]],
  ["£12.50", {}, ["invalid"]],
  ["NaN", {}, ["invalid"]],
  ["Infinity", {}, ["invalid"]],
  ["１２", {}, ["invalid"]],
  ["0x1f", {}, ["invalid"]],
  ["1".repeat(1001), {}, ["invalid"]],
  [true, {}, ["invalid"]],
  [["1"], {}, ["invalid"]],
  [null, {}, ["null"]],
  [12.5, {}, ["~coerced"]],
  [1e21, { maxWholeDigits: 21 }, ["~coerced", "max_whole_digits"]],
  [1.5e-7, { maxDecimalPlaces: 8 }, ["~coerced"]],
  [1.5e-7, { maxDecimalPlaces: 7 }, ["~coerced", "max_decimal_places"]],
  ["123.45", { maxDigits: 5, maxDecimalPlaces: 2, maxWholeDigits: 3 }, []],
  ["123.456", { maxDigits: 5, maxDecimalPlaces: 2 }, ["max_digits"]],
  ["1.456", { maxDigits: 5, maxDecimalPlaces: 2 }, ["max_decimal_places"]],
  ["1.450", { maxDecimalPlaces: 2 }, ["max_decimal_places"]],
  ["1234.5", { maxDigits: 5, maxWholeDigits: 3 }, ["max_whole_digits"]],
  ["-0001234.5", { maxDigits: 5, maxWholeDigits: 4 }, []],
  ["0.05", { maxDigits: 2, maxWholeDigits: 0 }, []],
  ["-5", { pattern: /^\d{0,2}(?:\.\d{0,2})?$/ }, ["invalid"]],
  ["5", { pattern: /^\d\.\d$/ }, ["invalid"]],
  ["10.00", { maximum: { value: 10, exclusive: false } }, []],
  ["10.00", { maximum: { value: 10, exclusive: true } }, ["max_value"]],
  ["10.000000000000000000001", { maximum: { value: 10, exclusive: false } }, ["max_value"]],
  ["9.999999999999999999999", { maximum: { value: 10, exclusive: true } }, []],
  ["0.30", { maximum: { value: 0.3, exclusive: false } }, []],
  ["0.30000000000000000001", { maximum: { value: 0.3, exclusive: false } }, ["max_value"]],
  ["-0", { minimum: { value: 0, exclusive: true } }, ["min_value"]],
  ["-1.5", { minimum: { value: -1, exclusive: false } }, ["min_value"]],
  ["-1.5", { minimum: { value: -2, exclusive: false } }, []],
  ["12345678901234567890.5", { maximum: { value: 1e20, exclusive: false } }, []],
  ["0.15", { multipleOf: 0.05 }, []],
  ["0.3", { multipleOf: 0.1 }, []],
  ["0.16", { multipleOf: 0.05 }, ["invalid"]],
];

describe("decimal:", () => {
  it.each(DECIMALS)("%j with the limits %j has the problems %j", (value, type, expected) => {
    expect(codes(decimal(type), value)).toEqual(expected);
  });

  it("a problem contains the limit as the contract writes it", () => {
    const found = problemsOf(decimal({ maximum: { value: 0.5, exclusive: true } }), "0.50");
    expect(found).toMatchObject([{ code: "max_value", limit: "0.5", exclusive: true, shape: "9.99" }]);
  });
});

type NumberCase = readonly [kind: NumberType["kind"], value: JsonValue, expected: readonly string[]];
const TO_TEN: Partial<NumberType> = {
  minimum: { value: 0, exclusive: true },
  maximum: { value: 10, exclusive: false },
};

const NUMBERS: readonly NumberCase[] = [
  ["integer", 5, []],
  ["integer", "5", ["~coerced"]],
  ["integer", " 5.0 ", ["~coerced"]],
  ["integer", "12", ["~coerced", "max_value"]],
  ["integer", 5.5, ["invalid"]],
  ["integer", "5.5", ["invalid"]],
  ["integer", "5e0", ["invalid"]],
  ["integer", "", ["invalid"]],
  ["integer", "five", ["invalid"]],
  ["integer", true, ["invalid"]],
  ["integer", {}, ["invalid"]],
  ["integer", null, ["null"]],
  ["integer", 0, ["min_value"]],
  ["integer", 10, []],
  ["integer", 11, ["max_value"]],
  ["number", 0.5, []],
  ["number", "0.5", ["~coerced"]],
  ["number", "1e1", ["~coerced"]],
  ["number", "1e999", ["invalid"]],
  ["number", "nan", ["invalid"]],
  ["number", "e5", ["invalid"]],
  ["number", false, ["invalid"]],
  ["number", [1], ["invalid"]],
  ["number", 10.5, ["max_value"]],
];

describe("number", () => {
  it.each(NUMBERS)("of type %s: %j has the problems %j", (kind, value, expected) => {
    expect(codes(kind === "integer" ? integer(TO_TEN) : number(TO_TEN), value)).toEqual(expected);
  });

  it("checks multipleOf by decimal digits", () => {
    expect(codes(number({ multipleOf: 0.1 }), 0.3)).toEqual([]);
    expect(codes(number({ multipleOf: 0.5 }), 0.75)).toEqual(["invalid"]);
  });

  it("compares integers exactly, even beyond the precision of JavaScript numbers", () => {
    const limit = { value: 9_007_199_254_740_992, exclusive: false };
    expect(codes(integer({ maximum: limit }), "9007199254740993")).toEqual(["~coerced", "max_value"]);
  });
});
