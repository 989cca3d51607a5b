import type { AttrPath } from "../model/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { LocalProblem } from "../model/problem.ts";
import type { Mapped } from "./mapping.ts";

/** A payload with its business key, as text, where it has one. */
export function mappedOf(
  payload: JsonObject,
  keyAttr: AttrPath | undefined,
  problems: readonly LocalProblem[],
): Mapped {
  const value = keyAttr && valueAt(payload, keyAttr);
  const hasKey = (typeof value === "string" && value !== "") || typeof value === "number";
  return hasKey ? { key: String(value), payload, problems } : { payload, problems };
}

function valueAt(payload: JsonObject, path: AttrPath): JsonValue | undefined {
  let value: JsonValue | undefined = payload;
  for (const part of path) {
    if (value === undefined) return undefined;
    if (isJsonArray(value)) value = value[Number(part)];
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
