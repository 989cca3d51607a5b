import { describe, expect, test } from "vitest";
import { classifyReply } from "../../../src/platform/reply/classify-reply.ts";
import { jsonReply } from "../json-reply.ts";
import { classOf, type Operation, operationWith } from "./documented-operation.ts";

describe("a reply that names another record is ambiguous, for any status:", () => {
  const ALREADY_IMPORTED = operationWith(
    `{ "201": { description: Created } }`,
    `x-migrate-outcomes:
        - { status: 400, has: kraken_account_number, outcome: accepted, account: kraken_account_number }
        - { status: 404, outcome: rejected }`,
  );
  const key = "external_account_number";

  test.each<[string, number, object]>([
    ["already imported", 400, { [key]: "GB-99999", kraken_account_number: "A-9" }],
    [
      "already imported, in an error",
      400,
      { kraken_account_number: "A-9", errors: [{ code: "x", [key]: "GB-99999" }] },
    ],
    ["already imported, with two numbers", 400, { kraken_account_number: "A-9", account_number: "A-8" }],
    ["a refusal", 400, { [key]: "GB-99999", errors: [{ attr: "name", code: "blank", detail: "" }] }],
    ["a refusal by a rule", 404, { [key]: "GB-99999", detail: "no such thing" }],
    ["a refusal without a rule", 422, { account: { [key]: 99999 }, detail: "no such thing" }],
  ])("%s", (...[, status, body]) => {
    expect(classOf(ALREADY_IMPORTED, status, body)).toMatchObject({ kind: "ambiguous", notFromApi: true });
  });

  test.each<[string, number, object, string]>([
    ["already imported", 400, { [key]: "EXT-1", kraken_account_number: "A-9" }, "accepted"],
    ["already imported, without the key", 400, { kraken_account_number: "A-9" }, "accepted"],
    ["a message instead of the key", 400, { [key]: "is in use already" }, "rejected"],
    ["messages instead of the key", 400, { [key]: ["taken"] }, "rejected"],
  ])("a reply that names no other record is not ambiguous: %s", (...[, status, body, kind]) => {
    expect(classOf(ALREADY_IMPORTED, status, body)).toMatchObject({ kind });
  });
});

describe("the code of an error is not mistaken for a business key that is also called `code`:", () => {
  const operation: Operation = {
    ...operationWith(`{ "201": { description: Created } }`),
    key: ["code"],
    keyNames: ["code"],
  };
  const error = { code: "blank", detail: "May not be blank." };
  const kindOf = (body: object, status = 400): string =>
    classifyReply(jsonReply(status, body), operation, 0, { code: "P-1" }).replyClass.kind;

  test.each<[string, object]>([
    ["an error as in the specification", { ...error, errors: [{ attr: "name", ...error }] }],
    ["without text for the whole reply", { code: "invalid", errors: [{ attr: "name", ...error }] }],
    ["a bare error", error],
    ["with a message", { code: "invalid", message: "Not valid." }],
    ["with an error text", { code: "invalid", error_detail: "Not valid." }],
    ["inside the reply", { non_field_errors: error }],
    ["next to this record's key", { results: [{ code: "P-1", errors: [error] }] }],
  ])("%s", (_, body) => {
    expect(kindOf(body)).toBe("rejected");
  });

  test.each([
    [{ code: "P-2", message: "Created." }, "ambiguous"],
    [{ code: "P-2", detail: "Created." }, "ambiguous"],
    [{ code: "P-1", message: "Created." }, "accepted"],
  ])("unless the reply is a success: %j", (body, kind) => {
    expect(kindOf(body, 201)).toBe(kind);
  });

  test.each<[string, object]>([
    ["a record", { code: "P-2", name: "Other" }],
    ["a record with a list of no errors", { code: "P-2", errors: [] }],
    ["a record inside the reply", { ...error, product: { code: "P-2" } }],
  ])("unless it is the key of another record: %s", (_, body) => {
    expect(kindOf(body)).toBe("ambiguous");
  });
});
