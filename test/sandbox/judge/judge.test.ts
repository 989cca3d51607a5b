import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { compileJudge } from "../../../src/sandbox/judge/judge.ts";
import { judge, judgeValue, TEXT, INTEGER, OBJECT, LIST_OF_TEXTS, LIST_OF_OBJECTS } from "./judged.ts";

test.each<[string, JsonObject, unknown, readonly string[]]>([
  ["an item of a list", LIST_OF_TEXTS, ["x", "", null], ["a.1 blank", "a.2 null"]],
  ["a value that should be a list of objects", LIST_OF_OBJECTS, "x", ["a.non_field_errors not_a_list"]],
  ["a list of objects with a wrong length", { ...LIST_OF_OBJECTS, minItems: 1 }, [], ["a.non_field_errors empty"]],
  ["an item that is not an object", LIST_OF_OBJECTS, [{ b: "x" }, "x"], ["a.1.non_field_errors invalid"]],
  ["a field of an item", LIST_OF_OBJECTS, [{ b: "x" }, { b: {} }], ["a.1.b invalid"]],
  ["a value that should be an object", OBJECT, "x", ["a.non_field_errors invalid"]],
  ["an object that is null", OBJECT, null, ["a null"]],
  ["an incomplete optional object", OBJECT, {}, ["a.b required"]],
  ["an undocumented field", OBJECT, { b: "x", c: 1 }, ["a.c unknown_field"]],
  [
    "an entry of a dictionary",
    { type: "object", additionalProperties: TEXT },
    { x: "y", z: 1, w: {} },
    ["a.w invalid"],
  ],
  [
    "a name that no pattern matches",
    { type: "object", patternProperties: { "^x": TEXT } },
    { x: "a", b: 1 },
    ["a.b unknown_field"],
  ],
  ["an object that documents no fields", { type: "object", required: ["b"] }, { b: 1, c: 1 }, []],
  [
    "an item with two schemas",
    { allOf: [LIST_OF_TEXTS, { type: "array", items: { ...TEXT, maxLength: 1 } }] },
    ["x", "xy"],
    ["a.1 max_length"],
  ],
  [
    "an entry with two schemas",
    {
      allOf: [
        { type: "object", additionalProperties: TEXT },
        { type: "object", additionalProperties: { ...TEXT, maxLength: 1 } },
      ],
    },
    { x: "xy" },
    ["a.x max_length"],
  ],
  ["an open object", { ...OBJECT, additionalProperties: true }, { b: "x", c: 1 }, []],
  [
    "a name that matches a pattern, next to a condition",
    {
      type: "object",
      patternProperties: { "^a$": { type: "integer" } },
      if: { required: ["e"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { c: { type: "integer" } } },
    },
    { a: "x" },
    ["a.a schema_mismatch"],
  ],
  ["several codes at one attr", { ...TEXT, maxLength: 2, pattern: "^x*$" }, "abc", ["a invalid", "a max_length"]],
])("reports the attr as the platform does: %s", (_name, schema, value, expected) => {
  expect(judgeValue(schema, value)).toEqual(expected);
});

test.each([
  [null, "null"],
  ["x", "invalid"],
  [[], "invalid"],
])("the body %j has the problem %s at non_field_errors", (body, code) => {
  expect(judge(OBJECT, body)).toEqual([`non_field_errors ${code}`]);
});

test("names of Object.prototype are fields like any other", () => {
  const body: unknown = JSON.parse('{"b":"x","__proto__":{"b":1},"constructor":2}');
  expect(judge(OBJECT, body)).toEqual(["__proto__ unknown_field", "constructor unknown_field"]);
  expect(judge({ type: "object", required: ["constructor"], properties: { constructor: TEXT } }, {})).toEqual([
    "constructor required",
  ]);
});

test("allOf is merged into one closed object", () => {
  const schemas = { Base: OBJECT };
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Base" }, { type: "object", required: ["c"], properties: { c: INTEGER } }],
  };
  expect(judgeValue(schema, { b: "x", c: 1 }, schemas)).toEqual([]);
  expect(judgeValue(schema, { d: 1 }, schemas)).toEqual(["a.b required", "a.c required", "a.d unknown_field"]);
  expect(judgeValue({ allOf: [{ $ref: "#/components/schemas/Base" }], nullable: true }, null, schemas)).toEqual([]);
});

test("all limits from several parts of allOf apply", () => {
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

test("read-only fields are not required, but are validated if they are sent", () => {
  const schema = { type: "object", required: ["id", "b"], properties: { id: { ...TEXT, readOnly: true }, b: TEXT } };
  expect(judge(schema, { b: "x" })).toEqual([]);
  expect(judge(schema, { b: "x", id: {} })).toEqual(["id invalid"]);
});

test("a required field that is not documented must be present, with any value", () => {
  const schema = { type: "object", required: ["ghost"], properties: {} };
  expect(judge(schema, {})).toEqual(["ghost required"]);
  expect(judge(schema, { ghost: [1] })).toEqual([]);
});

test("a schema can contain itself", () => {
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

test("validation leaves the body unchanged", () => {
  const body = { a: " x ", n: "5" };
  judge({ type: "object", properties: { a: TEXT, n: INTEGER } }, body);
  expect(body).toEqual({ a: " x ", n: "5" });
});

test("an unknown operation causes an error", () => {
  expect(() => compileJudge({ paths: {} }, { method: "POST", path: "/x/" })).toThrow("no JSON request body");
});

test("the contract of the fixtures compiles, and its nested fields are validated", async () => {
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

const CONDITIONAL = {
  ...OBJECT,
  if: { properties: { b: { const: "x" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["c"], properties: { c: { type: "integer" } } },
};
const OPEN = { type: "object", additionalProperties: true };

test.each<[string, JsonObject, unknown, unknown, readonly string[]]>([
  ["not", { ...TEXT, not: { enum: ["A"] } }, "B", "A", ["a schema_mismatch"]],
  ["a reference in not", { ...TEXT, not: { $ref: "#/components/schemas/A" } }, "B", "A", ["a schema_mismatch"]],
  ["if and then", CONDITIONAL, { b: "x", c: 1 }, { b: "x" }, ["a.c required"]],
  ["a field in then", CONDITIONAL, { b: "y", c: "1" }, { b: "x", c: "1" }, ["a.c schema_mismatch"]],
  ["dependentRequired", { ...OPEN, dependentRequired: { a: ["b"] } }, { b: 1 }, { a: 1 }, ["a.b required"]],
  ["minProperties", { ...OPEN, minProperties: 1 }, { a: 1 }, {}, ["a schema_mismatch"]],
  ["maxProperties", { ...OPEN, maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }, ["a schema_mismatch"]],
  ["contains", { ...LIST_OF_TEXTS, contains: { const: "A" } }, ["B", "A"], ["B"], ["a schema_mismatch"]],
  [
    "patternProperties",
    { ...OBJECT, patternProperties: { "^x": TEXT } },
    { b: "b", x: "" },
    { b: "b", x: 1 },
    ["a.x schema_mismatch"],
  ],
  [
    "a field that only if documents, in a closed object",
    { ...OBJECT, additionalProperties: false, if: { properties: { c: TEXT } }, else: { required: ["b"] } },
    { b: "x" },
    { b: "x", c: "y" },
    ["a.c unknown_field"],
  ],
  [
    "not, but not for a nullable null",
    { type: "string", nullable: true, not: { minLength: 2 } },
    null,
    "ab",
    ["a schema_mismatch"],
  ],
  [
    "minimum inside allOf of a condition",
    { ...OPEN, if: { required: ["n"] }, else: true, dependentSchemas: { n: { properties: { n: { minimum: 2 } } } } },
    { n: 2 },
    { n: 1 },
    ["a.n min_value"],
  ],
  [
    "contains if the list has fewer items than prefixItems",
    { type: "array", prefixItems: [TEXT], contains: { type: "integer" } },
    ["a", 1],
    [],
    ["a schema_mismatch"],
  ],
  [
    "contains in a nested schema if the list has fewer items than its prefixItems",
    { type: "array", items: {}, contains: { prefixItems: [TEXT], contains: { type: "integer" } } },
    [["a", 1]],
    [[]],
    ["a schema_mismatch"],
  ],
  [
    "contains in a referenced schema if the list has fewer items than its prefixItems",
    { type: "array", items: {}, not: { $ref: "#/components/schemas/Tuple" } },
    [],
    ["a", 1],
    ["a schema_mismatch"],
  ],
  [
    "prefixItems",
    { type: "array", prefixItems: [TEXT], items: { type: "integer" } },
    ["x", 1],
    ["x", "y"],
    ["a.1 schema_mismatch"],
  ],
  [
    "only values without other errors",
    { ...OBJECT, maxProperties: 1 },
    { b: "x" },
    { b: "", c: 1 },
    ["a.b blank", "a.c unknown_field"],
  ],
])("asserts plain JSON Schema: %s", (_name, schema, ...[valid, invalid, expected]) => {
  const schemas = { A: { enum: ["A"] }, Tuple: { prefixItems: [TEXT], contains: { const: 1 } } };
  expect(judgeValue(schema, valid, schemas)).toEqual([]);
  expect(judgeValue(schema, invalid, schemas)).toEqual(expected);
});
