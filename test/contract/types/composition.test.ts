import { describe, expect, it } from "vitest";
import { bodyOf, contractOf, fieldOf, property } from "../contract-of.ts";

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

describe("$ref", () => {
  it("compiles a schema to one shared object", () => {
    const contract = contractOf(
      { a: ref("Text"), b: ref("Text") },
      { schemas: { Text: { type: "string", maxLength: 3 } } },
    );
    expect(property(bodyOf(contract), "a")).toMatchObject({ kind: "text", maxLength: 3 });
    expect(property(bodyOf(contract), "a")).toBe(property(bodyOf(contract), "b"));
  });

  it("allows recursive types", () => {
    const Tree = {
      type: "object",
      properties: { parent: ref("Tree"), children: { type: "array", items: ref("Tree") } },
    };
    const { type, findings } = fieldOf(ref("Tree"), { schemas: { Tree } });
    expect(property(type, "parent")).toBe(type);
    expect(property(type, "children")).toMatchObject({ kind: "list", items: { name: "Tree" } });
    expect(findings).toEqual([]);
  });

  it("reads escaped pointers (RFC 6901)", () => {
    const schemas = { "A/B~C d": { type: "boolean" } };
    expect(fieldOf({ $ref: "#/components/schemas/A~1B~0C%20d" }, { schemas }).type.kind).toBe("boolean");
  });

  it("may point anywhere in the document, and to other references", () => {
    const schemas = { A: ref("B"), B: { type: "object", properties: { x: { type: "integer" } } } };
    expect(fieldOf(ref("A"), { schemas }).type).toMatchObject({ name: "B" });
    expect(fieldOf({ $ref: "#/components/schemas/B/properties/x" }, { schemas }).type.kind).toBe("integer");
  });

  it.each(["#/components/schemas/None", "other.yaml#/A", "https://example.com/a.yaml", "#anchor", "#/%"])(
    "is reported if it cannot be resolved: %s",
    ($ref) => {
      const { type, findings } = fieldOf({ $ref });
      expect(type.kind).toBe("any");
      expect(findings).toEqual(["error broken-ref"]);
    },
  );

  it("is reported if it refers only to itself", () => {
    expect(fieldOf(ref("A"), { schemas: { A: ref("B"), B: ref("A") } }).findings).toEqual(["error circular-ref"]);
    expect(fieldOf(ref("A"), { schemas: { A: { allOf: [ref("A")] } } }).findings).toContain("error circular-ref");
    expect(fieldOf(ref("A"), { schemas: { A: { oneOf: [ref("A"), { type: "null" }] } } }).findings).toContain(
      "error circular-ref",
    );
  });

  it("includes its sibling keywords, with a finding in OpenAPI 3.0", () => {
    const schemas = { Text: { type: "string", maxLength: 30, description: "Inner" } };
    const field = { ...ref("Text"), maxLength: 5, description: "Outer" };
    expect(fieldOf(field, { schemas }).type).toMatchObject({ maxLength: 5, description: "Outer" });
    expect(fieldOf(field, { schemas }).findings).toEqual(["info ref-siblings"]);
    expect(fieldOf(field, { schemas, openapi: "3.1.0" }).findings).toEqual([]);
  });

  it("is reported if it is broken, even outside request bodies", () => {
    const responses = {
      200: { content: { "application/json": { schema: ref("Gone") }, example: { $ref: "#/data" } } },
    };
    const { findings } = contractOf({}, { operation: { "x-other": { responses } } });
    expect(findings.filter(({ code }) => code === "broken-ref")).toMatchObject([
      { pointer: "/paths/~1things~1/post/x-other/responses/200/content/application~1json/schema/$ref" },
    ]);
  });

  it("is reported if it is broken inside a response, schema or property that is named like a data keyword", () => {
    const unused = { properties: { default: ref("Gone"), enum: { type: "object", default: { $ref: "#/data" } } } };
    const responses = { default: { content: { "application/json": { schema: ref("Gone") } } } };
    const { findings } = contractOf({}, { operation: { "x-other": { responses } }, schemas: { example: unused } });
    expect(findings.filter(({ code }) => code === "broken-ref").map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining([
        "/components/schemas/example/properties/default/$ref",
        "/paths/~1things~1/post/x-other/responses/default/content/application~1json/schema/$ref",
      ]),
    );
    expect(findings.filter(({ code }) => code === "broken-ref")).toHaveLength(2);
  });
});

describe("allOf", () => {
  it("merges properties, requirements and limits", () => {
    const schemas = { Base: { type: "object", required: ["a"], properties: { a: { type: "string", maxLength: 9 } } } };
    const { type, findings } = fieldOf(
      {
        allOf: [
          ref("Base"),
          {
            type: "object",
            required: ["b"],
            properties: { b: { type: "integer" }, a: { type: "string", maxLength: 4 } },
          },
        ],
        description: "Both",
        nullable: true,
      },
      { schemas },
    );
    expect(type).toMatchObject({ kind: "object", description: "Both", nullable: true });
    expect(
      type.kind === "object" && [...type.properties.values()].map(({ name, required }) => [name, required]),
    ).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect(property(type, "a")).toMatchObject({ maxLength: 4 });
    expect(findings).toEqual([]);
  });

  it("with a single reference has the type of that schema and its own description", () => {
    const schemas = { Name: { type: "string", maxLength: 9, description: "Inner" } };
    const { type } = fieldOf({ allOf: [ref("Name")], description: "Outer" }, { schemas });
    expect(type).toMatchObject({ kind: "text", maxLength: 9, description: "Outer" });
  });

  it("allows only values that all parts allow", () => {
    expect(fieldOf({ allOf: [{ enum: ["A", "B"] }, { enum: ["B", "C"] }] }).type).toMatchObject({ choices: ["B"] });
    expect(fieldOf({ allOf: [{ type: "number" }, { type: "integer" }] }).type.kind).toBe("integer");
    expect(fieldOf({ allOf: [{ type: "integer", minimum: 1 }, { minimum: 3 }] }).type).toMatchObject({
      minimum: { value: 3 },
    });
  });

  it.each([
    [{ allOf: [{ type: "string" }, { type: "integer" }] }],
    [{ allOf: [{ enum: ["A"] }, { enum: ["B"] }] }],
    [
      {
        allOf: [
          { type: "string", minLength: 5 },
          { type: "string", maxLength: 4 },
        ],
      },
    ],
    [
      {
        allOf: [
          { type: "string", format: "date" },
          { type: "string", format: "time" },
        ],
      },
    ],
  ])("is reported as a contradiction: %j", (schema) => {
    expect(fieldOf(schema).findings).toEqual(["error contradiction"]);
  });

  it.each([
    [{ type: "string", format: "password", allOf: [{ format: "uuid" }] }, []],
    [{ type: "string", format: "uuid", allOf: [{ format: "iban" }] }, ["warning unknown-format"]],
    [{ type: "string", format: "date", allOf: [{ format: "iban" }] }, ["warning unknown-format"]],
    [{ type: "integer", format: "int64", allOf: [{ format: "int32" }] }, []],
  ])("with the formats of %j has the findings %j", (schema, findings) => {
    expect(fieldOf(schema).findings).toEqual(findings);
  });

  it("of sibling keywords and alternatives that exclude each other is a contradiction", () => {
    expect(fieldOf({ type: "object", anyOf: [{ type: "string" }, { type: "number" }] }).findings).toEqual([
      "error contradiction",
    ]);
  });

  it("keeps the pattern of the schema itself and asserts the pattern in allOf", () => {
    const two = fieldOf({ type: "string", pattern: "^a", allOf: [{ pattern: "b$" }] });
    expect(two.type).toHaveProperty("pattern", /^a/u);
    expect(two.type).toMatchObject({ assertions: [{ schema: { allOf: [{ pattern: "b$" }] } }] });
    expect(two.findings).toEqual([]);
  });
});

describe("oneOf and anyOf", () => {
  const schemas = {
    Card: {
      type: "object",
      required: ["method"],
      properties: { method: { type: "string" }, card: { type: "string" } },
    },
    Bank: {
      type: "object",
      required: ["method"],
      properties: { method: { type: "string" }, bank: { type: "string" } },
    },
  };

  it("map the values of a discriminator to the options", () => {
    const mapping = { CARD: "#/components/schemas/Card", BANK: "Bank" };
    const { type, findings } = fieldOf(
      { oneOf: [ref("Card"), ref("Bank")], discriminator: { propertyName: "method", mapping } },
      { schemas },
    );
    expect(type).toMatchObject({
      kind: "union",
      options: [{ name: "Card" }, { name: "Bank" }],
      discriminator: { property: "method" },
    });
    expect(type.kind === "union" && type.discriminator?.mapping.get("BANK")).toBe(
      type.kind === "union" ? type.options[1] : undefined,
    );
    expect(findings).toEqual([]);
  });

  it("map the discriminator values null, true and false as written in YAML", () => {
    const mapping = { null: "Card", true: "Bank", false: "Card" };
    const { type } = fieldOf(
      { oneOf: [ref("Card"), ref("Bank")], discriminator: { propertyName: "method", mapping } },
      { schemas },
    );
    expect(
      type.kind === "union" && [...(type.discriminator?.mapping ?? [])].map(([value, option]) => [value, option.name]),
    ).toEqual([
      ["null", "Card"],
      ["true", "Bank"],
      ["false", "Card"],
    ]);
  });

  it("without a mapping use the names of the schemas", () => {
    const { type } = fieldOf(
      { oneOf: [ref("Card"), ref("Bank")], discriminator: { propertyName: "method" } },
      { schemas },
    );
    expect(type.kind === "union" && [...(type.discriminator?.mapping.keys() ?? [])]).toEqual(["Card", "Bank"]);
  });

  it.each([
    [{ oneOf: [ref("Card")], discriminator: { propertyName: "method", mapping: { a: "Card" } } }, []],
    [
      { oneOf: [ref("Card"), ref("Bank")], discriminator: { propertyName: "method", mapping: { a: "None" } } },
      ["error broken-ref"],
    ],
    [{ oneOf: [ref("Card"), ref("Bank")], discriminator: {} }, ["error bad-discriminator"]],
    [
      { oneOf: [ref("Card"), { type: "string" }], discriminator: { propertyName: "method" } },
      ["info bad-discriminator"],
    ],
    [
      { oneOf: [ref("Card"), ref("Bank")], discriminator: { propertyName: "a_setting_of_the_instance" } },
      ["warning bad-discriminator"],
    ],
    [{ type: "object", discriminator: { propertyName: "m" } }, ["warning not-enforced"]],
  ])("report the problem of %j", (schema, expected) => {
    expect(fieldOf(schema, { schemas }).findings).toEqual(expected);
  });

  it("without a discriminator have the meaning of JSON Schema: oneOf requires exactly one match", () => {
    const { type, findings } = fieldOf({ oneOf: [{ type: "integer" }, { type: "string" }] });
    expect(type).toMatchObject({ kind: "union", exactlyOne: true, options: [{ kind: "integer" }, { kind: "text" }] });
    expect(findings).toEqual([]);
    expect(fieldOf({ anyOf: [{ type: "integer" }, { type: "string" }] }).type).not.toHaveProperty("exactlyOne");
  });

  it("are nullable if their only other alternative is null", () => {
    const { type, findings } = fieldOf(
      { oneOf: [ref("Card"), { type: "null" }], description: "Maybe" },
      { schemas, openapi: "3.1.0" },
    );
    expect(type).toMatchObject({ kind: "object", name: "Card", nullable: true, description: "Maybe" });
    expect(findings).toEqual([]);
  });

  it("that contain choices, blank and null become one list of choices", () => {
    const more = {
      schemas: { Kind: { type: "string", enum: ["A", "B"] }, Blank: { enum: [""] }, Null: { enum: [null] } },
    };
    const { type, findings } = fieldOf({ nullable: true, oneOf: [ref("Kind"), ref("Blank"), ref("Null")] }, more);
    expect(type).toMatchObject({ kind: "choice", choices: ["A", "B", ""], nullable: true });
    expect(findings).toEqual([]);
  });

  it("share their sibling keywords", () => {
    const { type } = fieldOf({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    });
    const required = (index: number): unknown => {
      const option = type.kind === "union" ? type.options[index] : undefined;
      return (
        option?.kind === "object" &&
        [...option.properties.values()].filter((one) => one.required).map(({ name }) => name)
      );
    };
    expect([required(0), required(1)]).toEqual([["a"], ["b"]]);
  });

  it("may be recursive", () => {
    const Part = { oneOf: [{ type: "string" }, { type: "array", items: ref("Part") }] };
    const { type } = fieldOf(ref("Part"), { schemas: { Part } });
    expect(type.kind === "union" && type.options[1]?.kind === "list" && type.options[1].items).toBe(type);
  });
});

it("oneOf keeps a discriminator with a single option", () => {
  const Card = { type: "object", properties: { method: { type: "string" } } };
  const discriminator = { propertyName: "method", mapping: { CARD: "Card" } };
  const { type } = fieldOf({ oneOf: [ref("Card")], discriminator }, { schemas: { Card } });
  expect(type.kind === "union" && type.discriminator?.mapping.get("CARD")).toMatchObject({ name: "Card" });
});
