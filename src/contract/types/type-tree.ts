import { addToGroup } from "../../model/groups.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { type Discriminator, type FieldType, type UnionType, memberType } from "./field-type.ts";

/**
 * Returns the types directly inside a type: properties that are not read-only, additional properties, items and
 * alternatives.
 */
export function childTypes(type: FieldType): readonly FieldType[] {
  if (type.kind === "list") return [type.items];
  if (type.kind === "union") return [...type.options, ...(type.discriminator?.mapping.values() ?? [])];
  if (type.kind !== "object") return [];
  const fields = [...type.properties.values()].filter(({ readOnly }) => !readOnly).map((property) => property.type);
  return type.additional === "closed" ? fields : [...fields, type.additional];
}

/** Returns the type and all nested types, each only once, because types may contain themselves. */
export function typesWithin(body: FieldType): readonly FieldType[] {
  const seen = new Set<FieldType>([body]);
  for (const type of seen) for (const child of childTypes(type)) seen.add(child);
  return [...seen];
}

/** Returns the matching types and all types that contain them, directly or indirectly. */
export function typesLeadingTo(body: FieldType, isWanted: (type: FieldType) => boolean): ReadonlySet<FieldType> {
  const types = typesWithin(body);
  const parents = new Map<FieldType, FieldType[]>();
  for (const type of types) {
    for (const child of childTypes(type)) addToGroup(parents, child, type);
  }
  const leading = new Set(types.filter(isWanted));
  for (const type of leading) for (const parent of parents.get(type) ?? []) leading.add(parent);
  return leading;
}

/** Returns the options that a union without a discriminator accepts: the option that a setting selects, or all. */
export function acceptedOptions({ options, chosen }: UnionType): readonly FieldType[] {
  return chosen === undefined ? options : [chosen];
}

/**
 * Returns the text that represents a value in a discriminator's mapping. An absent value counts as null. Returns an
 * empty string for an object or a list, which has no representation.
 */
export function tagText(tag: JsonValue | undefined): string {
  if (tag === undefined || tag === null) return "null";
  return typeof tag === "object" ? "" : String(tag);
}

/** Returns the options that do not require the discriminator's property and are therefore possible without it. */
export function untaggedOptions({ property, mapping }: Discriminator): readonly FieldType[] {
  return [...new Set(mapping.values())].filter(({ properties }) => properties.get(property)?.required !== true);
}

/**
 * Returns the title of the field at the path, which includes list indexes. If several alternatives have a title for the
 * field, returns the first title. Returns undefined if there is none.
 */
export function fieldTitleAt(type: FieldType, path: AttrPath): string | undefined {
  if (type.kind === "union") {
    return type.options.map((option) => fieldTitleAt(option, path)).find((title) => title !== undefined);
  }
  const [name, ...rest] = path;
  if (name === undefined) return type.title;
  if (type.kind === "list") return fieldTitleAt(type.items, rest);
  const member = type.kind === "object" ? memberType(type, String(name)) : undefined;
  return member && fieldTitleAt(member, rest);
}
