import { Ajv, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { JsonObject, JsonScalar } from "../model/json.ts";
import { coerce, strip } from "./coerce.ts";
import { decimalCodes, type DecimalRule } from "./decimal-text.ts";
import { unsafePathReason } from "./document-path.ts";
import { isDate, isDateTime, isTime } from "./iso-moment.ts";
import { type DataValidateFunction, unionKeywords } from "./judge-union-keywords.ts";

/**
 * Compiles a schema of `judge-schema.ts`. Beside JSON Schema's own keywords it knows those of the platform:
 * `coerce` converts, `text`, `documentPath`, `form` and `decimal` judge, and their errors carry the platform's code
 * as `params.code`; `tagged` and `bestOf` choose between schemas.
 *
 * @param explain puts the errors of the chosen schema into what the caller makes of errors.
 */
export function compileAjv(
  schema: JsonObject,
  explain: (errors: readonly ErrorObject[]) => readonly object[],
): ValidateFunction {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    strictNumbers: true,
    ownProperties: true,
    meta: false,
    validateSchema: false,
    logger: false,
    multipleOfPrecision: 9,
    code: { regExp: Object.assign(tolerantRegExp, { code: "tolerantRegExp" }) },
  });
  addFormats.default(ajv, ["email", "uri"]);
  for (const keyword of [...JUDGING, ...unionKeywords({ definition: (name) => definition(ajv, name), explain })]) {
    ajv.addKeyword(keyword);
  }
  return ajv.compile({ ...schema, $id: ROOT });
}

const ROOT = "judge";

function definition(ajv: Ajv, name: string): ValidateFunction {
  const found = ajv.getSchema(`${ROOT}#/$defs/${name}`);
  if (found === undefined) throw new Error(`the judge has no definition ${name}`);
  return found;
}

/** Patterns of the wild are not all written for the `u` flag that JSON Schema asks for, and some are no patterns at all. */
function tolerantRegExp(pattern: string, flags: string): RegExp {
  for (const attempt of [flags, flags.replace("u", "")]) {
    try {
      return new RegExp(pattern, attempt);
    } catch {
      // Tried again without the flag; then given up.
    }
  }
  return /(?:)/;
}

interface CoerceRule {
  readonly to: string;
  readonly choices?: readonly JsonScalar[];
}

const JUDGING: readonly FuncKeywordDefinition[] = [
  {
    keyword: "coerce",
    modifying: true,
    errors: false,
    compile:
      ({ to, choices }: CoerceRule) =>
      (data, context) => {
        if (context !== undefined)
          Reflect.set(context.parentData, context.parentDataProperty, coerce(data, to, choices));
        return true;
      },
  },
  {
    ...aboutText("text"),
    compile: ({ allowBlank }: { readonly allowBlank: boolean }) =>
      judging("text", (text) => textCodes(text, allowBlank)),
  },
  {
    ...aboutText("documentPath"),
    compile: () => judging("documentPath", (path) => (isUnsafe(path) ? ["unsafe_document_path"] : [])),
  },
  {
    ...aboutText("form"),
    compile: (name: keyof typeof FORMS) => judging("form", (text) => (FORMS[name](text) ? [] : ["invalid"])),
  },
  {
    ...aboutText("decimal"),
    compile: (rule: DecimalRule) => judging("decimal", (text) => decimalCodes(text, rule)),
  },
];

const FORMS = { date: isDate, datetime: isDateTime, time: isTime, uuid: isUuid };

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function isUnsafe(path: string): boolean {
  return strip(path) !== "" && unsafePathReason(path) !== undefined;
}

function textCodes(text: string, allowBlank: boolean): readonly string[] {
  if (text === "") return allowBlank ? [] : ["blank"];
  return [
    ...(text.includes("\0") ? ["null_characters_not_allowed"] : []),
    ...(/\p{Cs}/u.test(text) ? ["surrogate_characters_not_allowed"] : []),
  ];
}

function aboutText(keyword: string): { readonly keyword: string; readonly type: "string"; readonly errors: true } {
  return { keyword, type: "string", errors: true };
}

/** Turns the platform's codes for what is wrong with a text into Ajv's errors. */
function judging(keyword: string, check: (text: string) => readonly string[]): DataValidateFunction {
  const validate: DataValidateFunction = (text: string) => {
    const codes = check(text);
    validate.errors = codes.map((code) => ({ keyword, params: { code } }));
    return codes.length === 0;
  };
  return validate;
}
