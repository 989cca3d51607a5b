import type { AttrPath } from "../model/attr.ts";
import { type JsonObject, valueAt } from "../model/json.ts";

/** The path with its parameters, each encoded as one segment. */
export function filledPath(path: string, parameters: Readonly<Record<string, AttrPath>>, payload: JsonObject): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const attr = parameters[name];
    const value = attr === undefined ? undefined : valueAt(payload, attr);
    return segment(typeof value === "string" || typeof value === "number" ? String(value) : "");
  });
}

/** A segment of dots alone would lead to another place, however it is encoded: encoded twice, it leads nowhere. */
function segment(value: string): string {
  return /^\.{1,2}$/.test(value) ? value.replaceAll(".", "%252E") : encodeURIComponent(value);
}
