import { Ajv, type ErrorObject, type FuncKeywordDefinition, type Options, type ValidateFunction } from "ajv";
import type { DataValidateFunction, DataValidationCxt } from "ajv/dist/types/index.js";
import addFormats from "ajv-formats";
import { isJsonArray, isJsonObject, type JsonObject, type JsonScalar } from "../../json/json-value.ts";
import { type DecimalRule, coerce, decimalCodes, isDate, isDateTime, isEmail, isTime, strip } from "./django-fields.ts";

/**
 * Compiles a schema of `request-schema.ts`. In addition to the keywords of JSON Schema, supports keywords for the
 * behaviour of the platform. `coerce` converts values. `text`, `documentPath`, `form` and `decimal` validate values and
 * set `params.code` to the code of the platform. `tagged` and `bestOf` choose between schemas. `asserted` names a plain
 * JSON Schema.
 */
export function compileAjv(schema: JsonObject, { explain, assertion }: JudgeCallbacks): ValidateFunction {
  const ajv = new Ajv({
    ...AJV_OPTIONS,
    allErrors: true,
    verbose: true,
    strictNumbers: true,
    code: { regExp: Object.assign(tolerantRegExp, { code: "tolerantRegExp" }) },
  });
  addFormats.default(ajv, ["uri"]);
  ajv.addFormat("email", isEmail);
  for (const keyword of [...TEXT_KEYWORDS, resultKeyword("asserted", assertion), ...unionKeywords(ajv, explain)]) {
    ajv.addKeyword(keyword);
  }
  return ajv.compile({ ...schema, $id: ROOT });
}

export const AJV_OPTIONS: Options = {
  strict: false,
  ownProperties: true,
  meta: false,
  validateSchema: false,
  logger: false,
  multipleOfPrecision: 9,
};

export interface Violation {
  readonly code: string;
  readonly at?: string;
}

export interface JudgeCallbacks {
  /** Converts the errors of the chosen schema to the findings of the caller. */
  readonly explain: (errors: readonly ErrorObject[]) => readonly object[];
  /** Returns the violation of the named plain schema; undefined if the value satisfies it. */
  readonly assertion: (name: string, value: unknown) => Violation | undefined;
}

const ROOT = "judge";

function definitionOf(ajv: Ajv, name: string): ValidateFunction {
  const found = ajv.getSchema(`${ROOT}#/$defs/${name}`);
  if (found === undefined) throw new Error(`the judge has no definition ${name}`);
  return found;
}

/**
 * Compiles a published pattern. Some patterns are not valid with the `u` flag that JSON Schema requires, and some are
 * not valid at all.
 */
function tolerantRegExp(pattern: string, flags: string): RegExp {
  for (const attempt of [flags, flags.replace("u", "")]) {
    try {
      return new RegExp(pattern, attempt);
    } catch {
      // A pattern that is not valid with either set of flags is ignored.
    }
  }
  return /(?:)/;
}

const TEXT_KEYWORDS: readonly FuncKeywordDefinition[] = [
  {
    keyword: "coerce",
    modifying: true,
    errors: false,
    compile:
      ({ to, choices }: { readonly to: string; readonly choices?: readonly JsonScalar[] }) =>
      (data, context) => {
        if (context !== undefined)
          Reflect.set(context.parentData, context.parentDataProperty, coerce(data, to, choices));
        return true;
      },
  },
  textKeyword("text", ({ allowBlank }: { readonly allowBlank: boolean }, text) => textCodes(text, allowBlank)),
  textKeyword("documentPath", (_isMarked, path) => (isUnsafePath(path) ? ["unsafe_document_path"] : [])),
  textKeyword("form", (name: keyof typeof FORM_CHECKS, text) => (FORM_CHECKS[name](text) ? [] : ["invalid"])),
  textKeyword("decimal", (rule: DecimalRule, text) => decimalCodes(text, rule)),
];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FORM_CHECKS = { date: isDate, datetime: isDateTime, time: isTime, uuid: (text: string) => UUID.test(text) };

/**
 * Whether a document path is unsafe. A path must be relative to the root of the import supplier (API specification
 * 2.5).
 */
function isUnsafePath(path: string): boolean {
  return strip(path) !== "" && PATH_CHECKS.some((isUnsafe) => isUnsafe(path));
}

function textCodes(text: string, allowBlank: boolean): readonly string[] {
  if (text === "") return allowBlank ? [] : ["blank"];
  return [
    ...(text.includes("\0") ? ["null_characters_not_allowed"] : []),
    ...(/\p{Cs}/u.test(text) ? ["surrogate_characters_not_allowed"] : []),
  ];
}

/** @param check returns the platform's codes for a string */
function textKeyword<Rule>(keyword: string, check: (rule: Rule, text: string) => readonly string[]): Keyword<Rule> {
  const compile = (rule: Rule): DataValidateFunction => {
    const validate: DataValidateFunction = (text: string) => {
      const codes = check(rule, text);
      validate.errors = codes.map((code) => ({ keyword, params: { code } }));
      return codes.length === 0;
    };
    return validate;
  };
  return { keyword, type: "string", errors: true, compile };
}

const MAX_PATH_BYTES = 1024;

const PATH_CHECKS: readonly ((path: string) => boolean)[] = [
  (path) => UNPRINTABLE.test(path),
  (path) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(path),
  (path) => path.includes("\\"),
  (path) => /^[/~]/.test(path),
  (path) => /%[0-9A-Fa-f]{2}/.test(path),
  (path) => pathSegments(path).some((segment) => segment === "." || segment === ".."),
  (path) => pathSegments(path).includes(""),
  (path) => /^\s/.test(path) || pathSegments(path).some((segment) => /[.\s]$/.test(segment)),
  (path) => path.normalize("NFC") !== path,
  (path) => Buffer.byteLength(path) > MAX_PATH_BYTES,
];

/**
 * Control characters, lone surrogates, line separators, and characters that join text, hide it or change its direction.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

function pathSegments(path: string): readonly string[] {
  return path.split("/");
}

interface Keyword<Rule> extends FuncKeywordDefinition {
  readonly compile: (rule: Rule) => DataValidateFunction;
}

/**
 * The result of a choice between schemas: an error of the choice itself, the findings of the chosen schema (empty if
 * the value is valid), or undefined for a permitted null.
 */
type UnionResult =
  | { readonly code: string; readonly at?: string }
  | { readonly findings: readonly object[] }
  | undefined;

interface TaggedRule {
  /** The property that selects the schema. */
  readonly tag: string;
  /** The definition for each tag value, as text. */
  readonly schemas: Readonly<Record<string, string>>;
  /** The candidates for a value without a tag; empty if the tag is required. */
  readonly untagged: BestOfRule["candidates"];
  readonly nullable: boolean;
}

interface BestOfRule {
  readonly candidates: readonly { readonly schema: string; readonly json: "object" | "list" | "scalar" | "any" }[];
  readonly nullable: boolean;
}

/**
 * Returns the keywords that choose between schemas. `tagged` uses the schema that a discriminator selects. `bestOf`
 * uses the first valid schema, or else the schema with the fewest errors.
 */
function unionKeywords(ajv: Ajv, explain: JudgeCallbacks["explain"]): readonly FuncKeywordDefinition[] {
  const judge = (name: string, data: unknown, context: DataValidationCxt | undefined): readonly object[] => {
    const validate = definitionOf(ajv, name);
    return validate(data, context) ? [] : explain(validate.errors ?? []);
  };

  return [
    resultKeyword("tagged", (rule: TaggedRule, data, context) =>
      tagged(rule, data, (name) => judge(name, data, context)),
    ),
    resultKeyword("bestOf", (rule: BestOfRule, data, context) =>
      bestOf(rule, data, (name) => judge(name, data, context)),
    ),
  ];
}

type FindingsOfSchema = (definition: string) => readonly object[];

function tagged(
  { tag, schemas, untagged, nullable }: TaggedRule,
  data: unknown,
  attempt: FindingsOfSchema,
): UnionResult {
  if (data === null) return nullable ? undefined : { code: "null" };
  if (!isJsonObject(data)) return { code: "invalid", at: "non_field_errors" };
  const value = Object.hasOwn(data, tag) ? data[tag] : undefined;
  const name = tagText(value);
  const chosen = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (chosen !== undefined) return { findings: attempt(chosen) };
  if (value === undefined && untagged.length > 0) return bestOf({ candidates: untagged, nullable }, data, attempt);
  if (value === undefined) return { code: "required", at: tag };
  return { code: value === null ? "null" : "invalid_choice", at: tag };
}

/** Returns the text of a tag. A mapping may have a key for null, and a missing tag counts as null. */
function tagText(value: unknown): string | undefined {
  if (value === undefined || value === null) return "null";
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

function bestOf({ candidates, nullable }: BestOfRule, data: unknown, attempt: FindingsOfSchema): UnionResult {
  if (data === null) return nullable ? undefined : { code: "null" };
  const sameKind = candidates.filter(({ json }) => json === "any" || json === jsonKind(data));
  const findings = (sameKind.length > 0 ? sameKind : candidates).map(({ schema }) => attempt(schema));
  return { findings: findings.toSorted((one, other) => one.length - other.length)[0] ?? [] };
}

function resultKeyword<Rule>(
  keyword: string,
  decide: (rule: Rule, data: unknown, context: DataValidationCxt | undefined) => UnionResult,
): Keyword<Rule> {
  const compile = (rule: Rule): DataValidateFunction => {
    const validate: DataValidateFunction = (data: unknown, context) => {
      const result = decide(rule, data, context);
      if (result === undefined || ("findings" in result && result.findings.length === 0)) return true;
      validate.errors = [{ keyword, params: result }];
      return false;
    };
    return validate;
  };
  return { keyword, errors: true, compile };
}

function jsonKind(data: unknown): "object" | "list" | "scalar" {
  if (isJsonArray(data)) return "list";
  return isJsonObject(data) ? "object" : "scalar";
}
