import type * as Ajv from "ajv/dist/2020.js";
import { createRequire } from "node:module";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import type { Assertion } from "../contract/types/field-type.ts";
import type { AttrPath } from "../json/attr.ts";
import { parseFragment, parsePointer } from "../json/json-pointer.ts";
import {
  type JsonObject,
  type JsonValue,
  canonicalJson,
  isJsonArray,
  isJsonObject,
  valueAt,
} from "../json/json-value.ts";
import type { PayloadFinding } from "../model/problem.ts";
import { linearPattern, matcherOf, regularExpression } from "../text/linear-pattern.ts";
import { isIsoDate, isIsoDateTime, isIsoTime } from "../time/calendar.ts";
import { decimalTextOf, isDecimalText } from "../json/decimal-arithmetic.ts";
import { isEmail, isUri, isUuid } from "./text-formats.ts";
import { type Work, countMatches, createWork, matchCost } from "./work-limit.ts";
import { getOrAdd } from "../model/groups.ts";

/** The violation of an assertion, and its path inside the value. */
export interface AssertionFinding {
  readonly path: AttrPath;
  readonly finding: PayloadFinding;
}

/** Returns one violation of the first assertion that the value violates, or undefined if there is none. */
export type Assert = (value: JsonValue, work?: Work) => AssertionFinding | undefined;

/** Holds the work of the current value, to which compiled schemas add their comparisons with patterns. */
interface Meter {
  work: Work;
}

/**
 * Compiles the parts of a type's schema that its kind does not enforce. Ajv validates the value, and a single finding
 * reports the result.
 */
export function compileAssertions(assertions: readonly Assertion[]): Assert {
  const meter: Meter = { work: createWork() };
  const checks = assertions.map(({ schema, unevaluated, expected }) => {
    const validate = compileSchema(schema, unevaluated, meter);
    const isValid = unevaluated ? partsCheck(schema, meter) : undefined;
    const errorsOf = (value: JsonValue): readonly ErrorObject[] => {
      const errors = validate(value) ? [] : (validate.errors ?? []);
      if (isValid === undefined) return errors;
      if (!satisfiesUnevaluatedItems(schema, value, isValid)) return [UNEVALUATED_ITEMS];
      return errors.filter(({ schemaPath }) => schemaPath.includes("/unevaluatedProperties"));
    };
    return { errorsOf, expected };
  });
  return (value, work = createWork()) => {
    meter.work = work;
    for (const { errorsOf, expected } of checks) {
      const error = summaryError(errorsOf(value));
      if (error === undefined) continue;
      return expected === undefined ? findingOf(error) : { path: [], finding: { code: "invalid", expected } };
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

/** Validates values against parts of a schema. Each part is compiled when it is first needed. */
function partsCheck({ $defs = {} }: Assertion["schema"], meter: Meter): (part: JsonValue, value: JsonValue) => boolean {
  const compiled = new Map<JsonValue, ValidateFunction>();
  return (part, value) => {
    if (typeof part === "boolean") return part;
    return getOrAdd(compiled, part, () => compileSchema({ allOf: [part], $defs }, false, meter))(value);
  };
}

/** Loads Ajv on first use, because loading takes time and most contracts do not need Ajv. */
function compileSchema(schema: Assertion["schema"], allErrors: boolean, meter: Meter): ValidateFunction {
  const load = createRequire(import.meta.url);
  const { Ajv2020 }: typeof Ajv = load("ajv/dist/2020.js");
  const regExp = Object.assign((source: string, flags: string) => compilePattern(source, flags, meter), {
    code: "compilePattern",
  });
  // Ajv 8.20 removes variables that the code needs when it optimises code that tracks evaluated properties.
  const ajv = new Ajv2020({ ...OPTIONS, code: { regExp, optimize: false }, allErrors });
  // Tracking takes time, and only the unevaluated keywords need it.
  ajv.opts.unevaluated = JSON.stringify(schema).includes('"unevaluated');
  // Ajv compares every pair of items, which is too slow for long lists.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate: satisfiesUniqueItems });
  return ajv.compile(schema);
}

function satisfiesUniqueItems(mustDiffer: boolean, list: readonly JsonValue[]): boolean {
  return !mustDiffer || !hasRepeats(list);
}

const OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  meta: false,
  validateSchema: false,
  logger: false,
  multipleOfPrecision: 9,
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
 * Compiles a pattern of the contract. The pattern is valid with or without the `u` flag, because `checkedPattern`
 * accepted it. `toString` returns the source, because Ajv uses it to identify a pattern.
 */
function compilePattern(
  source: string,
  flags: string,
  meter: Meter,
): { test: (text: string) => boolean; toString: () => string } {
  const pattern = linearPattern(regularExpression(source, flags) ?? new RegExp(source, flags.replace("u", "")));
  const matches = pattern && matcherOf(pattern);
  const cost = pattern === undefined ? 0 : matchCost(pattern);
  const test = (text: string): boolean => {
    if (matches === undefined) return true;
    countMatches(meter.work, text, cost);
    return matches(text);
  };
  return { test, toString: () => source };
}

/** Returns the last error, which summarises the errors before it. Skips an error of `if`, which only repeats them. */
function summaryError(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.findLast(({ keyword }) => keyword !== "if") ?? errors[0];
}

function findingOf({ keyword, instancePath, params }: ErrorObject): AssertionFinding {
  const path: AttrPath = parsePointer(instancePath);
  const missing: unknown = params["missingProperty"];
  if (typeof missing === "string") return { path: [...path, missing], finding: { code: "required" } };
  const other: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof other === "string") return { path: [...path, other], finding: { code: "unknown_field" } };
  const limit = limitFinding(keyword, params["limit"]);
  if (limit !== undefined) return { path, finding: limit };
  if (keyword === "uniqueItems") return { path, finding: { code: "unique" } };
  const pattern: unknown = params["pattern"];
  if (typeof pattern === "string") {
    return { path, finding: { code: "invalid", expected: "pattern", written: { as: pattern } } };
  }
  const name: unknown = params["propertyName"];
  return { path, finding: { code: "schema_mismatch", keyword, ...(typeof name === "string" && { name }) } };
}

function limitFinding(keyword: string, limit: unknown): PayloadFinding | undefined {
  if (typeof limit !== "number") return undefined;
  const [code, unit] = LENGTHS[keyword] ?? [];
  if (code !== undefined && unit !== undefined) return { code, limit, unit };
  const bound = BOUNDS[keyword];
  return bound && { code: bound, limit: decimalTextOf(limit), exclusive: keyword.startsWith("exclusive") };
}

const LENGTHS: Readonly<Record<string, readonly ["min_length" | "max_length", "characters" | "items"] | undefined>> = {
  minLength: ["min_length", "characters"],
  maxLength: ["max_length", "characters"],
  minItems: ["min_length", "items"],
  maxItems: ["max_length", "items"],
};

const BOUNDS: Readonly<Record<string, "min_value" | "max_value" | undefined>> = {
  minimum: "min_value",
  exclusiveMinimum: "min_value",
  maximum: "max_value",
  exclusiveMaximum: "max_value",
};

/** Whether a list has two equal items. The order of the fields in an item does not matter. */
export function hasRepeats(list: readonly JsonValue[]): boolean {
  return new Set(list.map(canonicalJson)).size < list.length;
}

/** Whether a value satisfies a schema that uses the same definitions. */
type IsValid = (schema: JsonValue, value: JsonValue) => boolean;

/**
 * Whether every item that no other keyword evaluates satisfies `unevaluatedItems` (JSON Schema 2020-12, section 11.2).
 * The `allOf` of `schema` contains the parts, and its `$defs` the definitions. Ajv is not used for this keyword,
 * because it ignores items that `contains` evaluates and, in alternatives, items that `items` evaluates.
 */
function satisfiesUnevaluatedItems(schema: JsonObject, value: JsonValue, isValid: IsValid): boolean {
  if (!isJsonArray(value)) return true;
  const { allOf: parts = [] } = schema;
  return (isJsonArray(parts) ? parts.filter(isJsonObject) : []).every((part) => {
    const { unevaluatedItems: rule, ...others } = part;
    if (rule === undefined) return true;
    const evaluated = evaluatedItems(others, value, { document: schema, isValid });
    return value.every((item, index) => evaluated.has(index) || isValid(rule, item));
  });
}

interface Evaluation {
  readonly document: JsonObject;
  readonly isValid: IsValid;
}

/** Returns the indexes of the items that a schema's keywords evaluate. The list must satisfy the schema. */
function evaluatedItems(schema: JsonValue, list: readonly JsonValue[], evaluation: Evaluation): ReadonlySet<number> {
  if (!isJsonObject(schema)) return new Set();
  const { items, prefixItems = [], contains, unevaluatedItems } = schema;
  const indexes = [...list.keys()];
  if (items !== undefined || unevaluatedItems !== undefined) return new Set(indexes);
  const first = isJsonArray(prefixItems) ? prefixItems.length : 0;
  const own = indexes.filter(
    (index) => index < first || (contains !== undefined && evaluation.isValid(contains, list[index] ?? null)),
  );
  const inner = satisfiedParts(schema, list, evaluation).flatMap((part) => [...evaluatedItems(part, list, evaluation)]);
  return new Set([...own, ...inner]);
}

/** Returns the subschemas that apply to the same list and that the list satisfies. */
function satisfiedParts(schema: JsonObject, list: readonly JsonValue[], evaluation: Evaluation): readonly JsonValue[] {
  const { document, isValid } = evaluation;
  const { $ref: reference, allOf = [], anyOf = [], oneOf = [], if: condition, else: otherwise = true } = schema;
  const path = typeof reference === "string" ? parseFragment(reference) : undefined;
  const target = path === undefined ? [] : [valueAt(document, path) ?? true];
  const chosen = [anyOf, oneOf].flatMap((options) => (isJsonArray(options) ? options : []));
  return [
    ...target,
    ...(isJsonArray(allOf) ? allOf : []),
    ...chosen.filter((option) => isValid(option, list)),
    ...(condition === undefined ? [] : isValid(condition, list) ? [condition, schema["then"] ?? true] : [otherwise]),
  ];
}
