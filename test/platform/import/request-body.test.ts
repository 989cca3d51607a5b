import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { createAuthorisation } from "../../../src/platform/auth/create-authorisation.ts";
import { createImportClient } from "../../../src/platform/import/import-client.ts";
import type { Http } from "../../../src/transport/http.ts";

type Body = Parameters<typeof createImportClient>[0]["body"];

/** Returns the request body of a payload for an operation with a wrapper, or for a step with its own fields. */
async function bodyOf(payload: JsonObject, wrap: string | undefined, body?: Body): Promise<string> {
  const sent: string[] = [];
  const http: Http = ({ body: text }) => {
    sent.push(String(text));
    return Promise.resolve({ status: 201, headers: {}, body: "{}", complete: true, durationMs: 1 });
  };
  const clock = { now: () => 0, monotonic: () => 0 };
  const baseUrl = new URL("https://platform.example/v1/");
  const credentials = { kind: "token", token: "t" } as const;
  const operation = { path: "/data-import/accounts/", outcomes: [], ...(wrap !== undefined && { wrap }) };
  const authorisation = createAuthorisation({ http, baseUrl, credentials, clock });
  const tools = { http, baseUrl, authorisation, userAgent: "test", clock };
  const client = createImportClient({ ...tools, operation, ...(body !== undefined && { body }) });
  await client.send(payload, new AbortController().signal);
  return sent.join("\n");
}

const inOrder: JsonObject = { account: "A", people: [{ first: "B", last: "C" }], supplier: "S" };
const otherOrder: JsonObject = { supplier: "S", people: [{ last: "C", first: "B" }], account: "A" };
const PLAIN = '{"account":"A","people":[{"first":"B","last":"C"}],"supplier":"S"}';
const FIELDS: Body = { supplier_code: { attr: ["supplier"] }, account_number: { attr: ["account"] } };

test.each<[string, string | undefined, Body, string]>([
  ["a bare payload", undefined, undefined, PLAIN],
  ["a wrapped payload", "payload", undefined, `{"payload":${PLAIN}}`],
  [
    "a wrapped payload with fields next to it",
    "payload",
    FIELDS,
    `{"account_number":"A","payload":${PLAIN},"supplier_code":"S"}`,
  ],
  ["the fields of a step", undefined, FIELDS, '{"account_number":"A","supplier_code":"S"}'],
])("the body of %s has the same bytes for any order of the payload's members", async (_, wrap, fields, expected) => {
  expect(await bodyOf(inOrder, wrap, fields)).toBe(expected);
  expect(await bodyOf(otherOrder, wrap, fields)).toBe(expected);
});
