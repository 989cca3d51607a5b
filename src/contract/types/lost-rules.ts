import { parseFragment } from "../../json/json-pointer.ts";
import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { Compilation, SchemaNode } from "./schema-node.ts";

/**
 * Reports the keywords of a part whose schemas have rules. The schemas are applied as a whole (assertions), so their
 * rules are not applied.
 */
export function reportLostRules(part: SchemaNode, keywords: readonly string[], compilation: Compilation): void {
  for (const keyword of keywords) {
    const path = [...part.path, keyword];
    const value = part.schema[keyword];
    // The compiled types also contain the schema of additional properties, with its rules.
    if (keyword === "additionalProperties" || value === undefined) continue;
    if (!hasRules(value, compilation, new Set())) continue;
    const message = `the rules (x-rules) below "${keyword}" are not applied`;
    compilation.findings.add("warning", "not-enforced", message, path);
  }
}

/** Whether a schema, a list of schemas or a map of schemas has rules at any depth. Follows references. */
function hasRules(value: JsonValue, compilation: Compilation, seen: Set<JsonValue>): boolean {
  if (isJsonArray(value)) return value.some((item) => hasRules(item, compilation, seen));
  if (!isJsonObject(value) || seen.has(value)) return false;
  seen.add(value);
  return Object.entries(value).some(([name, member]) => {
    if (name === "x-rules") return true;
    if (name !== "$ref" || typeof member !== "string") return hasRules(member, compilation, seen);
    const target = parseFragment(member);
    return target !== undefined && hasRules(valueAt(compilation.document, target) ?? null, compilation, seen);
  });
}
