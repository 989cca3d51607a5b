import { childAttr } from "../../json/attr.ts";
import { type FieldType, memberType } from "../../contract/types/field-type.ts";
import { type JsonObject, type JsonValue, isJsonArray, isJsonObject } from "../../json/json-value.ts";
import { isListEntry, narrowType } from "./union-variants.ts";

/** The values that a mapping assigns to an attr. */
export interface MappedAttr {
  /** All possible values, as text, if the mapping defines them as a constant or in an inline table. */
  readonly values?: readonly string[];
}

/**
 * Returns the attrs that an entry of a mapping fills, including the attrs of the enclosing objects and lists. In
 * `customers.*.mobile`, `*` matches every item. The type determines how entries are interpreted. Omits attrs that the
 * type does not have. `attr`: the attr of the entry; "" for payloads.
 */
export function mappedAttrs(entry: JsonObject, type: FieldType, attr = ""): ReadonlyMap<string, MappedAttr> {
  const found = new Map<string, MappedAttr>();
  collect(entry, type, { attr, found });
  return found;
}

interface AttrPosition {
  readonly attr: string;
  readonly found: Map<string, MappedAttr>;
}

function collect(entry: JsonValue, type: FieldType, position: AttrPosition): void {
  const narrowed = narrowType(entry, type);
  addAttr(
    position,
    narrowed.kind === "object" || narrowed.kind === "list" || narrowed.kind === "variants" ? {} : leafOf(entry),
  );
  if (narrowed.kind === "list") collectItems(entry, narrowed.items, at(position, "*"));
  if (!isJsonObject(entry)) return;
  if (narrowed.kind === "object") collectFields(entry, position, (name) => memberType(narrowed, name));
  if (narrowed.kind === "variants") collectFields(entry, position, narrowed.merged.typeOf);
}

function collectFields(
  entry: JsonObject,
  position: AttrPosition,
  typeOf: (name: string) => FieldType | undefined,
): void {
  for (const [name, field] of Object.entries(entry)) {
    const type = typeOf(name);
    if (type !== undefined) collect(field, type, at(position, name));
  }
}

function collectItems(entry: JsonValue, type: FieldType, position: AttrPosition): void {
  if (isJsonArray(entry)) {
    for (const item of entry) collect(isListEntry(item, type) ? (item["item"] ?? {}) : item, type, position);
  } else if (isJsonObject(entry) && entry["item"] !== undefined) collect(entry["item"], type, position);
  else if (isJsonObject(entry)) addAttr(position, {});
}

/** Merges the values of several entries for one attr, which may occur in the items of a list literal. */
function addAttr({ attr, found }: AttrPosition, leaf: MappedAttr): void {
  const before = found.get(attr);
  const values = before === undefined ? leaf.values : union(before.values, leaf.values);
  found.set(attr, values === undefined ? {} : { values });
}

function union(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one === undefined || other === undefined ? undefined : [...one, ...other];
}

function leafOf(entry: JsonValue): MappedAttr {
  if (!isJsonObject(entry)) return {};
  const { value, lookup, otherwise, default: defaultValue } = entry;
  if (value !== undefined) return known([value]);
  if (!isJsonObject(lookup) || otherwise === "keep") return {};
  return known([...Object.values(lookup), ...(defaultValue === undefined ? [] : [defaultValue])]);
}

/** Returns constants as text, unless one of them contains a placeholder (`${supplier}`). */
function known(values: readonly JsonValue[]): MappedAttr {
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return texts.some((text) => text.includes("${")) ? {} : { values: texts };
}

function at(position: AttrPosition, name: string): AttrPosition {
  return { ...position, attr: childAttr(position.attr, name) };
}
