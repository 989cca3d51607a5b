import { describe, expect, test } from "vitest";
import { classifyReply } from "../../../src/platform/reply/classify-reply.ts";
import { classOf, type Given, type Operation, operationWith } from "./documented-operation.ts";

const CREATED = operationWith(`{
  "201": { description: Created, content: { application/json: { schema: {
    type: object, required: [account_number],
    properties: { account_number: { type: string }, external_account_number: { type: string }, balance: { type: number } } } } } },
  "204": { description: Nothing } }`);
const OPTIONAL = operationWith(`{ "201": { description: Created, content: { application/json: { schema: {
  type: object, properties: { account_number: { type: [string, "null"] }, status: { type: string } } } } } } }`);
const SILENT = operationWith(`{ "201": { description: Created } }`);
const FORMLESS = operationWith(`{ "201": { description: Created, content: { application/json: {} } } }`);
const PLAIN = operationWith(`{ "201": { description: Created, content: { text/plain: {} } } }`);

describe("a 2xx reply is ambiguous if it contradicts the contract or does not clearly report success (the reply used to be accepted):", () => {
  test.each<[string, Operation, number, unknown, string, Given?]>([
    ["an error", CREATED, 201, { error: "try later" }, '"account_number" is missing'],
    [
      "an error next to an account number",
      CREATED,
      201,
      { account_number: "A-1", error: "x" },
      'with "error" in its body',
    ],
    ["an empty object, with an undocumented status", CREATED, 200, {}, "which the contract does not document"],
    ["an empty object", CREATED, 201, {}, '"account_number" is missing'],
    ["a list", CREATED, 201, [], "not an object"],
    ["maintenance", CREATED, 201, { status: "maintenance" }, '"account_number" is missing'],
    ["a detail", CREATED, 201, { detail: "Created." }, '"account_number" is missing'],
    ["an account number of null", CREATED, 201, { account_number: null }, '"account_number" is null'],
    ["an empty account number", CREATED, 201, { account_number: "" }, "without the account number"],
    ["a blank account number", CREATED, 201, { account_number: " " }, "without the account number"],
    ["an account number that is an object", CREATED, 201, { account_number: {} }, '"account_number" is not text'],
    ["an undocumented status", CREATED, 202, { account_number: "A-1" }, "HTTP 202, which the contract"],
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
      "content type text/plain, which the contract does not document",
      { headers: { "content-type": "text/plain" } },
    ],
    ["no body", CREATED, 201, "", "with an empty body"],
    ["plain text", CREATED, 201, "created", "with a body that is not JSON"],
    ["no account number, although optional", OPTIONAL, 201, { status: "ok" }, "without the account number"],
    ["another record's key, although undocumented", SILENT, 201, { external_account_number: "X" }, "of another record"],
    [
      "an error, although nothing is documented",
      SILENT,
      201,
      { errors: [{ detail: "no" }] },
      'with "errors" in its body',
    ],
    ["an empty body where JSON of any form is documented", FORMLESS, 201, "", "with an empty body"],
    [
      "incomplete JSON where JSON of any form is documented",
      FORMLESS,
      201,
      '{"error":"main',
      "with a body that is not JSON",
    ],
    ["incomplete JSON where nothing is documented", SILENT, 201, '{"error":"main', "without the expected JSON"],
    ["success: false", CREATED, 201, { account_number: "A-1", success: false }, 'with "success": false in its body'],
    ["success: false, although nothing is documented", SILENT, 201, { success: false }, '"success": false'],
    ["a failure status", CREATED, 201, { account_number: "A-1", status: "FAILED" }, '"status": "FAILED"'],
    ["a status whose last word means failure", SILENT, 201, { status: "ACCOUNT_IMPORT_ERROR" }, '"status": "ACCOUNT_'],
    ["an error status", SILENT, 201, { status: 500, title: "Oops" }, '"status": 500'],
    ["success: false in an envelope", SILENT, 201, { data: { success: false } }, '"success": false'],
    ["success as a count of zero", SILENT, 201, { succeeded: 0, failed: 1 }, '"succeeded": 0'],
    ["success as a capitalised string", SILENT, 201, { success: "False" }, '"success": "False"'],
    ["failed: true in a list", SILENT, 201, [{ failed: true }], '"failed": true'],
    [
      "two different account numbers",
      CREATED,
      201,
      { account_number: "A-1", kraken_account_number: "A-2" },
      "with two different account numbers",
    ],
    [
      "two different account numbers, one in the account",
      CREATED,
      201,
      { account_number: "A-1", account: { number: "A-2" } },
      "with two different account numbers",
    ],
    [
      "another record's key inside the body",
      CREATED,
      201,
      { account_number: "A-1", account: { external_account_number: "EXT-2" } },
      "the business key of another record",
    ],
    ["a status other than those documented", SILENT, 200, { account_number: "A-1" }, "does not document"],
  ])("%s", (...[, operation, status, body, reason, given]) => {
    expect(classOf(operation, status, body, given)).toEqual({
      kind: "ambiguous",
      reason: expect.stringContaining(reason),
      notFromApi: true,
    });
  });
});

describe("a reply that matches the contract is accepted", () => {
  test.each<[string, Operation, number, unknown, object, Given?]>([
    ["with the account number", CREATED, 201, { account_number: "A-1" }, { account: "A-1" }],
    ["with undocumented members", CREATED, 201, { account_number: "A-1", new: {} }, { account: "A-1" }],
    ["with a decimal as a string", CREATED, 201, { account_number: "A-1", balance: "1.50" }, { account: "A-1" }],
    ["with optional members of null", CREATED, 201, { account_number: "A-1", balance: null }, { account: "A-1" }],
    ["with a success flag", CREATED, 201, { account_number: "A-1", success: true, status: "ok" }, { account: "A-1" }],
    [
      "with the same account number twice, and the key as a third number",
      CREATED,
      201,
      { account_number: "A-1", kraken_account_number: "A-1", number: "EXT-1" },
      { account: "A-1" },
    ],
    [
      "with this record's key next to the key of another record",
      CREATED,
      201,
      {
        account_number: "A-1",
        account: { external_account_number: "EXT-1" },
        parent: { external_account_number: "EXT-0" },
      },
      { account: "A-1" },
    ],
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
    ["with a null account number, as documented", OPTIONAL, 201, { account_number: null }, {}],
    ["where no body is documented", SILENT, 201, { anything: 1 }, {}],
    ["empty, where no body is documented", SILENT, 201, "", {}],
    [
      "that is a string, as documented",
      PLAIN,
      201,
      "ok",
      {},
      { headers: { "content-type": "text/plain; charset=utf-8" } },
    ],
  ])("%s", (...[, operation, status, body, more, given]) => {
    expect(classOf(operation, status, body, given)).toMatchObject({ kind: "accepted", ...more });
  });

  test("with a failure status that the payload also contains", () => {
    const body = { account_number: "A-1", status: "FAILED" };
    const reply = { status: 201, headers: {}, body: JSON.stringify(body), complete: true, durationMs: 1 };
    const payload = { external_account_number: "EXT-1", status: "FAILED" };
    expect(classifyReply(reply, CREATED, 0, payload).replyClass).toMatchObject({ kind: "accepted" });
  });

  test("with a status that x-migrate-outcomes names", () => {
    const outcomes = "x-migrate-outcomes: [{ status: 202, outcome: accepted, account: id }]";
    const operation = operationWith(`{ "201": { description: Created } }`, outcomes);
    expect(classOf(operation, 202, { id: "A-7" })).toEqual({ kind: "accepted", account: "A-7" });
    expect(classOf(operation, 203, { id: "A-7" })).toMatchObject({ kind: "ambiguous", notFromApi: true });
  });

  test.each([{}, { status: "x" }, []])(
    "by a rule for an undocumented status only if its body contains an identifier that other replies document: %j",
    (body) => {
      const operation = operationWith(
        `{ "201": { description: Created, content: { application/json: { schema: {
          type: object, required: [account_number], properties: { account_number: { type: string } } } } } } }`,
        "x-migrate-outcomes: [{ status: 2xx, outcome: accepted, account: account_number }]",
      );
      expect(classOf(operation, 202, body)).toMatchObject({ kind: "ambiguous", notFromApi: true });
      expect(classOf(operation, 202, { account_number: "A-7" })).toMatchObject({ kind: "accepted", account: "A-7" });
    },
  );

  test("by a rule only if its body also matches the documented schema", () => {
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

describe("in the step that creates an account,", () => {
  const outcomes = "x-migrate-outcomes: [{ status: 201, outcome: accepted, account: id }]";
  const ruled = operationWith(`{ "201": { description: Created } }`, outcomes);

  test.each<[string, Operation, object, string]>([
    [
      "an account number of null, documented as nullable",
      OPTIONAL,
      { account_number: null, external_account_number: "EXT-1" },
      "ambiguous",
    ],
    ["an account number of null, named by a rule", ruled, { id: null }, "ambiguous"],
    ["an empty account number, named by a rule", ruled, { id: "" }, "ambiguous"],
    ["a blank account number, named by a rule", ruled, { id: "\t" }, "ambiguous"],
    [
      "a blank account number next to the key",
      CREATED,
      { account_number: "\u00a0\u200b", external_account_number: "EXT-1" },
      "ambiguous",
    ],
    [
      "an account number of null, and a number under another name",
      OPTIONAL,
      { account_number: null, number: "A-1" },
      "accepted",
    ],
  ])("a reply is accepted only if it contains an account number: %s", (...[, operation, body, kind]) => {
    const reply = { status: 201, headers: {}, body: JSON.stringify(body), complete: true, durationMs: 1 };
    const payload = { external_account_number: "EXT-1" };
    expect(classifyReply(reply, { ...operation, creates: true }, 0, payload).replyClass).toMatchObject({ kind });
    expect(classifyReply(reply, operation, 0, payload).replyClass).toMatchObject({ kind: "accepted" });
  });
});
