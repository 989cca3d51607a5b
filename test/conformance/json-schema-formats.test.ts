import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { codes, moment, text } from "../validate/field-types.ts";
import { corpus, describeCorpus } from "./corpora.ts";

interface Case {
  readonly description: string;
  readonly data: string;
  readonly valid: boolean;
}

function casesOf(file: string): readonly Case[] {
  const groups: JsonValue = JSON.parse(readFileSync(corpus("json-schema-formats/format", file), "utf8"));
  if (!isJsonArray(groups)) return [];
  return groups
    .filter(isJsonObject)
    .flatMap((group) => (isJsonArray(group["tests"]) ? group["tests"] : []))
    .filter(isJsonObject)
    .flatMap(caseOf);
}

/**
 * Returns the case in a list. The list is empty if the value is not a string, because a format accepts such a value but
 * a field rejects it.
 */
function caseOf({ description, data, valid }: JsonObject): readonly Case[] {
  if (typeof data !== "string" || typeof description !== "string") return [];
  return [{ description, data, valid: valid === true }];
}

describeCorpus("json-schema-formats", () => {
  it.each([
    ["date.json", moment("date"), 70],
    ["date-time.json", moment("datetime"), 27],
    ["email.json", text({ format: "email" }), 21],
  ] as const)("validation gives the expected results for %s", (file, type, atLeast) => {
    const cases = casesOf(file);
    expect(cases.length).toBeGreaterThanOrEqual(atLeast);
    const isRight = (data: string): boolean => codes(type, data).every((code) => code === "~coerced");
    const wrong = cases.filter(({ data, valid }) => isRight(data) !== valid);
    expect(wrong.map(({ description }) => description)).toEqual([]);
  });
});
