import { Ajv, type FuncKeywordDefinition, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { JsonObject, JsonScalar } from "../model/json.ts";
import { coerce } from "./coerce.ts";
import { type DecimalRule, decimalCode } from "./decimal-text.ts";
import { unsafePathReason } from "./document-path.ts";
import { isDate, isDateTime, isTime } from "./iso-moment.ts";

/**
 * Compiles a schema of `judge-schema.ts`. Beside JSON Schema's own keywords it knows those of the platform:
 * `coerce`, `text`, `moment`, `decimal`, `tagged`, `knownTag`; their errors carry the platform's code as `params.code`.
 */
export function compileAjv(schema: JsonObject): ValidateFunction {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    validateFormats: true,
    code: { regExp: Object.assign(tolerantRegExp, { code: "tolerantRegExp" }) },
  });
  addFormats.default(ajv, ["email", "uuid", "uri"]);
  for (const keyword of KEYWORDS) ajv.addKeyword(keyword);
  return ajv.compile(schema);
}

/** Patterns of the wild are not all written for the `u` flag that JSON Schema asks for. */
function tolerantRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern, flags.replace("u", ""));
  }
}

interface CoerceRule {
  readonly to: string;
  readonly choices?: readonly JsonScalar[];
}

const COERCE: FuncKeywordDefinition = {
  keyword: "coerce",
  modifying: true,
  errors: false,
  validate: (
    rule: CoerceRule,
    data: unknown,
    _schema?: unknown,
    context?: { parentData: Record<string, unknown>; parentDataProperty: string | number },
  ) => {
    if (context !== undefined) context.parentData[context.parentDataProperty] = coerce(data, rule.to, rule.choices);
    return true;
  },
};

const KEYWORDS: readonly FuncKeywordDefinition[] = [
  COERCE,
  codeKeyword("text", (rule: TextRule, data) => (typeof data === "string" ? textCode(rule, data) : undefined)),
  codeKeyword("moment", (kind: keyof typeof MOMENTS, data) =>
    typeof data !== "string" || MOMENTS[kind](data) ? undefined : "invalid",
  ),
  codeKeyword("decimal", (rule: DecimalRule, data) => (typeof data === "string" ? decimalCode(data, rule) : undefined)),
  codeKeyword("knownTag", ({ tag, values }: KnownTags, data) => {
    if (!isRecord(data)) return undefined;
    const value = Object.hasOwn(data, tag) ? data[tag] : undefined;
    if (values.includes(tagText(value))) return undefined;
    if (value === undefined) return "required";
    return value === null ? "null" : "invalid_choice";
  }),
  {
    keyword: "tagged",
    errors: false,
    validate: ({ tag, value }: { readonly tag: string; readonly value: string }, data: unknown) =>
      isRecord(data) && tagText(Object.hasOwn(data, tag) ? data[tag] : undefined) === value,
  },
];

const MOMENTS = { date: isDate, datetime: isDateTime, time: isTime };

interface TextRule {
  readonly allowBlank: boolean;
  readonly documentPath: boolean;
}

interface KnownTags {
  readonly tag: string;
  readonly values: readonly string[];
}

/** A keyword whose check returns the platform's code for what is wrong. */
function codeKeyword<Rule>(
  keyword: string,
  check: (rule: Rule, data: unknown) => string | undefined,
): FuncKeywordDefinition {
  return {
    keyword,
    errors: true,
    compile: (rule: Rule) => {
      const validate: { (data: unknown): boolean; errors?: { keyword: string; params: { code: string } }[] } = (
        data,
      ) => {
        const code = check(rule, data);
        if (code === undefined) return true;
        validate.errors = [{ keyword, params: { code } }];
        return false;
      };
      return validate;
    },
  };
}

function textCode({ allowBlank, documentPath }: TextRule, data: string): string | undefined {
  if (data.trim() === "") return allowBlank ? undefined : "blank";
  if (data.includes("\0")) return "null_characters_not_allowed";
  if (/\p{Cs}/u.test(data)) return "surrogate_characters_not_allowed";
  return documentPath && unsafePathReason(data) !== undefined ? "unsafe_document_path" : undefined;
}

function tagText(value: unknown): string {
  return typeof value === "object" || value === undefined ? "null" : String(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
