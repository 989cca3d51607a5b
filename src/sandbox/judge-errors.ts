import type { ErrorObject } from "ajv";
import type { Complaint } from "./reply.ts";

/** Ajv's errors with the platform's codes at the platform's addresses (PLATFORM 5.1-5.2), in the order of the payload's schema. */
export function complaintsFrom(errors: readonly ErrorObject[]): readonly Complaint[] {
  const found = withoutUnionMembers(errors).flatMap((error) => finding(error) ?? []);
  return found
    .filter((one, index) => isFirstOfItsKind(one, index, found) && !isShadowed(one, found))
    .map(({ attr, code }) => ({ attr, code, detail: DETAILS[code] ?? "Not valid." }));
}

interface Finding {
  readonly attr: string;
  readonly code: string;
  /** The value is missing, empty or of the wrong type, so that other findings at the same attr mean nothing. */
  readonly structural: boolean;
}

/** A union that nothing fits is one finding; why each of its members did not fit is noise. */
function withoutUnionMembers(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === "anyOf") kept = kept.filter((one) => !isWithin(one.instancePath, error.instancePath));
    kept.push(error);
  }
  return kept;
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

function isFirstOfItsKind(one: Finding, index: number, all: readonly Finding[]): boolean {
  return all.findIndex((other) => other.attr === one.attr && other.code === one.code) === index;
}

function isShadowed(one: Finding, all: readonly Finding[]): boolean {
  return all.some((other) => other !== one && other.attr === one.attr && other.structural && !one.structural);
}

function finding(error: ErrorObject): Finding | undefined {
  const path = segmentsOf(error.instancePath);
  const own = codeOf(error);
  if (own === undefined) return undefined;
  const { code, structural = false } = own;
  return { attr: [...path, ...addressOf(error, code)].join(".") || NON_FIELD, code, structural };
}

const NON_FIELD = "non_field_errors";

function segmentsOf(instancePath: string): readonly string[] {
  // The first two are the empty text before the first slash, and `body`.
  return instancePath
    .split("/")
    .slice(2)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is added to the path of the value that Ajv blames. */
function addressOf({ keyword, params, parentSchema, data }: ErrorObject, code: string): readonly string[] {
  if (keyword === "required") return [String(params["missingProperty"])];
  if (keyword === "additionalProperties") return [String(params["additionalProperty"])];
  if (keyword === "knownTag") return [String(tagOf(parentSchema))];
  const aboutList = code === "not_a_list" || ["minItems", "maxItems", "uniqueItems"].includes(keyword);
  if (aboutList) return parentSchema?.["itemKind"] === "object" ? [NON_FIELD] : [];
  return keyword === "type" && data !== null && expects(parentSchema, "object") ? [NON_FIELD] : [];
}

function tagOf(schema: ErrorObject["parentSchema"]): unknown {
  const rule: unknown = schema?.["knownTag"];
  return typeof rule === "object" && rule !== null && "tag" in rule ? rule.tag : undefined;
}

function expects(schema: ErrorObject["parentSchema"], type: string): boolean {
  const expected: unknown = schema?.["type"];
  return Array.isArray(expected) ? expected.includes(type) : expected === type;
}

interface Code {
  readonly code: string;
  readonly structural?: boolean;
}

const STRUCTURAL: ReadonlySet<string> = new Set(["required", "null", "blank"]);

const CODES: Readonly<Record<string, Code>> = {
  required: { code: "required", structural: true },
  additionalProperties: { code: "unknown_field" },
  enum: { code: "invalid_choice" },
  anyOf: { code: "invalid" },
  minLength: { code: "min_length" },
  maxLength: { code: "max_length" },
  minItems: { code: "min_length" },
  maxItems: { code: "max_length" },
  uniqueItems: { code: "unique" },
  minimum: { code: "min_value" },
  exclusiveMinimum: { code: "min_value" },
  maximum: { code: "max_value" },
  exclusiveMaximum: { code: "max_value" },
  multipleOf: { code: "invalid" },
  pattern: { code: "invalid" },
  format: { code: "invalid" },
};

function codeOf(error: ErrorObject): Code | undefined {
  const { keyword, data, params, parentSchema } = error;
  const own: unknown = params["code"];
  if (typeof own === "string") return { code: own, structural: STRUCTURAL.has(own) };
  if (data === null && ["type", "enum", "anyOf"].includes(keyword)) return { code: "null", structural: true };
  if (keyword === "type") return { code: expects(parentSchema, "array") ? "not_a_list" : "invalid", structural: true };
  // An empty text that is allowed passes the other checks of its field, too.
  if (data === "" && ["pattern", "format", "minLength"].includes(keyword)) return undefined;
  if (keyword === "minItems" && Array.isArray(data) && data.length === 0) return { code: "empty" };
  return CODES[keyword];
}

const DETAILS: Readonly<Record<string, string>> = {
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
  not_a_list: "Expected a list of items.",
  empty: "This list may not be empty.",
  unique: "The items must differ from each other.",
  null_characters_not_allowed: "Null characters are not allowed.",
  surrogate_characters_not_allowed: "Surrogate characters are not allowed.",
  unknown_field: "The platform does not document this field.",
  unsafe_document_path: "The path must be relative, and stay below the import supplier's root.",
};
