import { type FieldType, memberType } from "../../../contract/types/field-type.ts";
import type { JsonObject } from "../../../json/json-value.ts";
import { narrowType } from "../../../map/node/union-variants.ts";

/** A field of an object in the contract that a mapping may fill. */
export interface ContractField {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
}

/**
 * Returns the writable fields of an object, or of all objects in a choice; undefined for any other type.
 * @param entry existing entry of the mapping: a constant in it may select one of the objects
 */
export function fieldsOf(type: FieldType, entry: JsonObject = {}): readonly ContractField[] | undefined {
  const meant = narrowType(entry, type);
  if (meant.kind === "object") {
    return [...meant.properties.values()]
      .filter(({ readOnly }) => !readOnly)
      .map(({ name, required }) => ({ name, required, type: memberType(meant, name) ?? ANYTHING }));
  }
  if (meant.kind !== "variants") return undefined;
  const { names, typeOf, isRequired, isReadOnly } = meant.merged;
  return names
    .filter((name) => !isReadOnly(name))
    .map((name) => ({ name, required: isRequired(name), type: typeOf(name) ?? ANYTHING }));
}

const ANYTHING: FieldType = { kind: "any", nullable: false, deprecated: false, validators: [] };

/** Returns the type of a list's items if they are objects; undefined for any other field. */
export function itemObject(type: FieldType): FieldType | undefined {
  const meant = narrowType([], type);
  return meant.kind === "list" && fieldsOf(meant.items) !== undefined ? meant.items : undefined;
}

/** Whether the field holds a single value rather than an object or a list. */
export function isScalarField(type: FieldType): boolean {
  const meant = narrowType("", type);
  return meant.kind !== "object" && meant.kind !== "list" && meant.kind !== "variants";
}

/** Returns the type of a list's items if they are plain values; undefined for any other field. */
export function scalarItems(type: FieldType): FieldType | undefined {
  const meant = narrowType([], type);
  return meant.kind === "list" && isScalarField(meant.items) ? meant.items : undefined;
}
