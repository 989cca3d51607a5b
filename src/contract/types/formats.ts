import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, type JsonValue } from "../../json/json-value.ts";
import type { DateType, FieldType, TextType } from "./field-type.ts";
import type { KindOfType } from "./schema-keywords.ts";
import { type Compilation, readKeyword, readKeywords, type SchemaNode } from "./schema-node.ts";

/** The kinds of strings that are dates or times, by format. */
const DATE_KINDS: ReadonlyMap<string, DateType["kind"]> = new Map([
  ["date", "date"],
  ["date-time", "datetime"],
  ["time", "time"],
]);

const TEXT_FORMATS: readonly NonNullable<TextType["format"]>[] = ["email", "uuid", "uri"];

/** Text formats that are enforced. No value can satisfy two of them. */
const ENFORCED_FORMATS: ReadonlySet<string> = new Set(["decimal", ...DATE_KINDS.keys(), ...TEXT_FORMATS]);

/** The only number format that is enforced (OpenAPI 3.0.3, Data Types): a signed 32-bit integer. */
const INT32 = "int32";

/** Number formats. Only `int32` restricts JSON values. */
const NUMBER_FORMATS: ReadonlySet<string> = new Set([INT32, "int64", "float", "double"]);

/** A format that only tells user interfaces to obscure the input (OpenAPI 3.0.3, Data Types). */
const PASSWORD = "password";

export function isNumberFormat(format: JsonValue): boolean {
  return typeof format === "string" && NUMBER_FORMATS.has(format);
}

export function kindOfText(format: string | undefined): FieldType["kind"] {
  return format === "decimal" ? "decimal" : (DATE_KINDS.get(format ?? "") ?? "text");
}

export function isInt32(parts: readonly SchemaNode[]): boolean {
  return readKeywords(parts, "format").some(({ value }) => value === INT32);
}

/** Returns a schema with the limits of `int32` if a part has this format, otherwise an empty list. */
export function int32Limits(parts: readonly SchemaNode[]): readonly SchemaNode[] {
  const holder = parts.find((part) => readKeyword(part, "format") === INT32);
  if (holder === undefined) return [];
  return [{ schema: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }, path: holder.path, omit: [] }];
}

/** Returns the format of a text type (`email`, `uuid` or `uri`), or undefined for any other format. */
export function textFormat(format: string | undefined): TextType["format"] {
  return TEXT_FORMATS.find((name) => name === format);
}

function writtenFormats(parts: readonly SchemaNode[]): readonly { readonly value: string; readonly path: AttrPath }[] {
  return readKeywords(parts, "format").flatMap(({ value, path }) =>
    typeof value === "string" ? [{ value, path }] : [],
  );
}

/** Returns the first enforced string format, or otherwise the first format of any kind. */
export function formatOf(parts: readonly SchemaNode[], { contradict }: Compilation): string | undefined {
  const formats = writtenFormats(parts);
  const [first, ...others] = formats.filter(({ value }) => ENFORCED_FORMATS.has(value));
  const other = others.find(({ value }) => value !== first?.value);
  if (first !== undefined && other !== undefined) {
    contradict(`the formats ${first.value} and ${other.value} are mutually exclusive`, other.path);
  }
  return first?.value ?? formats[0]?.value;
}

/**
 * Whether a part's format is validated as a JSON Schema assertion. This is the case next to choices, for values of
 * several types, and if the kind was inferred from another keyword because no type is declared.
 */
export function isFormatAsserted(
  part: SchemaNode,
  parts: readonly SchemaNode[],
  { kind, untyped }: KindOfType,
): boolean {
  const format = readKeyword(part, "format");
  if (typeof format !== "string" || !(ENFORCED_FORMATS.has(format) || format === INT32)) return false;
  if (kind === "choice") return !everyChoiceHas(format, part);
  if (kind === "any") return true;
  if (!untyped) return false;
  if (format === INT32) return kind !== "integer";
  const own = writtenFormats(parts).find(({ value }) => ENFORCED_FORMATS.has(value))?.value;
  return format !== own || kind !== kindOfText(own);
}

/** Whether no choice of the part can violate the format. */
function everyChoiceHas(format: string, part: SchemaNode): boolean {
  const choices = readKeyword(part, "enum") ?? readKeyword(part, "const");
  if (choices === undefined) return false;
  const values = isJsonArray(choices) ? choices : [choices];
  if (format !== INT32) return values.every((value) => typeof value !== "string");
  return values.every((value) => typeof value !== "number" || isInt32Value(value));
}

function isInt32Value(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
}

export function reportUncheckedFormats(
  parts: readonly SchemaNode[],
  type: KindOfType,
  { findings }: Compilation,
): void {
  for (const part of parts) {
    const format = readKeyword(part, "format");
    if (format === undefined || isChecked(format, part, type)) continue;
    const message = `the format ${JSON.stringify(format)} is not enforced here`;
    findings.add("warning", "unknown-format", message, [...part.path, "format"]);
  }
}

function isChecked(format: JsonValue, part: SchemaNode, type: KindOfType): boolean {
  if (format === PASSWORD) return true;
  if (typeof format !== "string" || !(NUMBER_FORMATS.has(format) || ENFORCED_FORMATS.has(format))) return false;
  return takesSeveralTypes(part, type) || isFormatOf(type.kind, format);
}

/**
 * Whether the schema lists choices or allows values of several types. A format then applies only to values of its own
 * type, as an assertion.
 */
function takesSeveralTypes({ omit }: SchemaNode, { kind, untyped }: KindOfType): boolean {
  return untyped || omit.includes("type") || kind === "choice" || kind === "any";
}

function isFormatOf(kind: FieldType["kind"], format: string): boolean {
  if (NUMBER_FORMATS.has(format)) return !TEXT_KINDS.has(kind);
  return TEXT_KINDS.has(kind) || (format === "decimal" && (kind === "number" || kind === "integer"));
}

const TEXT_KINDS: ReadonlySet<FieldType["kind"]> = new Set(["text", "decimal", ...DATE_KINDS.values()]);
