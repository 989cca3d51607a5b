import type { AttrPath, AttrSegment } from "../model/attr.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";

/** A value in the payload that knows its way up. */
export interface Spot {
  readonly value: JsonValue;
  /** The object or list that holds it; absent for the payload. */
  readonly up?: Spot;
  /** Its name or index there. */
  readonly key?: AttrSegment;
}

/** From the payload to the spot. */
export function pathOf(spot: Spot): AttrPath {
  const path: AttrSegment[] = [];
  for (let at: Spot | undefined = spot; at?.key !== undefined; at = at.up) path.push(at.key);
  return path.toReversed();
}

/** The nearest object around, lists passed over. */
export function around({ up }: Spot): Spot | undefined {
  let at = up;
  while (at !== undefined && !isJsonObject(at.value)) at = at.up;
  return at;
}

/** Whether two ways lead to the very same place. */
export function isSame(one: Spot | undefined, other: Spot | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one.key !== other.key) return false;
  return isSame(one.up, other.up);
}
