import type { ErrorObject } from "ajv";
import { parsePointer } from "../../json/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { jsonCopy } from "../../json/parse-json.ts";
import type { PayloadError, PayloadFinding } from "../sandbox-reply.ts";
import { COMMON_CODES, compileAsserted } from "./judge-assertions.ts";
import { compileAjv } from "./judge-keywords.ts";
import { objectAt } from "./openapi-schema.ts";
import { toJudgeSchema } from "./request-schema.ts";

/** Returns all errors in a request body in the platform's form; empty if the body is valid. */
export type Judge = (body: unknown) => readonly PayloadError[];

/**
 * Compiles the request schema of one operation of an OpenAPI document for Ajv. The judge reproduces the silent
 * conversions, the codes and the attrs of the Django REST framework (docs/sandbox.md, "How payloads are validated"). It
 * shares no code with local validation, so that the two can be compared.
 * @throws Error (a bug in the caller) if the document has no such operation or the operation has no JSON body
 */
export function compileJudge(
  document: JsonObject,
  { method, path }: { readonly method: string; readonly path: string },
): Judge {
  const content = ["paths", path, method.toLowerCase(), "requestBody", "content", "application/json"];
  const request = objectAt(document, document, content)?.["schema"];
  if (!isJsonObject(request)) throw new Error(`${method} ${path} has no JSON request body`);
  const { schema, asserted } = toJudgeSchema(document, request);
  const validate = compileAjv(schema, { explain: findingsFrom, assertion: compileAsserted(asserted, document) });
  return (body) => {
    // Conversions modify the data, so they use a copy.
    const holder = jsonCopy({ body: body ?? null });
    const findings = validate(holder) ? [] : findingsFrom(validate.errors ?? []);
    return findings.map(({ attr, code }) => ({ attr, code, detail: DETAIL_BY_CODE[code] ?? "Not valid." }));
  };
}

/** Converts the errors of Ajv to the platform's codes and attrs (docs/errors.md), without duplicates. */
function findingsFrom(errors: readonly ErrorObject[]): readonly PayloadFinding[] {
  const refused = refusedPaths(errors);
  const applicable = errors.filter(({ keyword, instancePath }) => keyword !== "asserted" || !refused.has(instancePath));
  const found = applicable.flatMap(findingsOf);
  const broken = new Set(found.filter(({ code }) => NO_VALUE_CODES.has(code)).map(({ attr }) => attr));
  const kept = found.filter(({ attr, code }) => NO_VALUE_CODES.has(code) || !broken.has(attr));
  return [...new Map(kept.map((one) => [`${one.attr} ${one.code}`, one])).values()];
}

/**
 * Returns the JSON pointers of the values to which assertions do not apply, because the value has another error or
 * contains one.
 */
function refusedPaths(errors: readonly ErrorObject[]): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const error of errors) {
    if (findingsOf(error).length === 0) continue;
    let path = error.instancePath;
    if (error.keyword !== "asserted") refused.add(path);
    while (path !== "") {
      path = path.slice(0, path.lastIndexOf("/"));
      refused.add(path);
    }
  }
  return refused;
}

/**
 * Codes for a value that is missing, empty, or not the required list or object. Other findings for the same attr are
 * meaningless.
 */
const NO_VALUE_CODES: ReadonlySet<string> = new Set(["required", "null", "blank", "not_a_list", "not_a_dict"]);
const NON_FIELD = "non_field_errors";

function findingsOf(error: ErrorObject): readonly PayloadFinding[] {
  const { findings } = error.params;
  if (Array.isArray(findings)) return findings.filter(isFinding);
  const code = codeOf(error);
  if (code === undefined) return [];
  const [, ...path] = parsePointer(error.instancePath); // omits the first name, `body`
  return [{ attr: [...path, ...suffixOf(error, code)].join(".") || NON_FIELD, code }];
}

function isFinding(value: unknown): value is PayloadFinding {
  return typeof value === "object" && value !== null && "attr" in value && "code" in value;
}

/** Returns the names to append to the path of the value that Ajv reports. */
function suffixOf({ keyword, params, parentSchema }: ErrorObject, code: string): readonly string[] {
  if (keyword === "required") return [String(params["missingProperty"])];
  if (keyword === "additionalProperties") return [String(params["additionalProperty"])];
  if (typeof params["at"] === "string") return [params["at"]];
  const isAboutList = code === "not_a_list" || ["minItems", "maxItems", "uniqueItems"].includes(keyword);
  if (isAboutList) return parentSchema?.["holdsObjects"] === true ? [NON_FIELD] : [];
  return keyword === "type" && code === "invalid" && expects(parentSchema, "object") ? [NON_FIELD] : [];
}

function expects(schema: ErrorObject["parentSchema"], type: string): boolean {
  const expected: unknown = schema?.["type"];
  return Array.isArray(expected) ? expected.includes(type) : expected === type;
}

function codeOf({ keyword, data, params, parentSchema }: ErrorObject): string | undefined {
  if (typeof params["code"] === "string") return params["code"];
  if (data === null && (keyword === "type" || keyword === "enum")) return "null";
  if (keyword === "type") return wrongTypeCode(parentSchema);
  // An empty string is either allowed or reported as `blank`.
  if (data === "" && SKIPPED_WHEN_BLANK.has(keyword)) return undefined;
  if (keyword === "minItems" && Array.isArray(data) && data.length === 0) return "empty";
  return CODE_BY_KEYWORD[keyword];
}

function wrongTypeCode(schema: ErrorObject["parentSchema"]): string {
  if (schema?.["isDictionary"] === true) return "not_a_dict";
  return expects(schema, "array") ? "not_a_list" : "invalid";
}

const SKIPPED_WHEN_BLANK: ReadonlySet<string> = new Set(["minLength", "pattern", "format"]);

const CODE_BY_KEYWORD: Readonly<Record<string, string>> = {
  ...COMMON_CODES,
  enum: "invalid_choice",
  // A choice field with no choices.
  not: "invalid_choice",
  multipleOf: "invalid",
  format: "invalid",
};

const DETAIL_BY_CODE: Readonly<Record<string, string>> = {
  required: "This field is required.",
  null: "This field may not be null.",
  blank: "This field may not be blank.",
  invalid: "The value is not of the expected form.",
  invalid_choice: "The value is not a valid choice.",
  max_length: "The value is too long.",
  min_length: "The value is too short.",
  max_value: "The value is too large.",
  min_value: "The value is too small.",
  max_digits: "There are too many digits.",
  max_decimal_places: "There are too many decimal places.",
  max_whole_digits: "There are too many digits before the decimal point.",
  not_a_dict: "Expected a dictionary of items.",
  not_a_list: "Expected a list of items.",
  empty: "This list may not be empty.",
  unique: "The items must differ from each other.",
  null_characters_not_allowed: "Null characters are not allowed.",
  surrogate_characters_not_allowed: "Surrogate characters are not allowed.",
  unknown_field: "The platform does not document this field.",
  schema_mismatch: "The value does not satisfy the conditions of the schema.",
  unsafe_document_path: "The path must be relative, and stay below the import supplier's root.",
};
