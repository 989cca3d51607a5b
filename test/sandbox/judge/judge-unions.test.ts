import { expect, test } from "vitest";
import { judgeValue, TEXT, INTEGER } from "./judged.ts";

const PAYMENT = {
  oneOf: [{ $ref: "#/components/schemas/Debit" }, { $ref: "#/components/schemas/Cash" }],
  discriminator: { propertyName: "method", mapping: { DEBIT: "#/components/schemas/Debit", CASH: "Cash" } },
};

const PAYMENTS = {
  Debit: { type: "object", required: ["method", "day"], properties: { method: { enum: ["DEBIT"] }, day: INTEGER } },
  Cash: { type: "object", required: ["method"], properties: { method: { enum: ["CASH"] } } },
};

test.each<[unknown, readonly string[]]>([
  [{ method: "DEBIT", day: 3 }, []],
  [{ method: "CASH" }, []],
  [{ method: "DEBIT", day: 30 }, ["a.day max_value"]],
  [{ method: "CASH", day: 3 }, ["a.day unknown_field"]],
  [{ day: 3 }, ["a.method required"]],
  [{ method: "GOLD", day: 3 }, ["a.method invalid_choice"]],
  [{ method: "constructor" }, ["a.method invalid_choice"]],
  [{ method: null }, ["a.method null"]],
  ["DEBIT", ["a.non_field_errors invalid"]],
  [null, ["a null"]],
])("a discriminator determines the problems of %j", (value, expected) => {
  expect(judgeValue(PAYMENT, value, PAYMENTS)).toEqual(expected);
});

test("a discriminator can select by true, false and null, and by schema names", () => {
  const byTruth = {
    oneOf: [{ $ref: "#/components/schemas/Yes" }, { $ref: "#/components/schemas/No" }],
    discriminator: { propertyName: "flag", mapping: { true: "Yes", false: "No", null: "No" } },
  };
  const schemas = {
    ...PAYMENTS,
    Yes: { type: "object", properties: { flag: { type: "boolean" }, y: TEXT } },
    No: { type: "object", properties: { flag: { type: "boolean", nullable: true }, n: TEXT } },
  };
  expect(judgeValue(byTruth, { flag: true, y: "x" }, schemas)).toEqual([]);
  expect(judgeValue(byTruth, { flag: false, y: "x" }, schemas)).toEqual(["a.y unknown_field"]);
  expect(judgeValue(byTruth, { n: "x" }, schemas)).toEqual([]);
  expect(judgeValue(byTruth, { flag: null, n: "x" }, schemas)).toEqual([]);
  const byName = { oneOf: PAYMENT.oneOf, discriminator: { propertyName: "method" } };
  expect(judgeValue(byName, { method: "Cash" }, PAYMENTS)).toEqual(["a.method invalid_choice"]);
});

test("without a discriminator, the best match determines the errors", () => {
  const schema = { anyOf: [TEXT, { type: "array", items: INTEGER }, PAYMENTS.Debit, PAYMENTS.Cash] };
  expect(judgeValue(schema, "x")).toEqual([]);
  expect(judgeValue(schema, [1, 99])).toEqual(["a.1 max_value"]);
  expect(judgeValue(schema, { method: "CASH" })).toEqual([]);
  expect(judgeValue(schema, { method: "DEBIT", day: 99 })).toEqual(["a.day max_value"]);
  expect(judgeValue({ type: ["string", "integer"] }, 5)).toEqual([]);
  expect(judgeValue({ type: ["integer", "boolean"] }, {})).toEqual(["a invalid"]);
});

test("keywords next to oneOf apply to every option", () => {
  const schema = { oneOf: PAYMENT.oneOf, required: ["extra"], properties: { extra: TEXT } };
  expect(judgeValue(schema, { method: "CASH" }, PAYMENTS)).toEqual(["a.extra required"]);
  expect(judgeValue(schema, { method: "CASH", extra: "x" }, PAYMENTS)).toEqual([]);
});
