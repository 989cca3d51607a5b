import { describe, expect, it } from "vitest";
import { fieldOf } from "../contract-of.ts";

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

  it("without `items` accept any item", () => {
    expect(fieldOf({ type: "array" }).type).toMatchObject({ items: { kind: "any" } });
  });
});

describe("objects", () => {
  const properties = { a: { type: "string" }, b: { type: "string", readOnly: true } };

  it("are closed and enforce required, except for read-only properties", () => {
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

  it("report an undocumented required property", () => {
    const { type, findings } = fieldOf({ type: "object", properties, required: ["c"] });
    expect(findings).toEqual(["warning required-unknown"]);
    expect(type.kind === "object" && type.properties.get("c")).toMatchObject({ required: true, type: { kind: "any" } });
  });

  it.each([
    ["additionalProperties", { additionalProperties: { type: "integer" } }, "integer"],
    ["a pattern, whose schema is an assertion", { patternProperties: { "^c": { type: "integer" } } }, "any"],
    [
      "a pattern, although other names are additional",
      { patternProperties: { "^c": { type: "integer" } }, additionalProperties: { type: "boolean" } },
      "any",
    ],
  ])("validate a required property that is described only by %s", (_, keywords, kind) => {
    const { type, findings } = fieldOf({ type: "object", properties, required: ["c"], ...keywords });
    expect(findings).toEqual([]);
    expect(type.kind === "object" && type.properties.get("c")).toMatchObject({ required: true, type: { kind } });
  });

  it("report required: true on a property", () => {
    expect(fieldOf({ type: "string", required: true }).findings).toEqual(["warning not-enforced"]);
    expect(fieldOf({ type: "object", properties, required: true }).findings).toEqual(["error bad-keyword"]);
  });
});
