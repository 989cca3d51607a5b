import type { FieldType, ObjectType } from "../contract/field-type.ts";
import { suggest } from "../model/suggest.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { AddOptions, Check, Found } from "./found.ts";
import { checkChild, child, type Child, enter, leave } from "./walk.ts";

/**
 * An object: documented fields in the contract's order, then whatever else it holds. An object that is given must be
 * complete, optional or not (specification 2.7.2).
 */
export function objectCheck(type: ObjectType, compile: (type: FieldType) => Check): Check {
  if (isDictionary(type)) return dictionaryCheck(child(type.additional, compile));
  const fields = fieldsOf(type, compile);
  const checkOthers = othersCheck(type, compile);
  return (value, found) => {
    if (!isJsonObject(value)) return found.add(value, NOT_AN_OBJECT, WHOLE);
    if (!enter(value, found)) return;
    const known = checkFields(fields, value, found);
    if (countNames(value) !== known) checkOthers(value, found);
    leave(found);
  };
}

const NOT_AN_OBJECT = { code: "invalid", expected: "object" } as const;
const WHOLE: AddOptions = { whole: true };

type Dictionary = ObjectType & { readonly additional: FieldType };

/** An object without documented fields: to the platform a dictionary, which has a code of its own. */
function isDictionary(type: ObjectType): type is Dictionary {
  return type.properties.size === 0 && type.additional !== "closed";
}

function dictionaryCheck(entry: Child): Check {
  return (value, found) => {
    if (!isJsonObject(value)) return found.add(value, { code: "not_a_dict" });
    if (!enter(value, found)) return;
    for (const [name, each] of Object.entries(value)) {
      found.path[found.depth - 1] = name;
      checkChild(entry, each, found);
    }
    leave(found);
  };
}

interface Field extends Child {
  readonly name: string;
  readonly required: boolean;
  /** Every object has something by this name, so that it takes a closer look whether this one brought it. */
  readonly inherited: boolean;
}

function fieldsOf(type: ObjectType, compile: (type: FieldType) => Check): readonly Field[] {
  return [...type.properties.values()]
    .filter((property) => !property.readOnly)
    .map(({ name, required, type: of }) => ({ ...child(of, compile), name, required, inherited: name in {} }));
}

/** Gives how many of the documented fields are there. */
function checkFields(fields: readonly Field[], value: JsonObject, found: Found): number {
  const at = found.depth - 1;
  let known = 0;
  for (const field of fields) {
    const given = field.inherited && !Object.hasOwn(value, field.name) ? undefined : value[field.name];
    if (given === undefined && !field.required) continue;
    found.path[at] = field.name;
    if (given === undefined) {
      found.add(undefined, { code: "required" });
    } else {
      known += 1;
      checkChild(field, given, found);
    }
  }
  return known;
}

function countNames(value: JsonObject): number {
  let count = 0;
  for (const name in value) if (value[name] !== undefined) count += 1;
  return count;
}

/** What the contract does not document is refused (specification 2.7.5), or has the type of additional properties. */
function othersCheck(type: ObjectType, compile: (type: FieldType) => Check): (value: JsonObject, found: Found) => void {
  const additional = type.additional === "closed" ? undefined : child(type.additional, compile);
  return (value, found) => {
    for (const [name, other] of Object.entries(value)) {
      const property = type.properties.get(name);
      if (other === undefined || property?.readOnly === false) continue;
      found.path[found.depth - 1] = name;
      if (property !== undefined) found.add(other, { code: "unknown_field" }, { severity: "warning" });
      else if (additional !== undefined) checkChild(additional, other, found);
      else reportUnknown(name, other, type, found);
    }
  };
}

function reportUnknown(name: string, value: JsonValue, type: ObjectType, found: Found): void {
  const suggestion = suggest(name, [...type.properties.keys()]);
  found.add(value, { code: "unknown_field", ...(suggestion !== undefined && { suggestion }) });
}
