import { describe, expect, it } from "vitest";
import { MAX_EVALUATIONS, countEvaluations } from "../../../src/contract/types/assertion-cost.ts";
import { MAX_SCHEMA_NESTING } from "../../../src/contract/types/schema-node.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
import { compileValidator } from "../../../src/validate/compile-validator.ts";
import { campaignCases } from "../../campaign.ts";
import { bodyOf, contractOf, fieldOf, property } from "../contract-of.ts";

function ref(level: number): object {
  return { $ref: `#/components/schemas/L${level}` };
}

/** Returns the schemas `L0`, `L1`, ..., each of which refers to the next schema. The last schema is a string. */
function chain(levels: number, schemaTo: (next: object) => object): { schemas: object } {
  const schemas = Array.from({ length: levels }, (_, level) => [`L${level}`, schemaTo(ref(level + 1))]);
  return { schemas: Object.fromEntries([...schemas, [`L${levels}`, { type: "string" }]]) };
}

describe("a schema with very many parts", () => {
  const CHOICES = Array.from({ length: 130_000 }, (_, index) => `v${index}`);

  it.each<readonly [string, object, number]>(
    campaignCases(
      [
        ["an enumeration of 130,000 values", { type: "string", enum: CHOICES }, 130_000],
        ["130,000 choices in alternatives", { anyOf: [{ enum: CHOICES }, { enum: ["x"] }] }, 130_001],
      ],
      1,
    ),
  )("compiles %s", (_, schema, count) => {
    const { type, findings } = fieldOf(schema);
    expect(findings.filter((finding) => finding.startsWith("error"))).toEqual([]);
    expect(type.kind === "choice" && type.choices.length).toBe(count);
  });
});

describe("deeply nested schemas", () => {
  const shapes: readonly (readonly [string, (next: object) => object])[] = [
    ["properties", (next) => ({ type: "object", properties: { x: next } })],
    ["additionalProperties", (next) => ({ type: "object", additionalProperties: next })],
    ["items", (next) => ({ type: "array", items: next })],
    ["allOf", (next) => ({ allOf: [next] })],
    ["anyOf", (next) => ({ anyOf: [next, { type: "integer" }] })],
    ["not", (next) => ({ not: next })],
  ];

  it.each(shapes)("are rejected with their location: %s", (_, schemaTo) => {
    expect(() => contractOf({ field: ref(0) }, chain(4 * MAX_SCHEMA_NESTING, schemaTo))).toThrow(
      /schemas are nested more than 250 levels deep, at \/components\/schemas\/L\d+/,
    );
  });

  it.each(shapes)("compile below the limit: %s", (_, schemaTo) => {
    const levels = Math.floor(MAX_SCHEMA_NESTING / 2) - 10;
    expect(bodyOf(contractOf({ field: ref(0) }, chain(levels, schemaTo))).properties.has("field")).toBe(true);
  });
});

it("nested allOf is evaluated once per schema", () => {
  const contract = contractOf(
    { field: ref(0) },
    chain(60, (next) => ({ allOf: [next, next] })),
  );
  expect(property(bodyOf(contract), "field").kind).toBe("text");
});

describe("nested alternatives", () => {
  it("are not enforced beyond 10,000 options", () => {
    const more = chain(40, (next) => ({ oneOf: [next, next] }));
    const contract = contractOf({ field: ref(0) }, more);
    const errors = contract.findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code }) => code)).toEqual(["many-alternatives", "many-alternatives"]);
    expect(property(bodyOf(contract), "field").kind).toBe("union");
  });

  it("may be recursive", () => {
    const more = {
      schemas: {
        L0: { oneOf: [{ type: "string" }, { type: "object", properties: { x: ref(1) } }] },
        L1: { anyOf: [ref(0), ref(1)] },
      },
    };
    const body = bodyOf(contractOf({ field: ref(1) }, more));
    const validate = compileValidator(body, { keepValues: false });
    const codes = (field: JsonValue): readonly string[] => validate({ field }).map(({ code }) => code);
    expect(codes("a")).toEqual([]);
    expect(codes({ x: { x: "a" } })).toEqual([]);
    expect(codes({ x: { x: 1 } })).not.toEqual([]);
    expect(codes(null)).toEqual(["null"]);
  });

  it("cause a warning beyond 10,000 combinations", () => {
    const more = chain(16, (next) => ({ type: "object", properties: { x: { oneOf: [next, next] } } }));
    expect(fieldOf(ref(0), more).findings).toContain("warning many-alternatives");
    expect(
      fieldOf(
        ref(0),
        chain(8, (next) => ({ oneOf: [next, next] })),
      ).findings,
    ).not.toContain("warning many-alternatives");
  });
});

describe("nested conditions", () => {
  it("are not enforced if a value must be checked against more than 10,000 schemas", () => {
    const more = chain(20, (next) => ({ if: next, else: next }));
    const { type, findings } = fieldOf(ref(0), more);
    expect(findings).toContain("warning not-enforced");
    expect(type.assertions).toBeUndefined();
  });

  it("are not enforced if they apply to the same value recursively", () => {
    const { type, findings } = fieldOf({ not: ref(0) }, { schemas: { L0: { not: ref(0) } } });
    expect(findings).toContain("warning not-enforced");
    expect(type.assertions).toBeUndefined();
  });

  it("are counted per value, so that levels of a recursive schema add up but members of an object do not", () => {
    const members = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, { minLength: 1 }]));
    expect(countEvaluations({ properties: members })).toBe(2);
    const once = { allOf: [{ $ref: "#/$defs/A" }], $defs: { A: { properties: { a: { $ref: "#/$defs/A" } } } } };
    expect(countEvaluations(once)).toBeLessThan(200);
    const twice = { properties: { a: { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }] } } };
    expect(countEvaluations({ $ref: "#/$defs/A", $defs: { A: twice } })).toBeGreaterThan(MAX_EVALUATIONS);
  });
});
