import { expect, test } from "vitest";
import type { RequestParameter } from "../../src/contract/operations/operation.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { lookupPath, requestAddress } from "../../src/platform/request-address.ts";
import type { TextType } from "../../src/contract/types/field-type.ts";

const BASE = new URL("https://api.example.test/v1/");
const TEXT: TextType = {
  kind: "text",
  nullable: false,
  deprecated: false,
  validators: [],
  allowBlank: false,
  documentPath: false,
};

function parameter(name: string, where: RequestParameter["in"]): RequestParameter {
  return { name, in: where, required: false, type: TEXT };
}

const OPERATION = {
  path: "/companies/{companyId}/customers/",
  parameters: [parameter("companyId", "path"), parameter("mode", "query"), parameter("X-Source", "header")],
};

test("parameters fill the path, the query and the headers, and no parameter can change the destination", () => {
  const values = { companyId: "../a/b?c#d", mode: "a&b=c", "X-Source": "CRM" };
  const { url, headers } = requestAddress(BASE, OPERATION, values);
  expect(url.href).toBe("https://api.example.test/v1/companies/..%2Fa%2Fb%3Fc%23d/customers/?mode=a%26b%3Dc");
  expect(headers).toEqual({ "x-source": "CRM" });
  expect(requestAddress(BASE, OPERATION, { companyId: ".." }).url.pathname).toBe("/v1/companies/%252E%252E/customers/");
});

test("a header value is sent without surrounding whitespace, which could contain a line break", () => {
  const { headers } = requestAddress(BASE, OPERATION, { companyId: 7, "X-Source": " CRM\r\n" });
  expect(headers).toEqual({ "x-source": "CRM" });
});

test("parameters without a value are omitted from the query and the headers", () => {
  const { url, headers } = requestAddress(BASE, OPERATION, { companyId: 7, mode: null });
  expect(url.href).toBe("https://api.example.test/v1/companies/7/customers/");
  expect(headers).toEqual({});
});

const GET = { id: "get", method: "GET", path: "/companies/{companyId}/customers/{ref}/" };
const LOOKUP = {
  operation: { ...GET, dedupesByKey: false, replies: [], outcomes: [] },
  parameters: { ref: ["reference"] },
};

test("a lookup takes its parameters from the payload or, if they are missing there, from the record's own requests", () => {
  expect(lookupPath(LOOKUP, { payload: { reference: "R 1" }, parameters: { companyId: "north" } })).toEqual({
    path: "/companies/north/customers/R%201/",
  });
});

test("a lookup omits the whitespace around a value of the payload, because the platform removes it", () => {
  expect(lookupPath(LOOKUP, { payload: { reference: " R1\u0085" }, parameters: { companyId: 7 } })).toEqual({
    path: "/companies/7/customers/R1/",
  });
});

test.each<[string, JsonObject]>([
  ["absent", {}],
  ["null", { reference: null }],
  ["an object", { reference: {} }],
  ["a boolean", { reference: true }],
  ["blank", { reference: " \u0085" }],
  [".", { reference: "." }],
  [".. with whitespace", { reference: " .." }],
  ["an unpaired surrogate", { reference: "\ud800" }],
])("a lookup has no path if a parameter is %s, and the reason names the parameter and its attr", (_, payload) => {
  expect(lookupPath(LOOKUP, { payload, parameters: { companyId: "north" } })).toEqual({
    reason: 'the path parameter "ref" (reference) is missing, blank, "." or ".."',
  });
});

test("a lookup has no path if a parameter of the record's own requests is missing", () => {
  expect(lookupPath(LOOKUP, { payload: { reference: "R1" } })).toEqual({
    reason: 'the path parameter "companyId" (parameters.companyId) is missing, blank, "." or ".."',
  });
});
