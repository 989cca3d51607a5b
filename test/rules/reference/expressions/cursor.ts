import type { AttrPath, AttrSegment } from "../../../../src/json/attr.ts";
import { isJsonObject, type JsonValue } from "../../../../src/json/json-value.ts";

/** A value in the payload, with links to the objects and lists that enclose it. */
export interface Cursor {
  readonly value: JsonValue;
  /** The object or list that contains the value; absent for the payload. */
  readonly parent?: Cursor;
  /** The value's name or index in the parent. */
  readonly key?: AttrSegment;
}

/** Returns the path from the payload to the value. */
export function pathOf(cursor: Cursor): AttrPath {
  const path: AttrSegment[] = [];
  for (let at: Cursor | undefined = cursor; at?.key !== undefined; at = at.parent) path.push(at.key);
  return path.toReversed();
}

/** Returns the nearest enclosing object. Lists are skipped. */
export function enclosingObject({ parent }: Cursor): Cursor | undefined {
  let at = parent;
  while (at !== undefined && !isJsonObject(at.value)) at = at.parent;
  return at;
}

/** Returns whether two cursors are at the same path. */
export function isSameCursor(one: Cursor | undefined, other: Cursor | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one.key !== other.key) return false;
  return isSameCursor(one.parent, other.parent);
}
