import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/json-value.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { compilePlatformValues } from "../../src/validate/platform-values.ts";
import { bodyOf, contractOf } from "../contract/contract-of.ts";

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const CHOICE = { type: "string", enum: ["A", "1"] };

function convert(schema: object, value: JsonValue, schemas: object = {}): JsonValue | undefined {
  const body = bodyOf(contractOf({ it: schema }, { schemas }));
  return compilePlatformValues(body)({ it: value })["it"];
}

function option(tag: string, a: object): object {
  return { type: "object", required: ["t"], properties: { t: { type: "string", enum: [tag] }, a } };
}

describe("the value that the platform reads", () => {
  it.each<readonly [schema: object, value: JsonValue, expected: JsonValue]>([
    [TEXT, " X ", "X"],
    [TEXT, 5, "5"],
    [{ ...TEXT, "x-document-path": true }, "a/b.pdf ", "a/b.pdf "],
    [{ type: "string", format: "decimal" }, " 1.50 ", "1.50"],
    [{ type: "string", format: "decimal" }, 1.5, 1.5],
    [{ type: "integer" }, "5.0", 5],
    [{ type: "integer" }, "123456789012345678901", "123456789012345678901"],
    [{ type: "number" }, " 1e2 ", 100],
    [BOOLEAN, "No", false],
    [BOOLEAN, " on ", true],
    [BOOLEAN, 0, false],
    [{ ...BOOLEAN, nullable: true }, "", null],
    [CHOICE, 1, "1"],
    [{ type: "array", items: BOOLEAN }, ["y", true, null], [true, true, null]],
    [{ type: "object", additionalProperties: BOOLEAN }, { a: "f" }, { a: false }],
    [{ oneOf: [{ type: "object", properties: { a: BOOLEAN } }, BOOLEAN] }, { a: "f" }, { a: false }],
    [{ anyOf: [BOOLEAN, { type: "string", enum: ["no"] }] }, "no", "no"],
  ])("%j converts %j to %j", (schema, value, expected) => {
    expect(convert(schema, value)).toEqual(expected);
  });

  it("is converted by the alternative that the discriminator selects", () => {
    const refs = [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }];
    const union = { oneOf: refs, discriminator: { propertyName: "t" } };
    const schemas = { A: option("A", TEXT), B: option("B", BOOLEAN) };
    expect(convert(union, { t: "A", a: "no" }, schemas)).toEqual({ t: "A", a: "no" });
    expect(convert(union, { t: "B", a: "no" }, schemas)).toEqual({ t: "B", a: false });
  });

  it.each<readonly [schema: object, value: JsonValue]>([
    [BOOLEAN, "perhaps"],
    [TEXT, true],
    [CHOICE, "B"],
    [{ type: "integer" }, "five"],
    [{ type: "string", format: "date" }, " 2024-02-29"],
    [{}, " X "],
    [{ oneOf: [BOOLEAN, { type: "integer" }] }, "perhaps"],
    [{ type: "object", properties: { a: TEXT } }, "text"],
    [{ type: "object", properties: { a: TEXT } }, { b: " " }],
  ])("%j does not change %j", (schema, value) => {
    expect(convert(schema, value)).toEqual(value);
  });

  it("has no conversion left that the validator warns about", () => {
    const schemas = [TEXT, BOOLEAN, CHOICE, { type: "integer" }, { type: "number" }, { anyOf: [CHOICE, BOOLEAN] }];
    const values = fc.constantFrom<JsonValue>(" X", "X", 1, "1", " 1", "1.0", "yes", " no ", true, "A", "1e3", "");
    fc.assert(
      fc.property(fc.constantFrom(...schemas), values, (schema, value) => {
        const body = bodyOf(contractOf({ it: schema }));
        const validate = compileValidator(body, { keepValues: false });
        const found = validate({ it: value });
        const read = compilePlatformValues(body)({ it: value });
        const isAccepted = found.every(({ severity }) => severity === "warning");
        expect(read).toEqual(found.length === 0 ? { it: value } : read);
        expect(isAccepted ? validate(read) : []).toEqual([]);
      }),
    );
  });
});
