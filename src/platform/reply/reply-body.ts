import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject } from "../../json/json-value.ts";
import type { HttpReply } from "../../transport/http.ts";

/** The reply's JSON, untrusted; undefined when it is none (HTML, nothing at all, cut short). */
export function parseBody(reply: HttpReply): unknown {
  if (reply.body === "" || isHtml(reply)) return undefined;
  try {
    return JSON.parse(reply.body);
  } catch {
    return undefined;
  }
}

/** A web page: a proxy or a login form has answered, not the API. */
export function isHtml(reply: HttpReply): boolean {
  return /html/i.test(reply.headers["content-type"] ?? "");
}

/** The value at a path, own members only; undefined where there is none. */
export function valueAt(root: unknown, path: AttrPath): unknown {
  let value = root;
  for (const segment of path) {
    if (isJsonArray(value)) value = typeof segment === "number" ? value[segment] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
  }
  return value;
}

/** Nothing stands there: absent, null, or a text, list or object with nothing in it. */
export function isEmpty(value: unknown): boolean {
  if (isJsonArray(value)) return value.length === 0;
  return (
    value === undefined || value === null || value === "" || (isJsonObject(value) && Object.keys(value).length === 0)
  );
}

/** Without control characters, direction marks and the like, and no longer than `limit`. */
export function cleanText(text: string, limit: number): string {
  const clean = text
    .slice(0, limit * 2)
    .replace(/[\p{C}\u2028\u2029]+/gu, " ")
    .trim();
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}
