import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";

const LENGTHS = ["minLength", "maxLength"] as const;

/** JSON Schema for one value: first converted as the platform would (`coerce`), then judged. */
export function scalarSchema(parts: readonly JsonObject[], type: string | undefined, nullable: boolean): JsonObject {
  const format = parts.map((part) => part["format"]).find((name) => typeof name === "string");
  switch (type) {
    case undefined:
      return {};
    case "boolean":
      return converted("boolean", typed("boolean", nullable));
    case "integer":
    case "number":
      return converted(type, { ...typed(type, nullable), ...numericLimits(parts), ...plain(parts, ["multipleOf"]) });
    case "string":
      return textSchema(parts, format, nullable);
    default:
      // A type that is not JSON Schema's, such as `datetime`, is read as a format.
      return textSchema(parts, type, nullable);
  }
}

function textSchema(parts: readonly JsonObject[], format: string | undefined, nullable: boolean): JsonObject {
  const text = typed("string", nullable);
  switch (format) {
    case "decimal":
      return converted("decimal", { ...text, decimal: decimalRule(parts) });
    case "date":
    case "time":
      return { ...text, moment: format };
    case "date-time":
    case "datetime":
      return { ...text, moment: "datetime" };
    default:
      return plainTextSchema(parts, format, text);
  }
}

function plainTextSchema(parts: readonly JsonObject[], format: string | undefined, text: JsonObject): JsonObject {
  const documentPath = parts.some((part) => part["x-document-path"] === true);
  const allowBlank = parts.some((part) => part["minLength"] === 0);
  const patterns = parts.map((part) => part["pattern"]).filter((pattern) => typeof pattern === "string");
  const checked = {
    ...text,
    text: { allowBlank, documentPath },
    ...plain(parts, LENGTHS),
    ...(["email", "uuid", "uri"].includes(format ?? "") ? { format } : {}),
    ...(patterns.length > 0 ? { allOf: patterns.map((pattern) => ({ type: text["type"], pattern })) } : {}),
  } as JsonObject;
  return converted(documentPath ? "path" : "text", checked);
}

function typed(type: string, nullable: boolean): { readonly type: JsonValue } & JsonObject {
  return { type: nullable ? [type, "null"] : type };
}

function converted(to: string, schema: JsonObject): JsonObject {
  return { allOf: [{ coerce: { to } }, schema] };
}

function plain(parts: readonly JsonObject[], words: readonly string[]): JsonObject {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part).filter(([word]) => words.includes(word))));
}

/** OpenAPI 3.0 writes `exclusiveMinimum: true` beside `minimum`; 3.1 writes the limit itself. */
function numericLimits(parts: readonly JsonObject[]): JsonObject {
  const limits: Record<string, JsonValue> = {};
  for (const part of parts) {
    for (const [inclusive, exclusive] of [
      ["minimum", "exclusiveMinimum"],
      ["maximum", "exclusiveMaximum"],
    ] as const) {
      const limit = part[inclusive];
      const strict = part[exclusive];
      if (typeof strict === "number") limits[exclusive] = strict;
      if (limit !== undefined) limits[strict === true ? exclusive : inclusive] = limit;
    }
  }
  return limits;
}

const DIGITS_PATTERN = /^\^-\?\\d\{0,(\d+)\}\(\?:\\\.\\d\{0,(\d+)\}\)\?\$$/;

/** The digits that a generated pattern such as `^-?\d{0,8}(?:\.\d{0,2})?$` stands for, or the pattern itself. */
function decimalRule(parts: readonly JsonObject[]): JsonObject {
  const rule: Record<string, JsonValue> = { ...numericLimits(parts) };
  for (const part of parts) {
    const { pattern, "x-max-digits": digits } = part;
    const [, whole, places] = typeof pattern === "string" ? (DIGITS_PATTERN.exec(pattern) ?? []) : [];
    if (whole !== undefined && places !== undefined) {
      rule["maxWholeDigits"] = Number(whole);
      rule["maxDecimalPlaces"] = Number(places);
      rule["maxDigits"] = Number(whole) + Number(places);
    } else if (pattern !== undefined) rule["pattern"] = pattern;
    if (digits !== undefined && !isJsonObject(digits)) rule["maxDigits"] = digits;
  }
  return rule;
}
