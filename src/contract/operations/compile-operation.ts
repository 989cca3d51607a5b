import type { AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { isJsonObject, memberAt, valueAt } from "../../json/json-value.ts";
import { type Findings, createFindings } from "../contract-findings.ts";
import { compilationOf } from "../types/compile-type.ts";
import type { FieldType, ObjectType } from "../types/field-type.ts";
import { type Compilation, schemaNodeAt } from "../types/schema-node.ts";
import { type DocumentPart, dereferenced, jsonMediaType } from "./document-part.ts";
import { ACCEPTANCE_UNKNOWN, documentsAcceptance } from "./documented-reply.ts";
import {
  type UnlinkedOperation,
  checkPayloadField,
  checkPayloadList,
  envelopeFields,
  linkWorkflows,
} from "./link-workflows.ts";
import { readExtensions } from "./operation-extensions.ts";
import {
  addressOf,
  type DocumentedReply,
  type Operation,
  type OperationExtensions,
  type PlainOperation,
} from "./operation.ts";
import { compileParameters } from "./request-parameters.ts";

/** Returns the operations of a document in document order, with the types of their request bodies. */
export function compileOperations(compilation: Compilation): readonly Operation[] {
  const { document, findings } = compilation;
  const paths = document["paths"];
  if (!isJsonObject(paths)) {
    findings.add("error", "no-operations", "the document has no paths", ["paths"]);
    return [];
  }
  const compileReplies = repliesCompiler(compilation);
  const unlinked = Object.entries(paths).flatMap(([path, written]) => {
    if (path.startsWith("x-")) return [];
    const item = dereferenced(written, ["paths", path], compilation);
    return item === undefined ? [] : operationsOf(path, item, { ...compilation, compileReplies });
  });
  if (unlinked.length === 0) findings.add("error", "no-operations", "the document has no operations", ["paths"]);
  reportDuplicateIds(unlinked, findings);
  const operations = linkWorkflows(unlinked, compilation);
  const places = new Map(unlinked.map(({ operation, path }) => [operation.id, path]));
  checkReplies(operations, ({ id }) => places.get(id) ?? [], findings);
  return operations;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

interface OperationCompilation extends Compilation {
  readonly compileReplies: CompileReplies;
}

function operationsOf(
  path: string,
  item: DocumentPart,
  compilation: OperationCompilation,
): readonly UnlinkedOperation[] {
  return METHODS.flatMap((method) => {
    const written = item.value[method];
    if (!isJsonObject(written)) return [];
    const part = { value: written, path: [...item.path, method] };
    const operation = compileOperation(method.toUpperCase(), path, part, compilation);
    if (operation.body === undefined) return [{ ...part, operation }];
    const parameters = compileParameters(path, item, part, compilation);
    return [{ ...part, operation: { ...operation, parameters } }];
  });
}

function compileOperation(
  method: string,
  path: string,
  written: DocumentPart,
  compilation: OperationCompilation,
): PlainOperation {
  const { operationId, summary } = written.value;
  const { findings } = compilation;
  const extensions = readExtensions(written, findings);
  const { wrap, key, items } = extensions;
  const whole = bodyOf(method, written, compilation);
  const body = wrap === undefined || whole === undefined ? whole : unwrapped(whole, wrap, written, findings);
  const envelope = wrap === undefined ? undefined : envelopeOf(whole, wrap);
  const { supplier = supplierField(body) } = extensions;
  if (body === undefined) reportWithoutBody(extensions, written.path, findings);
  else {
    if (key !== undefined) checkPayloadField(body, key, [...written.path, "x-migrate-key"], findings);
    if (supplier !== undefined) checkPayloadField(body, supplier, [...written.path, "x-migrate-supplier"], findings);
    checkItems(items, body, [...written.path, "x-migrate-items"], findings);
  }
  return {
    ...extensions,
    id: typeof operationId === "string" ? operationId : addressOf({ method, path }),
    method,
    path,
    replies: compilation.compileReplies(written),
    ...definedMembers({ summary: typeof summary === "string" ? summary : undefined, body, envelope, supplier }),
  };
}

/** Returns undefined if records cannot be sent to the operation. */
function bodyOf(method: string, { value, path }: DocumentPart, compilation: Compilation): FieldType | undefined {
  const request = dereferenced(value["requestBody"], [...path, "requestBody"], compilation);
  const content = request?.value["content"];
  if (request === undefined || !isJsonObject(content)) return undefined;
  const place = [...request.path, "content"];
  const mediaType = jsonMediaType(Object.keys(content));
  if (mediaType === undefined) {
    const message = "the request body is not JSON; the operation cannot be used";
    return compilation.findings.add("warning", "no-json-body", message, place);
  }
  if (method !== "POST") {
    const message = `records are sent with POST, but the method is ${method}; the operation cannot be used`;
    return compilation.findings.add("warning", "not-post", message, path);
  }
  const schema = memberAt(content[mediaType], "schema");
  const type = compilation.compile([schemaNodeAt(schema, [...place, mediaType, "schema"], compilation.findings)]);
  if (OBJECT_KINDS.has(type.kind)) return type;
  const message = `the request body is ${type.kind === "list" ? "a list" : "not an object"}, but a record is an object; the operation cannot be used`;
  return compilation.findings.add("warning", "no-json-body", message, [...place, mediaType, "schema"]);
}

const OBJECT_KINDS: ReadonlySet<FieldType["kind"]> = new Set(["object", "union", "any"]);

/**
 * Returns the type of the wrapped payload. If the body has no field `wrap`, adds a finding and returns the whole body's
 * type.
 */
function unwrapped(
  whole: FieldType | undefined,
  wrap: string,
  written: DocumentPart,
  findings: Findings,
): FieldType | undefined {
  const place = [...written.path, "x-migrate-wrap"];
  const given = envelopeFields(written.value);
  const property = whole?.kind === "object" ? whole.properties.get(wrap) : undefined;
  if (whole?.kind !== "object" || property === undefined) {
    findings.add("error", "bad-extension", `x-migrate-wrap: the body has no field "${wrap}"`, place);
    return whole;
  }
  for (const other of whole.properties.values()) {
    if (!other.required || other.name === wrap || given.has(other.name)) continue;
    const message = `x-migrate-wrap: "${other.name}" is required in addition to "${wrap}", but no step of the contract sends it`;
    findings.add("warning", "not-sent", message, place);
  }
  return property.type;
}

/**
 * Returns the type of the fields next to the wrapped payload. Omits the rules of the body, because they could require
 * the payload.
 */
function envelopeOf(whole: FieldType | undefined, wrap: string): ObjectType | undefined {
  if (whole?.kind !== "object" || !whole.properties.has(wrap)) return undefined;
  const { rules: _rules, ...type } = whole;
  return { ...type, properties: new Map([...whole.properties].filter(([name]) => name !== wrap)) };
}

/**
 * Returns the field for the import supplier, as named in the platform's own documents (API specification 2.4), or
 * undefined if the payload has no such field.
 */
function supplierField(body: FieldType | undefined): AttrPath | undefined {
  if (body?.kind !== "object") return undefined;
  const name = ["import_supplier", "import_supplier_code"].find((candidate) => body.properties.has(candidate));
  return name === undefined ? undefined : [name];
}

function checkItems(items: OperationExtensions["items"], body: FieldType, place: AttrPath, findings: Findings): void {
  for (const [index, { attr }] of (items ?? []).entries()) {
    if (attr !== undefined) checkPayloadList(body, attr, [...place, index, "attr"], findings);
  }
}

function reportWithoutBody(extensions: OperationExtensions, path: AttrPath, findings: Findings): void {
  if (extensions.key === undefined && extensions.wrap === undefined && !extensions.dedupesByKey) return;
  const message = "x-migrate-... keys have no effect, because records cannot be sent to this operation";
  findings.add("warning", "not-enforced", message, path);
}

function reportDuplicateIds(operations: readonly UnlinkedOperation[], findings: Findings): void {
  const seen = new Set<string>();
  for (const { operation, path } of operations) {
    if (seen.has(operation.id)) {
      const message = `the operationId "${operation.id}" is used twice; refer to this operation by method and path`;
      findings.add("error", "duplicate-operation", message, [...path, "operationId"]);
    }
    seen.add(operation.id);
  }
}

type CompileReplies = (operation: DocumentPart) => readonly DocumentedReply[];

/**
 * Creates a compiler for documented replies. It compiles reply types separately from request types, because the same
 * schema has a different type in each direction ({@link Compilation.direction}). It does not report keywords that are
 * not enforced, because they cannot invalidate a record.
 */
function repliesCompiler(compilation: Compilation): CompileReplies {
  const { document, openapi } = compilation;
  const unreported = createFindings(() => ({ file: "", line: 0 }));
  const types = compilationOf(document, openapi, unreported, { direction: "reply" });
  return (operation) => {
    const written = dereferenced(operation.value["responses"], [...operation.path, "responses"], compilation);
    const replies = Object.entries(written?.value ?? {}).flatMap(([name, value]): readonly DocumentedReply[] => {
      const status = statusOf(name);
      if (status === undefined || written === undefined) return [];
      const reply = dereferenced(value, [...written.path, name], compilation);
      return reply === undefined ? [] : [replyOf(status, reply, types)];
    });
    const listed = replies.filter(({ status }) => status !== "default");
    return listed.length === 0 ? replies : listed;
  };
}

/** Returns undefined for an entry that does not document a success. */
function statusOf(name: string): DocumentedReply["status"] | undefined {
  if (name === "default") return name;
  if (/^2xx$/i.test(name)) return "2xx";
  return /^2\d\d$/.test(name) ? Number(name) : undefined;
}

function replyOf(
  status: DocumentedReply["status"],
  { value, path }: DocumentPart,
  types: Compilation,
): DocumentedReply {
  const content = isJsonObject(value["content"]) ? value["content"] : {};
  const mediaTypes = Object.keys(content);
  const name = jsonMediaType(mediaTypes) ?? mediaTypes.find((each) => ANY_MEDIA_TYPE.test(each));
  const place = ["content", name ?? "", "schema"];
  const schema = valueAt(value, place);
  const type =
    schema === undefined ? undefined : types.compile([schemaNodeAt(schema, [...path, ...place], types.findings)]);
  return { status, mediaTypes, body: type?.kind === "any" ? undefined : type };
}

/** A media type range. Some generators write one for JSON. */
const ANY_MEDIA_TYPE = /^(?:\*|application)\/\*/;

/**
 * Warns about each operation that accepts records if the contract does not define how a reply shows that a record was
 * accepted. Operations that are only steps of other operations are checked as part of those operations.
 */
function checkReplies(
  operations: readonly Operation[],
  placeOf: (operation: { readonly id: string }) => AttrPath,
  findings: Findings,
): void {
  const served = new Set(
    operations.flatMap(({ steps }) => steps.flatMap(({ operation, reasons }) => [operation.id, reasons?.id])),
  );
  for (const operation of operations) {
    if (operation.body === undefined || documentsAcceptance(operation)) continue;
    if (served.has(operation.id) && operation.steps.length === 0) continue;
    const creating = operation.steps.at(-1)?.operation ?? operation;
    findings.add("warning", "acceptance-unknown", ACCEPTANCE_UNKNOWN, [...placeOf(creating), "responses"]);
  }
}
