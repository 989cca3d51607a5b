import type { Operation } from "../../contract/operations/operation.ts";
import { parametersType } from "../../contract/operations/request-parameters.ts";
import { stepFieldsType } from "../../contract/operations/step-fields.ts";
import type { JsonObject } from "../../json/json-value.ts";
import { closedObject, ENTRY_SCHEMA, LEAF_SCHEMA } from "./leaf-schema.ts";
import { createPayloadSchema, type PayloadSchema } from "./payload-schema.ts";
import { SOURCE_SCHEMA } from "./source-schema.ts";

/**
 * Returns the JSON Schema (draft 7, which editors support) of a mapping. With an operation, the schema includes the
 * payload's fields and their descriptions from the contract. A mapping that satisfies the schema may still be invalid,
 * because the schema does not include columns.
 */
export function mappingSchema(operation?: Operation): JsonObject {
  const payload = createPayloadSchema();
  const request = operation === undefined ? ANY_REQUEST : requestProperties(operation, payload);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: operation === undefined ? "Mapping" : `Mapping for ${operation.id}`,
    description: "Converts rows of extracts to payloads (see docs/mapping.md)",
    type: "object",
    additionalProperties: false,
    required: ["payload"],
    properties: {
      operation: { type: "string", description: "The operation of the contract: its operationId, or METHOD path" },
      key: { type: "string", description: "Attr of the business key in the payload; default: the key in the contract" },
      after: AFTER,
      sources: {
        type: "object",
        description: "The files and how they are joined; optional for a single source",
        additionalProperties: SOURCE_SCHEMA,
      },
      ...request,
      measures: MEASURES,
      functions: { type: "string", description: "Path of a JavaScript module with functions for `call`" },
    },
    definitions: { leaf: LEAF_SCHEMA, entry: ENTRY_SCHEMA, ...payload.definitions() },
  };
}

const MEASURES: JsonObject = {
  type: "object",
  description: "Amounts that `migrate proof` adds up (see docs/proof.md)",
  additionalProperties: closedObject(
    {
      attr: { type: "string", description: "The path of the amount in payloads; * matches every item of a list" },
      sum: { const: "decimal" },
      by: { type: "string", description: "An attr of the payload: one sum for each of its values" },
    },
    ["attr"],
  ),
};

const ANY_ENTRIES: JsonObject = { type: "object", additionalProperties: { $ref: "#/definitions/entry" } };
const ANY_REQUEST: JsonObject = { payload: ANY_ENTRIES, steps: ANY_ENTRIES, parameters: ANY_ENTRIES };

/** Returns the schemas of `payload`, `steps` and `parameters` for an operation. */
function requestProperties(operation: Operation, { entryOf }: PayloadSchema): JsonObject {
  const steps = operation.steps.flatMap((step) => {
    const type = stepFieldsType(step);
    return type === undefined ? [] : [[step.name, entryOf(type)] as const];
  });
  const parameters = parametersType(operation)?.properties.get("parameters")?.type;
  return {
    payload: operation.body === undefined ? { type: "object", maxProperties: 0 } : entryOf(operation.body),
    steps: closedObject(Object.fromEntries(steps)),
    parameters: parameters === undefined ? { type: "object", maxProperties: 0 } : entryOf(parameters),
  };
}

const AFTER: JsonObject = {
  description: "The operation whose records must be accepted first",
  anyOf: [{ type: "string" }, closedObject({ operation: { type: "string" }, key: { type: "string" } }, ["operation"])],
};
