import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldOf } from "./contract-of.ts";

describe("text", () => {
  it("has limits, a pattern and a format", () => {
    const { type, findings } = fieldOf({
      type: "string",
      minLength: 2,
      maxLength: 5,
      pattern: "^[a-z]+$",
      format: "email",
    });
    expect(type).toMatchObject({ kind: "text", minLength: 2, maxLength: 5, format: "email", allowBlank: false });
    expect(type.kind === "text" && type.pattern?.test("abc")).toBe(true);
    expect(findings).toEqual([]);
  });

  it("may be blank only when minLength: 0 is written", () => {
    expect(fieldOf({ type: "string" }).type).toMatchObject({ allowBlank: false });
    expect(fieldOf({ type: "string", minLength: 0 }).type).toMatchObject({ allowBlank: true });
  });

  it("may be a document path", () => {
    expect(fieldOf({ type: "string", "x-document-path": true }).type).toMatchObject({ documentPath: true });
  });

  it.each(["email", "uuid", "uri"])("knows the format %s", (format) => {
    const { type, findings } = fieldOf({ type: "string", format });
    expect(type).toMatchObject({ kind: "text", format });
    expect(findings).toEqual([]);
  });

  it("reports a format that it does not check", () => {
    expect(fieldOf({ type: "string", format: "ipv4" }).findings).toEqual(["warning unknown-format"]);
    expect(fieldOf({ type: "string", format: "password" }).findings).toEqual([]);
  });

  it("reads patterns with and without the unicode flag, and reports what is none", () => {
    expect(fieldOf({ type: "string", pattern: "^\\p{Lu}$" }).type).toMatchObject({ pattern: /^\p{Lu}$/u });
    expect(fieldOf({ type: "string", pattern: "^\\_$" }).type).toMatchObject({ pattern: new RegExp("^\\_$") });
    const { type, findings } = fieldOf({ type: "string", pattern: "(" });
    expect(type).not.toHaveProperty("pattern");
    expect(findings).toEqual(["error bad-pattern"]);
  });
});

describe("dates", () => {
  it.each([
    ["date", "date"],
    ["date-time", "datetime"],
    ["time", "time"],
  ])("format %s is a %s", (format, kind) => {
    expect(fieldOf({ type: "string", format }).type.kind).toBe(kind);
  });

  it("reports limits that have no effect on them", () => {
    expect(fieldOf({ type: "string", format: "date", maxLength: 10 }).findings).toEqual(["warning not-enforced"]);
  });
});

describe("decimals", () => {
  it("take their digits from the pattern that operators write", () => {
    const { type } = fieldOf({ type: "string", format: "decimal", pattern: "^-?\\d{0,10}(?:\\.\\d{0,2})?$" });
    expect(type).toMatchObject({ kind: "decimal", maxDigits: 12, maxDecimalPlaces: 2, maxWholeDigits: 10 });
  });

  it("take their digits from our own keywords", () => {
    const { type, findings } = fieldOf({
      type: "string",
      format: "decimal",
      "x-max-digits": 8,
      "x-max-decimal-places": 3,
      minimum: 0,
    });
    expect(type).toMatchObject({
      maxDigits: 8,
      maxDecimalPlaces: 3,
      maxWholeDigits: 5,
      minimum: { value: 0, exclusive: false },
    });
    expect(findings).toEqual([]);
  });

  it("keep a pattern that says something else", () => {
    const { type } = fieldOf({ type: "string", format: "decimal", pattern: "^\\d+\\.\\d\\d$" });
    expect(type).toMatchObject({ pattern: /^\d+\.\d\d$/u });
    expect(type).not.toHaveProperty("maxDigits");
  });
});

describe("numbers", () => {
  it("have limits in the manner of OpenAPI 3.0 and of 3.1", () => {
    const old = {
      type: "integer",
      minimum: 1,
      exclusiveMinimum: true,
      maximum: 9,
      exclusiveMaximum: false,
      multipleOf: 2,
    };
    expect(fieldOf(old).type).toMatchObject({
      kind: "integer",
      minimum: { value: 1, exclusive: true },
      maximum: { value: 9, exclusive: false },
      multipleOf: 2,
    });
    const { type, findings } = fieldOf(
      { type: "number", minimum: 0, exclusiveMinimum: 0, exclusiveMaximum: 1.5 },
      { openapi: "3.1.0" },
    );
    expect(type).toMatchObject({
      kind: "number",
      minimum: { value: 0, exclusive: true },
      maximum: { value: 1.5, exclusive: true },
    });
    expect(findings).toEqual([]);
  });

  it("of int32 are 32 bits wide", () => {
    const { type, findings } = fieldOf({ type: "integer", format: "int32", minimum: 0 });
    expect(type).toMatchObject({ minimum: { value: 0 }, maximum: { value: 2_147_483_647 } });
    expect(findings).toEqual([]);
  });

  it.each([{ maximum: "9" }, { multipleOf: 0 }, { exclusiveMinimum: true }, { minLength: 1 }])(
    "report %j",
    (keyword) => {
      expect(fieldOf({ type: "number", ...keyword }).findings).toHaveLength(1);
    },
  );
});

describe("choices", () => {
  it("may be text, numbers and blank", () => {
    expect(fieldOf({ enum: ["A", "", 0, 25] }).type).toMatchObject({
      kind: "choice",
      choices: ["A", "", 0, 25],
      nullable: false,
    });
    expect(fieldOf({ type: "integer", enum: [0, 25] }).findings).toEqual([]);
    expect(fieldOf({ const: "A" }, { openapi: "3.1.0" }).type).toMatchObject({ kind: "choice", choices: ["A"] });
  });

  it("with null are nullable where the type allows null", () => {
    const nullable = { type: "string", nullable: true, enum: ["A", null] };
    expect(fieldOf(nullable).type).toMatchObject({ nullable: true, choices: ["A"] });
    expect(fieldOf({ enum: ["A", null] }).type).toMatchObject({ nullable: true, choices: ["A"] });
    const { type, findings } = fieldOf({ type: "string", enum: ["A", null] });
    expect(type).toMatchObject({ nullable: false });
    expect(findings).toEqual(["warning null-choice"]);
  });

  it("that are not of their type are contradictions", () => {
    const { type, findings } = fieldOf({ type: "integer", enum: [1, "2"] });
    expect(type).toMatchObject({ choices: [1] });
    expect(findings).toEqual(["error contradiction"]);
  });

  it("make other limits of text superfluous, which is reported only when they exclude a choice", () => {
    expect(fieldOf({ type: "string", enum: ["A", "B"], maxLength: 1 }).findings).toEqual([]);
    expect(fieldOf({ type: "string", enum: ["A", "BB"], maxLength: 1 }).findings).toEqual(["warning not-enforced"]);
  });
});

describe("lists", () => {
  it("have items and limits", () => {
    const { type } = fieldOf({
      type: "array",
      items: { type: "boolean" },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    });
    expect(type).toMatchObject({
      kind: "list",
      items: { kind: "boolean" },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    });
  });

  it("without items take anything", () => {
    expect(fieldOf({ type: "array" }).type).toMatchObject({ items: { kind: "any" } });
  });
});

describe("objects", () => {
  const properties = { a: { type: "string" }, b: { type: "string", readOnly: true } };

  it("are closed, and require what they say, except what only replies hold", () => {
    const { type } = fieldOf({ type: "object", properties, required: ["a", "b"] });
    expect(type).toMatchObject({ kind: "object", additional: "closed" });
    expect(type.kind === "object" && [...type.properties.values()]).toMatchObject([
      { name: "a", required: true, readOnly: false },
      { name: "b", required: false, readOnly: true },
    ]);
  });

  it.each([
    [true, { kind: "any" }],
    [{}, { kind: "any" }],
    [{ type: "integer" }, { kind: "integer" }],
  ])("are opened by additionalProperties: %j", (additionalProperties, additional) => {
    expect(fieldOf({ type: "object", additionalProperties }).type).toMatchObject({ additional });
  });

  it("stay closed with additionalProperties: false", () => {
    expect(fieldOf({ type: "object", additionalProperties: false }).type).toMatchObject({ additional: "closed" });
  });

  it("report a required property that they do not describe", () => {
    const { type, findings } = fieldOf({ type: "object", properties, required: ["c"] });
    expect(findings).toEqual(["warning required-unknown"]);
    expect(type.kind === "object" && type.properties.get("c")).toMatchObject({ required: true, type: { kind: "any" } });
  });

  it("report required: true on a property", () => {
    expect(fieldOf({ type: "string", required: true }).findings).toEqual(["warning not-enforced"]);
    expect(fieldOf({ type: "object", properties, required: true }).findings).toEqual(["error bad-keyword"]);
  });
});

describe("types", () => {
  it("may be lists with null (3.1), or nullable (3.0)", () => {
    expect(fieldOf({ type: ["string", "null"], maxLength: 3 }, { openapi: "3.1.0" }).type).toMatchObject({
      kind: "text",
      nullable: true,
    });
    expect(fieldOf({ type: "string", nullable: true }).type).toMatchObject({ kind: "text", nullable: true });
    expect(fieldOf({ type: "string" }).type).toMatchObject({ nullable: false });
  });

  it("in a list become alternatives", () => {
    const { type, findings } = fieldOf(
      { type: ["string", "integer", "null"], maxLength: 3, maximum: 9 },
      { openapi: "3.1.0" },
    );
    expect(type).toMatchObject({
      kind: "union",
      nullable: true,
      options: [
        { kind: "text", maxLength: 3 },
        { kind: "integer", maximum: { value: 9 } },
      ],
    });
    expect(findings).toEqual([]);
  });

  it.each([
    ["datetime", "datetime"],
    ["date", "date"],
    ["decimal", "decimal"],
    ["int", "integer"],
    ["bool", "boolean"],
    ["list", "list"],
  ])("%s is understood as %s and said so", (type, kind) => {
    const read = fieldOf({ type });
    expect(read.type.kind).toBe(kind);
    expect(read.findings).toEqual(["info type-alias"]);
  });

  it("that mean nothing are reported, with what may have been meant", () => {
    const { type, findings, messages } = fieldOf({ type: "strng" });
    expect(type.kind).toBe("any");
    expect(findings).toEqual(["warning unknown-type"]);
    expect(messages[0]).toContain('did you mean "string"');
  });

  it("are inferred where none is written, and said so", () => {
    expect(fieldOf({ properties: {} }).type.kind).toBe("object");
    expect(fieldOf({ items: {} }).type.kind).toBe("list");
    expect(fieldOf({ maxLength: 3 }).type.kind).toBe("text");
    expect(fieldOf({ maxLength: 3 }).findings).toEqual(["info type-inferred"]);
    expect(fieldOf({}).type).toMatchObject({ kind: "any", nullable: true });
    expect(fieldOf(true).findings).toEqual([]);
    expect(fieldOf(false).findings).toEqual(["error bad-keyword"]);
  });
});

describe("annotations", () => {
  it("go with the type", () => {
    const validators = [
      { name: "Check", description: "Checks.", possible_errors: ["bad_thing"] },
      { name: null, description: null },
    ];
    const { type, findings } = fieldOf({
      type: "string",
      title: "Title",
      description: "Text",
      deprecated: true,
      default: "x",
      example: "y",
      "x-validators": validators,
    });
    expect(type).toMatchObject({ title: "Title", description: "Text", deprecated: true, default: "x" });
    expect(type.validators).toEqual([
      { name: "Check", description: "Checks.", codes: ["bad_thing"] },
      { name: "", description: "", codes: [] },
    ]);
    expect(findings).toEqual([]);
  });

  it("of the wrong shape are errors", () => {
    expect(fieldOf({ type: "string", "x-validators": "some" }).findings).toEqual(["error bad-extension"]);
  });
});

describe("nothing is passed over in silence", () => {
  it.each([
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "$dynamicRef",
  ])("%s is reported", (keyword) => {
    const { findings, messages } = fieldOf({ type: "object", [keyword]: {} });
    expect(findings).toEqual(["warning not-enforced"]);
    expect(messages[0]).toContain(`"${keyword}"`);
  });

  it("a misspelt keyword is reported with what may have been meant", () => {
    expect(fieldOf({ type: "string", maxLenght: 3 }).messages).toEqual([
      '"maxLenght" is no keyword of a schema and is not enforced; did you mean "maxLength"?',
    ]);
    expect(fieldOf({ type: "string", "x-document-paths": true }).findings).toEqual(["warning unknown-keyword"]);
  });

  it("extensions of others are counted, one finding a name", () => {
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
  ])("%j is reported: the keyword has no effect there", (schema) => {
    expect(fieldOf(schema).findings).toHaveLength(1);
  });

  it.each([
    [{ type: "string", minLength: 5, maxLength: 4 }],
    [{ type: "array", minItems: 5, maxItems: 4 }],
    [{ type: "integer", minimum: 5, maximum: 4 }],
    [{ enum: [] }],
  ])("%j is reported: no value fits", (schema) => {
    expect(fieldOf(schema).findings).toEqual(["error contradiction"]);
  });

  it.each([
    [{ type: "string", maxLength: "30" }],
    [{ type: "string", minLength: -1 }],
    [{ type: "array", maxItems: 1.5 }],
    [{ enum: "A" }],
    [{ type: "object", properties: [] }],
    [{ allOf: {} }],
    [{ oneOf: [] }],
  ])("%j is reported: a keyword has the wrong kind of value", (schema) => {
    expect(fieldOf(schema).findings).toContain("error bad-keyword");
  });

  it("holds for any schema at all: it compiles, and never throws", () => {
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
        expect(fieldOf(field, { schemas: { A } }).type.kind).toBeTypeOf("string");
      }),
      { numRuns: 300 },
    );
  });
});

const NAMES =
  "type format enum properties items allOf oneOf anyOf required nullable $ref maxLength minimum exclusiveMinimum pattern additionalProperties discriminator mapping const propertyName x-validators default not description".split(
    " ",
  );
