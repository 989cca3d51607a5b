import { ACCOUNT_FIELDS } from "../../contract/operations/documented-reply.ts";
import type { PlainOperation } from "../../contract/operations/operation.ts";
import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";

/** Where the contract says that replies hold the account number and the business key. */
type Identifiers = Pick<PlainOperation, "outcomes" | "key">;

/**
 * Why a reply is not about the record that was sent, in a few words; undefined where nothing speaks against it. Holds for
 * every status: a refusal and an "already imported" settle a record as a success does.
 */
export function whyNotOfSentRecord(
  body: JsonValue | undefined,
  operation: Identifiers,
  payload: JsonObject | undefined,
): string | undefined {
  if (body === undefined) return undefined;
  if (isOtherKey(body, operation.key, payload)) return "with the business key of another record";
  const accounts = new Set(accountsIn(body, operation, payload));
  return accounts.size > 1 ? "with two account numbers that differ" : undefined;
}

/**
 * The reply names the business key of another record and not that of the sent one. The key counts at its place in the
 * body; where nothing is there, at the same place in any object of the body.
 */
function isOtherKey(body: JsonValue, key: AttrPath | undefined, payload: JsonObject | undefined): boolean {
  const sent = key === undefined ? "" : identifierText(valueAt(payload, key));
  if (key === undefined || sent === "") return false;
  const isKey = (text: string): boolean => text !== "" && (/\s/.test(sent) || !/\s/.test(text));
  const top = identifierText(valueAt(body, key));
  const named = (isKey(top) ? [top] : [...textsAt(key, body)]).filter(isKey);
  return named.length > 0 && !named.includes(sent);
}

/** Nothing deeper is looked at. */
const MAX_DEPTH = 8;

/** The identifiers at this path of the value and of every object in it. A text with white space may be a message. */
function* textsAt(path: AttrPath, value: JsonValue | undefined, depth = 0): Generator<string> {
  if (depth > MAX_DEPTH || value === null || typeof value !== "object") return;
  if (!isJsonArray(value)) yield identifierText(valueAt(value, path));
  for (const member of isJsonArray(value) ? value : Object.values(value)) yield* textsAt(path, member, depth + 1);
}

/** The account numbers of the record in the reply. A member that repeats what was sent there, or the key, is none. */
function* accountsIn(
  body: JsonValue,
  { outcomes, key }: Identifiers,
  payload: JsonObject | undefined,
): Generator<string> {
  const sentKey = key === undefined ? "" : identifierText(valueAt(payload, key));
  const ruled = outcomes.flatMap(({ account }) => (account === undefined ? [] : [account]));
  for (const place of [...ruled, ...ACCOUNT_FIELDS, ...ACCOUNT_FIELDS.map((at) => ["account", ...at])]) {
    const account = identifierText(valueAt(body, place));
    if (account === "" || account === sentKey) continue;
    if (account !== identifierText(valueAt(payload, place))) yield account;
  }
}

/** Numbers may come back as text. */
function identifierText(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value).normalize("NFC").trim() : "";
}

/** Objects in which some platforms wrap the whole of a reply. */
const ENVELOPES = ["data", "result", "response"];
const SUCCESS_FLAGS = ["success", "successful", "succeeded", "is_success", "ok"];
const FAILURE_FLAGS = ["failed", "failure", "has_errors", "is_error"];
const STATUS_MEMBERS = ["status", "state", "result", "outcome", "status_code", "statusCode"];
const FAILED_STATUS = /(?:^|[_ -])(?:error|errored|fail|failed|failure|rejected|refused|unsuccessful)$/i;

/**
 * The member of a success that says the opposite, as text (`"success": false`); undefined where there is none. A member
 * that repeats what was sent says nothing of the request. The status of an item of a list says nothing of the whole: the
 * item itself was refused (`itemProblems`).
 */
export function contradictionIn(body: JsonValue, payload: JsonObject | undefined): string | undefined {
  const parts = isJsonArray(body) ? body : [body, ...ENVELOPES.map((name) => valueAt(body, [name]))];
  for (const part of parts) {
    if (!isJsonObject(part)) continue;
    const name = contradictingFlag(part) ?? (isJsonArray(body) ? undefined : failedStatus(part, payload));
    if (name !== undefined) return `"${name}": ${JSON.stringify(part[name])}`;
  }
  return undefined;
}

function contradictingFlag(part: JsonObject): string | undefined {
  return (
    SUCCESS_FLAGS.find((name) => part[name] === false || part[name] === "false") ??
    FAILURE_FLAGS.find((name) => part[name] === true || part[name] === "true")
  );
}

function failedStatus(part: JsonObject, payload: JsonObject | undefined): string | undefined {
  return STATUS_MEMBERS.find((name) => saysFailed(part[name]) && part[name] !== payload?.[name]);
}

function saysFailed(value: JsonValue | undefined): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 400 && value < 600;
  return typeof value === "string" && FAILED_STATUS.test(value) && value.length <= MAX_STATUS;
}

const MAX_STATUS = 60;
