import {
  type ChoiceType,
  type FieldType,
  type ListType,
  PLAIN_TYPE,
  type ObjectType,
  type UnionType,
  memberType,
} from "../../contract/types/field-type.ts";
import { acceptedOptions } from "../../contract/types/type-tree.ts";
import { type JsonObject, type JsonValue, isJsonArray, isJsonObject } from "../../json/json-value.ts";
import { scalarText } from "../document/mapping-issues.ts";
import { conversionTo } from "../leaf/conversion.ts";
import { hasOnlyLeafOptions } from "../leaf/leaf-options.ts";

/** The object types that one attr may have. */
export interface Variants {
  readonly kind: "variants";
  /** The property that distinguishes the types, if the contract names one. */
  readonly property: string | undefined;
  readonly byValue: ReadonlyMap<string, ObjectType>;
  /**
   * The fields of all types. A field is required only if every type requires it, and read-only only if it is read-only
   * in every type.
   */
  readonly merged: Fields;
}

export interface Fields {
  readonly names: readonly string[];
  readonly typeOf: (name: string) => FieldType | undefined;
  readonly isRequired: (name: string) => boolean;
  readonly isReadOnly: (name: string) => boolean;
}

/** Narrows a union to the types that match the mapping entry. Returns any other type unchanged. */
export function narrowType(entry: JsonValue, type: FieldType): FieldType | Variants {
  if (type.kind !== "union") return type;
  const options = flattenUnion(type);
  const objects = options.filter((option) => option.kind === "object");
  const lists = options.filter((option) => option.kind === "list");
  const list = listOfAny(lists);
  const hasScalars = objects.length + lists.length < options.length;
  const isList =
    isJsonArray(entry) ||
    (isJsonObject(entry) && (entry["each"] !== undefined || (entry["split"] !== undefined && isLeaf(entry))));
  if (list !== undefined && (isList || lists.length === options.length)) return list;
  if (objects.length === 0 || (hasScalars && isLeaf(entry))) return { ...type, options };
  return chosen(entry, type, objects);
}

/**
 * Returns the options of a union and of all unions inside it. Visits each union once, because unions may contain
 * themselves.
 */
export function flattenUnion(type: UnionType): readonly FieldType[] {
  const unions = new Set<UnionType>([type]);
  const options: FieldType[] = [];
  for (const union of unions) {
    for (const option of acceptedOptions(union)) {
      if (option.kind === "union") unions.add(option);
      else options.push(option);
    }
  }
  return options;
}

/** Returns a list type that accepts the items of all lists, or undefined if there are no lists. */
function listOfAny(lists: readonly ListType[]): ListType | undefined {
  const [first] = lists;
  const items = unionOf(lists.map((list) => list.items));
  return first && items && { ...first, items };
}

function isLeaf(entry: JsonValue): boolean {
  return !isJsonObject(entry) || hasOnlyLeafOptions(entry);
}

/**
 * Returns the only object type, the object type that a constant of the mapping selects, or otherwise all object types.
 */
function chosen(entry: JsonValue, type: UnionType, objects: readonly ObjectType[]): ObjectType | Variants {
  const [only] = objects;
  const { discriminator } = type;
  if (only !== undefined && objects.length === 1) return only;
  const property = discriminator?.property;
  const byValue = discriminator?.mapping ?? new Map<string, ObjectType>();
  const constant = isJsonObject(entry) && property !== undefined ? constantAt(entry, property) : undefined;
  const named = constant === undefined ? undefined : byValue.get(constant);
  return named ?? variantsOf(objects, property, byValue);
}

function constantAt(entry: JsonObject, property: string): string | undefined {
  const leaf = entry[property];
  return leaf !== undefined && isJsonObject(leaf) ? scalarText(leaf["value"]) : undefined;
}

function variantsOf(
  objects: readonly ObjectType[],
  property: string | undefined,
  byValue: ReadonlyMap<string, ObjectType>,
): Variants {
  const names = [...new Set(objects.flatMap((object) => [...object.properties.keys()]))];
  return {
    kind: "variants",
    property,
    byValue,
    merged: {
      names,
      typeOf: (name) =>
        name === property && byValue.size > 0
          ? tagType([...byValue.keys()], typeIn(objects, name))
          : typeIn(objects, name),
      isRequired: (name) => objects.every((object) => object.properties.get(name)?.required ?? false),
      isReadOnly: (name) => objects.every((object) => object.properties.get(name)?.readOnly ?? false),
    },
  };
}

/** Returns the type of a field in any of the objects. */
function typeIn(objects: readonly ObjectType[], name: string): FieldType | undefined {
  return unionOf(objects.flatMap((object) => memberType(object, name) ?? []));
}

function unionOf(types: readonly FieldType[]): FieldType | undefined {
  const options = [...new Set(types)];
  if (options.length < 2) return options[0];
  return { ...PLAIN_TYPE, kind: "union", options, nullable: options.some((option) => option.nullable) };
}

/** Returns the type of the property that distinguishes the types. Its values may also be numbers or booleans. */
function tagType(tags: readonly string[], type: FieldType | undefined): ChoiceType {
  const choices = tags.map((tag) => {
    const value = type === undefined ? tag : conversionTo(type)(tag);
    return typeof value === "number" || typeof value === "boolean" ? value : tag;
  });
  return { ...PLAIN_TYPE, kind: "choice", choices };
}

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
