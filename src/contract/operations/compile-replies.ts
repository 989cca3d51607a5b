import type { AttrPath } from "../../json/attr.ts";
import { isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { compilationOf } from "../types/compile-type.ts";
import type { FieldType } from "../types/field-type.ts";
import { schemaNodeAt, type Compilation } from "../types/schema-node.ts";
import { createFindings, type Findings } from "../contract-findings.ts";
import type { Operation, DocumentedReply } from "./operation.ts";
import { dereferenced, type DocumentPart, jsonMediaType } from "./document-part.ts";
import { documentsAcceptance } from "./documented-reply.ts";

/** Compiles the replies with a status below 300 that an operation documents. */
export type CompileReplies = (operation: DocumentPart) => readonly DocumentedReply[];

/**
 * The types of replies are compiled separately from the types of requests, although they use the same schemas: see
 * {@link Compilation.direction}. Keywords that are not enforced are not reported, because they cannot invalidate a
 * record.
 */
export function repliesCompiler(compilation: Compilation): CompileReplies {
  const { document, openapi } = compilation;
  const unreported = createFindings(() => ({ file: "", line: 0 }));
  const types = compilationOf(document, openapi, unreported, { direction: "reply" });
  return (operation) => {
    const written = dereferenced(operation.value["responses"], [...operation.path, "responses"], compilation);
    const replies = Object.entries(written?.value ?? {}).flatMap(([name, value]): readonly DocumentedReply[] => {
      const status = statusOf(name);
      if (status === undefined || written === undefined) return [];
      const reply = dereferenced(value, [...written.path, name], compilation);
      return reply === undefined ? [] : [{ status, ...contentOf(reply, types) }];
    });
    const listed = replies.filter(({ status }) => status !== "default");
    return listed.length === 0 ? replies : listed;
  };
}

/** Undefined for replies that are not successes. */
function statusOf(name: string): DocumentedReply["status"] | undefined {
  if (name === "default") return name;
  if (/^2xx$/i.test(name)) return "2xx";
  return /^2\d\d$/.test(name) ? Number(name) : undefined;
}

function contentOf({ value, path }: DocumentPart, types: Compilation): Omit<DocumentedReply, "status"> {
  const content = isJsonObject(value["content"]) ? value["content"] : {};
  const mediaTypes = Object.keys(content);
  const name = jsonMediaType(mediaTypes) ?? mediaTypes.find((each) => ANY_MEDIA_TYPE.test(each));
  const media = name === undefined ? undefined : content[name];
  const schema = isJsonObject(media) ? media["schema"] : undefined;
  return { mediaTypes, body: bodyOf(schema, [...path, "content", name ?? "", "schema"], types) };
}

/** A media type range, which some generators write for JSON. */
const ANY_MEDIA_TYPE = /^(?:\*|application)\/\*/;

function bodyOf(schema: JsonValue | undefined, path: AttrPath, types: Compilation): FieldType | undefined {
  if (schema === undefined) return undefined;
  const type = types.compile([schemaNodeAt(schema, path, types.findings)]);
  return type.kind === "any" ? undefined : type;
}

/**
 * Warns about each operation that accepts records if the contract does not define how a reply shows that a record was
 * accepted. Operations that are only steps of other operations are checked as part of those operations.
 */
export function checkReplies(
  operations: readonly Operation[],
  placeOf: (operation: { readonly id: string }) => AttrPath,
  findings: Findings,
): void {
  const served = new Set(
    operations.flatMap(({ steps }) => steps.flatMap(({ operation, reasons }) => [operation.id, reasons?.id])),
  );
  for (const operation of operations) {
    if (operation.method !== "POST" || operation.body === undefined || documentsAcceptance(operation)) continue;
    if (served.has(operation.id) && operation.steps.length === 0) continue;
    const creating = operation.steps.at(-1)?.operation ?? operation;
    findings.add("warning", "acceptance-unknown", ACCEPTANCE_UNKNOWN, [...placeOf(creating), "responses"]);
  }
}

const ACCEPTANCE_UNKNOWN =
  "the contract does not define how a reply shows that a record was accepted: no documented reply below 300 contains the account number " +
  "or the business key";
