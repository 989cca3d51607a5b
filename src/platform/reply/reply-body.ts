import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { HttpReply } from "../../transport/http.ts";

/** The reply's JSON, untrusted; undefined when it is none (HTML, nothing at all, cut short). */
export function parseBody(reply: HttpReply): JsonValue | undefined {
  return isHtml(reply) ? undefined : parseJson(reply.body);
}

/** A web page: a proxy or a login form has answered, not the API. */
export function isHtml(reply: HttpReply): boolean {
  return /html/i.test(reply.headers["content-type"] ?? "");
}

/** The account number in a reply: the first of the places that holds a text or a number. */
export function accountAt(body: JsonValue | undefined, places: readonly AttrPath[]): { readonly account?: string } {
  for (const place of places) {
    const value = valueAt(body, place);
    const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text === "string" && text !== "") return { account: cleanText(text, MAX_ACCOUNT) };
  }
  return {};
}

const MAX_ACCOUNT = 100;

/** Nothing stands there: absent, null, or a text, list or object with nothing in it. */
export function isEmpty(value: unknown): boolean {
  if (isJsonArray(value)) return value.length === 0;
  return (
    value === undefined || value === null || value === "" || (isJsonObject(value) && Object.keys(value).length === 0)
  );
}

/** Without control characters, direction marks and the like, and no longer than `limit`. */
export function cleanText(text: string, limit: number): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  const clean = text
    .slice(0, limit * 2)
    .replace(/[\p{C}\u2028\u2029]+/gu, " ")
    .trim();
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}

const PLAIN = /^[\x21-\x7e]*$/;
