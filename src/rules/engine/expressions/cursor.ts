import type { AttrPath, AttrSegment } from "../../../json/attr.ts";
import { isJsonObject, type JsonValue } from "../../../json/json-value.ts";

/** A value in the payload that knows its way up. */
export interface Cursor {
  readonly value: JsonValue;
  /** The object or list that holds it; absent for the payload. */
  readonly parent?: Cursor;
  /** Its name or index there. */
  readonly key?: AttrSegment;
}

/** From the payload to the spot. */
export function pathOf(cursor: Cursor): AttrPath {
  const path: AttrSegment[] = [];
  for (let at: Cursor | undefined = cursor; at?.key !== undefined; at = at.parent) path.push(at.key);
  return path.toReversed();
}

/** The nearest object around, lists passed over. */
export function enclosingObject({ parent }: Cursor): Cursor | undefined {
  let at = parent;
  while (at !== undefined && !isJsonObject(at.value)) at = at.parent;
  return at;
}

/** Whether two ways lead to the very same place. */
export function isSameCursor(one: Cursor | undefined, other: Cursor | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one.key !== other.key) return false;
  return isSameCursor(one.parent, other.parent);
}
