import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/json-value.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { describeProblem } from "../../src/report/problems/problem-text.ts";
import { bodyOf, contractOf } from "../contract/contract-of.ts";

/** Validates a field's value against the schema. Returns `attr code` of each problem. */
function problemsOf(
  schema: object | boolean,
  value: JsonValue,
  more: Parameters<typeof contractOf>[1] = {},
): readonly string[] {
  const contract = contractOf({ field: schema }, { openapi: "3.1.0", ...more });
  expect(contract.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  const found = compileValidator(bodyOf(contract), { keepValues: false })({ field: value });
  return found.map(({ attr, code, severity }) => `${attr} ${code}${severity === "warning" ? " (warning)" : ""}`);
}

/** Returns the schema of an object that requires the property. */
function option(name: string): object {
  const properties = { [name]: { type: "string", maxLength: 1 }, x: {} };
  return { type: "object", required: [name], properties };
}

const MISMATCH = ["field schema_mismatch"];
const TEXTS = { type: "array", items: { type: "string" } };
const OPEN = { type: "object", additionalProperties: true };

describe("keywords evaluated as JSON Schema", () => {
  it.each<[string, object | boolean, JsonValue, JsonValue, readonly string[]]>([
    ["not", { type: "string", not: { enum: ["A"] } }, "B", "A", MISMATCH],
    ["type: null", { type: "null" }, null, "A", MISMATCH],
    [
      "a schema that allows nothing",
      { type: "object", properties: { a: false, b: true } },
      { b: 1 },
      { a: 1 },
      ["field.a schema_mismatch"],
    ],
    ["enum with objects", { enum: [{ a: 1 }, 2] }, { a: 1 }, { a: 2 }, MISMATCH],
    ["enum with null", { enum: [null, ["a"]] }, null, ["b"], MISMATCH],
    ["const", { const: [1, { a: null }] }, [1, { a: null }], [1, {}], MISMATCH],
    ["minProperties", { ...OPEN, minProperties: 1 }, { a: 1 }, {}, MISMATCH],
    ["maxProperties", { ...OPEN, maxProperties: 1 }, { a: 1 }, { a: 1, b: 2 }, MISMATCH],
    ["propertyNames", { ...OPEN, propertyNames: { pattern: "^[a-z]{1,9}$" } }, { a: 1 }, { A: 1 }, MISMATCH],
    ["contains", { ...TEXTS, contains: { const: "A" } }, ["B", "A"], ["B"], MISMATCH],
    ["minContains", { ...TEXTS, contains: { const: "A" }, minContains: 2 }, ["A", "A"], ["A"], MISMATCH],
    ["maxContains", { ...TEXTS, contains: { const: "A" }, maxContains: 1 }, ["A"], ["A", "A"], MISMATCH],
    ["uniqueItems without a type", { uniqueItems: true }, "text", [{ a: 1 }, { a: 1 }], ["field unique"]],
    ["dependentRequired", { ...OPEN, dependentRequired: { a: ["b"] } }, { b: 1 }, { a: 1 }, ["field.b required"]],
    [
      "dependentSchemas",
      { ...OPEN, dependentSchemas: { a: { required: ["b"] } } },
      { b: 1 },
      { a: 1 },
      ["field.b required"],
    ],
    [
      "patternProperties next to if and then",
      {
        type: "object",
        patternProperties: { "^a{1}$": { type: "integer" } },
        if: { required: ["e"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { properties: { c: { type: "integer" } } },
      },
      { a: 1 },
      { a: "x" },
      ["field.a schema_mismatch"],
    ],
    ["minimum with choices", { enum: [1, 5], minimum: 2 }, 5, 1, ["field min_value"]],
    [
      "a format with choices",
      { type: "string", format: "date", enum: ["2024-01-31", "a"] },
      "2024-01-31",
      "a",
      MISMATCH,
    ],
    [
      "a format and choices in separate parts",
      { allOf: [{ type: "string", format: "date" }, { enum: ["2024-01-31", "a"] }] },
      "2024-01-31",
      "a",
      MISMATCH,
    ],
    ["a format of numbers with choices", { enum: [1, 2 ** 31], format: "int32" }, 1, 2 ** 31, MISMATCH],
    ["a format with choices of any type", { enum: [{ a: 1 }, "a"], format: "uuid" }, { a: 1 }, "a", MISMATCH],
    [
      "a limit with a constant and two types",
      { type: ["string", "integer"], const: "a", minLength: 1 },
      "a",
      "b",
      ["field invalid_choice"],
    ],
    [
      "a limit with a format and two types",
      { type: ["string", "integer"], format: "date", minLength: 9 },
      1,
      "a",
      ["field invalid"],
    ],
    ["a format of numbers without a type", { format: "int32" }, "a", 1.5, ["field invalid"]],
    [
      "a limit with the format of decimals without a type",
      { format: "decimal", minimum: 2 },
      3,
      1,
      ["field min_value"],
    ],
    [
      "formats with alternatives that are choices",
      { anyOf: [{ enum: ["2024-01-31", "a"], format: "date" }, { enum: ["b"] }] },
      "b",
      "a",
      MISMATCH,
    ],
    ["two patterns", { type: "string", pattern: "^a", allOf: [{ pattern: "b$" }] }, "ab", "ac", ["field invalid"]],
    ["two values of multipleOf", { type: "number", multipleOf: 2, allOf: [{ multipleOf: 3 }] }, 6, 4, MISMATCH],
  ])("accept valid values and report invalid values: %s", (...[, schema, right, wrong, expected]) => {
    expect(problemsOf(schema, right)).toEqual([]);
    expect(problemsOf(schema, wrong)).toEqual(expected);
  });

  const CONDITIONAL: object = JSON.parse(`{
    "type": "object",
    "properties": { "kind": { "type": "string" } },
    "if": { "properties": { "kind": { "const": "gas" } }, "required": ["kind"] },
    "then": { "properties": { "mprn": { "type": "string", "maxLength": 3 } }, "required": ["mprn"] },
    "else": { "properties": { "mpan": { "type": "string" } } }
  }`);

  it.each<[JsonValue, readonly string[]]>([
    [{ kind: "gas", mprn: "1" }, []],
    [{ kind: "gas" }, ["field.mprn required"]],
    [{ kind: "gas", mprn: "1234" }, ["field.mprn max_length"]],
    [{ kind: "power", mpan: "1" }, []],
    [{ kind: "power", other: "1" }, ["field.other unknown_field"]],
  ])("include if, then and else, which report problems at their fields: %j", (value, expected) => {
    expect(problemsOf(CONDITIONAL, value)).toEqual(expected);
  });

  it("compare the items of a long list in linear time", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ a: index }));
    expect(problemsOf({ not: { type: "array", uniqueItems: true } }, items)).toEqual(MISMATCH);
    expect(problemsOf({ not: { type: "array", uniqueItems: true } }, [...items, { a: 0 }])).toEqual([]);
  });

  it("limit the number of comparisons between names and patterns", () => {
    const patterns = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`^a${"b?".repeat(index)}`, { type: "integer" }]),
    );
    // A name counts as one more comparison for every 32 characters.
    const long = "a".repeat(32 * 1000);
    const few: JsonValue = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [long + index, 1]));
    const many: JsonValue = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [long + index, 1]));
    expect(problemsOf({ ...OPEN, patternProperties: patterns }, few)).toEqual([]);
    expect(problemsOf({ ...OPEN, not: { patternProperties: patterns } }, few)).toEqual(MISMATCH);
    for (const more of [{ patternProperties: patterns }, { not: { patternProperties: patterns } }]) {
      expect(() => problemsOf({ ...OPEN, ...more }, many)).toThrow("more than 2,000,000 comparisons of names");
    }
  });

  it("report each problem only once if a payload is validated again because of its number of comparisons", () => {
    const patterns = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`^x${index}$`, true]));
    const many: JsonValue = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`a${index}`, 1]));
    const schema = { type: "object", patternProperties: patterns, additionalProperties: { type: "integer" } };
    const contract = contractOf({ first: { type: "integer" }, field: schema }, { openapi: "3.1.0" });
    const found = compileValidator(bodyOf(contract), { keepValues: false })({ first: "one", field: many });
    expect(found).toMatchObject([{ attr: "first", code: "invalid" }]);
  });

  it("limit the comparisons of a long string with an RE2 pattern", () => {
    const schema = { type: "string", pattern: "^(?:a|b)*$" };
    expect(problemsOf(schema, "a".repeat(1000))).toEqual([]);
    expect(() => problemsOf(schema, "a".repeat(4_100_000))).toThrow(
      "more than 2,000,000 comparisons of names and values",
    );
  });

  it("accept names that match patternProperties, and validate their values", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      patternProperties: { "^x-": { type: "integer" } },
    };
    expect(problemsOf(schema, { a: "A", "x-1": 1 })).toEqual([]);
    expect(problemsOf(schema, { "x-1": "one" })).toEqual(["field.x-1 schema_mismatch"]);
    expect(problemsOf(schema, { b: 1 })).toEqual(["field.b unknown_field"]);
  });

  it("validate the first items with prefixItems, and the remaining items with items", () => {
    const schema = { type: "array", prefixItems: [{ type: "string" }], items: { type: "integer" } };
    expect(problemsOf(schema, ["a", 1, 2])).toEqual([]);
    expect(problemsOf(schema, [1, 1])).toEqual(["field.0 schema_mismatch"]);
    expect(problemsOf(schema, ["a", "b"])).toEqual(["field.1 schema_mismatch"]);
  });

  it.each<[object, JsonValue, JsonValue]>([
    [{ contains: { type: "integer" } }, ["a", 1], []],
    [{ contains: { type: "integer" }, allOf: [{ not: { maxItems: 1 } }] }, ["a", 1], []],
    [{ not: { prefixItems: [{ type: "string" }], contains: { type: "integer" } } }, [], ["a", 1]],
  ])("validate %j if the list has fewer items than prefixItems", (more, right, wrong) => {
    const schema = { type: "array", prefixItems: [{ type: "string" }], ...more };
    expect(problemsOf(schema, right)).toEqual([]);
    expect(problemsOf(schema, wrong)).toEqual(MISMATCH);
  });

  it("count names that match patternProperties as evaluated, even next to alternatives without properties", () => {
    const schema = {
      type: "object",
      properties: { x: { type: "string" } },
      patternProperties: { "^a": { type: "string" } },
      oneOf: [{ required: ["x"] }, { additionalProperties: { type: "string" }, maxProperties: 1 }],
      unevaluatedProperties: false,
    };
    expect(problemsOf(schema, { a: "s", x: "1" })).toEqual([]);
    expect(problemsOf(schema, { a: "s", x: "1", b: "t" })).toEqual(["field.b unknown_field"]);
  });

  it("support conditions next to patternProperties inside a schema with unevaluatedProperties", () => {
    const inner = { if: { patternProperties: { "^a": { type: "string" } }, not: true }, minProperties: 1 };
    const schema = { ...OPEN, dependentSchemas: { a: { ...inner, not: { unevaluatedProperties: false } } } };
    expect(problemsOf(schema, { a: "s" })).toEqual([]);
  });

  it("count the properties of the matching alternatives as evaluated", () => {
    const schema = { type: "object", allOf: [{ anyOf: [option("a"), option("b")] }], unevaluatedProperties: false };
    expect(problemsOf(schema, { a: "A" })).toEqual([]);
    expect(problemsOf(schema, { c: "C" })).not.toEqual([]);
  });

  const IF_THEN: object = JSON.parse(
    `{ "if": { "prefixItems": [{ "const": 1 }] }, "then": { "prefixItems": [true, true] } }`,
  );

  it.each<[string, object, readonly JsonValue[], readonly JsonValue[]]>([
    ["no other keyword", {}, [], [1]],
    ["prefixItems", { prefixItems: [{ type: "string" }] }, ["a"], ["a", 1]],
    ["items", { items: { type: "integer" } }, [1, 2], ["a"]],
    ["contains", { contains: { type: "integer" } }, [1, 2], [1, "a"]],
    ["prefixItems and contains", { prefixItems: [true], contains: { const: 1 } }, ["a", 1], ["a", 1, "a"]],
    ["allOf", { allOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }] }, [1, 2], [1, 2, 3]],
    [
      "the satisfied options of anyOf",
      { anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [true, { const: 2 }] }, { type: "object" }] },
      [0, 2],
      [1, 3],
    ],
    [
      "the satisfied option of oneOf",
      { oneOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [{ const: 0 }, true] }] },
      [0, 2],
      [1, 2],
    ],
    ["if and then", IF_THEN, [1, 2], [1, 2, 3]],
    ["if without then", { if: { prefixItems: [{ const: 1 }] } }, [1], [1, 2]],
    ["else", { if: { prefixItems: [{ const: 1 }] }, else: { prefixItems: [true, true] } }, [0, 2], [0, 2, 3]],
    ["if without else", IF_THEN, [], [0]],
    ["a referenced schema", { $ref: "#/components/schemas/Pair" }, ["a", 2], ["a", 2, 3]],
    ["unevaluatedItems in a part", { allOf: [{ unevaluatedItems: { type: "integer" } }] }, [1, 2], ["a"]],
  ])("include unevaluatedItems, which refuses items that are not evaluated by %s", (_, schema, right, wrong) => {
    const schemas = { Pair: { prefixItems: [{ type: "string" }, true] } };
    const type = { type: "array", ...schema, unevaluatedItems: false };
    expect(problemsOf(type, right, { schemas })).toEqual([]);
    expect(problemsOf(type, wrong, { schemas })).toHaveLength(1);
  });

  it("include unevaluatedItems with a schema, which validates the remaining items and accepts values that are not lists", () => {
    const schema = { prefixItems: [{ type: "string" }], unevaluatedItems: { type: "integer" } };
    expect(problemsOf(schema, ["a", 1, 2])).toEqual([]);
    expect(problemsOf(schema, ["a", 1, "b"])).toEqual(MISMATCH);
    expect(problemsOf(schema, "text")).toEqual([]);
  });

  it("include unevaluatedItems and unevaluatedProperties in the same schema", () => {
    const schema = { unevaluatedItems: false, unevaluatedProperties: false };
    expect(problemsOf(schema, [1])).toEqual(MISMATCH);
    expect(problemsOf(schema, { a: 1 })).toEqual(["field.a unknown_field"]);
    expect(problemsOf(schema, [])).toEqual([]);
  });

  it.each<[object, JsonValue, object]>([
    [{ minLength: 2 }, "a", { code: "min_length", limit: 2, unit: "characters" }],
    [{ maxLength: 2 }, "abc", { code: "max_length", limit: 2, unit: "characters" }],
    [{ minItems: 1 }, [], { code: "min_length", limit: 1, unit: "items" }],
    [{ maxItems: 1 }, [1, 2], { code: "max_length", limit: 1, unit: "items" }],
    [{ pattern: "^a" }, "b", { code: "invalid", expected: "pattern", written: { as: "^a" } }],
    [{ uniqueItems: true }, [1, 1], { code: "unique" }],
    [{ minimum: 2 }, 1, { code: "min_value", limit: "2", exclusive: false }],
    [{ exclusiveMinimum: 1 }, 1, { code: "min_value", limit: "1", exclusive: true }],
    [{ maximum: 0.5 }, 1, { code: "max_value", limit: "0.5", exclusive: false }],
    [{ exclusiveMaximum: 1 }, 1, { code: "max_value", limit: "1", exclusive: true }],
    [{ multipleOf: 2 }, 1, { code: "schema_mismatch", keyword: "multipleOf" }],
    [{ additionalProperties: false }, { a: 1 }, { code: "unknown_field", attr: "field.a" }],
    [{ propertyNames: { minLength: 2 } }, { a: 1 }, { code: "schema_mismatch", keyword: "propertyNames", name: "a" }],
  ])("report the violation of %j with its details", (schema, value, expected) => {
    const contract = contractOf({ field: { enum: [value], allOf: [schema] } }, { openapi: "3.1.0" });
    const found = compileValidator(bodyOf(contract), { keepValues: false })({ field: value });
    expect(found).toMatchObject([{ attr: "field", ...expected }]);
  });

  it("are resolved through references, including recursive schemas", () => {
    const schemas = {
      Tree: { type: "object", additionalProperties: { $ref: "#/components/schemas/Tree" }, maxProperties: 1 },
    };
    const schema = { ...OPEN, not: { $ref: "#/components/schemas/Tree" } };
    expect(problemsOf(schema, { a: { b: {} } }, { schemas })).toEqual(MISMATCH);
    expect(problemsOf(schema, { a: { b: 1 } }, { schemas })).toEqual([]);
  });

  it("support the OpenAPI 3.0 forms of nullable, exclusive limits and item lists", () => {
    const more = { openapi: "3.0.3" };
    const schema = {
      ...OPEN,
      not: {
        required: ["a"],
        properties: { a: { type: "integer", nullable: true, minimum: 3, exclusiveMinimum: true } },
      },
    };
    expect(problemsOf(schema, { a: 3 }, more)).toEqual([]);
    expect(problemsOf(schema, { a: 4 }, more)).toEqual(MISMATCH);
    expect(problemsOf(schema, { a: null }, more)).toEqual(MISMATCH);
    const tuple = { type: "array", items: [{ type: "string" }], additionalItems: false };
    expect(problemsOf(tuple, ["a"], more)).toEqual([]);
    expect(problemsOf(tuple, ["a", "b"], more)).toEqual(["field schema_mismatch"]);
  });

  it("enforce patterns that take exponential time in JavaScript, even inside assertions", () => {
    const slow = { type: "string", pattern: "^(?:[a-z]+ ?)+$" };
    for (const schema of [
      slow,
      { type: "string", allOf: [{ anyOf: [slow] }] },
      { type: "string", not: { not: slow } },
    ]) {
      expect(problemsOf(schema, "aa bb")).toEqual([]);
      expect(problemsOf(schema, `${"a".repeat(5000)}!`)).toHaveLength(1);
    }
  });

  it.each<object>([
    { type: "string", nullable: true, not: { minLength: 1 } },
    { ...OPEN, nullable: true, not: { required: ["a"] } },
    { type: "string", nullable: true, enum: ["a", "bb"], maxLength: 1 },
    { nullable: true, allOf: [{ type: "string", not: { minLength: 3 } }] },
    { nullable: true, oneOf: [{ type: "string", not: { minLength: 3 } }] },
    { not: { not: { nullable: true, type: "string", not: { minLength: 3 } } } },
  ])("do not apply to null if nullable allows it: %j", (schema) => {
    expect(problemsOf(schema, null, { openapi: "3.0.3" })).toEqual([]);
  });

  it.each<object>([
    { type: ["string", "null"], not: { type: "null" } },
    { type: ["string", "null"], oneOf: [{ not: { type: "null" } }] },
    { type: ["string", "null"], allOf: [{ not: { type: "null" } }] },
  ])("apply to null if only the types allow it: %j", (schema) => {
    expect(problemsOf(schema, null)).toEqual(["field null"]);
  });

  it("have a message that names the keyword", () => {
    const contract = contractOf({ field: { ...OPEN, propertyNames: { maxLength: 1 } } });
    const [problem] = compileValidator(bodyOf(contract), { keepValues: false })({ field: { long: 1 } });
    expect(problem && describeProblem(problem)).toBe(
      'Does not satisfy "propertyNames" of the contract\'s schema (about "long"): the name of the property is not allowed.',
    );
  });

  it("are not evaluated if the value has other problems", () => {
    expect(problemsOf({ type: "string", not: { maxLength: 3 }, maxLength: 3 }, "abcd")).toEqual(["field max_length"]);
    expect(problemsOf({ type: "object", minProperties: 1 }, "text")).toEqual(["field not_a_dict"]);
  });
});

describe("schemas without a type:", () => {
  it.each<[object, JsonValue, JsonValue]>([
    [{ maxLength: 2 }, 100, "abc"],
    [{ minimum: 2 }, "a", 1],
    [{ minItems: 1 }, {}, []],
    [{ properties: { a: { type: "string" } }, required: ["a"] }, "text", {}],
    [{ required: ["a"] }, null, { b: 1 }],
  ])("the keywords of %j apply only to values of their own type", (schema, right, wrong) => {
    expect(problemsOf(schema, right)).toEqual([]);
    expect(problemsOf(schema, wrong)).not.toEqual([]);
  });
});

describe("oneOf without a discriminator", () => {
  const schema = { oneOf: [{ type: "integer" }, { type: "string", maxLength: 3 }, { type: "string", pattern: "^a" }] };

  it.each<[JsonValue, readonly string[]]>([
    ["xyz", []],
    ["abcd", []],
    ["abc", MISMATCH],
    [5, []],
  ])("requires exactly one matching option: %j", (value, expected) => {
    expect(problemsOf(schema, value)).toEqual(expected);
  });

  it("ignores an option that would convert the value if another option accepts the value unchanged", () => {
    expect(problemsOf({ oneOf: [{ type: "integer" }, { type: "string" }] }, "5")).toEqual([]);
    expect(problemsOf({ oneOf: [{ type: "boolean" }, { type: "integer" }] }, "5")).toEqual(["field coerced (warning)"]);
    expect(
      problemsOf(
        {
          anyOf: [
            { type: "string", maxLength: 3 },
            { type: "string", pattern: "^a" },
          ],
        },
        "abc",
      ),
    ).toEqual([]);
  });

  it("counts an option that accepts the value unchanged, although a field of the value is read-only", () => {
    const open = { ...OPEN, properties: { a: { type: "integer" } } };
    const readOnly = { type: "object", properties: { a: { type: "integer" }, d: { type: "string", readOnly: true } } };
    for (const oneOf of [
      [open, readOnly],
      [readOnly, open],
      [readOnly, { ...readOnly, title: "Copy" }],
    ]) {
      expect(problemsOf({ oneOf }, { a: 1, d: "x" })).toContain("field schema_mismatch");
      expect(problemsOf({ anyOf: oneOf }, { a: 1, d: "x" })).not.toContain("field schema_mismatch");
    }
    expect(problemsOf({ oneOf: [readOnly, { type: "string" }] }, { d: "x" })).toEqual(["field.d read_only (warning)"]);
  });

  it("reports the problems of the best matching option", () => {
    const found = problemsOf({ oneOf: [option("a"), option("b")] }, { a: "AA", x: 1 });
    expect(found).toEqual(["field.a max_length"]);
  });
});
