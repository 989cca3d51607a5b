import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/json-value.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { describeProblem } from "../../src/report/problem-text.ts";
import { bodyOf, contractOf } from "../contract/contract-of.ts";

/** What is wrong with a value of a field that has the schema: `attr code`. */
function told(
  schema: object | boolean,
  value: JsonValue,
  more: Parameters<typeof contractOf>[1] = {},
): readonly string[] {
  const contract = contractOf({ field: schema }, { openapi: "3.1.0", ...more });
  expect(contract.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  const found = compileValidator(bodyOf(contract), { keepValues: false })({ field: value });
  return found.map(({ attr, code, severity }) => `${attr} ${code}${severity === "warning" ? " (warning)" : ""}`);
}

/** An object that must have the property. */
function option(name: string): object {
  const properties = { [name]: { type: "string", maxLength: 1 }, x: {} };
  return { type: "object", required: [name], properties };
}

const MISMATCH = ["field schema_mismatch"];
const TEXTS = { type: "array", items: { type: "string" } };
const OPEN = { type: "object", additionalProperties: true };

describe("keywords that are judged as JSON Schema", () => {
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
    ["minimum beside choices", { enum: [1, 5], minimum: 2 }, 5, 1, MISMATCH],
    [
      "a format beside choices",
      { type: "string", format: "date", enum: ["2024-01-31", "a"] },
      "2024-01-31",
      "a",
      MISMATCH,
    ],
    [
      "a format and choices in parts",
      { allOf: [{ type: "string", format: "date" }, { enum: ["2024-01-31", "a"] }] },
      "2024-01-31",
      "a",
      MISMATCH,
    ],
    ["a format of numbers beside choices", { enum: [1, 2 ** 31], format: "int32" }, 1, 2 ** 31, MISMATCH],
    ["a format beside choices of any type", { enum: [{ a: 1 }, "a"], format: "uuid" }, { a: 1 }, "a", MISMATCH],
    [
      "a limit beside a constant of two types",
      { type: ["string", "integer"], const: "a", minLength: 1 },
      "a",
      "b",
      ["field invalid_choice"],
    ],
    [
      "a limit beside a format of two types",
      { type: ["string", "integer"], format: "date", minLength: 9 },
      1,
      "a",
      ["field invalid"],
    ],
    ["a format of numbers without a type", { format: "int32" }, "a", 1.5, ["field invalid"]],
    ["a limit beside the format of decimals without a type", { format: "decimal", minimum: 2 }, 3, 1, MISMATCH],
    [
      "formats beside alternatives that are choices",
      { anyOf: [{ enum: ["2024-01-31", "a"], format: "date" }, { enum: ["b"] }] },
      "b",
      "a",
      MISMATCH,
    ],
    ["two patterns", { type: "string", pattern: "^a", allOf: [{ pattern: "b$" }] }, "ab", "ac", ["field invalid"]],
    ["two steps", { type: "number", multipleOf: 2, allOf: [{ multipleOf: 3 }] }, 6, 4, MISMATCH],
  ])("%s", (...[, schema, right, wrong, expected]) => {
    expect(told(schema, right)).toEqual([]);
    expect(told(schema, wrong)).toEqual(expected);
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
  ])("if, then and else: the fields that they document are known: %j", (value, expected) => {
    expect(told(CONDITIONAL, value)).toEqual(expected);
  });

  it("compares the items of a long list in linear time", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ a: index }));
    expect(told({ not: { type: "array", uniqueItems: true } }, items)).toEqual(MISMATCH);
    expect(told({ not: { type: "array", uniqueItems: true } }, [...items, { a: 0 }])).toEqual([]);
  });

  it("comparisons of names with patterns have a limit", () => {
    const patterns = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`^a${"b?".repeat(index)}`, true]));
    // A name counts once for each 32 characters.
    const long = "a".repeat(32 * 1000);
    const few: JsonValue = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [long + index, 1]));
    const many: JsonValue = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [long + index, 1]));
    expect(told({ ...OPEN, patternProperties: patterns }, few)).toEqual([]);
    expect(told({ ...OPEN, not: { patternProperties: patterns } }, few)).toEqual(MISMATCH);
    for (const more of [{ patternProperties: patterns }, { not: { patternProperties: patterns } }]) {
      expect(() => told({ ...OPEN, ...more }, many)).toThrow("more than 2,000,000 comparisons of names");
    }
  });

  it("comparisons of one long text with a pattern that RE2 matches have the same limit", () => {
    const schema = { type: "string", pattern: "^(?:a|b)*$" };
    expect(told(schema, "a".repeat(1000))).toEqual([]);
    expect(() => told(schema, "a".repeat(4_100_000))).toThrow("more than 2,000,000 comparisons of names and texts");
  });

  it("names that match patternProperties are let through, and their values are judged", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      patternProperties: { "^x-": { type: "integer" } },
    };
    expect(told(schema, { a: "A", "x-1": 1 })).toEqual([]);
    expect(told(schema, { "x-1": "one" })).toEqual(["field.x-1 schema_mismatch"]);
    expect(told(schema, { b: 1 })).toEqual(["field.b unknown_field"]);
  });

  it("items behind prefixItems are judged by items, those before by their own schemas", () => {
    const schema = { type: "array", prefixItems: [{ type: "string" }], items: { type: "integer" } };
    expect(told(schema, ["a", 1, 2])).toEqual([]);
    expect(told(schema, [1, 1])).toEqual(["field.0 schema_mismatch"]);
    expect(told(schema, ["a", "b"])).toEqual(["field.1 schema_mismatch"]);
  });

  it("unevaluatedProperties looks into the alternatives that hold", () => {
    const schema = { type: "object", allOf: [{ anyOf: [option("a"), option("b")] }], unevaluatedProperties: false };
    expect(told(schema, { a: "A" })).toEqual([]);
    expect(told(schema, { c: "C" })).not.toEqual([]);
  });

  it("are followed through references, also of schemas that contain themselves", () => {
    const schemas = {
      Tree: { type: "object", additionalProperties: { $ref: "#/components/schemas/Tree" }, maxProperties: 1 },
    };
    const schema = { ...OPEN, not: { $ref: "#/components/schemas/Tree" } };
    expect(told(schema, { a: { b: {} } }, { schemas })).toEqual(MISMATCH);
    expect(told(schema, { a: { b: 1 } }, { schemas })).toEqual([]);
  });

  it("in OpenAPI 3.0: nullable, exclusive limits and lists of item schemas as that version writes them", () => {
    const more = { openapi: "3.0.3" };
    const schema = {
      ...OPEN,
      not: {
        required: ["a"],
        properties: { a: { type: "integer", nullable: true, minimum: 3, exclusiveMinimum: true } },
      },
    };
    expect(told(schema, { a: 3 }, more)).toEqual([]);
    expect(told(schema, { a: 4 }, more)).toEqual(MISMATCH);
    expect(told(schema, { a: null }, more)).toEqual(MISMATCH);
    const tuple = { type: "array", items: [{ type: "string" }], additionalItems: false };
    expect(told(tuple, ["a"], more)).toEqual([]);
    expect(told(tuple, ["a", "b"], more)).toEqual(["field schema_mismatch"]);
  });

  it("patterns that JavaScript could take very long on are enforced all the same, also inside assertions", () => {
    const slow = { type: "string", pattern: "^(?:[a-z]+ ?)+$" };
    for (const schema of [
      slow,
      { type: "string", allOf: [{ anyOf: [slow] }] },
      { type: "string", not: { not: slow } },
    ]) {
      expect(told(schema, "aa bb")).toEqual([]);
      expect(told(schema, `${"a".repeat(5000)}!`)).toHaveLength(1);
    }
  });

  it("say which keyword is meant, in words", () => {
    const contract = contractOf({ field: { ...OPEN, propertyNames: { maxLength: 1 } } });
    const [problem] = compileValidator(bodyOf(contract), { keepValues: false })({ field: { long: 1 } });
    expect(problem && describeProblem(problem)).toBe(
      'Does not satisfy "propertyNames" of the contract\'s schema (about "long"): the name of the property is not allowed.',
    );
  });

  it("are not looked at where the value is wrong in other ways", () => {
    expect(told({ type: "string", not: { maxLength: 3 }, maxLength: 3 }, "abcd")).toEqual(["field max_length"]);
    expect(told({ type: "object", minProperties: 1 }, "text")).toEqual(["field not_a_dict"]);
  });
});

describe("schemas without a type", () => {
  it.each<[object, JsonValue, JsonValue]>([
    [{ maxLength: 2 }, 100, "abc"],
    [{ minimum: 2 }, "a", 1],
    [{ minItems: 1 }, {}, []],
    [{ properties: { a: { type: "string" } }, required: ["a"] }, "text", {}],
    [{ required: ["a"] }, null, { b: 1 }],
  ])("%j says nothing of values of other types", (schema, right, wrong) => {
    expect(told(schema, right)).toEqual([]);
    expect(told(schema, wrong)).not.toEqual([]);
  });
});

describe("oneOf without a discriminator", () => {
  const schema = { oneOf: [{ type: "integer" }, { type: "string", maxLength: 3 }, { type: "string", pattern: "^a" }] };

  it.each<[JsonValue, readonly string[]]>([
    ["xyz", []],
    ["abcd", []],
    ["abc", MISMATCH],
    [5, []],
  ])("takes what exactly one option lets through: %j", (value, expected) => {
    expect(told(schema, value)).toEqual(expected);
  });

  it("does not count an option that would have to convert the value", () => {
    expect(told({ oneOf: [{ type: "integer" }, { type: "string" }] }, "5")).toEqual([]);
    expect(told({ oneOf: [{ type: "boolean" }, { type: "integer" }] }, "5")).toEqual(["field coerced (warning)"]);
    expect(
      told(
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

  it("goes on to report in the option that fits best", () => {
    const found = told({ oneOf: [option("a"), option("b")] }, { a: "AA", x: 1 });
    expect(found).toEqual(["field.a max_length"]);
  });
});
