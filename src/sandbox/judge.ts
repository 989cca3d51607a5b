import { isJsonObject, type JsonObject } from "../model/json.ts";
import { compileAjv } from "./judge-ajv.ts";
import { complaintsFrom, findingsFrom } from "./judge-errors.ts";
import { toJudgeSchema } from "./judge-schema.ts";
import { jsonCopy } from "./json-text.ts";
import { resolveRef } from "./openapi-ref.ts";
import type { Complaint } from "./reply.ts";

/** All that is wrong with a request body, as the platform would say it. Empty: nothing. */
export type Judge = (body: unknown) => readonly Complaint[];

/**
 * Compiles the request schema of one operation of an OpenAPI document for Ajv. The judge follows the Django REST
 * framework in what it converts silently, in its codes and in its addresses (docs/sandbox.md, "How payloads are judged").
 * It shares nothing with the local validation, so that the two can be compared.
 *
 * @throws when the document has no such operation, or the operation no JSON body: a bug of the caller.
 */
export function compileJudge(
  document: JsonObject,
  operation: { readonly method: string; readonly path: string },
): Judge {
  const validate = compileAjv(toJudgeSchema(document, requestSchema(document, operation)), findingsFrom);
  return (body) => {
    // Conversions write into the data, so they are given a copy.
    const holder = jsonCopy({ body: body ?? null });
    return validate(holder) ? [] : complaintsFrom(findingsFrom(validate.errors ?? []));
  };
}

function requestSchema(
  document: JsonObject,
  operation: { readonly method: string; readonly path: string },
): JsonObject {
  const { method, path } = operation;
  let found = document;
  for (const step of ["paths", path, method.toLowerCase(), "requestBody", "content", "application/json", "schema"]) {
    const next = found[step];
    if (!isJsonObject(next)) throw new Error(`${method} ${path} has no JSON request body`);
    found = step === "schema" ? next : resolveRef(document, next);
  }
  return found;
}
