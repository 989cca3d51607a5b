import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../json/json-value.ts";
import { parseFragment } from "../json/json-pointer.ts";

/** Whether a value satisfies a schema that uses the same definitions. */
type IsValid = (schema: JsonValue, value: JsonValue) => boolean;

/**
 * Whether every item that no other keyword evaluates satisfies `unevaluatedItems` (JSON Schema 2020-12, section 11.2).
 * The `allOf` of `schema` contains the parts, and its `$defs` the definitions. Ajv is not used for this keyword,
 * because it ignores items that `contains` evaluates and, in alternatives, items that `items` evaluates.
 */
export function takesUnevaluatedItems(schema: JsonObject, value: JsonValue, isValid: IsValid): boolean {
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
