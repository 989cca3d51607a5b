import type { JsonValue } from "../../json/json-value.ts";
import type { Discriminator, FieldType, UnionType } from "./field-type.ts";

/** The types of what a value of the type can hold; what is only ever read is left out. */
export function childTypes(type: FieldType): readonly FieldType[] {
  if (type.kind === "list") return [type.items];
  if (type.kind === "union") return [...type.options, ...(type.discriminator?.mapping.values() ?? [])];
  if (type.kind !== "object") return [];
  const fields = [...type.properties.values()].filter(({ readOnly }) => !readOnly).map((property) => property.type);
  return type.additional === "closed" ? fields : [...fields, type.additional];
}

/** The type and all below it, each once; types may contain themselves. */
export function typesWithin(body: FieldType): readonly FieldType[] {
  const seen = new Set<FieldType>([body]);
  for (const type of seen) for (const child of childTypes(type)) seen.add(child);
  return [...seen];
}

/** The types that are wanted, those that hold one, those that hold those, and so on. */
export function typesLeadingTo(body: FieldType, isWanted: (type: FieldType) => boolean): ReadonlySet<FieldType> {
  const types = typesWithin(body);
  const parents = new Map<FieldType, FieldType[]>();
  for (const type of types) {
    for (const child of childTypes(type)) {
      const known = parents.get(child);
      if (known === undefined) parents.set(child, [type]);
      else known.push(type);
    }
  }
  const leading = new Set(types.filter(isWanted));
  for (const type of leading) for (const parent of parents.get(type) ?? []) leading.add(parent);
  return leading;
}

/** What a value of the union may be, where no discriminator tells. */
export function optionsTaken({ options, chosen }: UnionType): readonly FieldType[] {
  return chosen === undefined ? options : [chosen];
}

/** The text by which a discriminator's mapping knows a value; one that is absent counts as null. */
export function tagText(tag: JsonValue | undefined): string {
  if (tag === undefined || tag === null) return "null";
  return typeof tag === "object" ? "" : String(tag);
}

/** The options of which one may be meant where the discriminator's property is left out: those that do not require it. */
export function untaggedOptions({ property, mapping }: Discriminator): readonly FieldType[] {
  return [...new Set(mapping.values())].filter(({ properties }) => properties.get(property)?.required !== true);
}
