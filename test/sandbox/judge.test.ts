import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { compileJudge } from "../../src/sandbox/judge.ts";

/** Judges `body` by a request schema; gives "attr code" of everything found, sorted. */
function judge(schema: JsonObject, body: unknown, schemas: JsonObject = {}): readonly string[] {
  const content = { "application/json": { schema } };
  const document = {
    openapi: "3.0.3",
    paths: { "/x/": { post: { requestBody: { content } } } },
    components: { schemas },
  };
  const found = compileJudge(document, { method: "POST", path: "/x/" })(body);
  for (const { detail } of found) expect(detail).toMatch(/\.$/);
  return found.map(({ attr, code }) => `${attr} ${code}`).toSorted();
}

/** Judges one value as the property `a`. */
function judgeValue(schema: JsonObject, value: unknown, schemas: JsonObject = {}): readonly string[] {
  return judge({ type: "object", properties: { a: schema } }, { a: value }, schemas);
}

const TEXT = { type: "string" };
const DECIMAL = { type: "string", format: "decimal", pattern: String.raw`^-?\d{0,4}(?:\.\d{0,2})?$` };
const INTEGER = { type: "integer", minimum: 1, maximum: 9 };
const CHOICE = { type: "string", enum: ["A", "B"] };
const NUMBER_CHOICE = { type: "integer", enum: [0, 1, 2] };
const LIST_OF_TEXTS = { type: "array", items: TEXT };
const LIST_OF_OBJECTS = { type: "array", items: { type: "object", properties: { b: TEXT } } };
const OBJECT = { type: "object", required: ["b"], properties: { b: TEXT } };

test.each<[JsonObject, JsonValue, string | undefined]>([
  // Text
  [TEXT, "x", undefined],
  [TEXT, 12.5, undefined],
  [TEXT, true, "invalid"],
  [TEXT, [], "invalid"],
  [TEXT, {}, "invalid"],
  [TEXT, null, "null"],
  [{ ...TEXT, nullable: true }, null, undefined],
  [{ type: ["string", "null"] }, null, undefined],
  [TEXT, "", "blank"],
  [TEXT, " \u0085\t", "blank"],
  [{ ...TEXT, nullable: true }, "", "blank"],
  [{ ...TEXT, minLength: 0, pattern: "^x$" }, " ", undefined],
  [{ ...TEXT, minLength: 2, pattern: "^x$" }, "", "blank"],
  [{ ...TEXT, maxLength: 3 }, " abc ", undefined],
  [{ ...TEXT, maxLength: 3 }, "abcd", "max_length"],
  [{ ...TEXT, maxLength: 3 }, 1234, "max_length"],
  [{ ...TEXT, maxLength: 2 }, "😀😀", undefined],
  [{ ...TEXT, maxLength: 2 }, "😀😀😀", "max_length"],
  [{ ...TEXT, minLength: 3 }, "ab", "min_length"],
  [{ ...TEXT, pattern: "^[A-Z]+$" }, "ab", "invalid"],
  [{ ...TEXT, pattern: "^[A-Z]+$" }, " AB ", undefined],
  [{ ...TEXT, pattern: String.raw`^\-x$` }, "-x", undefined],
  [{ ...TEXT, pattern: "(" }, "anything", undefined],
  [TEXT, "a\u0000b", "null_characters_not_allowed"],
  [TEXT, "a\ud800b", "surrogate_characters_not_allowed"],
  [{ ...TEXT, format: "email" }, "a@example.com", undefined],
  [{ ...TEXT, format: "email" }, "a.example.com", "invalid"],
  [{ ...TEXT, format: "uri" }, "https://example.com/x", undefined],
  [{ ...TEXT, format: "uri" }, "example", "invalid"],
  [{ ...TEXT, format: "uuid" }, "7f3A0000-0000-4000-8000-0123456789ab", undefined],
  [{ ...TEXT, format: "uuid" }, "", "invalid"],
  [{ ...TEXT, format: "uuid" }, "7f3a", "invalid"],
  // Decimals
  [DECIMAL, "12.50", undefined],
  [DECIMAL, " -12.5 ", undefined],
  [DECIMAL, 12.5, undefined],
  [DECIMAL, ".5", undefined],
  [DECIMAL, "5.", undefined],
  [DECIMAL, "", "invalid"],
  [DECIMAL, "-", "invalid"],
  [DECIMAL, ".", "invalid"],
  [DECIMAL, "1e3", "invalid"],
  [DECIMAL, "1,000", "invalid"],
  [DECIMAL, true, "invalid"],
  [DECIMAL, "+5", "invalid"],
  [DECIMAL, "12345.67", "max_digits"],
  [DECIMAL, "1.234", "max_decimal_places"],
  [DECIMAL, "12345.6", "max_whole_digits"],
  [DECIMAL, 1e21, "max_digits"],
  [DECIMAL, 1e-7, "max_digits"],
  [{ ...TEXT, format: "decimal", "x-max-digits": 3, "x-max-decimal-places": 1 }, "123", "max_whole_digits"],
  [{ ...TEXT, format: "decimal", "x-max-digits": 3 }, "1234", "max_digits"],
  [{ ...TEXT, format: "decimal", minimum: 0 }, "-0.01", "min_value"],
  [{ ...TEXT, format: "decimal", maximum: 10, exclusiveMaximum: true }, "10.00", "max_value"],
  [{ ...TEXT, format: "decimal", multipleOf: 0.05 }, "0.15", undefined],
  [{ ...TEXT, format: "decimal", multipleOf: 0.05 }, "0.16", "invalid"],
  [{ ...DECIMAL, pattern: String.raw`^\d{0,4}(?:\.\d{0,2})?$` }, "-1", "invalid"],
  // Numbers
  [INTEGER, 5, undefined],
  [INTEGER, "5", undefined],
  [INTEGER, " 5.0 ", undefined],
  [INTEGER, 5.5, "invalid"],
  [INTEGER, "five", "invalid"],
  [INTEGER, true, "invalid"],
  [INTEGER, "", "invalid"],
  [INTEGER, 0, "min_value"],
  [INTEGER, "10", "max_value"],
  [{ type: "integer", format: "int32" }, 2 ** 31, "max_value"],
  [{ type: "integer" }, "1".repeat(1001), "invalid"],
  [{ type: "number", minimum: 0, exclusiveMinimum: true }, 0, "min_value"],
  [{ type: "number", exclusiveMaximum: 1 }, 1, "max_value"],
  [{ type: "number", multipleOf: 0.1 }, 0.3, undefined],
  [{ type: "number", multipleOf: 0.5 }, 0.3, "invalid"],
  [{ type: "number" }, "1.5e3", undefined],
  [{ type: "number" }, "1e999", "invalid"],
  [{ type: "number" }, "many", "invalid"],
  // Booleans
  [{ type: "boolean" }, "true", undefined],
  [{ type: "boolean" }, "No", undefined],
  [{ type: "boolean" }, 1, undefined],
  [{ type: "boolean" }, "maybe", "invalid"],
  [{ type: "boolean" }, 2, "invalid"],
  [{ type: "boolean" }, "", "invalid"],
  [{ type: "boolean", nullable: true }, "", undefined],
  // Dates and times
  [{ ...TEXT, format: "date" }, "2024-02-29", undefined],
  [{ ...TEXT, format: "date" }, "2023-02-29", "invalid"],
  [{ ...TEXT, format: "date" }, "1900-02-29", "invalid"],
  [{ ...TEXT, format: "date" }, "2024-04-31", "invalid"],
  [{ ...TEXT, format: "date" }, "0000-01-01", "invalid"],
  [{ ...TEXT, format: "date" }, "2024-01-01T00:00:00Z", "invalid"],
  [{ ...TEXT, format: "date" }, "", "invalid"],
  [{ ...TEXT, format: "date" }, 20240101, "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00Z", undefined],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00.123+01:00", undefined],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T24:00:00Z", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T23:59:60Z", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29 12:00:00Z", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00+24:00", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29t12:00:00z", "invalid"],
  [{ type: "datetime" }, "2024-02-29T12:00:00Z", undefined],
  [{ type: "datetime" }, "yesterday", "invalid"],
  [{ ...TEXT, format: "time" }, "09:30", undefined],
  [{ ...TEXT, format: "time" }, "09:30:15.5Z", undefined],
  [{ ...TEXT, format: "time" }, "24:00", "invalid"],
  // Choices
  [CHOICE, "A", undefined],
  [CHOICE, "C", "invalid_choice"],
  [CHOICE, "", "invalid_choice"],
  [CHOICE, " A", "invalid_choice"],
  [CHOICE, {}, "invalid_choice"],
  [CHOICE, null, "null"],
  [{ ...CHOICE, enum: ["A", "", null] }, "", undefined],
  [{ ...CHOICE, enum: ["A", null] }, null, "null"],
  [{ ...CHOICE, enum: ["A", null], nullable: true }, null, undefined],
  [{ enum: ["A", null] }, null, undefined],
  [{ const: "A" }, "B", "invalid_choice"],
  [NUMBER_CHOICE, 1, undefined],
  [NUMBER_CHOICE, "1", undefined],
  [NUMBER_CHOICE, true, "invalid_choice"],
  [{ oneOf: [CHOICE, { enum: [""] }, { enum: [null] }] }, "", undefined],
  [{ oneOf: [CHOICE, { enum: [""] }, { enum: [null] }] }, null, undefined],
  [{ oneOf: [CHOICE, { enum: [""] }] }, "C", "invalid_choice"],
  // Lists
  [LIST_OF_TEXTS, ["x"], undefined],
  [LIST_OF_TEXTS, "x", "not_a_list"],
  [LIST_OF_TEXTS, null, "null"],
  [{ ...LIST_OF_TEXTS, minItems: 1 }, [], "empty"],
  [{ ...LIST_OF_TEXTS, minItems: 2 }, ["x"], "min_length"],
  [{ ...LIST_OF_TEXTS, maxItems: 1 }, ["x", "y"], "max_length"],
  [{ ...LIST_OF_TEXTS, uniqueItems: true }, ["x", "x"], "unique"],
  // Others
  [{}, { anything: [null] }, undefined],
  [{ type: "object", additionalProperties: TEXT }, [], "not_a_dict"],
])("%j: %j is %s", (schema, value, code) => {
  expect(judgeValue(schema, value)).toEqual(code === undefined ? [] : [`a ${code}`]);
});

test.each<[string, JsonObject, unknown, readonly string[]]>([
  ["an item of a list", LIST_OF_TEXTS, ["x", "", null], ["a.1 blank", "a.2 null"]],
  ["a list of objects that is none", LIST_OF_OBJECTS, "x", ["a.non_field_errors not_a_list"]],
  ["a list of objects of the wrong length", { ...LIST_OF_OBJECTS, minItems: 1 }, [], ["a.non_field_errors empty"]],
  ["an item that is no object", LIST_OF_OBJECTS, [{ b: "x" }, "x"], ["a.1.non_field_errors invalid"]],
  ["a field of an item", LIST_OF_OBJECTS, [{ b: "x" }, { b: {} }], ["a.1.b invalid"]],
  ["an object that is none", OBJECT, "x", ["a.non_field_errors invalid"]],
  ["an object that is null", OBJECT, null, ["a null"]],
  ["a provided object must be complete", OBJECT, {}, ["a.b required"]],
  ["an undocumented field", OBJECT, { b: "x", c: 1 }, ["a.c unknown_field"]],
  ["a dictionary's entry", { type: "object", additionalProperties: TEXT }, { x: "y", z: 1, w: {} }, ["a.w invalid"]],
  ["an open object", { ...OBJECT, additionalProperties: true }, { b: "x", c: 1 }, []],
  ["several codes at one attr", { ...TEXT, maxLength: 2, pattern: "^x*$" }, "abc", ["a invalid", "a max_length"]],
])("is addressed as the platform does: %s", (_name, schema, value, expected) => {
  expect(judgeValue(schema, value)).toEqual(expected);
});

test.each([
  [null, "null"],
  ["x", "invalid"],
  [[], "invalid"],
])("a body that is %j", (body, code) => {
  expect(judge(OBJECT, body)).toEqual([`non_field_errors ${code}`]);
});

test("names that every object has are fields like any other", () => {
  const body: unknown = JSON.parse('{"b":"x","__proto__":{"b":1},"constructor":2}');
  expect(judge(OBJECT, body)).toEqual(["__proto__ unknown_field", "constructor unknown_field"]);
  expect(judge({ type: "object", required: ["constructor"], properties: { constructor: TEXT } }, {})).toEqual([
    "constructor required",
  ]);
});

test("allOf is merged, and closed as a whole", () => {
  const schemas = { Base: OBJECT };
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Base" }, { type: "object", required: ["c"], properties: { c: INTEGER } }],
  };
  expect(judgeValue(schema, { b: "x", c: 1 }, schemas)).toEqual([]);
  expect(judgeValue(schema, { d: 1 }, schemas)).toEqual(["a.b required", "a.c required", "a.d unknown_field"]);
  expect(judgeValue({ allOf: [{ $ref: "#/components/schemas/Base" }], nullable: true }, null, schemas)).toEqual([]);
});

test("limits from several parts all count", () => {
  const schema = {
    allOf: [
      { ...TEXT, maxLength: 5, pattern: "^a" },
      { maxLength: 3, pattern: "z$" },
    ],
  };
  expect(judgeValue(schema, "axz")).toEqual([]);
  expect(judgeValue(schema, "axxz")).toEqual(["a max_length"]);
  expect(judgeValue(schema, "ax")).toEqual(["a invalid"]);
});

test("read-only fields are neither asked for nor looked at", () => {
  const schema = { type: "object", required: ["id", "b"], properties: { id: { ...TEXT, readOnly: true }, b: TEXT } };
  expect(judge(schema, { b: "x" })).toEqual([]);
  expect(judge(schema, { b: "x", id: {} })).toEqual([]);
});

test("a required field that is not documented is asked for, and may be anything", () => {
  const schema = { type: "object", required: ["ghost"], properties: {} };
  expect(judge(schema, {})).toEqual(["ghost required"]);
  expect(judge(schema, { ghost: [1] })).toEqual([]);
});

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
])("a discriminator chooses: %j", (value, expected) => {
  expect(judgeValue(PAYMENT, value, PAYMENTS)).toEqual(expected);
});

test("a discriminator may choose by true, false and nothing, and by names of schemas", () => {
  const byTruth = {
    oneOf: PAYMENT.oneOf,
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

test("without a discriminator the best fit speaks", () => {
  const schema = { anyOf: [TEXT, { type: "array", items: INTEGER }, PAYMENTS.Debit, PAYMENTS.Cash] };
  expect(judgeValue(schema, "x")).toEqual([]);
  expect(judgeValue(schema, [1, 99])).toEqual(["a.1 max_value"]);
  expect(judgeValue(schema, { method: "CASH" })).toEqual([]);
  expect(judgeValue(schema, { method: "DEBIT", day: 99 })).toEqual(["a.day max_value"]);
  expect(judgeValue({ type: ["string", "integer"] }, 5)).toEqual([]);
  expect(judgeValue({ type: ["integer", "boolean"] }, {})).toEqual(["a invalid"]);
});

test("what stands beside oneOf holds for every option", () => {
  const schema = { oneOf: PAYMENT.oneOf, required: ["extra"], properties: { extra: TEXT } };
  expect(judgeValue(schema, { method: "CASH" }, PAYMENTS)).toEqual(["a.extra required"]);
  expect(judgeValue(schema, { method: "CASH", extra: "x" }, PAYMENTS)).toEqual([]);
});

test("a schema may contain itself", () => {
  const schemas = {
    Tree: {
      type: "object",
      properties: { name: TEXT, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
    },
  };
  const deep = { name: "x", children: [{ children: [{ name: "", extra: 1 }] }] };
  expect(judgeValue({ $ref: "#/components/schemas/Tree" }, deep, schemas)).toEqual([
    "a.children.0.children.0.extra unknown_field",
    "a.children.0.children.0.name blank",
  ]);
});

test.each([
  ..."/etc/passwd|~/x|C:\\x|file:x|s3://b/x|a\\b|\\\\host\\x|../x|a/../b|a/./b|..|a//b|a/|a%2fb|a%252eb|a./b|a /b| a|a |a.".split(
    "|",
  ),
  "a\u0007b",
  "a\u202eb",
  "e\u0301.pdf",
  `${"é".repeat(512)}x`,
])("the document path %j is unsafe", (path) => {
  expect(judgeValue({ ...TEXT, "x-document-path": true }, path)).toEqual(["a unsafe_document_path"]);
});

test.each(["letter.pdf", "2024/05/letter 1.pdf", "été/ñ.pdf", ".hidden/x", "a..b/c", "100%.pdf", "é".repeat(512)])(
  "the document path %j is safe",
  (path) => {
    expect(judgeValue({ ...TEXT, "x-document-path": true }, path)).toEqual([]);
  },
);

test("an empty document path is blank, and nothing else", () => {
  expect(judgeValue({ ...TEXT, "x-document-path": true }, " ")).toEqual(["a blank"]);
});

test("the body is left as it was", () => {
  const body = { a: " x ", n: "5" };
  judge({ type: "object", properties: { a: TEXT, n: INTEGER } }, body);
  expect(body).toEqual({ a: " x ", n: "5" });
});

test("an operation that is not there is a bug of the caller", () => {
  expect(() => compileJudge({ paths: {} }, { method: "POST", path: "/x/" })).toThrow("no JSON request body");
});

test("the project's own contract compiles, and judges to its leaves", async () => {
  const document: JsonObject = parse(await readFile("fixtures/contract/contract.yaml", "utf8"));
  const check = compileJudge(document, { method: "POST", path: "/data-import/accounts/" });
  const found = check({ supply_addresses: [{ meter_points: [{ meters: [{ registers: [{ digits: "ten" }] }] }] }] });
  const place = "supply_addresses.0.meter_points.0.meters.0.registers.0";
  expect(found.map(({ attr, code }) => `${attr} ${code}`)).toEqual(
    expect.arrayContaining([
      `${place}.digits invalid`,
      `${place}.identifier required`,
      "supply_addresses.0.supply_postcode required",
    ]),
  );
});
