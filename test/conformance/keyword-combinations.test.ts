import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { compileValidator, type FoundProblem } from "../../src/validate/compile-validator.ts";
import { bodyOf, contractOf } from "../contract/contract-of.ts";

const [DATE, TIME, MOMENT] = ["2024-01-31", "10:20:30Z", "2024-01-31T10:20:30Z"];
const UUID = "0b9de7a4-4b3f-4b6b-9d0e-2b6a7f3c1d10";
const TEXTS = ["a", "ab", "abc", "1", "12.50", DATE, "2024-02-31", TIME, MOMENT, "me@example.org", "urn:a", UUID];
const SCALARS: readonly JsonValue[] = [...TEXTS, 0, 1, 2, 3, 1.5, -4, 2 ** 31, true, false, null];
const VALUES: readonly JsonValue[] = [...SCALARS, [], {}];

/** The formats for Ajv. Each function needs to be right only for the elements of `VALUES`. */
const FORMATS = {
  date: (text: string) => text === DATE,
  time: (text: string) => text === TIME,
  "date-time": (text: string) => text === MOMENT,
  email: (text: string) => text.includes("@"),
  uri: (text: string) => text.startsWith("urn:"),
  uuid: (text: string) => text === UUID,
  decimal: (text: string) => text === "1" || text === "12.50",
  int32: { type: "number" as const, validate: (value: number) => Number.isInteger(value) && value < 2 ** 31 },
  int64: true as const,
  password: true as const,
  ipv4: () => false,
};

const KEYWORDS: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  type: fc.constantFrom<JsonValue>("string", "number", "integer", "boolean", ["string", "null"], ["string", "integer"]),
  enum: fc.uniqueArray(fc.constantFrom(...SCALARS), { minLength: 1, maxLength: 6 }),
  const: fc.constantFrom(...SCALARS),
  format: fc.constantFrom(...Object.keys(FORMATS)),
  pattern: fc.constantFrom("^a", "b$", "^[0-9-]+$", "."),
  minLength: fc.integer({ min: 0, max: 11 }),
  maxLength: fc.integer({ min: 0, max: 11 }),
  minimum: fc.integer({ min: -5, max: 3 }),
  maximum: fc.integer({ min: -5, max: 3 }),
  multipleOf: fc.constantFrom(1, 2, 0.5),
};

const part: fc.Arbitrary<JsonObject> = fc
  .subarray(Object.keys(KEYWORDS), { minLength: 1, maxLength: 4 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, KEYWORDS[name] ?? fc.constant(null)]))));

const $ref = "#/components/schemas/Named";

const FORMS: readonly ((one: JsonObject, named: JsonObject) => JsonObject)[] = [
  (one) => one,
  (one, named) => ({ allOf: [one, named] }),
  (one, named) => ({ ...one, allOf: [named] }),
  (one) => ({ ...one, $ref }),
  (one) => ({ allOf: [{ $ref }, one] }),
  (one, named) => ({ anyOf: [one, named] }),
];

/** Schemas with one or two parts. */
const schemas: fc.Arbitrary<{ readonly field: JsonObject; readonly Named: JsonObject }> = fc
  .tuple(part, part, fc.constantFrom(...FORMS))
  .map(([one, Named, form]) => ({ field: form(one, Named), Named }));

/**
 * A case in which the contract and Ajv disagree. `POLICIES` lists the disagreements that are allowed because
 * docs/contract.md documents them for every contract.
 */
interface Difference {
  readonly schema: string;
  readonly value: JsonValue;
  readonly problems: readonly FoundProblem[];
  readonly accepted: boolean;
  readonly messages: readonly string[];
}

const POLICIES: Readonly<Record<string, (difference: Difference) => boolean>> = {
  "a value that the platform converts is accepted with a warning": ({ accepted, problems }) =>
    accepted && problems.some(({ code, severity }) => code === "coerced" && severity === "warning"),
  "numeric limits apply to decimals, which are text": ({ accepted, schema, value }) =>
    !accepted && typeof value === "string" && schema.includes('"decimal"') && /minimum|maximum|multipleOf/.test(schema),
  "an unknown format is not enforced, with a warning": ({ accepted, schema, messages }) =>
    accepted && schema.includes('"ipv4"') && messages.includes('the format "ipv4" is not enforced here'),
};

const isPolicy = (difference: Difference): boolean => Object.values(POLICIES).some((holds) => holds(difference));

const ajv = new Ajv2020({ strict: false, logger: false, meta: false, validateSchema: false, formats: FORMATS });

/** Returns whether the contract is rejected because of one choice, although other values may satisfy the schema. */
function isRefusal(message: string): boolean {
  return /^the choice .* is never valid$/.test(message);
}

it("combinations of scalar keywords give the same verdict as Ajv, or a warning", () => {
  fc.assert(
    fc.property(schemas, ({ field, Named }) => {
      const contract = contractOf({ field }, { openapi: "3.1.0", schemas: { Named } });
      const schema = JSON.stringify({ ...field, $defs: { Named } }).replaceAll("#/components/schemas/", "#/$defs/");
      const parsed: JsonValue = JSON.parse(schema);
      const isRight = ajv.compile(isJsonObject(parsed) ? parsed : {});
      const errors = contract.findings.filter(({ severity }) => severity === "error").map(({ message }) => message);
      const messages = contract.findings.map(({ message }) => message);
      const validate = compileValidator(bodyOf(contract), { keepValues: false });
      for (const value of VALUES) {
        const problems = errors.length > 0 ? [] : validate({ field: value });
        const accepted = errors.length === 0 && problems.every(({ severity }) => severity !== "error");
        if (accepted === isRight(value) || errors.some(isRefusal)) continue;
        expect({
          schema,
          value,
          accepted,
          isPolicy: isPolicy({ schema, value, problems, accepted, messages }),
        }).toEqual({ schema, value, accepted, isPolicy: true });
      }
    }),
    { numRuns: 200 },
  );
});
