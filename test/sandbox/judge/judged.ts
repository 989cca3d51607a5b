import { expect } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { compileJudge } from "../../../src/sandbox/judge/judge.ts";

/** Validates `body` against a request schema. Returns "attr code" of every problem, sorted. */
export function judge(schema: JsonObject, body: unknown, schemas: JsonObject = {}): readonly string[] {
  const content = { "application/json": { schema } };
  const document = {
    openapi: "3.0.3",
    paths: { "/x/": { post: { requestBody: { content } } } },
    components: { schemas },
  };
  const found = compileJudge(document, { method: "POST", path: "/x/" })(body);
  for (const { detail } of found) expect(detail).toMatch(/\.$/);
  return found.map(({ attr, code }) => `${attr} ${code}`).toSorted();
}

/** Validates one value as the property `a`. */
export function judgeValue(schema: JsonObject, value: unknown, schemas: JsonObject = {}): readonly string[] {
  return judge({ type: "object", properties: { a: schema } }, { a: value }, schemas);
}

export const TEXT = { type: "string" };

export const INTEGER = { type: "integer", minimum: 1, maximum: 9 };

export const LIST_OF_TEXTS = { type: "array", items: TEXT };

export const LIST_OF_OBJECTS = { type: "array", items: { type: "object", properties: { b: TEXT } } };

export const OBJECT = { type: "object", required: ["b"], properties: { b: TEXT } };
