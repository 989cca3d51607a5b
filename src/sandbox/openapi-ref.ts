import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";

/** Follows `$ref` (RFC 6901 pointers into the same document) until there is none; an unresolvable one is an empty object. */
export function resolveRef(document: JsonObject, node: JsonObject): JsonObject {
  let current = node;
  for (let hops = 0; typeof current["$ref"] === "string" && hops < 100; hops += 1) {
    const target = pointedAt(document, current["$ref"]);
    if (!isJsonObject(target)) return {};
    current = target;
  }
  return current;
}

function pointedAt(document: JsonObject, ref: string): JsonValue | undefined {
  let found: JsonValue | undefined = document;
  for (const step of ref.replace(/^#\/?/, "").split("/")) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isJsonObject(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

/**
 * The schemas that a schema is made of: itself, the targets of its `$ref`, the members of its `allOf`,
 * and of theirs, each once. None of them is taken for a reference any more.
 */
export function flattenSchema(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  const parts = new Set<JsonObject>();
  const visit = (node: JsonObject): void => {
    if (parts.has(node)) return;
    parts.add(node);
    if (typeof node["$ref"] === "string") visit(resolveRef(document, node));
    const members = node["allOf"];
    if (isJsonArray(members)) members.filter(isJsonObject).forEach(visit);
  };
  visit(schema);
  return [...parts];
}
