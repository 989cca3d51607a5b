import type { AttrPath } from "../../json/attr.ts";
import { type FieldType, memberType } from "./field-type.ts";

/**
 * The title of the field at the path, which includes list indexes. If several alternatives have a title for the field,
 * the first of these titles. Undefined if there is none.
 */
export function fieldTitleAt(type: FieldType, path: AttrPath): string | undefined {
  if (type.kind === "union") {
    return type.options.map((option) => fieldTitleAt(option, path)).find((title) => title !== undefined);
  }
  const [name, ...rest] = path;
  if (name === undefined) return type.title;
  if (type.kind === "list") return fieldTitleAt(type.items, rest);
  const member = type.kind === "object" ? memberType(type, String(name)) : undefined;
  return member && fieldTitleAt(member, rest);
}
