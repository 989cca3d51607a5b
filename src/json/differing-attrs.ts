import { type AttrSegment, formatAttr } from "./attr.ts";
import { canonicalJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "./json-value.ts";

/**
 * Returns the attrs whose values differ between two payloads. An object or list that only one payload has counts as one
 * attr.
 */
export function differingAttrs(before: JsonObject, after: JsonObject): readonly string[] {
  return [...differences(before, after, [])];
}

function* differences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly AttrSegment[],
): Generator<string> {
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differences(memberAt(before, name), memberAt(after, name), [...path, name]);
    }
    return;
  }
  if (isJsonArray(before) && isJsonArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
      yield* differences(before[index], after[index], [...path, index]);
    }
    return;
  }
  const isSame = before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after);
  if (!isSame) yield formatAttr(path);
}
