import { type FieldType, type ListType, mayBeObject } from "../contract/types/field-type.ts";
import { type JsonValue, isJsonArray } from "../json/json-value.ts";
import {
  type AddOptions,
  type Check,
  type ProblemCollector,
  checkChild,
  childCheck,
  enterChild,
  leaveChild,
} from "./problem-collector.ts";
import { hasRepeats } from "./schema-assertions.ts";

/**
 * Checks a list and all its items, even if the list has the wrong length. Problems of the list itself have the same
 * attrs as on the platform: `<path>.non_field_errors` for lists of objects, `<path>` for lists of scalars.
 */
export function listCheck(type: ListType, compile: (type: FieldType) => Check): Check {
  const item = childCheck(type.items, compile);
  const own: AddOptions = { whole: mayBeObject(type.items) };
  return (value, collector) => {
    if (!isJsonArray(value)) return collector.add(value, { code: "not_a_list" }, own);
    checkLength(type, value, collector, own);
    if (type.uniqueItems && hasRepeats(value)) collector.add(value, { code: "unique" }, own);
    if (!enterChild(value, collector)) return;
    for (let index = 0; index < value.length; index += 1) {
      collector.path[collector.depth - 1] = index;
      checkChild(item, value[index] ?? null, collector);
    }
    leaveChild(collector);
  };
}

function checkLength(
  { minItems = 0, maxItems = Infinity }: ListType,
  list: readonly JsonValue[],
  collector: ProblemCollector,
  own: AddOptions,
): void {
  if (list.length === 0 && minItems > 0) collector.add(list, { code: "empty" }, own);
  else if (list.length < minItems) collector.add(list, { code: "min_length", limit: minItems, unit: "items" }, own);
  if (list.length > maxItems) collector.add(list, { code: "max_length", limit: maxItems, unit: "items" }, own);
}
