import { describe, expect, it } from "vitest";
import { fieldOf } from "../contract-of.ts";

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
  ])("include %s, which is read as %s with a finding", (type, kind) => {
    const read = fieldOf({ type });
    expect(read.type.kind).toBe(kind);
    expect(read.findings).toEqual(["info type-alias"]);
  });

  it("that are unknown are reported with a suggestion", () => {
    const { type, findings, messages } = fieldOf({ type: "strng" });
    expect(type.kind).toBe("any");
    expect(findings).toEqual(["warning unknown-type"]);
    expect(messages[0]).toContain('did you mean "string"');
  });

  it("are inferred if missing, with a finding", () => {
    expect(fieldOf({ properties: {} }).type.kind).toBe("object");
    expect(fieldOf({ items: {} }).type.kind).toBe("list");
    expect(fieldOf({ maxLength: 3 }).type.kind).toBe("text");
    expect(fieldOf({ maxLength: 3 }).findings).toEqual(["info type-inferred"]);
    expect(fieldOf({}).type).toMatchObject({ kind: "any", nullable: true });
    expect(fieldOf(true).findings).toEqual([]);
    expect(fieldOf({ minimum: 3 }).type).toMatchObject({ kind: "number", untyped: true });
    expect(fieldOf({ minItems: 3 }).type).toMatchObject({ kind: "list", untyped: true });
    expect(fieldOf(false).type).toHaveProperty("assertions.0.schema.allOf", [{ not: {} }]);
  });
});

describe("annotations", () => {
  it("are kept in the type", () => {
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

  it("are errors if they have the wrong type", () => {
    expect(fieldOf({ type: "string", "x-validators": "some" }).findings).toEqual(["error bad-extension"]);
  });
});
