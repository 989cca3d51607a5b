import type { Rule } from "../../rules/language/rule.ts";
import type { LinearPattern } from "../../text/linear-pattern.ts";
import { compareDecimals, decimalTextOf } from "../../json/decimal-arithmetic.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { JsonObject, JsonScalar, JsonValue } from "../../json/json-value.ts";

/**
 * A schema of the contract as validation, mapping and the field table read it: references resolved, `allOf` merged.
 * The same `$ref` is the same object, so a type may contain itself.
 */
export type FieldType =
  | TextType
  | DecimalType
  | NumberType
  | BooleanType
  | DateType
  | ChoiceType
  | ObjectType
  | ListType
  | UnionType
  | AnyType;

interface TypeBase {
  readonly nullable: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly default?: JsonValue;
  /** Published validators (`x-validators`): code and text, for the field table. */
  readonly validators: readonly PublishedValidator[];
  /** `x-rules`; absent when there are none. */
  readonly rules?: readonly Rule[];
  /** The schema names no type, and the kind was told from its keywords: values of other JSON types are right, too. */
  readonly untyped?: true;
  /** No value satisfies the schema: why, and where it says so. */
  readonly impossible?: { readonly message: string; readonly path: AttrPath };
  /** What the schema says beyond the kind; absent when that is nothing. */
  readonly assertions?: readonly Assertion[];
}

/** A schema of JSON Schema 2020-12 that stands alone, for a value that is right in all other ways. */
export interface Assertion {
  readonly schema: JsonObject;
  /** Only what it says by `unevaluatedProperties` and `unevaluatedItems` counts. */
  readonly unevaluated: boolean;
}

export interface PublishedValidator {
  readonly name: string;
  readonly description: string;
  readonly codes: readonly string[];
}

export interface TextType extends TypeBase {
  readonly kind: "text";
  readonly format?: "email" | "uuid" | "uri";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: LinearPattern;
  /** Refused by the platform unless the contract says `minLength: 0`. */
  readonly allowBlank: boolean;
  /** `x-document-path`: API specification 2.5; `key`: a whole key of another file store, safe, and under no root. */
  readonly documentPath: boolean | "key";
}

/** A decimal sent as text (`type: string, format: decimal`); limits as exact decimal text. */
export interface DecimalType extends TypeBase, NumericLimits {
  readonly kind: "decimal";
  /** Digits in all, derived from the pattern or `x-max-digits`. */
  readonly maxDigits?: number;
  readonly maxDecimalPlaces?: number;
  readonly maxWholeDigits?: number;
  readonly pattern?: LinearPattern;
}

/** A JSON number. */
export interface NumberType extends TypeBase, NumericLimits {
  readonly kind: "number" | "integer";
}

interface NumericLimits {
  readonly minimum?: NumericLimit;
  readonly maximum?: NumericLimit;
  readonly multipleOf?: number;
}

export interface NumericLimit {
  readonly value: number;
  /** The limit as decimal text, where `value` is only the number nearest to it. */
  readonly exact?: string;
  readonly exclusive: boolean;
}

/** Negative, zero or positive; exact. */
export function compareLimits(one: NumericLimit, other: NumericLimit): number {
  return one.value - other.value || compareDecimals(exactLimit(one), exactLimit(other));
}

/** The limit as plain decimal text. */
export function exactLimit({ value, exact }: NumericLimit): string {
  return exact ?? decimalTextOf(value);
}

export interface BooleanType extends TypeBase {
  readonly kind: "boolean";
}

/** ISO 8601 text (API specification 2.7.4). */
export interface DateType extends TypeBase {
  readonly kind: "date" | "datetime" | "time";
  /** `x-sent-as-given`: a date-time goes out as it was given, not in the specification's form. */
  readonly asGiven?: boolean;
}

export interface ChoiceType extends TypeBase {
  readonly kind: "choice";
  /** Without null: that is `nullable`. May hold "" and numbers. */
  readonly choices: readonly JsonScalar[];
}

export interface ObjectType extends TypeBase {
  readonly kind: "object";
  /** The schema's name in the document, where it has one. */
  readonly name?: string;
  /** In document order. */
  readonly properties: ReadonlyMap<string, Property>;
  /**
   * What a property may be that is not documented: nothing (`closed`, the default: API specification 2.7.5),
   * or values of one type (`additionalProperties: {schema}`, or `true` as an AnyType).
   */
  readonly additional: "closed" | FieldType;
  /** Names that are none of the properties and not additional either (`patternProperties`): left to the assertions. */
  readonly namePatterns?: readonly LinearPattern[];
}

export interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly readOnly: boolean;
  readonly type: FieldType;
}

export interface ListType extends TypeBase {
  readonly kind: "list";
  readonly items: FieldType;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems: boolean;
}

/** `oneOf`/`anyOf`. With a discriminator one property chooses the option; without, the first that fits. */
export interface UnionType extends TypeBase {
  readonly kind: "union";
  readonly options: readonly FieldType[];
  /** `oneOf` without a discriminator: a value that two options let through is refused. */
  readonly exactlyOne?: true;
  readonly discriminator?: Discriminator;
  /** In the place of a discriminator: the property is no field, but a setting of the instance. */
  readonly setting?: Discriminator;
  /** The only option that this instance takes: the configuration declares the setting. */
  readonly chosen?: FieldType;
}

export interface Discriminator {
  readonly property: string;
  /** The property's value, as text -> the option. Where `null` is among them it also stands for a property that is absent. */
  readonly mapping: ReadonlyMap<string, ObjectType>;
}

/** A schema that says nothing of the type. */
export interface AnyType extends TypeBase {
  readonly kind: "any";
}

/** The type of the field at the path; in alternatives, of the first that has one. Undefined where there is no such field. */
export function fieldAt(type: FieldType, path: AttrPath): FieldType | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return type;
  if (type.kind === "union") {
    return type.options.map((option) => fieldAt(option, path)).find((found) => found !== undefined);
  }
  const member = type.kind === "object" ? type.properties.get(String(name))?.type : undefined;
  return member && fieldAt(member, rest);
}

export type JsonTypeName = "string" | "number" | "boolean" | "object" | "list";

/** What an object may hold by a name: its property, or what others may be; undefined where it may hold nothing. */
export function memberType({ properties, additional }: ObjectType, name: string): FieldType | undefined {
  return properties.get(name)?.type ?? (additional === "closed" ? undefined : additional);
}

/** Whether a value is of the JSON type that types of the kind are about; those of several JSON types are about any. */
export function isOfKind(kind: FieldType["kind"], value: unknown): boolean {
  const json = Array.isArray(value) ? "list" : typeof value;
  return JSON_TYPES[kind] === undefined || JSON_TYPES[kind] === json;
}

/** Of the values of each kind; undefined where they may be of several. */
export const JSON_TYPES: Readonly<Record<FieldType["kind"], JsonTypeName | undefined>> = {
  text: "string",
  decimal: "string",
  date: "string",
  datetime: "string",
  time: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  object: "object",
  list: "list",
  choice: undefined,
  union: undefined,
  any: undefined,
};
