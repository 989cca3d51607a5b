import type { FieldType } from "../contract/field-type.ts";
import type { JsonValue } from "../model/json.ts";
import type { Check, Found, Present } from "./found.ts";

/** A value inside another one: its type compiled, and whether null will do. */
export interface Child {
  readonly takesNull: boolean;
  readonly check: Check;
}

/** The deepest nesting that is walked; values of a type that contains itself end here. */
const DEEPEST = 64;

export function child(type: FieldType, compile: (type: FieldType) => Check): Child {
  return { takesNull: takesNull(type), check: compile(type) };
}

/** Makes room in the path for the segment of a child; false, and a problem, where the nesting is too deep. */
export function enter(value: Present, found: Found): boolean {
  if (found.depth >= DEEPEST) {
    found.add(value, { code: "source_too_deep", limit: DEEPEST });
    return false;
  }
  found.depth += 1;
  return true;
}

export function leave(found: Found): void {
  found.depth -= 1;
}

/** Looks at the value that stands at the path. */
export function checkChild({ takesNull: nullIsRight, check }: Child, value: JsonValue, found: Found): void {
  if (value !== null) check(value, found);
  else if (!nullIsRight) found.add(value, { code: "null" });
}

function takesNull(type: FieldType): boolean {
  if (type.nullable || type.kind === "any") return true;
  return type.kind === "union" && type.options.some((option) => option.nullable || option.kind === "any");
}
