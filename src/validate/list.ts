import type { FieldType, ListType } from "../contract/field-type.ts";
import { canonicalJson, isJsonArray, type JsonValue } from "../model/json.ts";
import type { AddOptions, Check, Found } from "./found.ts";
import { checkChild, child, enter, leave } from "./walk.ts";

/**
 * A list and all its items; a list of the wrong length still has its items looked at. Problems of the list itself are
 * addressed as the platform does: `<path>.non_field_errors` for lists of objects, `<path>` for lists of scalars.
 */
export function listCheck(type: ListType, compile: (type: FieldType) => Check): Check {
  const item = child(type.items, compile);
  const own: AddOptions = { whole: holdsObjects(type.items) };
  return (value, found) => {
    if (!isJsonArray(value)) return found.add(value, { code: "not_a_list" }, own);
    checkLength(type, value, found, own);
    if (type.uniqueItems && hasRepeats(value)) found.add(value, { code: "unique" }, own);
    if (!enter(value, found)) return;
    for (let index = 0; index < value.length; index += 1) {
      found.path[found.depth - 1] = index;
      checkChild(item, value[index] ?? null, found);
    }
    leave(found);
  };
}

function holdsObjects(items: FieldType): boolean {
  return items.kind === "object" || (items.kind === "union" && items.options.some(({ kind }) => kind === "object"));
}

function checkLength(
  { minItems = 0, maxItems = Infinity }: ListType,
  list: readonly JsonValue[],
  found: Found,
  own: AddOptions,
): void {
  if (list.length === 0 && minItems > 0) found.add(list, { code: "empty" }, own);
  else if (list.length < minItems) found.add(list, { code: "min_length", limit: minItems, unit: "items" }, own);
  if (list.length > maxItems) found.add(list, { code: "max_length", limit: maxItems, unit: "items" }, own);
}

/** Whether two items say the same, in whatever order their fields stand. */
function hasRepeats(list: readonly JsonValue[]): boolean {
  return new Set(list.map(canonicalJson)).size < list.length;
}
