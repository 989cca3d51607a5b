import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileValidator } from "../../../src/validate/compile-validator.ts";
import { compileValueCheck } from "../../../src/validate/compile-validator.ts";
import { fieldOf } from "../contract-of.ts";

describe("unenforced keywords:", () => {
  it.each(["$dynamicRef", "$recursiveRef", "$recursiveAnchor"])("%s is reported", (keyword) => {
    const { findings, messages } = fieldOf({ type: "object", [keyword]: "#a" });
    expect(findings).toEqual(["warning not-enforced"]);
    expect(messages[0]).toContain(`"${keyword}"`);
  });

  it("a keyword is also reported inside a keyword that is evaluated as JSON Schema", () => {
    expect(fieldOf({ not: { $dynamicRef: "#a" } }).findings).toEqual(["warning not-enforced"]);
    expect(fieldOf({ not: { maxLenght: 3 } }).findings).toEqual(["warning unknown-keyword"]);
    expect(fieldOf({ not: { $ref: "#/nowhere" } }).findings).toEqual(["error broken-ref"]);
    expect(fieldOf({ not: { pattern: "(" } }).findings).toEqual(["error bad-pattern"]);
  });

  it.each(["constructor", "toString", "valueOf"])(
    "%s is reported like other unknown keywords, although every JavaScript object has a member with that name",
    (keyword) => {
      const { type, findings } = fieldOf({ type: "string", not: { const: "a", [keyword]: ["b"] } });
      expect(findings).toEqual(["warning unknown-keyword"]);
      const isRight = compileValueCheck(type, { keepValues: false });
      expect(["a", "b"].map((value) => isRight(value))).toEqual([false, true]);
    },
  );

  it("unevaluatedItems includes items evaluated by contains and by alternatives", () => {
    const contains = { type: "array", contains: { type: "string" }, unevaluatedItems: false };
    const either = { ...contains, anyOf: [{ prefixItems: [true] }, { items: { type: "integer" } }] };
    for (const schema of [contains, either]) {
      const { type, findings } = fieldOf(schema, { openapi: "3.1.0" });
      expect(findings).toEqual([]);
      const isRight = compileValueCheck(type, { keepValues: false });
      expect(
        [
          ["a", "b"],
          ["a", true],
        ].map(isRight),
      ).toEqual([true, false]);
    }
  });

  it.each<[keyword: string, schema: (ruled: object) => object]>([
    ["patternProperties", (ruled) => ({ type: "object", patternProperties: { "^r": ruled } })],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ["then", (ruled) => ({ type: "object", if: { required: ["t"] }, then: { properties: { r: ruled } } })],
    ["dependentSchemas", (ruled) => ({ type: "object", dependentSchemas: { t: { properties: { r: ruled } } } })],
    ["prefixItems", (ruled) => ({ type: "array", prefixItems: [ruled] })],
  ])("rules below %s are reported, even behind a reference", (keyword, schemaOf) => {
    const ruled = { type: "object", "x-rules": [{ code: "c", kind: "holds", test: "a" }] };
    const more = { openapi: "3.1.0", schemas: { R: ruled } };
    const message = `the rules (x-rules) below "${keyword}" are not applied`;
    expect(fieldOf(schemaOf(ruled), more).messages).toContain(message);
    expect(fieldOf(schemaOf({ $ref: "#/components/schemas/R" }), more).messages).toContain(message);
    expect(fieldOf(schemaOf({ type: "object" }), more).messages).not.toContain(message);
  });

  it("a dialect other than OpenAPI's own is reported", () => {
    expect(fieldOf({ $schema: "https://example.org/own", type: "string" }).findings).toEqual(["warning not-enforced"]);
    const known = "https://json-schema.org/draft/2020-12/schema";
    expect(fieldOf({ $schema: known, type: "string" }).findings).toEqual([]);
  });

  it("a misspelt keyword is reported with a suggestion", () => {
    expect(fieldOf({ type: "string", maxLenght: 3 }).messages).toEqual([
      '"maxLenght" is not a schema keyword and is not enforced; did you mean "maxLength"?',
    ]);
    expect(fieldOf({ type: "string", "x-document-paths": true }).findings).toEqual(["warning unknown-keyword"]);
  });

  it("foreign extensions are counted in one finding per name", () => {
    const { findings, messages } = fieldOf({ type: "object", "x-strange": 1, properties: { a: { "x-strange": 2 } } });
    expect(findings).toEqual(["info unknown-extension"]);
    expect(messages[0]).toContain("2 places");
  });

  it.each([
    [{ type: "boolean", pattern: "a" }],
    [{ type: "object", maxLength: 1 }],
    [{ type: "string", items: {} }],
    [{ type: "integer", maxItems: 1 }],
    [{ type: "integer", "x-document-path": true }],
    [{ type: "string", "x-max-digits": 3 }],
    [{ type: "boolean", format: "date" }],
    [{ type: "string", minProperties: 1 }],
    [{ type: "object", prefixItems: [{}] }],
  ])("%j is reported: the keyword has no effect there", (schema) => {
    expect(fieldOf(schema).findings).toHaveLength(1);
  });

  it.each([
    [{ type: "string", minLength: 5, maxLength: 4 }],
    [{ type: "array", minItems: 5, maxItems: 4 }],
    [{ type: "integer", minimum: 5, maximum: 4 }],
  ])("%j is reported: no value is valid", (schema) => {
    expect(fieldOf(schema).findings).toEqual(["error contradiction"]);
  });

  it.each([
    [{ minLength: 5, maxLength: 4 }, "(4); only values of other types are valid"],
    [{ format: "uuid", allOf: [{ format: "uri" }] }, "are mutually exclusive; only values of other types are valid"],
    [{ type: "string", nullable: true, minLength: 5, maxLength: 4 }, "(4); only null is valid"],
  ])("%j is a warning, because some values match", (schema, message) => {
    const { findings, messages } = fieldOf(schema);
    expect(findings.filter((finding) => !finding.startsWith("info"))).toEqual(["warning contradiction"]);
    expect(messages.join("\n")).toContain(message);
  });

  it("an unknown format with choices, and a known format without effect, cause warnings", () => {
    expect(fieldOf({ type: "string", enum: ["a"], format: "iban" }).findings).toEqual(["warning unknown-format"]);
    expect(fieldOf({ type: "object", format: "date" }).findings).toEqual(["warning unknown-format"]);
    expect(fieldOf({ type: "integer", enum: [1], format: "int64" }).findings).toEqual([]);
  });

  it("no validator is loaded for a format that every choice satisfies", () => {
    expect(fieldOf({ type: "integer", enum: [1, 2], format: "int32" }).type.assertions).toBeUndefined();
    expect(fieldOf({ enum: [1, null], format: "date" }).type.assertions).toBeUndefined();
  });

  it("an empty list of choices causes a warning, because an instance without data publishes such lists", () => {
    expect(fieldOf({ enum: [] }).findings).toEqual(["warning contradiction"]);
  });

  it.each([
    [{ type: "string", maxLength: "30" }],
    [{ type: "string", minLength: -1 }],
    [{ type: "array", maxItems: 1.5 }],
    [{ enum: "A" }],
    [{ type: "object", properties: [] }],
    [{ allOf: {} }],
    [{ oneOf: [] }],
    [{ not: 3 }],
    [{ type: "object", minProperties: "2" }],
    [{ type: "object", dependentRequired: { a: "b" } }],
    [{ type: "array", prefixItems: {} }],
    [{ type: "array", items: {}, uniqueItems: "true" }],
    [{ not: { uniqueItems: "true" } }],
    [{ type: "string", "x-document-path": "yes" }],
    [{ type: "string", format: "date-time", "x-sent-as-given": "true" }],
    [{ type: "string", nullable: "true" }],
    [{ oneOf: [{ enum: ["a"] }, { enum: ["b"], nullable: "true" }] }],
    [{ oneOf: [{ type: "string" }, { type: "integer" }], nullable: "true" }],
    [{ type: "string", readOnly: "true" }],
    [{ type: "string", writeOnly: 1 }],
    [{ type: "string", deprecated: null }],
  ])("%j is reported: a keyword has the wrong kind of value", (schema) => {
    expect(fieldOf(schema).findings).toContain("error bad-keyword");
  });

  it("any schema compiles and validates without throwing", () => {
    const name = fc.constantFrom(...NAMES);
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.oneof(
          fc.constantFrom(
            "string",
            "object",
            "array",
            "decimal",
            "null",
            "#",
            "#/components/schemas/A",
            "#/nowhere",
            "(",
          ),
          fc.integer({ min: -2, max: 9 }),
          fc.boolean(),
          fc.constant(null),
        ),
        fc.array(tie("schema"), { maxLength: 3 }),
        fc.dictionary(name, tie("schema"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(name, schema), fc.dictionary(name, schema), (field, A) => {
        const { type } = fieldOf(field, { schemas: { A } });
        expect(type.kind).toBeTypeOf("string");
        const validate = compileValidator(type, { keepValues: false });
        for (const value of [{}, { A: [1, "a", null] }]) expect(validate(value).length).toBeLessThan(200);
      }),
      { numRuns: 300 },
    );
  });
});

const NAMES =
  "type format enum properties items allOf oneOf anyOf required nullable $ref maxLength minimum exclusiveMinimum pattern additionalProperties discriminator mapping const propertyName x-validators default not description if then else contains prefixItems minContains unevaluatedItems unevaluatedProperties patternProperties propertyNames dependentRequired dependentSchemas dependencies minProperties additionalItems multipleOf".split(
    " ",
  );
