import { expect, test } from "vitest";
import type { RequestParameter } from "../../src/contract/operations/operation.ts";
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

test("a lookup takes its parameters from the payload or, if they are missing there, from the record's own requests", () => {
  const operation = { id: "get", method: "GET", path: "/companies/{companyId}/customers/{ref}/" };
  const lookup = {
    operation: { ...operation, dedupesByKey: false, replies: [], outcomes: [] },
    parameters: { ref: ["reference"] },
  };
  const path = lookupPath(lookup, { payload: { reference: "R 1" }, parameters: { companyId: "north" } });
  expect(path).toBe("/companies/north/customers/R%201/");
});
