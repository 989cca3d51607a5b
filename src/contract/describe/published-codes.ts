import { childAttr } from "../../json/attr.ts";
import type { FieldType, ObjectType, PublishedValidator } from "../types/field-type.ts";
import { definedMembers } from "../../json/defined-members.ts";

/** A location in a payload for which the operator publishes an error code. */
export interface PublishedCode {
  /** `customers.*.mobile`; empty for the whole payload. */
  readonly attr: string;
  /** Name of the schema that has the validator, or whose property has it; absent if the schema has no name. */
  readonly schema?: string;
  /** The property that has the validator; absent for a whole schema. */
  readonly property?: string;
  readonly validator: PublishedValidator;
  /** Fields of the validated object, or of the object with the property. */
  readonly fields: readonly string[];
}

/** Locations in a payload of this type for which the code is published (`x-validators`), in field order. */
export function publishedCodes(body: FieldType, code: string): readonly PublishedCode[] {
  const found: PublishedCode[] = [];
  collectCodes(body, { attr: "", inside: [], code, found });
  return found;
}

interface CodeSearch {
  readonly attr: string;
  readonly inside: readonly FieldType[];
  readonly code: string;
  readonly found: PublishedCode[];
  /** The object that has the type as a property. */
  readonly holder?: { readonly type: ObjectType; readonly property: string };
}

function collectCodes(type: FieldType, position: CodeSearch): void {
  if (position.inside.includes(type)) return;
  addCodes(type, position);
  const { attr, code, found } = position;
  const inside = [...position.inside, type];
  if (type.kind === "list") collectCodes(type.items, { attr: childAttr(attr, "*"), inside, code, found });
  if (type.kind === "union") for (const option of type.options) collectCodes(option, { ...position, inside });
  if (type.kind !== "object") return;
  for (const { name, type: field } of type.properties.values()) {
    collectCodes(field, { attr: childAttr(attr, name), inside, code, found, holder: { type, property: name } });
  }
}

function addCodes(type: FieldType, { attr, code, found, holder }: CodeSearch): void {
  const own = type.kind === "object" ? { type, property: undefined } : holder;
  for (const validator of type.validators) {
    if (!validator.codes.includes(code)) continue;
    const fields = [...(own?.type.properties.keys() ?? [])];
    found.push({ attr, validator, fields, ...definedMembers({ schema: own?.type.name, property: own?.property }) });
  }
}
