import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/json-value.ts";
import { compileJudge } from "../../src/sandbox/judge/judge.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { contractOf } from "../contract/contract-of.ts";

/**
 * A schema, a value and the expected codes. A value that the platform converts silently gets a warning (`~`), and a
 * value that it rejects gets an error. The rows follow the fields of the Django REST framework (fields.py). The sandbox
 * reports the same errors.
 */
type Row = readonly [schema: object, value: JsonValue, expected: readonly string[]];

const TEXT = { type: "string" };
const DECIMAL = { type: "string", format: "decimal", pattern: String.raw`^-?\d{0,10}(?:\.\d{0,2})?$` };
const INTEGER = { type: "integer" };
const BOOLEAN = { type: "boolean" };
const DATE = { type: "string", format: "date" };
const CHOICE = { type: "string", enum: ["A", "1", ""] };
const COERCED = ["~coerced"];

const ROWS: readonly Row[] = [
  [TEXT, "x", []],
  [TEXT, 5, COERCED],
  [TEXT, 10.5, COERCED],
  [TEXT, true, ["invalid"]],
  [TEXT, [], ["invalid"]],
  [TEXT, {}, ["invalid"]],
  [TEXT, "", ["blank"]],
  [TEXT, "  ", ["blank"]],
  [TEXT, null, ["null"]],
  [{ ...TEXT, nullable: true }, null, []],
  [{ ...TEXT, nullable: true }, "", ["blank"]],
  [{ ...TEXT, minLength: 0 }, "", []],
  [{ ...TEXT, maxLength: 3 }, 12_345, ["~coerced", "max_length"]],
  [DECIMAL, "10.00", []],
  [DECIMAL, 10, COERCED],
  [DECIMAL, 10.5, COERCED],
  [DECIMAL, 10.555, ["~coerced", "max_decimal_places"]],
  [DECIMAL, "", ["invalid"]],
  [DECIMAL, "-", ["invalid"]],
  [DECIMAL, ".", ["invalid"]],
  [DECIMAL, "1,5", ["invalid"]],
  [DECIMAL, true, ["invalid"]],
  [DECIMAL, null, ["null"]],
  [INTEGER, 5, []],
  [INTEGER, "5", COERCED],
  [INTEGER, "5.0", COERCED],
  [INTEGER, "5.5", ["invalid"]],
  [INTEGER, 5.5, ["invalid"]],
  [INTEGER, "", ["invalid"]],
  [INTEGER, "five", ["invalid"]],
  [INTEGER, true, ["invalid"]],
  [INTEGER, null, ["null"]],
  [BOOLEAN, true, []],
  [BOOLEAN, "true", COERCED],
  [BOOLEAN, "No", COERCED],
  [BOOLEAN, 1, COERCED],
  [BOOLEAN, 2, ["invalid"]],
  [BOOLEAN, "", ["invalid"]],
  [BOOLEAN, "perhaps", ["invalid"]],
  [{ ...BOOLEAN, nullable: true }, "", COERCED],
  [DATE, "2024-02-29", []],
  [DATE, "2024-02-30", ["invalid"]],
  [DATE, 20_240_229, ["invalid"]],
  [DATE, "", ["invalid"]],
  [CHOICE, "A", []],
  [CHOICE, "", []],
  [CHOICE, 1, COERCED],
  [CHOICE, "B", ["invalid_choice"]],
  [CHOICE, true, ["invalid_choice"]],
  [CHOICE, null, ["null"]],
  [{ type: "array", items: TEXT }, "x", ["not_a_list"]],
  [{ type: "array", items: TEXT }, {}, ["not_a_list"]],
  [{ type: "object", properties: { a: {} } }, "x", ["invalid"]],
  [{ type: "object", properties: { a: {} } }, [], ["invalid"]],
  [{ type: "object", properties: {} }, "x", ["not_a_dict"]],
];

describe("a value of another JSON type", () => {
  it.each(ROWS)(
    "has the same problems in both validators: schema %j, value %j, problems %j",
    (schema, value, expected) => {
      const contract = contractOf({ it: schema });
      const [operation] = contract.operations;
      if (operation?.body === undefined) throw new Error("no body");
      const found = compileValidator(operation.body, { keepValues: false })({ it: value });
      expect(found.map(({ code, severity }) => (severity === "warning" ? `~${code}` : code))).toEqual(expected);
      const judged = compileJudge(contract.document, operation)({ it: value });
      expect(judged.map(({ code }) => code)).toEqual(expected.filter((code) => !code.startsWith("~")));
    },
  );
});
