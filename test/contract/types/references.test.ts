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

  it.each([
    ["the only alternative besides null", { anyOf: [ref("Tree"), { type: "null" }] }, true],
    ["the only alternative", { oneOf: [ref("Tree")] }, false],
    ["an alternative next to a description", { oneOf: [{ type: "null" }, ref("Tree")], description: "Above" }, true],
  ])("allows a recursive type as %s", (_, parent, nullable) => {
    const Tree = { type: "object", properties: { name: { type: "string", maxLength: 3 }, parent } };
    const { type, findings } = fieldOf(ref("Tree"), { schemas: { Tree }, openapi: "3.1.0" });
    const inner = property(type, "parent");
    expect(findings).toEqual([]);
    expect(inner).toMatchObject({ kind: "object", nullable });
    expect(property(inner, "name")).toMatchObject({ maxLength: 3 });
    expect(property(property(inner, "parent"), "name")).toMatchObject({ maxLength: 3 });
  });

  it("allows recursive types that refer to each other as the only alternative besides null", () => {
    const to = (name: string): object => ({ anyOf: [ref(name), { type: "null" }] });
    const schemas = {
      A: { type: "object", properties: { b: to("B") } },
      B: { type: "object", properties: { a: to("A") } },
    };
    const { type, findings } = fieldOf(ref("A"), { schemas, openapi: "3.1.0" });
    expect(findings).toEqual([]);
    expect(property(property(property(type, "b"), "a"), "b")).toMatchObject({ kind: "object", nullable: true });
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

  it("is treated as data in the examples, choices, constant and default of a schema", () => {
    const data = { $ref: "#/data" };
    const Used = { examples: [data], enum: [data, "a"], default: data, properties: { one: { const: data } } };
    const field = { ...ref("Used"), examples: [{ nested: [data] }] };
    const { findings } = fieldOf(field, { openapi: "3.1.0", schemas: { Used, examples: ref("Used") } });
    expect(findings).not.toContain("error broken-ref");
  });

  it("is reported if it is broken in the examples of a media type or of the components", () => {
    const responses = {
      200: { content: { "application/json": { schema: true, examples: { one: { $ref: "#/a" } } } } },
    };
    const { findings } = contractOf(
      {},
      { operation: { "x-other": { responses, examples: { one: { $ref: "#/b" } } } } },
    );
    expect(findings.filter(({ code }) => code === "broken-ref")).toHaveLength(2);
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
