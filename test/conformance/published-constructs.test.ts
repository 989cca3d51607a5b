import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { compileJudge } from "../../src/sandbox/judge/judge.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";

/** A published construct as the schema of a field, with valid and invalid values. */
interface Construct {
  readonly title: string;
  readonly schema: object;
  readonly schemas?: Readonly<Record<string, object>>;
  readonly right: readonly JsonValue[];
  readonly wrong: readonly JsonValue[];
  readonly openapi?: "3.0.3";
}

const closed = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const CONSTRUCTS: readonly Construct[] = [
  {
    title: "a type with an alternative of another type",
    schema: { type: "string", anyOf: [{ type: "string" }, { type: "integer" }] },
    right: ["a"],
    wrong: [true, null],
  },
  {
    title: "choices with an alternative that matches none of them",
    schema: { enum: [1, 2], oneOf: [{ const: 1 }, { const: 2 }, { const: 3 }] },
    right: [1, 2],
    wrong: [3, null],
  },
  {
    title: "an object alternative with a required property that cannot have a value",
    schema: {
      ...closed({ kind: { enum: ["a", "b"] } }, ["kind"]),
      oneOf: [{ properties: { kind: { const: "a" } } }, { properties: { kind: { const: "c" } } }],
    },
    right: [{ kind: "a" }],
    wrong: [{ kind: "b" }, { kind: "c" }],
  },
  {
    title: "a discriminator over inline options with constants",
    schema: {
      oneOf: [
        closed({ type: { const: "card" }, number: { type: "integer" } }, ["type"]),
        closed({ type: { enum: ["bank", "iban"] }, account: { type: "integer" } }, ["type"]),
      ],
      discriminator: { propertyName: "type" },
    },
    right: [{ type: "card", number: 1 }, { type: "iban", account: 1 }, { type: "bank" }],
    wrong: [{ type: "card", account: 1 }, { type: "cash" }, { number: 1 }, {}],
  },
  {
    title: "a discriminator over inline options that name no values",
    schema: {
      oneOf: [
        closed({ type: { type: "string" }, number: { type: "integer" } }, ["type", "number"]),
        closed({ type: { type: "string" }, account: { type: "integer" } }, ["type", "account"]),
      ],
      discriminator: { propertyName: "type" },
    },
    right: [
      { type: "x", number: 1 },
      { type: "x", account: 1 },
    ],
    wrong: [{ type: "x" }, { number: 1 }],
  },
  {
    title: "options whose choices differ from their names",
    schema: {
      oneOf: [reference("InputText"), reference("InputImage")],
      discriminator: { propertyName: "type" },
    },
    schemas: {
      InputText: closed({ type: { enum: ["input_text"] }, text: { type: "string" } }, ["type", "text"]),
      InputImage: closed({ type: { enum: ["input_image"] }, url: { type: "string" } }, ["type"]),
    },
    right: [{ type: "input_text", text: "a" }, { type: "input_image" }],
    wrong: [{ type: "InputText", text: "a" }, { type: "input_text" }, {}],
  },
  {
    title: "options that share a choice",
    schema: { oneOf: [reference("Short"), reference("Long")], discriminator: { propertyName: "type" } },
    schemas: {
      Short: closed({ type: { enum: ["message"] }, text: { type: "string" } }, ["type", "text"]),
      Long: closed({ type: { enum: ["message"] }, parts: { type: "array" } }, ["type", "parts"]),
    },
    right: [
      { type: "message", text: "a" },
      { type: "message", parts: [] },
    ],
    wrong: [{ type: "message" }, { type: "Short", text: "a" }],
  },
  {
    title: "a discriminator over alternatives of alternatives",
    schema: {
      oneOf: [reference("Item"), reference("Other")],
      discriminator: { propertyName: "type" },
    },
    schemas: {
      Item: { oneOf: [reference("One"), reference("Two")] },
      One: closed({ type: { const: "one" }, a: { type: "integer" } }, ["type"]),
      Two: closed({ type: { const: "two" }, b: { type: "integer" } }, ["type"]),
      Other: closed({ type: { const: "other" } }, ["type"]),
    },
    right: [{ type: "one", a: 1 }, { type: "two", b: 1 }, { type: "other" }],
    wrong: [{ type: "one", b: 1 }, { type: "Item" }, { type: "three" }],
  },
  {
    title: "a discriminator that one option leaves optional",
    schema: { oneOf: [reference("Plain"), reference("Special")], discriminator: { propertyName: "type" } },
    schemas: {
      Plain: closed({ type: { enum: ["plain"] }, text: { type: "string" } }, ["text"]),
      Special: closed({ type: { enum: ["special"] }, level: { type: "integer" } }, ["type", "level"]),
    },
    right: [{ text: "a" }, { type: "plain", text: "a" }, { type: "special", level: 1 }],
    wrong: [{ level: 1 }, { type: "special", text: "a" }, {}],
  },
  {
    title: "null among the alternatives, but not in their sibling type",
    schema: { type: "integer", anyOf: [{ type: "integer" }, { type: "null" }] },
    right: [1],
    wrong: [null, true],
  },
  {
    title: "null among the alternatives, but not in another part",
    schema: { allOf: [{ type: "integer" }, { anyOf: [{ type: "integer" }, { type: "null" }] }] },
    right: [1],
    wrong: [null],
  },
  {
    title: "an object with alternatives, one of which is an object",
    schema: { type: "object", anyOf: [{ type: "string" }, { type: "object", required: ["a"] }] },
    right: [{ a: 1 }],
    wrong: ["x", 1, null],
  },
  {
    title: "alternatives of other types with a type that allows null",
    schema: { type: ["string", "null"], oneOf: [{ type: "number" }, { const: 1 }, { type: "null" }] },
    right: [null],
    wrong: ["x", 1, 0],
  },
  {
    title: "an alternative whose choices do not match its sibling type",
    schema: {
      anyOf: [
        { type: "string", enum: [2] },
        { type: "integer", maximum: 1 },
      ],
    },
    right: [1],
    wrong: [2, "a"],
  },
  {
    title: "an alternative whose format excludes its sibling format",
    schema: { type: "string", format: "date", anyOf: [{ format: "email" }, { format: "date" }] },
    right: ["2024-01-31"],
    wrong: ["a@example.org", "x"],
  },
  {
    title: "only null",
    schema: { type: "null" },
    right: [null],
    wrong: ["a", {}],
  },
  {
    title: "null in only one part",
    schema: { allOf: [{ type: ["string", "null"] }, { type: "string", maxLength: 3 }] },
    right: ["abc"],
    wrong: [null, "abcd"],
  },
  {
    title: "nullable in only one part",
    schema: {
      allOf: [
        { type: "string", nullable: true },
        { type: "string", maxLength: 3 },
      ],
    },
    openapi: "3.0.3",
    right: ["abc"],
    wrong: [null],
  },
  {
    title: "null in the type, but not among the choices",
    schema: { type: ["string", "null"], enum: ["a"] },
    right: ["a"],
    wrong: [null, "b"],
  },
  {
    title: "a field that is read-only in one part and required in another",
    schema: {
      allOf: [
        { type: "object", properties: { id: { type: "string", readOnly: true }, kind: { type: "string" } } },
        { type: "object", properties: { id: { enum: ["a"] } }, required: ["id"] },
      ],
    },
    right: [{ id: "a" }, { id: "a", kind: "x" }],
    wrong: [{ id: "b" }, { kind: "x" }],
  },
  {
    title: "a read-only field with a value of another type",
    schema: { type: "object", properties: { id: { type: "integer", readOnly: true } } },
    right: [{ id: 1 }, {}],
    wrong: [{ id: "x" }],
  },
  {
    title: "an object without properties",
    schema: { type: "object" },
    right: [{}, { anything: [1, { a: null }] }],
    wrong: [true, null],
  },
  {
    title: "a limit beyond the safe integers of JavaScript",
    schema: { type: "integer", maximum: 9_007_199_254_740_992 },
    right: [1, 9_007_199_254_740_992],
    wrong: [9_007_199_254_740_994],
  },
];

describe("constructs of published contracts", () => {
  it.each(CONSTRUCTS)(
    "accept exactly the valid values: $title",
    ({ schema, schemas = {}, right, wrong, openapi = "3.1.0" }) => {
      const text = documentOf(schema, schemas, openapi);
      const contract = loadContract([{ file: "contract.json", text }]);
      const [operation] = contract.operations;
      expect(contract.findings.filter(({ severity }) => severity === "error")).toEqual([]);
      if (operation?.body === undefined) throw new Error("no body");
      const validate = compileValidator(operation.body, { keepValues: false });
      const judge = compileJudge(contract.document, operation);
      const ajv = new Ajv2020({ strict: false, logger: false, formats: { date: /^\d{4}-\d{2}-\d{2}$/, email: /@/ } });
      const compare = ajv.compile({ $defs: inDefinitions(schemas), ...objectFrom(inDefinitions(schema)) });
      for (const [values, isRight] of [
        [right, true],
        [wrong, false],
      ] as const) {
        for (const value of values) {
          const payload = { value };
          const problems = validate(payload).filter(({ severity }) => severity === "error");
          expect({ value, local: problems.length === 0 }).toEqual({ value, local: isRight });
          expect({ value, sandbox: judge(payload).length === 0 }).toEqual({ value, sandbox: isRight });
          expect({ value, ajv: compare(value) }).toEqual({ value, ajv: isRight });
        }
      }
    },
  );
});

function documentOf(schema: object, schemas: object, openapi: string): string {
  const body = { type: "object", required: ["value"], properties: { value: schema } };
  return JSON.stringify({
    openapi,
    info: { title: "A construct", version: "1" },
    paths: {
      "/things/": {
        post: {
          operationId: "judge",
          requestBody: { content: { "application/json": { schema: body } } },
          responses: {},
        },
      },
    },
    components: { schemas },
  });
}

/** Rewrites references to components as references to definitions of the schema. */
function inDefinitions(value: unknown): JsonValue {
  const json: JsonValue = JSON.parse(JSON.stringify(value).replaceAll("#/components/schemas/", "#/$defs/"));
  return json;
}

function objectFrom(value: JsonValue): object {
  return isJsonObject(value) && !isJsonArray(value) ? value : {};
}
