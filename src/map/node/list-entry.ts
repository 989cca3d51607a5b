import { type FieldType, memberType } from "../../contract/types/field-type.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { narrowType } from "./union-variants.ts";

/**
 * True for an entry of a list literal that says where items come from or when there is one (`{ each, item }`,
 * `{ when, item }`), rather than being an item. Where the contract has a field or a list of that form, it is an item.
 */
export function isListEntry(entry: JsonValue, items: FieldType): entry is JsonObject {
  if (!isJsonObject(entry)) return false;
  const meant = narrowType(entry, items);
  if (meant.kind === "list") return false;
  return LIST_ENTRY_KEYS.some((name) => {
    if (entry[name] === undefined) return false;
    if (meant.kind === "object") return memberType(meant, name) === undefined;
    return meant.kind !== "variants" || meant.merged.typeOf(name) === undefined;
  });
}

/** What tells such an entry from an item: a leaf may have a `when` of its own. */
const LIST_ENTRY_KEYS = ["each", "item"] as const;
