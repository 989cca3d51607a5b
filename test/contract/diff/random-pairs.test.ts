import fc from "fast-check";
import { expect, it } from "vitest";
import { diffContracts } from "../../../src/contract/diff/diff-contracts.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
import { compileValidator } from "../../../src/validate/compile-validator.ts";
import { campaignSize } from "../../campaign.ts";
import { bodyOf, contractOf } from "../contract-of.ts";

const limit = fc.constantFrom(undefined, 0, 1, 2, 3);
const texts = fc.record(
  { minLength: limit, maxLength: limit, pattern: fc.constantFrom("^[A-Z]+$", "^.$", "1") },
  { requiredKeys: [] },
);
const numbers = fc.record(
  { minimum: limit, maximum: limit, exclusiveMaximum: fc.boolean(), multipleOf: fc.constantFrom(1, 0.5, 2) },
  { requiredKeys: [] },
);
const CHOICES = ["A", "AB", "ABC", "1", "", " A", "\u00e9", 1, 2];
const choices = fc.subarray(CHOICES, { minLength: 1, maxLength: 3 });

const scalar = fc.oneof(
  texts.map((limits) => ({ type: "string", ...limits })),
  texts,
  numbers.map((limits) => ({ type: "integer", ...limits })),
  numbers.map((limits) => ({ type: "number", ...limits })),
  choices.map((values) => ({ type: "string", enum: values.filter((value) => typeof value === "string") })),
  choices.map((values) => ({ enum: values })),
  fc.constantFrom({}, { type: "boolean" }, { type: "string", format: "date" }, { type: "string", format: "decimal" }),
  fc.constant({ not: { const: "A" } }),
);
const nullable = fc.tuple(scalar, fc.boolean()).map(([schema, isNullable]) => ({ ...schema, nullable: isNullable }));
const schemas = fc.oneof(
  { arbitrary: nullable, weight: 3 },
  fc.tuple(nullable, limit).map(([items, maxItems]) => ({ type: "array", items, maxItems })),
  fc
    .tuple(fc.constantFrom("x", "y"), nullable, fc.subarray(["x", "y"]), fc.boolean())
    .map(([name, type, required, additionalProperties]) => ({
      type: "object",
      properties: { [name]: type },
      required: required.filter((each) => each === name),
      additionalProperties,
    })),
);

const SCALARS: readonly JsonValue[] = [...CHOICES, 0, 0.5, 1.5, 2.5, 3, 4, "2.0", "5", "AAAA", "b", true, "t", null];
const VALUES: readonly JsonValue[] = [
  ...SCALARS,
  "2024-01-31",
  [],
  ...SCALARS.flatMap((value): readonly JsonValue[] => [[value], [value, value, value], { x: value }, { y: value }]),
  { x: "A", y: 1 },
];

/** Returns the values that a contract accepts in its only field. */
function accepted(contract: ReturnType<typeof contractOf>): readonly JsonValue[] {
  const validate = compileValidator(bodyOf(contract), { keepValues: false });
  return VALUES.filter((value) => validate({ field: value }).every(({ severity }) => severity !== "error"));
}

it("never reports a change as harmless if it makes a valid value invalid", () => {
  const runs = campaignSize({ part: 200, whole: 600 });
  let harmless = 0;
  fc.assert(
    fc.property(schemas, schemas, (one, other) => {
      const [old, next] = [contractOf({ field: one }), contractOf({ field: other })];
      if (diffContracts(old, next, undefined).some(({ breaks }) => breaks)) return;
      harmless += 1;
      const still = new Set(accepted(next));
      expect(accepted(old).filter((value) => !still.has(value))).toEqual([]);
    }),
    { numRuns: runs, seed: 20_240_229 },
  );
  expect(harmless).toBeGreaterThan(runs / 40);
});
