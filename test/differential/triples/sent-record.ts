import type { Job } from "../../../src/job/job.ts";
import { type AttrPath, formatAttr } from "../../../src/json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { createImportClient } from "../../../src/platform/import/import-client.ts";
import type { Http } from "../../../src/transport/http.ts";
import type { RecordToSend } from "../../../src/upload/upload-types.ts";

const { signal } = new AbortController();

/** Returns a function that builds the request body with the real client. The query string precedes the body. */
export function bodyWriter({ operation }: Pick<Job, "operation">): (record: RecordToSend) => Promise<string> {
  let seen = "";
  const http: Http = async ({ url, body = "" }) => {
    seen = url.search + body.toString();
    return { status: 503, headers: {}, body: "", complete: true, durationMs: 0 };
  };
  const authorisation = {
    header: () => Promise.resolve("Token x"),
    accepted: () => undefined,
    mayHaveExpired: () => false,
    refused: () => Promise.resolve(),
  };
  const baseUrl = new URL("https://localhost/v1/");
  const clock = { now: () => 0 };
  const client = createImportClient({ http, baseUrl, authorisation, operation, userAgent: "test", clock });
  return async ({ payload, parameters, json }) => {
    await client.send(payload, signal, undefined, { parameters, ...(json !== undefined && { json }) });
    return seen;
  };
}

/** Returns a line with the attr and the place of each scalar of a payload, in sorted order. */
export function placesIn({ payload, locate }: RecordToSend): readonly string[] {
  return leafAttrs(payload, [])
    .map((attr) => `${formatAttr(attr)} ${JSON.stringify(locate(attr))}`)
    .toSorted();
}

function leafAttrs(value: JsonValue, path: AttrPath): readonly AttrPath[] {
  if (isJsonArray(value)) return value.flatMap((item, at) => leafAttrs(item, [...path, at]));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, member]) => leafAttrs(member, [...path, name]));
  return [path];
}
