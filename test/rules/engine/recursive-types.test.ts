import { stringify } from "yaml";
import { expect, it } from "vitest";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { judgeOf } from "./compiled-rules.ts";

const PART: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string" },
    part: { $ref: "#/components/schemas/Part" },
    nested: { $ref: "#/components/schemas/Nested" },
  },
  "x-rules": [{ code: "no_name", kind: "required-when", fields: ["name"] }],
};
const NESTED: JsonObject = {
  oneOf: [{ $ref: "#/components/schemas/Part" }, { type: "array", items: { $ref: "#/components/schemas/Nested" } }],
};

const document = {
  openapi: "3.0.3",
  info: { title: "Parts", version: "1" },
  paths: {
    "/parts/": {
      post: {
        operationId: "parts",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Part" } } } },
        responses: { "201": { description: "" } },
      },
    },
  },
  components: { schemas: { Part: PART, Nested: NESTED } },
};

const judge = judgeOf(loadContract([{ file: "parts.yaml", text: stringify(document) }]));
const attrsOf = (payload: JsonObject): readonly string[] => judge(payload, new Set()).map(({ attr }) => attr);

it("checks the rules of a type that contains itself at any depth", () => {
  const within = (depth: number): JsonObject => (depth === 0 ? {} : { name: "A", part: within(depth - 1) });
  const attrs = [1, 29, 30, 31, 60, 2].map((depth) => attrsOf(within(depth)));
  expect(attrs).toEqual([1, 29, 30, 31, 60, 2].map((depth) => [`${"part.".repeat(depth)}non_field_errors`]));
});

it("checks the items of lists inside lists", () => {
  const within = (depth: number): JsonValue => (depth === 0 ? {} : [{ name: "A" }, within(depth - 1)]);
  for (const depth of [1, 4, 2, 40]) {
    expect(attrsOf({ name: "A", nested: within(depth) })).toEqual([`nested.${"1.".repeat(depth)}non_field_errors`]);
  }
});
