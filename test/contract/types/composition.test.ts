import { describe, expect, it } from "vitest";
import { fieldOf, property } from "../contract-of.ts";

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

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

  const listed = ["A", "B", "C"];
  it.each<[object, object]>([
    [{ oneOf: [{ const: "A" }, { const: "B", title: "b" }, { const: "C", type: "string" }] }, { choices: listed }],
    [{ anyOf: [{ const: "A" }, { enum: ["B", "C"] }, { enum: ["C", "A"] }] }, { choices: listed }],
    [{ type: "string", oneOf: [{ enum: ["A"] }, { enum: ["B", "C"] }] }, { choices: listed }],
    [{ type: "integer", anyOf: [{ enum: [1] }, { enum: [2] }] }, { choices: [1, 2] }],
    [{ allOf: [{ type: "string" }, { oneOf: [{ const: "A" }, { enum: ["B", "C"] }] }] }, { choices: listed }],
    [{ type: "string", maxLength: 1, anyOf: [{ enum: ["A"] }, { enum: ["B", "C"] }] }, { choices: listed }],
    [{ type: "string", nullable: true, oneOf: [{ const: "A" }, { enum: ["B", "C"] }] }, { nullable: true }],
    [{ type: "string", oneOf: [{ const: "A" }, { const: 1 }] }, { choices: ["A"] }],
    [
      { allOf: [{ anyOf: [{ const: "A" }, { const: "B" }] }, { anyOf: [{ const: "B" }, { const: "C" }] }] },
      { choices: ["B"] },
    ],
  ])("that are only lists of choices are one list: %j", (schema, expected) => {
    const { type, findings } = fieldOf(schema, { openapi: "3.1.0" });
    expect(type).toMatchObject({ kind: "choice", nullable: false, ...expected });
    expect(findings).toEqual([]);
  });

  it.each<[object]>([
    [{ oneOf: [{ enum: ["A", "B"] }, { enum: ["B", "C"] }] }],
    [{ anyOf: [{ enum: ["A"], not: { const: "A" } }, { enum: ["B"] }] }],
    [{ anyOf: [{ enum: ["A"] }, { type: "string", maxLength: 3 }] }],
    [{ anyOf: [{ enum: ["A"] }, { enum: ["B"], "x-rules": [{ code: "c", kind: "holds", test: "a" }] }] }],
  ])("that repeat a choice or are more than lists of choices remain alternatives: %j", (schema) => {
    expect(fieldOf(schema).type.kind).toBe("union");
  });

  it("report null among choices that their sibling type excludes", () => {
    const { findings } = fieldOf({ type: "string", oneOf: [{ enum: ["A", null] }, { enum: ["B"] }] });
    expect(findings).toEqual(["warning null-choice"]);
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
