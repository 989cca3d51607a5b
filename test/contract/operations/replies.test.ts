import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import {
  documentedReply,
  replyMismatch,
  documentsAcceptance,
} from "../../../src/contract/operations/documented-reply.ts";
import { contractOf } from "../contract-of.ts";

const RECEIPT = {
  type: "object",
  required: ["account_number", "created_at"],
  properties: {
    account_number: { type: "string", readOnly: true, maxLength: 12 },
    created_at: { type: "string", format: "date-time" },
    password: { type: "string", writeOnly: true },
    notes: { type: "array", items: { type: "object", required: ["id"], properties: { id: { type: "integer" } } } },
    status: { enum: ["NEW", "OLD"] },
    nickname: { type: "string" },
    receipt: { type: "string", minLength: 1 },
  },
};

function operationWith(operation: Readonly<Record<string, unknown>>, schemas: object = {}): Operation {
  const [first] = contractOf({ reference: { type: "string" } }, { operation, schemas }).operations;
  if (first === undefined) throw new Error("no operation");
  return first;
}

/** Returns an operation whose reply with this status has a JSON body with this schema. */
function replying(schema: object, status = "201"): Operation {
  return operationWith({ responses: { [status]: { content: { "application/json": { schema } } } } });
}

function mismatch(schema: object, body: unknown): string | undefined {
  const type = documentedReply(replying(schema), 201)?.body;
  return type && replyMismatch(type, body);
}

describe("the documented replies of an operation", () => {
  it("are the replies with a status below 300, with their media types and JSON types", () => {
    const { replies } = operationWith({
      responses: {
        200: { content: { "text/plain": {}, "application/json; charset=utf-8": { schema: RECEIPT } } },
        201: { description: "Done." },
        "2XX": { content: { "*/*": { schema: { type: "array", items: {} } } } },
        302: { description: "Elsewhere." },
        400: { content: { "application/json": { schema: RECEIPT } } },
        default: { description: "Anything else." },
      },
    });
    expect(replies.map(({ status, mediaTypes, body }) => [status, mediaTypes, body?.kind])).toEqual([
      [200, ["text/plain", "application/json; charset=utf-8"], "object"],
      [201, [], undefined],
      ["2xx", ["*/*"], "list"],
    ]);
  });

  it("are resolved through references, and include the default reply if no success reply is documented", () => {
    const responses = { default: { $ref: "#/components/schemas/Reply" }, 400: { description: "No." } };
    const operation = operationWith({ responses }, { Reply: { content: { "application/json": { schema: RECEIPT } } } });
    expect(documentedReply(operation, 202)).toMatchObject({ status: "default", body: { kind: "object" } });
  });

  it("are selected by status, then by status range, then by the rules of x-migrate-outcomes", () => {
    const operation = operationWith({
      responses: { 200: { description: "Staged." }, "2XX": { description: "Something else." } },
    });
    expect(documentedReply(operation, 200)?.status).toBe(200);
    expect(documentedReply(operation, 207)?.status).toBe("2xx");
    const named = operationWith({
      responses: { 201: { description: "Created." } },
      "x-migrate-outcomes": [
        { status: 202, outcome: "accepted" },
        { status: 503, outcome: "retry" },
      ],
    });
    expect([200, 201, 202].map((status) => documentedReply(named, status)?.status)).toEqual([undefined, 201, 202]);
  });

  it("include any status if the contract documents no success reply", () => {
    const operation = operationWith({ responses: { 400: { description: "No." } } });
    expect(documentedReply(operation, 202)).toEqual({ status: 202, mediaTypes: [], body: undefined });
  });

  it("cause no findings about their schemas, except broken references", () => {
    const strange = { type: "string", pattern: "(", minProperties: 1, "x-rules": "none" };
    const contract = contractOf(
      { reference: { type: "string" } },
      {
        operation: {
          "x-migrate-key": "reference",
          responses: {
            201: { content: { "application/json": { schema: { properties: { reference: strange } } } } },
            202: { $ref: "#/components/responses/Gone" },
          },
        },
      },
    );
    expect(contract.findings.map(({ code }) => code)).toEqual(["broken-ref"]);
  });
});

describe("a reply's body", () => {
  const GOOD = { account_number: "A-1", created_at: "2026-01-01T00:00:00Z", notes: [{ id: 1 }] };

  it("matches despite undocumented members, blank strings, unknown choices, any length and optional nulls", () => {
    const body = { ...GOOD, account_number: "A-".padEnd(40, "1"), status: "NEXT", nickname: null, more: { of: "it" } };
    expect(mismatch(RECEIPT, body)).toBeUndefined();
    expect(mismatch(RECEIPT, { ...GOOD, nickname: "" })).toBeUndefined();
  });

  it.each([
    ["an error object instead", { error: "maintenance" }, '"account_number" is missing'],
    ["an empty list", [], "the body is not an object"],
    ["text", "created", "the body is not an object"],
    ["null for a required member", { ...GOOD, account_number: null }, '"account_number" is null'],
    ["a blank string for a member that may not be blank", { ...GOOD, receipt: "" }, '"receipt" is blank'],
    ["a number for a string", { ...GOOD, account_number: 17 }, '"account_number" is not text'],
    ["an object for a list", { ...GOOD, notes: {} }, '"notes" is not a list'],
    ["an item without its id", { ...GOOD, notes: [{ id: 1 }, {}] }, '"notes.1.id" is missing'],
  ])("does not match with %s", (_what, body, reason) => {
    expect(mismatch(RECEIPT, body)).toBe(reason);
  });

  it("matches one of several alternatives, regardless of the discriminator", () => {
    const either = { oneOf: [RECEIPT, { type: "array", items: RECEIPT }], discriminator: { propertyName: "instance" } };
    expect(mismatch(either, GOOD)).toBeUndefined();
    expect(mismatch(either, [GOOD])).toBeUndefined();
    expect(mismatch(either, {})).toBe('"account_number" is missing');
  });

  it("matches a recursive schema to any depth", () => {
    const operation = operationWith(
      { responses: { 201: { content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } } } },
      { Node: { type: "object", properties: { below: { $ref: "#/components/schemas/Node" } } } },
    );
    const type = documentedReply(operation, 201)?.body;
    let body: object = {};
    for (let depth = 0; depth < 5_000; depth += 1) body = { below: body };
    expect(type && replyMismatch(type, body)).toBeUndefined();
  });
});

function holding(name: string): object {
  return { type: "object", properties: { [name]: { type: "string" } } };
}

describe("the definition of an accepted record in the contract", () => {
  it.each([
    ["the account number", replying(holding("account_number"))],
    ["the business key", { ...replying(holding("reference")), key: ["reference"] }],
    ["one of several alternatives", replying({ oneOf: [{ type: "string" }, holding("kraken_account_number")] })],
  ])("is complete with %s in a documented reply", (_what, operation) => {
    expect(documentsAcceptance(operation)).toBe(true);
  });

  it("is complete with a rule that requires a member of the reply", () => {
    const rules = [{ status: 201, has: "receipt", outcome: "accepted" }];
    const responses = { 201: { description: "Done." } };
    expect(documentsAcceptance(operationWith({ responses, "x-migrate-outcomes": rules }))).toBe(true);
  });

  it("is complete with outcomes for the items of a reply", () => {
    const items = [{ failed: ["NOTE_CREATION_ERROR"] }];
    const responses = { 201: { description: "Done." } };
    expect(documentsAcceptance(operationWith({ responses, "x-migrate-items": items }))).toBe(true);
  });

  it("is missing, with a finding at the replies, if the replies identify no record", () => {
    const { findings } = contractOf(
      { reference: { type: "string" } },
      { operation: { responses: { 201: { description: "Done." } } } },
    );
    expect(findings).toMatchObject([
      { severity: "warning", code: "acceptance-unknown", pointer: "/paths/~1things~1/post/responses" },
    ]);
    expect(documentsAcceptance(replying(holding("message")))).toBe(false);
  });

  it("is missing despite a rule for the status, and the finding states what the replies lack", () => {
    const rules = [{ status: 201, outcome: "accepted", account: "account_number" }];
    const responses = { 201: { description: "Done." } };
    const operation = { responses, "x-migrate-outcomes": rules };
    expect(contractOf({ reference: { type: "string" } }, { operation }).findings).toMatchObject([
      {
        code: "acceptance-unknown",
        message: expect.stringMatching(/^no documented reply .* contains the account number or the business key/),
      },
    ]);
  });
});
