import { stringify } from "yaml";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/contract/contract.ts";
import type { FieldType, ObjectType } from "../../src/contract/types/field-type.ts";

/** A reply that identifies the created account. */
const RECEIPT = { type: "object", properties: { account_number: { type: "string" } } };

/** Returns a document with one operation, `POST /things/`, whose payload has the given properties. */
export function documentOf(
  properties: object,
  more: { openapi?: string; schemas?: object; operation?: Readonly<Record<string, unknown>>; paths?: object } = {},
): string {
  return stringify(
    {
      openapi: more.openapi ?? "3.0.3",
      info: { title: "Test", version: "1" },
      paths: {
        "/things/": {
          post: {
            operationId: "create-thing",
            ...more.operation,
            requestBody: { content: { "application/json": { schema: { type: "object", properties } } } },
            responses: more.operation?.["responses"] ?? {
              201: { content: { "application/json": { schema: RECEIPT } } },
            },
          },
        },
        ...more.paths,
      },
      components: { schemas: more.schemas ?? {} },
    },
    { aliasDuplicateObjects: false },
  );
}

export function contractOf(...args: Parameters<typeof documentOf>): Contract {
  return loadContract([{ file: "contract.yaml", text: documentOf(...args) }]);
}

/** Compiles a contract with the single property `field`. Returns its type, and the findings as `severity code`. */
export function fieldOf(
  schema: object | boolean,
  more: Parameters<typeof documentOf>[1] = {},
): { readonly type: FieldType; readonly findings: readonly string[]; readonly messages: readonly string[] } {
  const contract = contractOf({ field: schema }, more);
  const { findings } = contract;
  return {
    type: property(bodyOf(contract), "field"),
    findings: findings.map(({ severity, code }) => `${severity} ${code}`),
    messages: findings.map(({ message }) => message),
  };
}

export function bodyOf(contract: Contract): ObjectType {
  const body = contract.operations[0]?.body;
  if (body?.kind !== "object") throw new Error("the operation has no object for a body");
  return body;
}

export function property(type: FieldType, name: string): FieldType {
  const found = type.kind === "object" ? type.properties.get(name) : undefined;
  if (found === undefined) throw new Error(`no property ${name} in a type of kind ${type.kind}`);
  return found.type;
}
