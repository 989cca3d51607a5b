import { ACCOUNT_FIELDS, documentedReply, replyMismatch } from "../../contract/operations/documented-reply.ts";
import { jsonMediaType } from "../../contract/operations/document-part.ts";
import type { DocumentedReply, PlainOperation } from "../../contract/operations/operation.ts";
import { type FieldType, fieldAt } from "../../contract/types/field-type.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { HttpReply } from "../../transport/http.ts";
import { contradictionIn, type ReplyIdentifiers, sentRecordMismatch } from "./named-record.ts";
import { accountAt, cleanText, TRUNCATED, isEmpty, isJsonType } from "./reply-body.ts";

/** The contract's documentation of an operation's replies, and where they contain the record's business key. */
export interface RepliesContract extends ReplyIdentifiers, Partial<Pick<PlainOperation, "replies">> {
  /**
   * Whether a success must name the created object. If so, a reply whose documented account number is null is not a
   * success.
   */
  readonly creates?: boolean;
  /** Whether the request only validates. */
  readonly validates?: boolean;
}

/**
 * Returns the short reason why a success with a status below 300 is not trusted, or undefined if it is trusted. A
 * success is trusted if its status, content type and body are as documented. If the contract documents the account
 * number or the business key, the reply must also contain one of them. If the contract does not document the body, only
 * a contradiction in the body counts against the success. A body with a status that only `x-migrate-outcomes` names
 * must contain an identifier if any other documented reply does. `sentRecordMismatch` checks whether the reply names
 * another record.
 * @param payload the sent payload; a member of the reply that echoes it says nothing about the request
 */
export function reasonForDistrust(
  reply: HttpReply,
  body: JsonValue | undefined,
  operation: RepliesContract,
  payload?: JsonObject,
): string | undefined {
  const why = documentationMismatch(reply, body, operation);
  if (why !== undefined || body === undefined) return why;
  const documented = documentedReply(operation, reply.status);
  const form = documented?.body;
  const error = ERROR_MEMBERS.find((name) => holdsError(body, name, form));
  if (error !== undefined) return `HTTP ${reply.status} with "${error}" in its body`;
  const contradiction = contradictionIn(body, payload);
  if (contradiction !== undefined) return `HTTP ${reply.status} with ${cleanText(contradiction, 100)} in its body`;
  if (operation.creates === true && isAccountNull(body, form, operation)) {
    return `HTTP ${reply.status} with a null or empty account number`;
  }
  const { replies = [] } = operation;
  const sources = documented === undefined || replies.includes(documented) ? [documented] : replies;
  const forms = sources.flatMap((source) => source?.body ?? []);
  return isIdentified(body, forms, operation)
    ? undefined
    : `HTTP ${reply.status} without the account number or the business key that the contract documents`;
}

/**
 * Returns the reason why a reply with a status below 300 does not appear to belong to the operation: the contract does
 * not document its status, or the reply has a different content type or form, is incomplete, or names another record.
 */
export function operationMismatch(
  reply: HttpReply,
  body: JsonValue | undefined,
  operation: RepliesContract,
  payload?: JsonObject,
): string | undefined {
  const why = documentationMismatch(reply, body, operation);
  if (why !== undefined || body === undefined) return why;
  const foreign = sentRecordMismatch(body, operation, payload, reply.status);
  return foreign === undefined ? undefined : `HTTP ${reply.status} ${foreign}`;
}

function documentationMismatch(
  reply: HttpReply,
  body: JsonValue | undefined,
  operation: RepliesContract,
): string | undefined {
  const documented = documentedReply(operation, reply.status);
  if (documented === undefined) return `HTTP ${reply.status}, which the contract does not document`;
  const why =
    unreadableBodyReason(reply, body, documented) ??
    (body === undefined ? undefined : bodyMismatch(body, documented.body));
  return why === undefined ? undefined : `HTTP ${reply.status} ${why}`;
}

function unreadableBodyReason(
  reply: HttpReply,
  body: JsonValue | undefined,
  documented: DocumentedReply,
): string | undefined {
  const type = reply.headers["content-type"]?.trim() ?? "";
  if (reply.body !== "" && type !== "" && !isDocumentedType(type, documented.mediaTypes)) {
    return `with the content type ${cleanText(type, 60)}, which the contract does not document`;
  }
  if (!reply.complete) return TRUNCATED;
  const isJson = documented.body !== undefined || isJsonExpected(type, documented);
  if (body !== undefined || !isJson) return undefined;
  return reply.body === "" ? "with an empty body" : "with a body that is not JSON";
}

/** Whether JSON is documented, with or without a schema, and the reply does not declare another type. */
function isJsonExpected(type: string, { mediaTypes }: DocumentedReply): boolean {
  return jsonMediaType(mediaTypes) !== undefined && (type === "" || isJsonType(type));
}

/** Whether the contract lists a content type; all JSON types are equivalent. */
function isDocumentedType(type: string, mediaTypes: readonly string[]): boolean {
  if (mediaTypes.length === 0) return true;
  if (isJsonType(type) && jsonMediaType(mediaTypes) !== undefined) return true;
  const name = plainType(type);
  return mediaTypes.map(plainType).some((range) => range === name || matchesRange(name, range));
}

function plainType(type: string): string {
  return type.replace(/;.*$/s, "").trim().toLowerCase();
}

/** Whether a media type is in a media type range (RFC 9110, 12.5.1). */
function matchesRange(name: string, range: string): boolean {
  return range === "*/*" || (range.endsWith("/*") && name.startsWith(range.slice(0, -1)));
}

/**
 * Returns the reason why a body does not have the documented form, or names another record. Returns undefined if
 * neither is the case.
 */
export function recordMismatch(
  body: JsonValue,
  form: DocumentedReply["body"],
  identifiers: ReplyIdentifiers,
  payload: JsonObject | undefined,
): string | undefined {
  return bodyMismatch(body, form) ?? sentRecordMismatch(body, identifiers, payload, 200);
}

function bodyMismatch(body: JsonValue, form: DocumentedReply["body"]): string | undefined {
  const mismatch = form && formMismatch(form, body);
  return mismatch === undefined ? undefined : `with a body that is not as documented: ${mismatch}`;
}

/**
 * Tolerates two differences from the contract that occur in operators' examples: a list of the documented object, and
 * the account number under another name.
 */
function formMismatch(form: FieldType, body: JsonValue): string | undefined {
  for (const part of isJsonArray(body) && body.length > 0 && form.kind === "object" ? body : [body]) {
    const found = replyMismatch(form, part) && replyMismatch(form, withAccountNames(part));
    if (found !== undefined) return found;
  }
  return undefined;
}

function withAccountNames(body: JsonValue): JsonValue {
  const { account } = accountAt(body, ACCOUNT_FIELDS);
  if (!isJsonObject(body) || account === undefined) return body;
  return { ...Object.fromEntries(ACCOUNT_FIELDS.map((at) => [formatAttr(at), account])), ...body };
}

/** Members that report an error, unless the contract documents them. */
const ERROR_MEMBERS = ["error", "errors"];

function holdsError(body: JsonValue, name: string, form: DocumentedReply["body"]): boolean {
  const isDocumented = form !== undefined && fieldAt(form, [name]) !== undefined;
  return !isDocumented && isJsonObject(body) && body[name] !== false && !isEmpty(body[name]);
}

function* accountPlacesOf({ outcomes }: RepliesContract): Generator<AttrPath> {
  for (const { account } of outcomes) if (account !== undefined) yield account;
  yield* ACCOUNT_FIELDS;
}

/** Whether the account number is null or blank at a documented path and has no value at any other path. */
function isAccountNull(body: JsonValue, form: DocumentedReply["body"], operation: RepliesContract): boolean {
  if (accountAt(body, [...accountPlacesOf(operation)]).account !== undefined) return false;
  const ruled = operation.outcomes.flatMap(({ account, status }) =>
    account === undefined || (typeof status === "number" && status >= 300) ? [] : [account],
  );
  const documented = [
    ...ruled,
    ...ACCOUNT_FIELDS.filter((at) => form !== undefined && fieldAt(form, at) !== undefined),
  ];
  const values = documented.map((at) => valueAt(body, at));
  return values.some((value) => value !== undefined && isEmpty(value));
}

/**
 * Whether the account number or the business key is present, if one of them is documented. Null counts as present if
 * the contract allows it.
 */
function isIdentified(body: JsonValue, forms: readonly FieldType[], operation: RepliesContract): boolean {
  const { key } = operation;
  let isDocumented = false;
  for (const at of [...accountPlacesOf(operation), ...(key === undefined ? [] : [key])]) {
    const types = forms.flatMap((form) => fieldAt(form, at) ?? []);
    const value = valueAt(body, at);
    if (types.some((type) => (value === null ? type.nullable : !isEmpty(value)))) return true;
    isDocumented ||= types.length > 0;
  }
  return !isDocumented;
}
