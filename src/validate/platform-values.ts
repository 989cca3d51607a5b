import { type FieldType, isOfKind, memberType, type TextType, type UnionType } from "../contract/types/field-type.ts";
import { acceptedOptions, tagText, untaggedOptions } from "../contract/types/type-tree.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "../json/json-value.ts";
import { createOptionChoice, type OptionChooser } from "./compile-validator.ts";
import type { NonNullJson } from "./problem-collector.ts";
import { strip } from "../text/unicode-text.ts";
import { readInteger, readNumber } from "./validate-number.ts";
import { choiceReader, readBoolean } from "./validate-scalar.ts";
import { getOrAdd } from "../model/groups.ts";

/**
 * Returns a function that converts the values of a payload as the platform does, for all conversions that the validator
 * warns about (`coerced`), with two exceptions. Rules compare a date with a date-time, and a number with a decimal, so
 * these values are unchanged. Invalid values are unchanged too.
 */
export function compilePlatformValues(body: FieldType): (payload: JsonObject) => JsonObject {
  const choose = createOptionChoice();
  const choosers = new Map<UnionType, OptionChooser>();
  const chooserOf = (union: UnionType): OptionChooser => getOrAdd(choosers, union, () => optionChooser(union, choose));
  return (payload) => {
    const read = readValue(body, payload, chooserOf);
    return isJsonObject(read) ? read : payload;
  };
}

function optionChooser(union: UnionType, choose: (options: readonly FieldType[]) => OptionChooser): OptionChooser {
  const { discriminator } = union;
  const first = choose(discriminator === undefined ? acceptedOptions(union) : untaggedOptions(discriminator));
  if (discriminator === undefined) return first;
  return (value) => {
    const tag = memberAt(value, discriminator.property);
    return discriminator.mapping.get(tagText(tag)) ?? (tag === undefined ? first(value) : undefined);
  };
}

function readValue(type: FieldType, value: JsonValue, chooserOf: (union: UnionType) => OptionChooser): JsonValue {
  if (value === null) return value;
  if (type.kind === "union") {
    const option = chooserOf(type)(value);
    return option === undefined ? value : readValue(option, value, chooserOf);
  }
  if (type.kind === "list") {
    return isJsonArray(value) ? value.map((item) => readValue(type.items, item, chooserOf)) : value;
  }
  if (type.kind !== "object") return readScalar(type, value);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
    const known = memberType(type, name);
    return [name, known === undefined ? member : readValue(known, member, chooserOf)];
  });
  return Object.fromEntries(members);
}

/** A schema without a type accepts a value of another JSON type unchanged. */
function readScalar(type: FieldType, value: NonNullJson): JsonValue {
  if (typeof value === "object" || (type.untyped === true && !isOfKind(type.kind, value))) return value;
  const read = convertedScalar(type, value);
  return read === undefined ? value : read;
}

/** Returns undefined for an invalid value, and for a value of a type without conversions. */
function convertedScalar(type: FieldType, value: string | number | boolean): JsonValue | undefined {
  if (type.kind === "text") return readText(type, value);
  if (type.kind === "decimal") return typeof value === "string" ? strip(value) : undefined;
  if (type.kind === "number") return readNumber(value);
  if (type.kind === "integer") return safeInteger(readInteger(value));
  if (type.kind === "boolean") return readBoolean(value, type);
  return type.kind === "choice" ? choiceReader(type)(value) : undefined;
}

function readText({ documentPath, format }: TextType, value: string | number | boolean): string | undefined {
  if (typeof value === "boolean" || documentPath !== false || format === "uuid") return undefined;
  return strip(String(value));
}

/** Returns the integer as a number, unless a number cannot represent it exactly. */
function safeInteger(value: number | string | undefined): number | string | undefined {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
