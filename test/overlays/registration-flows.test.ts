import { describe, expect, it } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { classifyReply } from "../../src/platform/reply/classify-reply.ts";
import type { ReplyClass } from "../../src/platform/reply/reply-class.ts";
import { overlayTexts } from "./shipped-overlay.ts";

/** A shortened version of the operation that the operator publishes. It has no request body. */
const DOCUMENT = `
openapi: 3.0.3
info: { title: Registration flows, version: "1" }
paths:
  /v1/data-import/send-registration-flows/{import_supplier_code}/{external_account_number}/:
    post:
      operationId: registrations
      parameters:
        - { in: path, name: external_account_number, schema: { type: string }, required: true }
        - { in: path, name: import_supplier_code, schema: { type: string }, required: true }
      responses: { "200": { description: Sent, content: { application/json: { schema: { type: object } } } } }
`;

function flowReply(account: string, status: string): JsonObject {
  return {
    external_account_number: account,
    import_supplier_code: "EDF",
    meter_points: [{ mpxn: "1013004420117", status }],
  };
}

describe("registration flows, which the published document sends without a body (they used to be unusable)", () => {
  const contract = loadContract([{ file: "registrations.yaml", text: DOCUMENT }, ...overlayTexts("gb")]);
  const operation = findOperation(contract, "registrations");
  const classOf = (status: number, body: JsonObject): ReplyClass => {
    const headers = { "content-type": "application/json" };
    const reply = { status, headers, body: JSON.stringify(body), complete: true, durationMs: 1 };
    return classifyReply(reply, operation, 0, { external_account_number: "A-1" }).replyClass;
  };
  it("have the business key of their account, and are not repeated automatically", () => {
    expect(operation.key).toEqual(["external_account_number"]);
    expect(operation.dedupesByKey).toBe(false);
  });

  it("are accepted if the platform accepted the flow of each meter point", () => {
    expect(classOf(200, flowReply("A-1", "REGISTRATION_FLOW_SUCCESS"))).toMatchObject({ kind: "accepted" });
    expect(classOf(200, flowReply("A-1", "REGISTRATION_FLOW_ERROR"))).toMatchObject({
      kind: "rejected",
      problems: [{ attr: "meter_points.0", code: "REGISTRATION_FLOW_ERROR" }],
    });
  });

  it("are ambiguous if the reply is about another account, and rejected if the account was not imported", () => {
    expect(classOf(200, flowReply("A-2", "REGISTRATION_FLOW_SUCCESS"))).toMatchObject({ kind: "ambiguous" });
    expect(classOf(404, { error_detail: "Account not found for A-1." })).toMatchObject({ kind: "rejected" });
  });
});
