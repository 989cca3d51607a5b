import { expect } from "vitest";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { classifyReply } from "../../../src/platform/reply/classify-reply.ts";
import type { ReplyClass } from "../../../src/platform/reply/reply-class.ts";
import type { HttpReply } from "../../../src/transport/http.ts";

export type Operation = Parameters<typeof classifyReply>[1];

/** Returns an operation that documents these replies. Its business key is `external_account_number`. */
export function operationWith(responses: string, extension = ""): Operation {
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

export interface Given {
  readonly headers?: HttpReply["headers"];
  readonly complete?: boolean;
}

/** Classifies a reply to a request for the record `EXT-1`. */
export function classOf(operation: Operation, status: number, body: unknown, given: Given = {}): ReplyClass {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = given.headers ?? { "content-type": "application/json; charset=utf-8" };
  const reply = { status, headers, body: text, complete: given.complete ?? true, durationMs: 1 };
  return classifyReply(reply, operation, 0, { external_account_number: "EXT-1" }).replyClass;
}
