import { isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { Step, RequestForm, StepSequence } from "./operation.ts";
import { parametersType } from "./request-parameters.ts";
import type { FieldType, ObjectType } from "../types/field-type.ts";

/**
 * Returns the fields of a step's body, without the wrapped payload: fields that the contract sets or copies from the
 * payload, and fields from the mapping. Copied fields that the payload does not have are omitted.
 */
export function stepFields(body: Step["body"], payload: JsonObject, given: JsonObject = NO_FIELDS): JsonObject {
  const fields: Record<string, JsonValue> = {};
  for (const [name, source] of Object.entries(body ?? {})) {
    const value = "value" in source ? source.value : valueAt(payload, source.attr);
    if (value !== undefined) fields[name] = value;
  }
  return mergeFields(fields, given);
}

const NO_FIELDS: JsonObject = {};

/** Merges objects field by field; the contract's values take precedence over the values of a mapping. */
function mergeFields(set: JsonObject, given: JsonObject): JsonObject {
  const fields: Record<string, JsonValue> = { ...given, ...set };
  for (const [name, value] of Object.entries(given)) {
    const known = set[name];
    if (isJsonObject(value) && isJsonObject(known)) fields[name] = mergeFields(known, value);
  }
  return fields;
}

/**
 * Returns the type of {@link stepFields}. Returns undefined for a step that sends only the payload, and for a body that
 * is not of the kind `object`.
 */
export function stepFieldsType({ operation, body }: Step): ObjectType | undefined {
  if (operation.wrap !== undefined) return operation.envelope;
  return body !== undefined && operation.body?.kind === "object" ? operation.body : undefined;
}

/** Returns the types of all parts of a record: its payload, the fields of its steps, and its parameters. */
export function sentTypes(operation: RequestForm & StepSequence): readonly FieldType[] {
  const { body, steps } = operation;
  return [body, ...steps.map(stepFieldsType), parametersType(operation)].filter((type) => type !== undefined);
}
