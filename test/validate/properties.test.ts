import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { compileValidator, type FoundProblem } from "../../src/validate/compile-validator.ts";
import { mutatedPayload, validPayload } from "../payload-arbitrary.ts";
import { any, boolean, choice, decimal, integer, list, moment, number, object, text, union } from "./field-types.ts";

const LEAVES = {
  "name!": text({ minLength: 2, maxLength: 20 }),
  mail: text({ format: "email" }),
  home: text({ format: "uri" }),
  id: text({ format: "uuid" }),
  code: text({ pattern: /^[A-Z]{2}\d{0,4}$/ }),
  path: text({ documentPath: true }),
  amount: decimal({ maxDigits: 8, maxDecimalPlaces: 2, maximum: { value: 999.5, exclusive: true } }),
  share: number({ minimum: { value: 0, exclusive: true }, maximum: { value: 100, exclusive: false }, multipleOf: 0.5 }),
  count: integer({ minimum: { value: 1, exclusive: false }, nullable: true }),
  flag: boolean({ nullable: true }),
  day: moment("date"),
  at: moment("datetime"),
  hour: moment("time"),
  kind: choice(["A", "b", "", 3]),
  free: any(),
};
const CAT = object({ "kind!": choice(["cat"]), lives: integer() });
const DOG = object({ "kind!": choice(["dog"]), "name!": text() });
const TYPE = object({
  ...LEAVES,
  "inner!": object(LEAVES),
  items: list(object(LEAVES), { minItems: 1, maxItems: 3 }),
  tags: list(text({ maxLength: 5 }), { uniqueItems: true }),
  extra: object({}, { additional: integer() }),
  pet: union([CAT, DOG], {
    discriminator: {
      property: "kind",
      mapping: new Map([
        ["cat", CAT],
        ["dog", DOG],
      ]),
    },
  }),
  either: union([integer(), list(integer()), object({ "a!": text() })]),
});

const validate = compileValidator(TYPE, { keepValues: false });

const wild = fc.dictionary(
  fc.constantFrom(...TYPE.properties.keys(), "__proto__", "constructor", "other"),
  fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }),
);

describe("a validator", () => {
  it("checks any payload without throwing and without changing it", () => {
    fc.assert(
      fc.property(wild, (payload) => {
        const before = JSON.stringify(payload);
        expect(validate(asPayload(payload)).length).toBeGreaterThan(0);
        expect(JSON.stringify(payload)).toBe(before);
      }),
      { numRuns: 1000 },
    );
  });

  it("finds no problems or warnings in a valid payload", () => {
    fc.assert(
      fc.property(validPayload(TYPE), (payload) => {
        expect(validate(payload)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("returns the same problems the second time", () => {
    fc.assert(
      fc.property(mutatedPayload(TYPE), (payload) => {
        expect(validate(payload)).toEqual(validate(payload));
      }),
      { numRuns: 200 },
    );
  });

  it("reports the path and the shape of each invalid value, but not the value", () => {
    fc.assert(
      fc.property(mutatedPayload(TYPE), (payload) => {
        for (const problem of validate(payload)) {
          expect(problem.attr.startsWith(problem.path.join("."))).toBe(true);
          expect(problem.shape === undefined).toBe(valueAt(payload, problem) === undefined);
          expect(problem).not.toHaveProperty("value");
        }
      }),
      { numRuns: 400 },
    );
  });
});

function asPayload(value: unknown): JsonObject {
  if (!isPayload(value)) throw new Error("not an object");
  return value;
}

function isPayload(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

function valueAt(payload: JsonObject, { path }: FoundProblem): JsonValue | undefined {
  let value: JsonValue | undefined = payload;
  for (const step of path) {
    if (isJsonArray(value)) value = value[Number(step)];
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
