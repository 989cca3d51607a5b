import { isJsonArray, type JsonObject } from "../../json/json-value.ts";

/**
 * Moves keywords to their own parts of `allOf`. Next to other keywords, Ajv 8.20 generates faulty code for them: it
 * skips the keywords after `prefixItems` if the list is shorter, and it cannot record the properties that
 * `patternProperties` evaluates if alternatives evaluate no properties.
 */
export function separateKeywords(members: JsonObject): JsonObject {
  const groups = SEPARATE.filter(([first]) => members[first] !== undefined);
  const pick = (isPicked: (keyword: string) => boolean): JsonObject =>
    Object.fromEntries(Object.entries(members).filter(([keyword]) => isPicked(keyword)));
  const separate = groups.map((group) => pick((keyword) => group.includes(keyword)));
  return separate.reduce(
    withPart,
    pick((keyword) => !groups.flat().includes(keyword)),
  );
}

/** Adds a schema that applies as well. */
export function withPart(members: JsonObject, part: JsonObject): JsonObject {
  const { allOf = [] } = members;
  return { ...members, allOf: [...(isJsonArray(allOf) ? allOf : []), part] };
}

/** Each keyword, with the keywords that depend on it. */
const SEPARATE: readonly (readonly [string, ...string[]])[] = [
  ["prefixItems", "items"],
  ["patternProperties", "properties", "additionalProperties"],
];
