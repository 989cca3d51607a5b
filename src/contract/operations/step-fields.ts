import { isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { Operation, Step } from "./operation.ts";
import { parametersType } from "./request-parameters.ts";
import type { FieldType, ObjectType } from "../types/field-type.ts";

/**
 * The fields of a step's body, the wrapped payload apart: what the contract takes from the payload or sets, and what the
 * mapping gives. What the payload does not have is left out.
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

/** Objects are put together field by field; the contract sets what a mapping cannot. */
function mergeFields(set: JsonObject, given: JsonObject): JsonObject {
  const fields: Record<string, JsonValue> = { ...given, ...set };
  for (const [name, value] of Object.entries(given)) {
    const known = set[name];
    if (isJsonObject(value) && isJsonObject(known)) fields[name] = mergeFields(known, value);
  }
  return fields;
}

/** What {@link stepFields} are of; undefined for a step that sends the payload and nothing else. */
export function stepFieldsType({ operation, body }: Pick<Step, "operation" | "body">): ObjectType | undefined {
  if (operation.wrap !== undefined) return operation.envelope;
  return body !== undefined && operation.body?.kind === "object" ? operation.body : undefined;
}

/** The types of what a record becomes: its payload, what its steps carry beside or in place of that, and its parameters. */
export function sentTypes(operation: Pick<Operation, "body" | "parameters" | "steps">): readonly FieldType[] {
  const { body, steps } = operation;
  return [body, ...steps.map(stepFieldsType), parametersType(operation)].filter((type) => type !== undefined);
}
