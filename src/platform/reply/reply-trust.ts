import { ACCOUNT_FIELDS, documentedReply, replyMismatch } from "../../contract/operations/documented-reply.ts";
import { jsonMediaType } from "../../contract/operations/document-part.ts";
import type { DocumentedReply, PlainOperation } from "../../contract/operations/operation.ts";
import { type FieldType, fieldAt } from "../../contract/types/field-type.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { HttpReply } from "../../transport/http.ts";
import { accountAt, cleanText, isEmpty } from "./reply-body.ts";

/** What the contract says of an operation's replies, and where they hold the record's business key. */
export type RepliesContract = Pick<PlainOperation, "outcomes"> & Partial<Pick<PlainOperation, "replies" | "key">>;

/**
 * Why a success below 300 is not to be believed, in a few words; undefined where it is. A success is believed when it is
 * a reply of the operation (see `whyNotOfOperation`) and holds the account number or the business key, where the contract
 * documents one of them. Where the contract says nothing of the body, only an error in it speaks against it.
 * @param payload what was sent; absent: its key is not compared
 */
export function reasonForDistrust(
  reply: HttpReply,
  body: JsonValue | undefined,
  operation: RepliesContract,
  payload?: JsonObject,
): string | undefined {
  const why = whyNotOfOperation(reply, body, operation, payload);
  if (why !== undefined || body === undefined) return why;
  const form = documentedReply(operation, reply.status)?.body;
  const error = ERROR_MEMBERS.find((name) => holdsError(body, name, form));
  if (error !== undefined) return `HTTP ${reply.status} with "${error}" in its body`;
  return form === undefined || isIdentified(body, form, operation)
    ? undefined
    : `HTTP ${reply.status} without the account number or the business key that the contract documents`;
}

/**
 * Why a reply below 300 does not seem to be one of the operation's: the contract does not know its status, content type
 * or body have another form, or it names another record. Of a body that was cut short, status and content type count.
 */
export function whyNotOfOperation(
  reply: HttpReply,
  body: JsonValue | undefined,
  operation: RepliesContract,
  payload?: JsonObject,
): string | undefined {
  const documented = documentedReply(operation, reply.status);
  const why =
    documented === undefined
      ? "which the contract does not document"
      : (whyNotReadable(reply, body, documented) ??
        (body === undefined ? undefined : whyNotOfRecord(body, documented.body, operation, payload)));
  return why === undefined ? undefined : `HTTP ${reply.status}, ${why}`;
}

function whyNotReadable(
  reply: HttpReply,
  body: JsonValue | undefined,
  documented: DocumentedReply,
): string | undefined {
  const type = reply.headers["content-type"]?.trim() ?? "";
  if (reply.body !== "" && type !== "" && !isDocumentedType(type, documented.mediaTypes)) {
    return `whose content type ${cleanText(type, 60)} is not the documented one`;
  }
  if (body !== undefined || !reply.complete || documented.body === undefined) return undefined;
  return reply.body === "" ? "whose body is empty" : "whose body is not JSON";
}

/** Whether a content type is one of those that the contract lists; all JSON types count as one. */
function isDocumentedType(type: string, mediaTypes: readonly string[]): boolean {
  if (mediaTypes.length === 0) return true;
  if (jsonMediaType([type]) !== undefined && jsonMediaType(mediaTypes) !== undefined) return true;
  const name = plainType(type);
  return mediaTypes.map(plainType).some((range) => range === name || matchesRange(name, range));
}

function plainType(type: string): string {
  return type.replace(/;.*$/s, "").trim().toLowerCase();
}

/** Media type ranges, RFC 9110, 12.5.1. */
function matchesRange(name: string, range: string): boolean {
  return range === "*/*" || (range.endsWith("/*") && name.startsWith(range.slice(0, -1)));
}

/** The same for a body alone. */
export function whyNotOfRecord(
  body: JsonValue,
  form: DocumentedReply["body"],
  { key }: Pick<RepliesContract, "key">,
  payload: JsonObject | undefined,
): string | undefined {
  const mismatch = form && formMismatch(form, body);
  if (mismatch !== undefined) return `whose body is not as documented: ${mismatch}`;
  return isOtherKey(body, key, payload) ? "with the business key of another record" : undefined;
}

/**
 * Operators' own examples differ from their documents in two ways, which are allowed: a list of what is documented as
 * one object, and the account number under another of its names than the one that is required.
 */
function formMismatch(form: FieldType, body: JsonValue): string | undefined {
  const mismatches = partsOf(body, form).map((part) => replyMismatch(form, withAccountNames(part)));
  return mismatches.find((mismatch) => mismatch !== undefined);
}

function partsOf(body: JsonValue, form: FieldType): readonly JsonValue[] {
  return isJsonArray(body) && body.length > 0 && form.kind === "object" ? body : [body];
}

function withAccountNames(body: JsonValue): JsonValue {
  const { account } = accountAt(body, ACCOUNT_FIELDS);
  if (!isJsonObject(body) || account === undefined) return body;
  return { ...Object.fromEntries(ACCOUNT_FIELDS.map((at) => [formatAttr(at), account])), ...body };
}

/** Members that tell of an error wherever they are not documented as something else. */
const ERROR_MEMBERS = ["error", "errors"];

function holdsError(body: JsonValue, name: string, form: DocumentedReply["body"]): boolean {
  const isDocumented = form !== undefined && fieldAt(form, [name]) !== undefined;
  return !isDocumented && isJsonObject(body) && body[name] !== false && !isEmpty(body[name]);
}

function isOtherKey(body: JsonValue, key: AttrPath | undefined, payload: JsonObject | undefined): boolean {
  if (key === undefined || payload === undefined) return false;
  const [sent, replied] = [valueAt(payload, key), valueAt(body, key)];
  return sent !== replied && keyText(sent) !== "" && keyText(replied) !== "" && keyText(sent) !== keyText(replied);
}

/** Numbers may come back as text. */
function keyText(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value).normalize("NFC").trim() : "";
}

/** Where a reply may hold what belongs to one record alone. */
function* identifiersOf({ outcomes, key }: RepliesContract): Generator<AttrPath> {
  for (const { account } of outcomes) if (account !== undefined) yield account;
  yield* ACCOUNT_FIELDS;
  if (key !== undefined) yield key;
}

/** Whether one of them is there, where any of them is documented. */
function isIdentified(body: JsonValue, form: FieldType, operation: RepliesContract): boolean {
  const documented = [...identifiersOf(operation)].flatMap((at) => {
    const type = fieldAt(form, at);
    return type === undefined ? [] : [{ value: valueAt(body, at), type }];
  });
  return (
    documented.length === 0 || documented.some(({ value, type }) => (value === null ? type.nullable : !isEmpty(value)))
  );
}
