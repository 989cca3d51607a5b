import { jsonMediaType } from "../../contract/operations/document-part.ts";
import type { AttrPath } from "../../json/attr.ts";
import { decimalTextOf } from "../../json/decimal-arithmetic.ts";
import { parseExact } from "../../json/exact-json.ts";
import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { HttpReply } from "../../transport/http.ts";

/**
 * Returns the reply's untrusted JSON, or undefined if the body is HTML, is not UTF-8 or is not valid JSON. A truncated
 * body may still be valid JSON, so check `complete` as well. A number that a double cannot represent is text, because
 * it may be an account number.
 */
export function parseBody(reply: HttpReply): JsonValue | undefined {
  return isHtml(reply) || reply.isMisencoded === true ? undefined : parseExact(reply.body);
}

export const TRUNCATED = "with a truncated body";

/** Returns the reason why a body is unreadable (truncated, or declared as JSON but not JSON); otherwise undefined. */
export function unreadableReason(reply: HttpReply, body: JsonValue | undefined): string | undefined {
  if (!reply.complete) return TRUNCATED;
  const isBroken = body === undefined && reply.body.trim() !== "" && isJsonType(reply.headers["content-type"] ?? "");
  return isBroken ? "with a body that is not JSON" : undefined;
}

/**
 * Returns the reason why a reply with status 404 does not prove that a record is absent, otherwise undefined. The
 * errors of the platform have a `detail`. A gateway that has no route to the platform replies with another body, or
 * with none.
 */
export function notFoundMismatch(reply: HttpReply, body: JsonValue | undefined): string | undefined {
  const unreadable = unreadableReason(reply, body);
  if (unreadable !== undefined) return unreadable;
  const detail = valueAt(body, ["detail"]);
  const isError = typeof detail === "string" && detail.trim() !== "";
  return isError ? undefined : 'without the "detail" of an error in its body';
}

export function isJsonType(contentType: string): boolean {
  return jsonMediaType([contentType]) !== undefined;
}

/** Whether the reply is a web page, which comes from a proxy or a login form, not from the API. */
export function isHtml(reply: HttpReply): boolean {
  return /html/i.test(reply.headers["content-type"] ?? "");
}

/** Returns the account number in a reply, at the first path with a number, or with text that is not blank. */
export function accountAt(body: JsonValue | undefined, places: readonly AttrPath[]): { readonly account?: string } {
  for (const place of places) {
    const value = valueAt(body, place);
    const text = typeof value === "number" ? decimalTextOf(value) : value;
    const account = typeof text === "string" ? cleanText(text, MAX_ACCOUNT) : "";
    if (account !== "") return { account };
  }
  return {};
}

const MAX_ACCOUNT = 100;

/** Returns a code or a status as text, because some platforms use numbers or booleans; undefined for other values. */
export function codeText(value: unknown): string | undefined {
  if (typeof value === "number") return decimalTextOf(value);
  return typeof value === "string" || typeof value === "boolean" ? String(value) : undefined;
}

/** Whether the value is absent, null, blank text, or an empty list or object. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return !VISIBLE.test(value);
  if (isJsonArray(value)) return value.length === 0;
  return value === undefined || value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** A character that is neither whitespace nor a control character or similar. */
const VISIBLE = /[^\p{C}\s]/u;

/**
 * Replaces control characters, bidirectional marks and similar characters with spaces. Truncates the text to `limit`
 * characters.
 */
export function cleanText(text: string, limit: number): string {
  const clean = text
    .slice(0, limit * 2)
    .replace(/[\p{C}\u2028\u2029]+/gu, " ")
    .trim();
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}
