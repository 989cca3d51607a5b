import type { Rule } from "../../rules/language/rule.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { JsonScalar, JsonValue } from "../../json/json-value.ts";

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
  readonly pattern?: RegExp;
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
  readonly pattern?: RegExp;
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
  readonly exclusive: boolean;
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
