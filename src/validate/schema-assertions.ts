import { createRequire } from "node:module";
import type * as Ajv from "ajv/dist/2020.js";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import type { Assertion } from "../contract/types/field-type.ts";
import type { AttrPath } from "../json/attr.ts";
import { parsePointer } from "../json/json-pointer.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { PayloadFinding } from "../model/problem.ts";
import { linearPattern, matcherOf, regularExpression } from "../text/linear-pattern.ts";
import { isIsoDate, isIsoDateTime, isIsoTime } from "../time/calendar.ts";
import { isDecimalText } from "../json/decimal-arithmetic.ts";
import { isEmail, isUri, isUuid } from "./text-formats.ts";
import { takesUnevaluatedItems } from "./unevaluated-items.ts";

/** The violation of an assertion, and its path inside the value. */
export interface AssertionFinding {
  readonly path: AttrPath;
  readonly finding: PayloadFinding;
}

/** Checks one value; undefined if it is valid. */
export type Assert = (value: JsonValue) => AssertionFinding | undefined;

/** Compiles the parts of a type's schema that its kind does not cover. Ajv decides; one finding reports the result. */
export function compileAssertions(assertions: readonly Assertion[]): Assert {
  const checks = assertions.map(({ schema, unevaluated }) => {
    const validate = compileSchema(schema, unevaluated);
    const isValid = unevaluated ? partsCheck(schema) : undefined;
    return (value: JsonValue): readonly ErrorObject[] => {
      const errors = validate(value) ? [] : (validate.errors ?? []);
      if (isValid === undefined) return errors;
      if (!takesUnevaluatedItems(schema, value, isValid)) return [UNEVALUATED_ITEMS];
      return errors.filter(({ schemaPath }) => schemaPath.includes("/unevaluatedProperties"));
    };
  });
  return (value) => {
    for (const check of checks) {
      const error = tellingError(check(value));
      if (error !== undefined) return findingOf(error);
    }
    return undefined;
  };
}

const UNEVALUATED_ITEMS: ErrorObject = {
  keyword: "unevaluatedItems",
  instancePath: "",
  schemaPath: "#/unevaluatedItems",
  params: {},
};

/** Validates values against parts of a schema, each compiled on first use. */
function partsCheck({ $defs = {} }: Assertion["schema"]): (part: JsonValue, value: JsonValue) => boolean {
  const compiled = new Map<JsonValue, ValidateFunction>();
  return (part, value) => {
    if (typeof part === "boolean") return part;
    const validate = compiled.get(part) ?? compileSchema({ allOf: [part], $defs }, false);
    compiled.set(part, validate);
    return validate(value);
  };
}

/** Loads Ajv on demand: most contracts have no such keyword, and loading would delay every command. */
function compileSchema(schema: Assertion["schema"], allErrors: boolean): ValidateFunction {
  const load = createRequire(import.meta.url);
  const ajv: typeof Ajv = load("ajv/dist/2020.js");
  return new ajv.Ajv2020({ ...OPTIONS, allErrors }).compile(schema);
}

const OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  meta: false,
  validateSchema: false,
  logger: false,
  multipleOfPrecision: 9,
  code: { regExp: Object.assign(compilePattern, { code: "compilePattern" }) },
  formats: {
    date: isIsoDate,
    "date-time": isIsoDateTime,
    time: isIsoTime,
    email: isEmail,
    uri: isUri,
    uuid: isUuid,
    decimal: isDecimalText,
    int32: { type: "number", validate: (value: number) => (value | 0) === value },
  },
};

/**
 * The patterns were already compiled when the contract was loaded, with or without the flag. Ajv identifies a pattern
 * by its text.
 */
function compilePattern(source: string, flags: string): { test: (text: string) => boolean; toString: () => string } {
  const pattern = linearPattern(regularExpression(source, flags) ?? new RegExp(source, flags.replace("u", "")));
  return { test: pattern === undefined ? () => true : matcherOf(pattern), toString: () => source };
}

/** The last error is the result of the ones before it; an error of `if` only repeats them. */
function tellingError(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.findLast(({ keyword }) => keyword !== "if") ?? errors[0];
}

function findingOf({ keyword, instancePath, params }: ErrorObject): AssertionFinding {
  const path: AttrPath = parsePointer(instancePath);
  const missing: unknown = params["missingProperty"];
  if (typeof missing === "string") return { path: [...path, missing], finding: { code: "required" } };
  const other: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof other === "string") return { path: [...path, other], finding: { code: "unknown_field" } };
  const limit: unknown = params["limit"];
  const [code, unit] = LENGTHS[keyword] ?? [];
  if (code !== undefined && unit !== undefined && typeof limit === "number") {
    return { path, finding: { code, limit, unit } };
  }
  if (keyword === "uniqueItems") return { path, finding: { code: "unique" } };
  const pattern: unknown = params["pattern"];
  if (typeof pattern === "string") {
    return { path, finding: { code: "invalid", expected: "pattern", written: { as: pattern } } };
  }
  const name: unknown = params["propertyName"];
  return { path, finding: { code: "schema_mismatch", keyword, ...(typeof name === "string" && { name }) } };
}

const LENGTHS: Readonly<Record<string, readonly ["min_length" | "max_length", "characters" | "items"] | undefined>> = {
  minLength: ["min_length", "characters"],
  maxLength: ["max_length", "characters"],
  minItems: ["min_length", "items"],
  maxItems: ["max_length", "items"],
};
