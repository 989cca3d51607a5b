import { type FieldType, memberType } from "../../contract/types/field-type.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { narrowType } from "./union-variants.ts";

/**
 * Whether an entry of a list literal defines the source of items or their condition (`{ each, item }`, `{ when, item
 * }`) and is not itself an item. If the contract has a field called `each` or `item`, or a list here, the entry is an
 * item.
 */
export function isListEntry(entry: JsonValue, items: FieldType): entry is JsonObject {
  if (!isJsonObject(entry)) return false;
  const narrowed = narrowType(entry, items);
  if (narrowed.kind === "list") return false;
  return LIST_ENTRY_KEYS.some((name) => {
    if (entry[name] === undefined) return false;
    if (narrowed.kind === "object") return memberType(narrowed, name) === undefined;
    return narrowed.kind !== "variants" || narrowed.merged.typeOf(name) === undefined;
  });
}

/** Names that distinguish a list entry from an item. `when` is not among them, because a leaf may also have `when`. */
const LIST_ENTRY_KEYS = ["each", "item"] as const;
