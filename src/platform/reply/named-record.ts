import { ACCOUNT_FIELDS } from "../../contract/operations/documented-reply.ts";
import type { PlainOperation } from "../../contract/operations/operation.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { isLongNumber } from "../../json/decimal-arithmetic.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { strip } from "../../text/unicode-text.ts";
import { describesError } from "./reply-problems.ts";

/** The paths of the account number and the business key in replies, according to the contract. */
export interface ReplyIdentifiers extends Pick<PlainOperation, "outcomes" | "key"> {
  /** Other names under which the request sends the business key: members of its body and parameters of its path. */
  readonly keyNames?: readonly string[];
  /** An additional path of the account number, in replies to status queries and lookups. */
  readonly account?: AttrPath;
}

/**
 * Returns a short reason why the reply does not belong to the sent record; undefined if nothing in the reply shows
 * this. Applies to every status, because a rejection or an "already imported" reply settles a record, just as a success
 * does.
 */
export function sentRecordMismatch(
  body: JsonValue | undefined,
  operation: ReplyIdentifiers,
  payload: JsonObject | undefined,
  status: number,
): string | undefined {
  if (body === undefined) return undefined;
  if (isOtherKey(body, operation, payload, status < 300 ? valueAt : valueOutsideErrors))
    return "with the business key of another record";
  return hasTwoAccounts(body, operation, payload) ? "with two different account numbers" : undefined;
}

/**
 * Whether the reply names the business key of another record rather than the key of the sent record. Searches for the
 * key in these places, in this order: at its path in the body, at the same path in any object of the body, and under
 * the names that the request uses for the key. Ignores text with whitespace, which may be a message, unless the sent
 * key contains whitespace.
 */
function isOtherKey(
  body: JsonValue,
  { key, keyNames = [] }: ReplyIdentifiers,
  payload: JsonObject | undefined,
  read: ReadMember,
): boolean {
  const sent = key === undefined ? "" : identifierText(valueAt(payload, key));
  if (key === undefined || sent === "") return false;
  const isKey = (text: string): boolean => text !== "" && (/\s/.test(sent) || !/\s/.test(text));
  const top = identifierText(read(body, key));
  const own = (isKey(top) ? [top] : [...textsAt(key, body, read)]).filter(isKey);
  const named = own.length > 0 ? own : textsUnder(keyNames, body, sent, read).filter(isKey);
  return named.length > 0 && !named.includes(sent);
}

type ReadMember = (body: JsonValue, path: AttrPath) => JsonValue | undefined;

/** Returns the value at this path, unless it is the code of an error: a business key can be called `code`, too. */
function valueOutsideErrors(body: JsonValue, path: AttrPath): JsonValue | undefined {
  const isErrorCode = path.at(-1) === "code" && describesError(valueAt(body, path.slice(0, -1)));
  return isErrorCode ? undefined : valueAt(body, path);
}

/**
 * Returns the values under these names as text. Ignores numbers if the sent key does not consist of digits, because
 * such a number is an id that the platform assigned.
 */
function textsUnder(names: readonly string[], body: JsonValue, sent: string, read: ReadMember): readonly string[] {
  const values = names.flatMap((name) => [[name], ...ENVELOPES.map((envelope) => [envelope, name])]);
  return values
    .map((place) => read(body, place))
    .filter((value) => (typeof value !== "number" && !isLongNumber(value)) || DIGITS.test(sent))
    .map(identifierText);
}

const DIGITS = /^\d+$/;

/** Returns the names of the request fields that carry the business key. */
export function namesOfKey(
  fields: Readonly<Record<string, AttrPath | undefined>>,
  key: AttrPath | undefined,
): readonly string[] {
  if (key === undefined) return [];
  const isKey = (attr: AttrPath | undefined): boolean => attr !== undefined && formatAttr(attr) === formatAttr(key);
  return Object.keys(fields).filter((name) => isKey(fields[name]));
}

/** Maximum depth of the search. */
const MAX_DEPTH = 8;

/**
 * Yields the identifiers at this path in the value and in every object inside it; an empty string for each object
 * without an identifier.
 */
function* textsAt(path: AttrPath, value: JsonValue | undefined, read: ReadMember, depth = 0): Generator<string> {
  if (depth > MAX_DEPTH || value === null || typeof value !== "object") return;
  if (!isJsonArray(value)) yield identifierText(read(value, path));
  for (const member of isJsonArray(value) ? value : Object.values(value)) yield* textsAt(path, member, read, depth + 1);
}

/**
 * Whether the reply, or the item of a list, contains two different account numbers. A member that echoes the sent value
 * or the key does not count.
 */
export function hasTwoAccounts(body: JsonValue, operation: ReplyIdentifiers, payload: JsonObject | undefined): boolean {
  let first = "";
  for (const place of accountPlacesOf(operation)) {
    const account = identifierText(valueAt(body, place));
    if (account === "" || account === first || isAsSent(account, place, operation, payload)) continue;
    if (first !== "") return true;
    first = account;
  }
  return false;
}

function isAsSent(
  account: string,
  place: AttrPath,
  { key }: ReplyIdentifiers,
  payload: JsonObject | undefined,
): boolean {
  if (payload === undefined) return false;
  const isKey = key !== undefined && account === identifierText(valueAt(payload, key));
  return isKey || account === identifierText(valueAt(payload, place));
}

function accountPlacesOf(operation: ReplyIdentifiers): readonly AttrPath[] {
  const named = [operation, ...operation.outcomes].flatMap(({ account }) => (account === undefined ? [] : [account]));
  return [...named, ...ACCOUNT_FIELDS, ...ACCOUNT_FIELDS.map((at) => ["account", ...at])];
}

/**
 * Returns an identifier as the platform stores it: normalised text without surrounding whitespace. The platform may
 * return numbers as text. Returns an empty string for any other value.
 */
export function identifierText(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? strip(String(value).normalize("NFC")) : "";
}

/** Objects in which some platforms wrap a whole reply. */
const ENVELOPES = ["data", "result", "response"];
const SUCCESS_FLAGS = ["success", "successful", "succeeded", "is_success", "ok"];
const FAILURE_FLAGS = ["failed", "failure", "has_errors", "is_error"];
const STATUS_MEMBERS = ["status", "state", "result", "outcome", "status_code", "statusCode"];
const FAILED_STATUS = /(?:^|[_ -])(?:error|errored|fail|failed|failure|rejected|refused|unsuccessful)$/i;

/**
 * Returns the member of a successful reply that contradicts the success, as text (`"success": false`), or undefined if
 * there is none. A member that echoes a sent value says nothing about the request. The status of a list item says
 * nothing about the whole reply: only the item was rejected (`itemProblems`).
 */
export function contradictionIn(body: JsonValue, payload: JsonObject | undefined): string | undefined {
  const parts = isJsonArray(body) ? body : [body, ...ENVELOPES.map((name) => valueAt(body, [name]))];
  for (const part of parts) {
    if (!isJsonObject(part)) continue;
    const name = contradictingFlag(part, payload) ?? (isJsonArray(body) ? undefined : failedStatus(part, payload));
    if (name !== undefined) return `"${name}": ${JSON.stringify(part[name])}`;
  }
  return undefined;
}

function contradictingFlag(part: JsonObject, payload: JsonObject | undefined): string | undefined {
  const isRepeated = (name: string): boolean => part[name] === payload?.[name];
  return (
    SUCCESS_FLAGS.find((name) => flagOf(part[name]) === false && !isRepeated(name)) ??
    FAILURE_FLAGS.find((name) => flagOf(part[name]) === true && !isRepeated(name))
  );
}

/** Returns the value of a flag, which may also be a number: the count of successes or failures. */
function flagOf(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  return text === "true" || text === "false" ? text === "true" : undefined;
}

function failedStatus(part: JsonObject, payload: JsonObject | undefined): string | undefined {
  return STATUS_MEMBERS.find((name) => isFailedStatus(part[name]) && part[name] !== payload?.[name]);
}

function isFailedStatus(value: JsonValue | undefined): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 400 && value < 600;
  return typeof value === "string" && FAILED_STATUS.test(value) && value.length <= MAX_STATUS;
}

const MAX_STATUS = 60;

/**
 * Whether a record's payload or request parameters contain the account number. Such a record adds data to an existing
 * account, so several records may have the same account number. `json`: the payload in UTF-8.
 */
export function namesAccount(
  { json, parameters = {} }: { readonly json: Buffer; readonly parameters?: JsonObject | undefined },
  account: string,
): boolean {
  if (Object.values(parameters).includes(account)) return true;
  // Searches for the number without quotation marks first. This is faster, because quotation marks are frequent.
  return (!UNESCAPED.test(account) || json.includes(account)) && json.includes(JSON.stringify(account));
}

/** Text that JSON does not escape. */
const UNESCAPED = /^[\w -]*$/;
