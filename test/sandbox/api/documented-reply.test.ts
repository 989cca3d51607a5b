import { expect, test } from "vitest";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { connect, type Client } from "../sandbox-client.ts";

const text = { type: "string" };
const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

function json(schema: JsonObject): JsonObject {
  return { content: { "application/json": { schema } } };
}

/** The schema of a customer, as a billing platform publishes it. */
const CUSTOMER = {
  type: "object",
  required: ["customer_id", "sequence", "external_id", "created_at", "zone", "balance"],
  properties: {
    customer_id: { ...text, format: "uuid" },
    sequence: { type: "integer", example: 7 },
    external_id: text,
    name: { type: ["string", "null"] },
    created_at: { ...text, format: "date-time" },
    zone: { ...text, enum: ["UTC", "Europe/London"] },
    balance: { type: "number", minimum: 3 },
    parent: reference("Customer"),
    secret: { ...text, writeOnly: true },
  },
};

function connectTo(
  path: string,
  request: JsonObject,
  responses: JsonObject,
  outcomes: readonly JsonObject[] = [],
): Promise<Client> {
  const post = { operationId: "create", requestBody: json(request), responses, "x-migrate-outcomes": outcomes };
  const document = {
    openapi: "3.1.0",
    info: { title: "Billing", version: "1" },
    paths: { [path]: { post } },
    components: { schemas: { Customer: CUSTOMER } },
  };
  const contract = loadContract([{ file: "billing.json", text: JSON.stringify(document) }]);
  return connect({ contract });
}

const INPUT = {
  type: "object",
  required: ["customer"],
  properties: { customer: { type: "object", properties: { external_id: text, name: text, secret: text } } },
};

test("a POST gets the first documented success, with a body that matches its schema (the status used to always be 201)", async () => {
  const wrapped = { type: "object", required: ["customer"], properties: { customer: reference("Customer") } };
  const { post } = await connectTo("/customers", INPUT, { "400": {}, "200": json(wrapped), "202": {} });
  const sent = { customer: { external_id: "C1", name: "Ann", secret: "s" } };
  const { status, json: body } = await post("customers", sent);
  expect(status).toBe(200);
  expect(body).toEqual({
    customer: {
      customer_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/),
      sequence: 7,
      external_id: "C1",
      name: "Ann",
      created_at: "2026-01-31T09:30:00Z",
      zone: "UTC",
      balance: 3,
    },
  });
});

test("the record is read from a wrapped request, and returned in an optional member of the reply", async () => {
  const flat = await connectTo("/customers", INPUT, { "200": json(reference("Customer")) });
  const sent = { customer: { external_id: "C2" } };
  expect((await flat.post("customers", sent)).json).toMatchObject({ zone: "UTC" });
  const optional = { type: "object", properties: { customer: reference("Customer"), note: text } };
  const { json: body } = await (
    await connectTo("/customers", INPUT, { "202": json(optional) })
  ).post("customers", sent);
  expect(body.customer).toMatchObject({ external_id: "C2" });
});

test("the reply contains the account's number under the documented name, with status 201 if this status is documented", async () => {
  const reply = { type: "object", required: ["number"], properties: { number: text } };
  const account = { type: "object", properties: { external_account_number: text } };
  const { post } = await connectTo("/accounts/", account, { "200": json(reply), "201": json(reply) });
  const { status, json: body } = await post("accounts/", { external_account_number: "A1" });
  expect([status, body.number]).toEqual([201, expect.stringMatching(/^A-[0-9A-F]{8}$/)]);
});

test("a documented 204 has no body", async () => {
  const { post } = await connectTo("/customers", INPUT, { "204": { description: "" } });
  expect(await post("customers", { customer: { external_id: "C3" } })).toMatchObject({ status: 204, text: "" });
});

test("a record without an account gets its own number, and a record of an account gets the account's number", async () => {
  const answer = {
    type: "object",
    required: ["account_number", "kraken_account_number", "id"],
    properties: { account_number: text, kraken_account_number: text, id: { type: "integer" } },
  };
  const outcomes = [{ status: 201, outcome: "accepted", account: "id" }];
  const instruction = { type: "object", properties: { external_account_number: text, reference: text } };
  const { post } = await connectTo("/instructions/", instruction, { "201": json(answer) }, outcomes);
  const numbersOf = async (sent: JsonObject): Promise<JsonObject> => (await post("instructions/", sent)).json;
  const first = await numbersOf({ external_account_number: "P1", reference: "r" });
  const second = await numbersOf({ external_account_number: "P2", reference: "r" });
  const unkeyed = await numbersOf({ reference: "r" });
  expect(first).toMatchObject({ account_number: first.kraken_account_number, id: expect.any(Number) });
  for (const name of ["account_number", "kraken_account_number", "id"]) {
    expect(new Set([first[name], second[name], unkeyed[name]]).size).toBe(3);
  }
  expect((await numbersOf({ external_account_number: "P1", reference: "other" })).id).toBe(first.id);
  expect((await numbersOf({ reference: "other" })).id).not.toBe(unkeyed.id);
  const known = await connectTo("/instructions/", instruction, { "201": json(answer) });
  const identity = { supplier: "", key: "P1", importedAt: "2026-01-01T00:00:00Z", payload: {} };
  const { number } = known.sandbox.state.addAccount(identity);
  const reply = await known.post("instructions/", { external_account_number: "P1", reference: "r" });
  expect(reply.json).toMatchObject({ account_number: number, kraken_account_number: number });
});
