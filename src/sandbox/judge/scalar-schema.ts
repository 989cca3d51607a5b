import { definedMembers } from "../../json/defined-members.ts";
import { isLongNumber, numberWithin } from "../../json/decimal-arithmetic.ts";
import { isJsonScalar, type JsonObject, type JsonScalar, type JsonValue } from "../../json/json-value.ts";

/**
 * Returns the JSON Schema of one value. Ajv first converts the value as the platform would (`coerce`), then validates
 * it.
 */
export function scalarSchema(parts: readonly JsonObject[], type: string | undefined, nullable: boolean): JsonObject {
  switch (type) {
    case undefined:
      return {};
    case "boolean":
    case "bool":
      return coercedSchema(nullable ? "nullableBoolean" : "boolean", typeSchema("boolean", nullable));
    case "integer":
    case "int":
      return numberSchema("integer", parts, nullable);
    case "number":
    case "float":
      return numberSchema("number", parts, nullable);
    default: {
      const format = parts.map((part) => part["format"]).find((name) => typeof name === "string");
      // A type that JSON Schema does not define, such as `datetime`, is read as a format.
      return textSchema(parts, type === "string" ? format : type, nullable);
    }
  }
}

/** Returns the schema of a choice. The choices are compared as text. */
export function choiceOf(values: readonly JsonValue[], nullable: boolean): JsonObject {
  const choices: readonly JsonScalar[] = values.filter(isJsonScalar).filter((value) => value !== null);
  const all = nullable ? [...choices, null] : choices;
  return { allOf: [{ coerce: { to: "choice", choices } }, all.length === 0 ? { not: {} } : { enum: all }] };
}

function textSchema(parts: readonly JsonObject[], format: JsonValue | undefined, nullable: boolean): JsonObject {
  const text = typeSchema("string", nullable);
  if (format === "decimal") return coercedSchema("decimal", { ...text, decimal: decimalRule(parts) });
  const form = typeof format === "string" ? FORM_BY_FORMAT[format] : undefined;
  // Dates and UUIDs are not text fields. They are not stripped and never count as blank.
  return form === undefined ? plainTextSchema(parts, format, text) : { ...text, form, allOf: patterns(parts) };
}

const FORM_BY_FORMAT: Readonly<Record<string, string>> = {
  date: "date",
  "date-time": "datetime",
  datetime: "datetime",
  time: "time",
  uuid: "uuid",
};

function plainTextSchema(parts: readonly JsonObject[], format: JsonValue | undefined, text: JsonObject): JsonObject {
  const asGiven = parts.some((part) => [true, "key"].some((marked) => part["x-document-path"] === marked))
    ? [{ documentPath: true }]
    : [];
  const kept = {
    ...text,
    text: { allowBlank: parts.some((part) => part["minLength"] === 0) },
    ...strictestLimit(parts, "minLength", Math.max),
    ...strictestLimit(parts, "maxLength", Math.min),
    ...(format === "email" || format === "uri" ? { format } : {}),
    allOf: patterns(parts),
  };
  return { allOf: [...asGiven, { coerce: { to: "text" } }, kept] };
}

/** Returns a schema for each pattern, so that all patterns apply. The first schema avoids an empty, invalid `allOf`. */
function patterns(parts: readonly JsonObject[]): readonly JsonObject[] {
  const written = parts.map((part) => part["pattern"]).filter((pattern) => typeof pattern === "string");
  return [{}, ...written.map((pattern) => ({ pattern }))];
}

function numberSchema(to: "integer" | "number", parts: readonly JsonObject[], nullable: boolean): JsonObject {
  const steps = stepsOf(parts).map((multipleOf) => ({ multipleOf }));
  return coercedSchema(to, { ...typeSchema(to, nullable), ...numericLimits(parts), allOf: [{}, ...steps] });
}

/** Returns every `multipleOf` of the parts. A number must be a multiple of all of them. */
function stepsOf(parts: readonly JsonObject[]): readonly number[] {
  return parts.map(({ multipleOf }) => multipleOf).filter((step) => typeof step === "number");
}

export function typeSchema(type: string, nullable: boolean): JsonObject {
  return { type: nullable ? [type, "null"] : type };
}

function coercedSchema(to: string, schema: JsonObject): JsonObject {
  return { allOf: [{ coerce: { to } }, schema] };
}

/** Returns the strictest limit of the parts as a schema with this keyword; an empty schema if no part sets a limit. */
export function strictestLimit(
  parts: readonly JsonObject[],
  word: string,
  pick: (...limits: number[]) => number,
): JsonObject {
  const limits = parts.map((part) => part[word]).filter((limit) => typeof limit === "number");
  return limits.length === 0 ? {} : { [word]: pick(...limits) };
}

/**
 * Returns the limits of a number. OpenAPI 3.0 combines `exclusiveMinimum: true` with `minimum`. In OpenAPI 3.1,
 * `exclusiveMinimum` is the limit itself.
 */
function numericLimits(parts: readonly JsonObject[]): JsonObject {
  const modern = parts.map(shortLimits).map((part) => ({ ...part, ...strictLimits(part), ...int32Limits(part) }));
  return {
    ...strictestLimit(modern, "minimum", Math.max),
    ...strictestLimit(modern, "maximum", Math.min),
    ...strictestLimit(modern, "exclusiveMinimum", Math.max),
    ...strictestLimit(modern, "exclusiveMaximum", Math.min),
  };
}

/**
 * Replaces each limit that is given as text because it has too many digits for a number. The new limit is a number that
 * accepts the same values.
 */
function shortLimits(part: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = part;
  const limits = [
    ["minimum", minimum, exclusiveMinimum === true ? "not above" : "not below"],
    ["maximum", maximum, exclusiveMaximum === true ? "not below" : "not above"],
    ["exclusiveMinimum", exclusiveMinimum, "not above"],
    ["exclusiveMaximum", exclusiveMaximum, "not below"],
  ] as const;
  const short = limits.flatMap(([word, limit, side]) =>
    isLongNumber(limit) ? [[word, numberWithin(limit, side)] as const] : [],
  );
  return { ...part, ...Object.fromEntries(short) };
}

function strictLimits(part: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = part;
  return {
    ...(exclusiveMinimum === true && minimum !== undefined ? { exclusiveMinimum: minimum } : {}),
    ...(exclusiveMaximum === true && maximum !== undefined ? { exclusiveMaximum: maximum } : {}),
  };
}

/** Returns the limits of `int32`, which is a signed 32-bit integer (OpenAPI 3.0.3, Data Types). */
function int32Limits({ format, minimum, maximum }: JsonObject): JsonObject {
  if (format !== "int32") return {};
  const [least, most] = [-(2 ** 31), 2 ** 31 - 1];
  return {
    minimum: typeof minimum === "number" ? Math.max(minimum, least) : least,
    maximum: typeof maximum === "number" ? Math.min(maximum, most) : most,
  };
}

const DIGITS_PATTERN = /^\^(?:-\?)?\\d\{0,(\d+)\}\(\?:\\\.\\d\{0,(\d+)\}\)\?\$$/;

/**
 * Returns the limits of a decimal: the numeric keywords, `x-max-digits`, `x-max-decimal-places`, and the limits in a
 * generated pattern such as `^-?\d{0,8}(?:\.\d{0,2})?$`. Each limit of the number of digits has its own code.
 */
function decimalRule(parts: readonly JsonObject[]): JsonObject {
  const pattern = parts.map((part) => part["pattern"]).find((text) => typeof text === "string");
  const [, whole, places] = typeof pattern === "string" ? (DIGITS_PATTERN.exec(pattern) ?? []) : [];
  const derived =
    whole === undefined || places === undefined
      ? {}
      : { maxDigits: Number(whole) + Number(places), maxDecimalPlaces: Number(places), maxWholeDigits: Number(whole) };
  const { "x-max-digits": digits } = strictestLimit(parts, "x-max-digits", Math.min);
  const { "x-max-decimal-places": decimals } = strictestLimit(parts, "x-max-decimal-places", Math.min);
  const difference =
    typeof digits === "number" && typeof decimals === "number" ? { maxWholeDigits: digits - decimals } : {};
  return {
    ...numericLimits(parts),
    multiplesOf: stepsOf(parts),
    ...difference,
    ...derived,
    ...definedMembers({ maxDigits: digits, maxDecimalPlaces: decimals, pattern }),
  };
}
