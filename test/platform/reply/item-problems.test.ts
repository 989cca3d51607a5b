import { describe, expect, test } from "vitest";
import type { OutcomeRule } from "../../../src/contract/operations/operation.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { jsonCopy } from "../../../src/json/parse-json.ts";
import { itemProblems } from "../../../src/platform/reply/reply-problems.ts";
import { classifyReply } from "../../../src/platform/reply/classify-reply.ts";

const ITEM = "{ type: object, properties: { amount: { type: string } } }";

/** Returns an operation whose payload has one list of objects, like the operation for transactions. */
function operationWith(extension: string, item = ITEM): Parameters<typeof classifyReply>[1] {
  const text = `
openapi: 3.1.0
info: { title: Items, version: "1" }
paths:
  /transactions/:
    post:
      operationId: add
      ${extension}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                import_supplier: { type: string }
                tags: { type: array, items: { type: string } }
                transactions:
                  type: array
                  items: ${item}
`;
  const contract = loadContract([{ file: "items.yaml", text }]);
  expect(contract.findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return findOperation(contract, "add");
}

const PLAIN = operationWith("");
const TRANSACTIONS = {
  results: [
    { status: "TRANSACTION_ADDED_TO_ACCOUNT", transaction_data: { status: "OLD_ERROR" } },
    { status: "TRANSACTION_IMPORT_ERROR", error_detail: "not within the statement", transaction_data: { amount: "1" } },
    { status: "TRANSACTION_ALREADY_EXISTS" },
  ],
};

function found(body: unknown, operation = PLAIN): readonly string[] {
  return itemProblems(jsonCopy(body), operation).map(({ attr, code, detail }) => `${attr} | ${code} | ${detail}`);
}

describe("problems of items, by default:", () => {
  test("a failed transaction has the attr of the payload's list", () => {
    expect(found(TRANSACTIONS)).toEqual(["transactions.1 | TRANSACTION_IMPORT_ERROR | not within the statement"]);
  });

  test("an item with its own HTTP status has failed if the status is an error", () => {
    const results = [{ status: 201 }, { status: 422, error_detail: "no" }, { status: 399 }, { status: 600 }];
    expect(found({ results })).toEqual(["transactions.1 | 422 | no"]);
    expect(itemProblems(jsonCopy({ results }), PLAIN, { results: [{}, { status: 422 }] })).toEqual([]);
  });

  test("a list at the root corresponds to the payload's only list of objects", () => {
    const notes = [
      { status: "NOTE_CREATION_SUCCESS" },
      { status: "NOTE_CREATION_ERROR" },
      { status: "NOTE_ALREADY_EXISTS" },
    ];
    expect(found(notes)).toEqual(["transactions.1 | NOTE_CREATION_ERROR | "]);
  });

  test("a failed transaction has the attr of the payload's list if its items are alternatives of objects", () => {
    const operation = operationWith("", `{ oneOf: [${ITEM}, { type: object, properties: { id: { type: string } } }] }`);
    expect(found(TRANSACTIONS, operation)).toEqual([
      "transactions.1 | TRANSACTION_IMPORT_ERROR | not within the statement",
    ]);
  });

  test("a list that is not in the payload is reported under its name in the reply", () => {
    const body = {
      external_account_number: "A-1234",
      meter_points: [
        { mpxn: "1", status: "REGISTRATION_FLOW_SUCCESS" },
        { mpxn: "2", status: "REGISTRATION_FLOW_ERROR", error_detail: "not current supplier" },
      ],
    };
    expect(found(body, { path: "/flows/", outcomes: [] })).toEqual([
      "meter_points.1 | REGISTRATION_FLOW_ERROR | not current supplier",
    ]);
  });

  test.each([
    [undefined],
    [{}],
    [[]],
    [[1, "X_ERROR", null, ["X_ERROR"]]],
    [{ status: "X_ERROR" }],
    [{ a: [{ status: 1 }] }],
  ])("%j rejects no item", (body) => {
    expect(found(body)).toEqual([]);
  });
});

describe("an echo of the payload:", () => {
  const payload = { transactions: [{ status: "READ_OK" }, { status: "READ_ERROR" }] };
  const statusOf = (body: object, more: object = {}): string =>
    classifyReply(reply(body), { ...PLAIN, ...more }, 0, payload).replyClass.kind;

  test("an item whose status is the sent value has not failed", () => {
    expect(statusOf(payload)).toBe("accepted");
  });

  test.each([
    ["another status", { transactions: [{ status: "READ_OK" }, { status: "IMPORT_ERROR" }] }],
    ["the status of another item", { transactions: [{ status: "READ_ERROR" }] }],
    ["the status at another path", { results: [{ status: "READ_OK" }, { status: "READ_ERROR" }] }],
  ])("an item with %s has failed", (_, body) => {
    expect(statusOf(body)).toBe("rejected");
  });

  test("items in the reply to a validation have not failed, unless the contract lists their statuses", () => {
    expect(statusOf(TRANSACTIONS, { validates: true })).toBe("accepted");
    const items = [{ at: ["results"], status: "status", failed: ["TRANSACTION_IMPORT_ERROR"] }];
    expect(statusOf(TRANSACTIONS, { validates: true, items })).toBe("rejected");
  });
});

describe("problems of items with x-migrate-items:", () => {
  test("the contract determines their location, statuses and attr", () => {
    const operation = operationWith(
      "x-migrate-items: [{ at: done.list, attr: tags, status: outcome, failed: [NO, NEVER] }]",
    );
    const list = [{ outcome: "YES" }, { outcome: "NO", code: "too_late", detail: "late" }, { outcome: "X_ERROR" }];
    expect(found({ done: { list }, results: [{ status: "X_ERROR" }] }, operation)).toEqual([
      "tags.1 | too_late | late",
    ]);
  });

  test("an item whose status is a number or a boolean has failed", () => {
    const results = [{ status: 201 }, { status: 422, error_detail: "no" }, { status: "409" }, { status: false }];
    const failed = ["transactions.1 | 422 | no", "transactions.2 | 409 | ", "transactions.3 | false | "];
    for (const statuses of ["[422, 409, false]", '["422", "409", "false"]']) {
      expect(found({ results }, operationWith(`x-migrate-items: [{ at: results, failed: ${statuses} }]`))).toEqual(
        failed,
      );
    }
  });

  test.each<[string, object, readonly string[]]>([
    [
      "`errors` with attrs inside the item",
      { errors: [{ attr: "amount", code: "max_value", detail: "too high" }, { message: "odd" }] },
      ["transactions.1.amount | max_value | too high", "transactions.1 | NO | odd"],
    ],
    [
      "`errors` with attrs from the payload",
      { errors: [{ attr: "transactions.1.amount", code: "max_value", detail: "too high" }] },
      ["transactions.1.amount | max_value | too high"],
    ],
    [
      "`errors` with attrs from the wrapped payload",
      { errors: [{ attr: "payload.transactions.1.amount", code: "max_value", detail: "too high" }] },
      ["transactions.1.amount | max_value | too high"],
    ],
    ["`errors` by field", { errors: { amount: ["too high"] } }, ["transactions.1.amount | NO | too high"]],
    ["an `error` object", { error: { code: 4021, message: "closed" } }, ["transactions.1 | 4021 | closed"]],
    ["a `message`", { code: "late", message: "too late" }, ["transactions.1 | late | too late"]],
    ["empty `errors`", { errors: [], error_detail: "no" }, ["transactions.1 | NO | no"]],
  ])("the reasons of a failed item are read from %s", (_, reasons, expected) => {
    const operation = { ...operationWith("x-migrate-items: [{ at: results, failed: [NO] }]"), wrap: "payload" };
    expect(found({ results: [{ status: "OK" }, { status: "NO", ...reasons }] }, operation)).toEqual(expected);
  });

  test("no problems are reported if the extension is false", () => {
    expect(found(TRANSACTIONS, operationWith("x-migrate-items: false"))).toEqual([]);
  });

  test.each(["x-migrate-items: [{ failed: [] }]", "x-migrate-items: true", "x-migrate-items: [{ at: a }]"])(
    "%s is an error in the contract",
    (extension) => {
      expect(() => operationWith(extension)).toThrow(/expected \[.*\] to deeply equal \[\]/);
    },
  );
});

const reply = (body: object, complete = true): Parameters<typeof classifyReply>[0] => ({
  status: 201,
  headers: { "content-type": "application/json" },
  body: complete ? JSON.stringify(body) : JSON.stringify(body).slice(0, 20),
  complete,
  durationMs: 1,
});

describe("the outcome of a reply with failed items:", () => {
  const rules: readonly OutcomeRule[] = [{ status: 201, outcome: "accepted" }];
  test.each([
    ["by default", PLAIN],
    ["with a rule that accepts", { ...PLAIN, outcomes: rules }],
  ])("one failed item rejects the record: %s", (_, operation) => {
    expect(classifyReply(reply(TRANSACTIONS), operation, 0).replyClass).toMatchObject({
      kind: "rejected",
      problems: [{ attr: "transactions.1", code: "TRANSACTION_IMPORT_ERROR", by: "platform" }],
    });
  });

  test("the account in the reply is kept", () => {
    const { replyClass } = classifyReply(reply({ account_number: "A-1", ...TRANSACTIONS }), PLAIN, 0);
    expect(replyClass).toMatchObject({ kind: "rejected", account: "A-1", isPartial: true });
  });

  test("a truncated body does not decide the outcome", () => {
    const operation = operationWith("x-migrate-items: [{ at: results, failed: [TRANSACTION_IMPORT_ERROR] }]");
    expect(classifyReply(reply(TRANSACTIONS, false), operation, 0).replyClass).toMatchObject({ kind: "ambiguous" });
    expect(classifyReply(reply(TRANSACTIONS, false), PLAIN, 0).replyClass).toMatchObject({ kind: "ambiguous" });
  });
});

describe("a reply whose items exist already:", () => {
  const had = { status: "TRANSACTION_ALREADY_EXISTS" };
  const added = { status: "TRANSACTION_ADDED_TO_ACCOUNT" };
  const payload = { transactions: [{ status: "X_ALREADY_EXISTS" }] };
  test.each<[string, object, boolean]>([
    ["every item", { results: [had, had] }, true],
    ["every item of a list at the root", [had], true],
    ["some items", { results: [had, added] }, false],
    ["an item without a status", { results: [had, {}] }, false],
    ["every item, next to a list without statuses", { results: [had], notices: [{}] }, true],
    ["no item", { results: [] }, false],
    ["an item that repeats the payload", payload, false],
  ])("%s", (_, body, expected) => {
    const { replyClass } = classifyReply(reply(body), PLAIN, 0, payload);
    expect(replyClass).toEqual({ kind: "accepted", ...(expected && { hadItems: true }) });
  });
});
