import { describe, expect, test } from "vitest";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { classifyReply } from "../../../src/platform/reply/classify-reply.ts";
import type { ReplyClass } from "../../../src/platform/reply/reply-class.ts";
import type { HttpReply } from "../../../src/transport/http.ts";

type Operation = Parameters<typeof classifyReply>[1];

/** An operation that documents these replies, whose business key is `external_account_number`. */
function operationWith(responses: string, extension = ""): Operation {
  const text = `
openapi: 3.1.0
info: { title: Replies, version: "1" }
paths:
  /accounts/:
    post:
      operationId: create
      x-migrate-key: external_account_number
      ${extension}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [external_account_number]
              properties: { external_account_number: { type: string } }
      responses: ${responses.replaceAll(/\s+/g, " ")}
`;
  const contract = loadContract([{ file: "replies.yaml", text }]);
  expect(contract.findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return findOperation(contract, "create");
}

const CREATED = operationWith(`{
  "201": { description: Created, content: { application/json: { schema: {
    type: object, required: [account_number],
    properties: { account_number: { type: string }, external_account_number: { type: string }, balance: { type: number } } } } } },
  "204": { description: Nothing } }`);
const OPTIONAL = operationWith(`{ "201": { description: Created, content: { application/json: { schema: {
  type: object, properties: { account_number: { type: [string, "null"] }, status: { type: string } } } } } } }`);
const SILENT = operationWith(`{ "201": { description: Created } }`);
const PLAIN = operationWith(`{ "201": { description: Created, content: { text/plain: {} } } }`);

interface Given {
  readonly headers?: HttpReply["headers"];
  readonly complete?: boolean;
}

function classOf(operation: Operation, status: number, body: unknown, given: Given = {}): ReplyClass {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = given.headers ?? { "content-type": "application/json; charset=utf-8" };
  const reply = { status, headers, body: text, complete: given.complete ?? true, durationMs: 1 };
  return classifyReply(reply, operation, 0, { external_account_number: "EXT-1" }).replyClass;
}

describe("a 2xx that created nothing was believed: it is ambiguous where the contract documents the account number", () => {
  test.each<[string, Operation, number, unknown, string, Given?]>([
    ["an error", CREATED, 201, { error: "try later" }, '"account_number" is missing'],
    [
      "an error beside an account number",
      CREATED,
      201,
      { account_number: "A-1", error: "x" },
      'with "error" in its body',
    ],
    ["an empty object, status not documented", CREATED, 200, {}, "which the contract does not document"],
    ["an empty object", CREATED, 201, {}, '"account_number" is missing'],
    ["a list", CREATED, 201, [], "not an object"],
    ["maintenance", CREATED, 201, { status: "maintenance" }, '"account_number" is missing'],
    ["a detail", CREATED, 201, { detail: "Created." }, '"account_number" is missing'],
    ["an account number of null", CREATED, 201, { account_number: null }, '"account_number" is null'],
    ["an empty account number", CREATED, 201, { account_number: "" }, "without the account number"],
    ["an account number that is an object", CREATED, 201, { account_number: {} }, '"account_number" is not text'],
    ["a status that is not documented", CREATED, 202, { account_number: "A-1" }, "HTTP 202, which the contract"],
    [
      "another record's key",
      CREATED,
      201,
      { account_number: "A-1", external_account_number: "EXT-2" },
      "the business key of another record",
    ],
    [
      "another content type",
      CREATED,
      201,
      { account_number: "A-1" },
      "content type text/plain is not",
      { headers: { "content-type": "text/plain" } },
    ],
    ["no body", CREATED, 201, "", "whose body is empty"],
    ["a text", CREATED, 201, "created", "whose body is not JSON"],
    ["no account number, though optional", OPTIONAL, 201, { status: "ok" }, "without the account number"],
    ["another record's key, though not documented", SILENT, 201, { external_account_number: "X" }, "of another record"],
    [
      "an error, though nothing is documented",
      SILENT,
      201,
      { errors: [{ detail: "no" }] },
      'with "errors" in its body',
    ],
    ["a status beside those documented", SILENT, 200, { account_number: "A-1" }, "does not document"],
  ])("%s", (...[, operation, status, body, reason, given]) => {
    expect(classOf(operation, status, body, given)).toEqual({
      kind: "ambiguous",
      reason: expect.stringContaining(reason),
      notFromApi: true,
    });
  });
});

describe("a reply that keeps to the contract is believed", () => {
  test.each<[string, Operation, number, unknown, object, Given?]>([
    ["with the account number", CREATED, 201, { account_number: "A-1" }, { account: "A-1" }],
    ["with members that are not documented", CREATED, 201, { account_number: "A-1", new: {} }, { account: "A-1" }],
    ["with a decimal as text", CREATED, 201, { account_number: "A-1", balance: "1.50" }, { account: "A-1" }],
    ["with optional members of null", CREATED, 201, { account_number: "A-1", balance: null }, { account: "A-1" }],
    ["with an empty list of errors", CREATED, 201, { account_number: "A-1", errors: [] }, { account: "A-1" }],
    ["with this record's key", CREATED, 201, { account_number: "A-1", external_account_number: "EXT-1 " }, {}],
    [
      "of another JSON type",
      CREATED,
      201,
      { account_number: "A-1" },
      {},
      { headers: { "content-type": "application/vnd.api+json" } },
    ],
    ["without a content type", CREATED, 201, { account_number: "A-1" }, {}, { headers: {} }],
    ["documented without a body", CREATED, 204, "", {}, { headers: {} }],
    ["cut short", CREATED, 201, '{"acc', {}, { complete: false }],
    ["with an account number of null, which is documented", OPTIONAL, 201, { account_number: null }, {}],
    ["where no body is documented", SILENT, 201, { anything: 1 }, {}],
    ["empty, where no body is documented", SILENT, 201, "", {}],
    [
      "that is a text, as documented",
      PLAIN,
      201,
      "ok",
      {},
      { headers: { "content-type": "text/plain; charset=utf-8" } },
    ],
  ])("%s", (...[, operation, status, body, more, given]) => {
    expect(classOf(operation, status, body, given)).toMatchObject({ kind: "accepted", ...more });
  });

  test("of a status that x-migrate-outcomes names", () => {
    const outcomes = "x-migrate-outcomes: [{ status: 202, outcome: accepted, account: id }]";
    const operation = operationWith(`{ "201": { description: Created } }`, outcomes);
    expect(classOf(operation, 202, { id: "A-7" })).toEqual({ kind: "accepted", account: "A-7" });
    expect(classOf(operation, 203, { id: "A-7" })).toMatchObject({ kind: "ambiguous", notFromApi: true });
  });

  test("but not for a rule's word against the documented body", () => {
    const outcomes = "x-migrate-outcomes: [{ status: 2xx, outcome: accepted, account: id }]";
    const operation = operationWith(
      `{ "201": { description: Created, content: { application/json: { schema: {
        type: object, required: [id], properties: { id: { type: string } } } } } } }`,
      outcomes,
    );
    expect(classOf(operation, 201, { id: "A-7" })).toMatchObject({ kind: "accepted", account: "A-7" });
    expect(classOf(operation, 201, { error: "no" })).toMatchObject({ kind: "ambiguous", notFromApi: true });
  });
});
