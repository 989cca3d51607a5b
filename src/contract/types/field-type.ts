import type { Rule } from "../../rules/language/rule.ts";
import type { LinearPattern } from "../../text/linear-pattern.ts";
import { compareDecimals, decimalTextOf } from "../../json/decimal-arithmetic.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { JsonObject, JsonScalar, JsonValue } from "../../json/json-value.ts";

/**
 * A schema of the contract as used by validation, mapping and the field table, with references resolved and `allOf`
 * merged. All uses of a `$ref` share one object, so a type may contain itself.
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

export interface TypeBase {
  readonly nullable: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly default?: JsonValue;
  /** The operator's published validators (`x-validators`). They are documentation and are not enforced. */
  readonly validators: readonly PublishedValidator[];
  /** `x-rules`; absent if there are none. */
  readonly rules?: readonly Rule[];
  /**
   * Set if the schema declares no type and the kind was inferred from its keywords. Values of other JSON types are then
   * also valid.
   */
  readonly untyped?: true;
  /**
   * The reason why no value other than null satisfies the schema, and the path of the cause. Absent if such a value
   * exists.
   */
  readonly impossible?: { readonly reason: string; readonly path: AttrPath };
  /** The constraints of the schema that its kind does not enforce; absent if there are none. */
  readonly assertions?: readonly Assertion[];
}

/** A self-contained schema (JSON Schema 2020-12) that is applied to otherwise valid values. */
export interface Assertion {
  readonly schema: JsonObject;
  /** Whether only violations of `unevaluatedProperties` and `unevaluatedItems` are reported. */
  readonly unevaluated: boolean;
  /** How a violation is reported if the schema is not part of the contract. */
  readonly expected?: "header" | "path";
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
  /** If false, the platform rejects blank text. The contract allows blank text with `minLength: 0`. */
  readonly allowBlank: boolean;
  /**
   * `x-document-path`. True: a path as in API specification 2.5. `key`: a complete, safe key of another file store,
   * without a root location.
   */
  readonly documentPath: boolean | "key";
}

/** A decimal sent as text (`type: string, format: decimal`). */
export interface DecimalType extends TypeBase, NumericLimits {
  readonly kind: "decimal";
  /** Maximum total number of digits, from `x-max-digits` or the pattern. */
  readonly maxDigits?: number;
  readonly maxDecimalPlaces?: number;
  readonly maxWholeDigits?: number;
  readonly pattern?: LinearPattern;
}

/** A JSON number. */
export interface NumberType extends TypeBase, NumericLimits {
  readonly kind: "number" | "integer";
}

export type NumericType = DecimalType | NumberType;

export interface NumericLimits {
  readonly minimum?: NumericLimit;
  readonly maximum?: NumericLimit;
  readonly multipleOf?: number;
}

export interface NumericLimit {
  readonly value: number;
  /** The exact limit as decimal text, if `value` is only the nearest double. */
  readonly exact?: string;
  readonly exclusive: boolean;
}

/** Compares two limits exactly. Returns a negative number, zero or a positive number. */
export function compareLimits(one: NumericLimit, other: NumericLimit): number {
  return one.value - other.value || compareDecimals(exactLimit(one), exactLimit(other));
}

export function exactLimit({ value, exact }: NumericLimit): string {
  return exact ?? decimalTextOf(value);
}

export interface BooleanType extends TypeBase {
  readonly kind: "boolean";
}

/** ISO 8601 text (API specification 2.7.4). */
export interface DateType extends TypeBase {
  readonly kind: "date" | "datetime" | "time";
  /** `x-sent-as-given`: whether a date-time is sent unchanged instead of in the specification's form. */
  readonly asGiven?: boolean;
}

export interface ChoiceType extends TypeBase {
  readonly kind: "choice";
  /** Null is never included; see `nullable`. May contain "" and numbers. */
  readonly choices: readonly JsonScalar[];
}

export interface ObjectType extends TypeBase {
  readonly kind: "object";
  /** The schema's name in the document, if it has one. */
  readonly name?: string;
  /** In document order. */
  readonly properties: ReadonlyMap<string, Property>;
  /**
   * The type of undocumented properties: none (`closed`, the default: API specification 2.7.5), or one type
   * (`additionalProperties: {schema}`, or `true` as an AnyType).
   */
  readonly additional: "closed" | FieldType;
  /**
   * Patterns of names that are neither properties nor additional properties (`patternProperties`). The assertions
   * validate their values.
   */
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

/**
 * `oneOf`/`anyOf`. With a discriminator, one property selects the option. Without a discriminator, the first matching
 * option applies.
 */
export interface UnionType extends TypeBase, OptionChoice {
  readonly kind: "union";
  readonly options: readonly FieldType[];
  /** Set for `oneOf` without a discriminator: a value that matches two options is rejected. */
  readonly exactlyOne?: true;
}

/** How an option of a union is selected; empty if the first matching option applies. */
export interface OptionChoice {
  readonly discriminator?: Discriminator;
  /** Set instead of a discriminator if its property is not a field but a setting of the instance. */
  readonly setting?: Discriminator;
  /** The only option that this instance accepts, if the setting has a value. */
  readonly chosen?: FieldType;
}

export interface Discriminator {
  readonly property: string;
  /** The option for each value of the property, as text. `null` also represents an absent property. */
  readonly mapping: ReadonlyMap<string, ObjectType>;
}

/** A type that accepts any JSON value. Only its assertions and rules restrict the value. */
export interface AnyType extends TypeBase {
  readonly kind: "any";
}

/** The properties of a type to which a schema adds nothing. */
export const PLAIN_TYPE: TypeBase = { nullable: false, deprecated: false, validators: [] };

export const ANY_TYPE: AnyType = { ...PLAIN_TYPE, kind: "any", nullable: true };

/**
 * Returns the type of the declared property or list item at the path. If several alternatives have the property,
 * returns the type in the first of these alternatives. Returns undefined if there is no such property, and for
 * additional properties.
 */
export function fieldAt(type: FieldType, path: AttrPath): FieldType | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return type;
  if (type.kind === "union") {
    return type.options.map((option) => fieldAt(option, path)).find((found) => found !== undefined);
  }
  if (type.kind === "list") return typeof name === "number" ? fieldAt(type.items, rest) : undefined;
  const member = type.kind === "object" ? type.properties.get(String(name))?.type : undefined;
  return member && fieldAt(member, rest);
}

export function isNumeric(type: FieldType): type is NumericType {
  return type.kind === "decimal" || type.kind === "number" || type.kind === "integer";
}

export function mayBeObject(type: FieldType): boolean {
  return type.kind === "object" || (type.kind === "union" && type.options.some(mayBeObject));
}

export type JsonTypeName = "string" | "number" | "boolean" | "object" | "list";

/**
 * Returns the type of an object's member: the type of the property with this name, or the type of additional
 * properties. Returns undefined if there is neither, even if the name matches one of the `namePatterns`.
 */
export function memberType({ properties, additional }: ObjectType, name: string): FieldType | undefined {
  return properties.get(name)?.type ?? (additional === "closed" ? undefined : additional);
}

/** Whether a value has the JSON type of the kind; kinds with several JSON types accept any value. */
export function isOfKind(kind: FieldType["kind"], value: unknown): boolean {
  const json = Array.isArray(value) ? "list" : typeof value;
  return JSON_TYPES[kind] === undefined || JSON_TYPES[kind] === json;
}

/** The JSON type of each kind's values; undefined if there are several. */
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
