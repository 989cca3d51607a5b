import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { definedMembers } from "../../json/defined-members.ts";
import { parsePointer } from "../../json/json-pointer.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { AJV_OPTIONS, type JudgeCallbacks, type Violation } from "./judge-keywords.ts";

/**
 * Compiles plain JSON Schemas that may refer to the document. Each schema is compiled when it is first needed. A schema
 * that Ajv cannot compile accepts every value.
 */
export function compileAsserted(schemas: JsonObject, document: JsonObject): JudgeCallbacks["assertion"] {
  const compiled = new Map<string, ValidateFunction | undefined>();
  const ajv = new Ajv2020({
    ...AJV_OPTIONS,
    // Ajv 8.20 removes variables that the code needs when it optimises code that tracks evaluated properties.
    code: { optimize: false },
  });
  // Ajv 8.20 generates faulty code that tracks evaluated properties if `if` is next to `patternProperties`.
  ajv.opts.unevaluated = JSON.stringify([document, schemas]).includes('"unevaluated');
  addFormats.default(ajv, ["date", "date-time", "time", "email", "uri", "uuid", "int32"]);
  const validatorOf = (name: string): ValidateFunction | undefined => {
    if (compiled.size === 0) ajv.addSchema({ ...separated(document), [MEMBER]: separated(schemas) }, ROOT);
    if (!compiled.has(name)) compiled.set(name, tryCompile(ajv, name));
    return compiled.get(name);
  };
  return (name, value) => {
    const validate = validatorOf(name);
    return validate === undefined || validate(value) ? undefined : violationOf(validate.errors ?? []);
  };
}

const ROOT = "document";
const MEMBER = "x-asserted";

/** Returns the members of an object, with `contains` separated from `prefixItems` at every depth. */
function separated(object: JsonObject): JsonObject {
  const entries = Object.entries(object).map(([name, member]) => [name, separateContains(member)] as const);
  return Object.fromEntries(entries);
}

/**
 * Moves `contains` next to `prefixItems` to its own part of `allOf`, because Ajv 8.20 skips it if the list is shorter
 * than `prefixItems`.
 */
function separateContains(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(separateContains);
  if (!isJsonObject(value)) return value;
  const { contains, minContains, maxContains, ...members } = separated(value);
  const { prefixItems = null, allOf = [] } = members;
  const counted = definedMembers({ contains, minContains, maxContains });
  if (!isJsonArray(prefixItems) || !isJsonArray(allOf)) return { ...members, ...counted };
  return { ...members, allOf: [...allOf, counted] };
}

function tryCompile(ajv: Ajv2020, name: string): ValidateFunction | undefined {
  try {
    return ajv.getSchema(`${ROOT}#/${MEMBER}/${name}`);
  } catch {
    return undefined;
  }
}

/** Returns the code of the last error, which summarises the errors before it. An error of `if` only repeats them. */
function violationOf(errors: readonly ErrorObject[]): Violation | undefined {
  const error = errors.findLast(({ keyword }) => keyword !== "if") ?? errors[0];
  if (error === undefined) return undefined;
  const { keyword, instancePath, params } = error;
  const name: unknown = params["missingProperty"] ?? params["additionalProperty"];
  const path = [...parsePointer(instancePath), ...(typeof name === "string" ? [name] : [])];
  const code = CODES[keyword] ?? "schema_mismatch";
  return path.length === 0 ? { code } : { code, at: path.join(".") };
}

/** The platform's codes for keywords that mean the same in an assertion and in a type. */
export const COMMON_CODES: Readonly<Record<string, string>> = {
  required: "required",
  additionalProperties: "unknown_field",
  minLength: "min_length",
  maxLength: "max_length",
  minItems: "min_length",
  maxItems: "max_length",
  minimum: "min_value",
  exclusiveMinimum: "min_value",
  maximum: "max_value",
  exclusiveMaximum: "max_value",
  uniqueItems: "unique",
  pattern: "invalid",
};

const CODES: Readonly<Record<string, string>> = {
  ...COMMON_CODES,
  dependentRequired: "required",
  dependencies: "required",
};
