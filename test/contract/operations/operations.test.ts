import { describe, expect, it } from "vitest";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { failureOf } from "../../map/rows.ts";
import { bodyOf, contractOf } from "../contract-of.ts";

function findingsOf(operation: Readonly<Record<string, unknown>>): readonly string[] {
  return contractOf({ key: { type: "string" } }, { operation }).findings.map(
    ({ severity, message }) => `${severity} ${message}`,
  );
}

describe("extensions of an operation", () => {
  it("are compiled", () => {
    const { operations, findings } = contractOf(
      {
        payload: {
          type: "object",
          properties: { account: { type: "object", properties: { key: { type: "string" } } } },
        },
      },
      {
        operation: {
          summary: "Make a thing",
          "x-migrate-key": "account.key",
          "x-migrate-wrap": "payload",
          "x-migrate-dedupe": "business-key",
          "x-migrate-outcomes": [
            { status: 201, outcome: "accepted", account: "account.number" },
            { status: "5xx", code: "later", has: "errors.0", outcome: "retry" },
          ],
        },
      },
    );
    expect(findings).toEqual([]);
    expect(operations[0]).toMatchObject({
      id: "create-thing",
      method: "POST",
      path: "/things/",
      summary: "Make a thing",
      key: ["account", "key"],
      wrap: "payload",
      dedupesByKey: true,
      outcomes: [
        { status: 201, outcome: "accepted", account: ["account", "number"] },
        { status: "5xx", code: "later", has: ["errors", 0], outcome: "retry" },
      ],
      body: { properties: new Map([["account", expect.anything()]]) },
    });
  });

  it("have safe defaults", () => {
    const [operation] = contractOf({}).operations;
    expect(operation).toMatchObject({ dedupesByKey: false, outcomes: [] });
    expect(operation).not.toHaveProperty("key");
    expect(findingsOf({ "x-migrate-wrap": false })).toEqual([]);
  });

  it.each([
    [{ "x-migrate-key": "kay" }, 'error x-migrate-key: the payload has no field "kay"; did you mean "key"?'],
    [{ "x-migrate-key": ["key"] }, "error x-migrate-key: must be the attr of a field, such as external_account_number"],
    [{ "x-migrate-wrap": "payload" }, 'error x-migrate-wrap: the body has no field "payload"'],
    [{ "x-migrate-wrap": 1 }, "error x-migrate-wrap: must be the name of a field, or false"],
    [{ "x-migrate-dedupe": true }, 'error x-migrate-dedupe: must be "business-key", or omitted'],
    [{ "x-migrate-outcomes": {} }, "error x-migrate-outcomes: must be a list of rules"],
    [
      { "x-migrate-outcomes": [{ status: 201, outcome: "fine" }] },
      "error x-migrate-outcomes: must be one of accepted, exists, rejected, blocked, retry, ambiguous",
    ],
    [
      { "x-migrate-outcomes": [{ status: "3xx", outcome: "retry" }] },
      "error x-migrate-outcomes: must be a status such as 201, or one of 2xx, 4xx, 5xx",
    ],
    [
      { "x-migrate-outcomes": [{ status: 1, outcome: "retry" }] },
      "error x-migrate-outcomes: must be a status such as 201, or one of 2xx, 4xx, 5xx",
    ],
    [
      { "x-migrate-keys": "key" },
      'warning "x-migrate-keys" is not part of an operation; did you mean "x-migrate-key"?',
    ],
    [{ sumary: "x" }, 'warning "sumary" is not part of an operation; did you mean "summary"?'],
    [{ "x-doc-notes": [] }, 'info "x-doc-notes" is not an extension that migrate supports; it is ignored'],
    [
      { parameters: [{ name: "force", in: "cookie", schema: { type: "string" } }] },
      'info the parameter "force" (in: "cookie") is not sent: only single values in the path, the query or a header can be sent',
    ],
    [
      { parameters: [{ name: "ids", in: "query", required: true, schema: { type: "array", items: {} } }] },
      'warning the parameter "ids" (in: "query") is not sent: only single values in the path, the query or a header can be sent',
    ],
    [
      { "x-migrate-items": [{ attr: "kay", failed: ["NO"] }] },
      'error x-migrate-items: the payload has no field "kay"; did you mean "key"?',
    ],
    [
      { "x-migrate-items": [{ attr: "key", failed: ["NO"] }] },
      'error x-migrate-items: "key" is not a list in the payload',
    ],
    [
      { parameters: [{ name: "force", in: "query", required: "true", schema: { type: "string" } }] },
      'error "required" must be true or false; it is not enforced',
    ],
  ])("are reported if they are invalid: %j", (operation, finding) => {
    expect(findingsOf(operation)).toEqual([finding]);
  });

  it("with an unknown member in an outcome rule are reported at that rule", () => {
    const rules = [
      { status: 201, outcome: "accepted" },
      { status: 400, outcome: "rejected", acount: "x" },
    ];
    const { findings } = contractOf({}, { operation: { "x-migrate-outcomes": rules } });
    expect(findings).toMatchObject([{ severity: "error", pointer: "/paths/~1things~1/post/x-migrate-outcomes/1" }]);
    expect(findings[0]?.message).toContain('"acount"');
  });

  it("that wrap the payload are reported if the body requires other fields", () => {
    const text = `
openapi: 3.0.3
info: { title: T, version: "1" }
paths:
  /a/:
    post:
      x-migrate-wrap: payload
      requestBody:
        content:
          application/json; charset=utf-8:
            schema:
              type: object
              required: [payload, params]
              properties: { payload: { type: object, properties: {} }, params: { type: object, properties: {} } }
      responses: { 201: { content: { application/json: { schema: { properties: { account_number: {} } } } } } }
`;
    const contract = loadContract([{ file: "c.yaml", text }]);
    expect(contract.findings).toMatchObject([{ severity: "warning", code: "not-sent", place: { line: 7 } }]);
    expect(contract.operations[0]?.id).toBe("POST /a/");
    expect([...bodyOf(contract).properties.keys()]).toEqual([]);
  });
});

const several = loadContract([
  {
    file: "several.yaml",
    text: `
openapi: 3.1.0
info: { title: Several, version: "2" }
paths:
  /v1/accounts/: &item
    post:
      operationId: V1 Make Account
      requestBody: { $ref: "#/components/requestBodies/Any" }
      responses: { 200: { $ref: "#/components/responses/Id" } }
  /v2/accounts/:
    post:
      operationId: make-account-two
      x-migrate-key: id
      requestBody: { $ref: "#/components/requestBodies/Any" }
      responses: { 200: { $ref: "#/components/responses/Id" } }
    get: { operationId: list-accounts }
  /files/:
    put:
      operationId: put-file
      requestBody: { content: { text/csv: {} } }
  /same/:
    $ref: "#/components/pathItems/Same"
components:
  responses:
    Id: { content: { application/json: { schema: { type: object, properties: { id: {}, number: {} } } } } }
  pathItems:
    Same:
      get: { operationId: list-accounts }
  requestBodies:
    Any: { content: { application/json: { schema: { type: object, properties: { id: { type: string } } } } } }
`,
  },
]);

describe("finding an operation", () => {
  it("reports operations with the same id and operations without a JSON body", () => {
    expect(several.findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      "error duplicate-operation",
      "warning no-json-body",
    ]);
    expect(several).toMatchObject({ title: "Several", version: "2" });
  });

  it.each([
    ["make-account-two", "/v2/accounts/"],
    ["v1-make-account", "/v1/accounts/"],
    ["V1 Make Account", "/v1/accounts/"],
    ["POST /v1/accounts/", "/v1/accounts/"],
    ["post  /v1/accounts", "/v1/accounts/"],
    ["POST /accounts/", "/v1/accounts/"],
    ["POST /v2/accounts/", "/v2/accounts/"],
    ["/v1/accounts/", "/v1/accounts/"],
    ["PUT /v1/files/", "/files/"],
    [undefined, "/v2/accounts/"],
  ])("finds '%s'", (wanted, path) => {
    expect(findOperation(several, wanted).path).toBe(path);
  });

  it("lists the operations and suggests a similar name", () => {
    const failure = failureOf(() => findOperation(several, "make-acount-two"));
    expect(failure).toMatchObject({ code: "config" });
    expect(failure.message).toContain('did you mean "make-account-two"');
    expect(failure.hint).toContain("POST /v1/accounts/  (V1 Make Account)");
  });

  it.each([
    ["importAccount", "POST /data-import/accounts/"],
    ["create-account", "POST /data-import/accounts/"],
    ["import-acount-notes", "import-account-notes"],
    ["POST /data-import/account/", "POST /data-import/accounts/"],
    ["POST /data-imports/accounts/{number}/notes/", "POST /data-import/accounts/{number}/notes/"],
  ])(
    "for '%s' suggests an operation with a matching path before an operation with a similar id",
    (wanted, suggested) => {
      const body = { content: { "application/json": { schema: { type: "object", properties: { id: {} } } } } };
      const post = (operationId: string): object => ({ post: { operationId, requestBody: body, responses: {} } });
      const document = {
        openapi: "3.0.3",
        info: { title: "T", version: "1" },
        paths: {
          "/data-import/accounts/{number}/notes/": post("import-account-notes"),
          "/data-import/accounts/": post("accountsV2Create"),
        },
      };
      const renamed = loadContract([{ file: "c.json", text: JSON.stringify(document) }]);
      expect(failureOf(() => findOperation(renamed, wanted)).message).toContain(`did you mean "${suggested}"?`);
    },
  );

  it("refuses to choose between two matches", () => {
    expect(failureOf(() => findOperation(several, "list-accounts")).hint).toContain("GET /same/");
    expect(failureOf(() => findOperation(several, "GET /accounts/")).message).toContain("no operation");
    expect(failureOf(() => findOperation(contractOf({}), undefined)).hint).toContain("POST /things/");
  });
});

describe("bodies and keys:", () => {
  it.each(["put", "patch", "delete", "get"])("records cannot be sent to an operation with the method %s", (method) => {
    const content = { "application/json": { schema: { type: "object", properties: { id: { type: "string" } } } } };
    const replace = { operationId: "replace", requestBody: { content }, responses: {} };
    const { operations, findings } = contractOf({}, { paths: { "/things/{id}/": { [method]: replace } } });
    expect(operations.find(({ id }) => id === "replace")).not.toHaveProperty("body");
    expect(findings).toMatchObject([
      {
        severity: "warning",
        code: "not-post",
        message: `records are sent with POST, but the method is ${method.toUpperCase()}; the operation cannot be used`,
      },
    ]);
  });

  it("a body that is a list is reported as unusable", () => {
    const schema = { type: "array", items: { type: "string" } };
    const operation = { operationId: "a", requestBody: { content: { "application/json": { schema } } }, responses: {} };
    const document = { openapi: "3.1.0", info: {}, paths: { "/a/": { post: operation } } };
    const { findings, operations } = loadContract([{ file: "a.json", text: JSON.stringify(document) }]);
    expect(operations[0]).not.toHaveProperty("body");
    expect(findings).toMatchObject([{ severity: "warning", code: "no-json-body" }]);
    expect(findings[0]?.message).toContain("the request body is a list");
  });

  it.each([
    ["references.external", []],
    ["references.external.more", ["error bad-extension"]],
    ["places.0.id", []],
    ["places.first.id", ["error bad-extension"]],
  ])("a key may be a member of a map or of a list item: %s", (key, expected) => {
    const { findings } = contractOf(
      {
        references: { type: "object", additionalProperties: { type: "string" } },
        places: { type: "array", items: { type: "object", properties: { id: { type: "string" } } } },
      },
      { operation: { "x-migrate-key": key } },
    );
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(expected);
  });
});
