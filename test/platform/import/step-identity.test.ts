import { expect, test } from "vitest";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import {
  createRemoteValidation,
  createStepClients,
  type StepClient,
} from "../../../src/platform/import/step-clients.ts";
import type { HttpReply } from "../../../src/transport/http.ts";

/**
 * The platform has its own name for the business key, in the body of the last step and in the path of the status
 * request.
 */
const CONTRACT = `
openapi: 3.0.3
info: { title: Steps, version: "1" }
paths:
  /stage/:
    post:
      operationId: stage
      x-migrate-key: ref
      x-migrate-steps:
        - { operation: check, kind: validate }
        - { operation: stage, kind: stage }
        - { operation: process, kind: process, body: { external_ref: ref, team: { value: A } } }
      requestBody: &body
        content:
          application/json:
            schema: { type: object, properties: { ref: { type: string }, success: { type: boolean } } }
      responses: { "200": { description: staged } }
  /check/:
    post:
      operationId: check
      x-migrate-outcomes:
        - { status: 400, has: account_number, outcome: accepted, account: account_number }
        - { status: 400, code: "400", outcome: accepted }
      requestBody: *body
      responses: { "200": { description: right } }
  /process/:
    post:
      operationId: process
      x-migrate-outcomes:
        - { status: 201, outcome: accepted, account: account_number }
        - { status: 400, has: account_number, outcome: accepted, account: account_number }
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "201": { description: made } }
  /schedule/:
    post:
      operationId: schedule
      x-migrate-key: ref
      x-migrate-poll:
        operation: status
        parameters: { id: ref }
        status: state
        outcomes: { DONE: accepted, FAILED: rejected, OLD_ERROR: accepted }
        account: identifier
        error: error
      x-migrate-wrap: payload
      requestBody:
        content: { application/json: { schema: { type: object, properties: { payload: { type: object, properties: { ref: { type: string }, success: { type: boolean } } } } } } }
      responses: { "201": { description: scheduled } }
  /commit/:
    post:
      operationId: commit
      x-migrate-poll: { operation: status, parameters: { id: ref }, status: phase, outcomes: { "3": accepted, 4: rejected, true: accepted }, error: error }
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "202": { description: later } }
  /draft/:
    post:
      operationId: draft
      x-migrate-key: ref
      x-migrate-wrap: payload
      x-migrate-steps:
        - { operation: draft, kind: stage }
        - { operation: commit, kind: schedule, body: { id: ref } }
      requestBody:
        content: { application/json: { schema: { type: object, properties: { payload: { type: object, properties: { ref: { type: string } } } } } } }
      responses: { "200": { description: staged } }
  /status/{id}/:
    get: { operationId: status, responses: { "200": { description: its status } } }
`;

function operation(name: string): Operation {
  const contract = loadContract([{ file: "contract.yaml", text: CONTRACT }]);
  expect(contract.findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return findOperation(contract, name);
}

/** Returns a JSON reply, complete by default. */
function replyOf(status: number, body: object, complete = true): HttpReply {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: JSON.stringify(body), complete, durationMs: 1 };
}

type Tools = Parameters<typeof createStepClients>[1];

/** Returns the tools for a platform that gives this reply to every request. */
function toolsFor(reply: HttpReply): Tools {
  return {
    http: () => Promise.resolve(reply),
    baseUrl: new URL("https://localhost/v1/"),
    authorisation: {
      header: () => Promise.resolve("t"),
      accepted: () => undefined,
      mayHaveExpired: () => false,
      refused: () => Promise.resolve(),
    },
    userAgent: "test",
    clock: { now: () => 0 },
  };
}

const PAYLOAD = { ref: "EXT-1" };

async function kindOf(ask: StepClient["send"] | undefined, payload: JsonObject = PAYLOAD): Promise<string | undefined> {
  return (await ask?.(payload, new AbortController().signal))?.replyClass.kind;
}

function polled(body: object, payload?: JsonObject): Promise<string | undefined> {
  return kindOfStatus(replyOf(200, body), payload);
}

function kindOfStatus(reply: HttpReply, payload?: JsonObject): Promise<string | undefined> {
  const [client] = createStepClients(operation("schedule"), toolsFor(reply));
  return kindOf(client?.status?.poll, payload);
}

test("a 404 reply to the status request means 'not found' only if it is complete and names no other record", async () => {
  expect(await kindOfStatus(replyOf(404, { detail: "Not found." }))).toBe("absent");
  expect(await kindOfStatus(replyOf(404, { detail: "Not found." }, false))).toBe("ambiguous");
  expect(await kindOfStatus({ ...replyOf(404, {}), body: '{"detail":' })).toBe("ambiguous");
  expect(await kindOfStatus(replyOf(404, { detail: "Not found.", id: "EXT-2" }))).toBe("ambiguous");
});

test.each(["", " ", ".", ".."])("a status request whose path parameter is %j is not sent", async (ref) => {
  const tools = { ...toolsFor(replyOf(404, {})), http: () => Promise.reject(new Error("a request was sent")) };
  const [client] = createStepClients(operation("schedule"), tools);
  const result = await client?.status?.poll({ ref }, new AbortController().signal);
  expect(result?.replyClass).toEqual({
    kind: "cancelled",
    reason: 'the path parameter "id" (ref) is missing, blank, "." or ".."',
  });
});

test.each([400, 405, 406, 410, 415])(
  "a status request that is refused with HTTP %i does not end the run",
  async (status) => {
    const [client] = createStepClients(operation("schedule"), toolsFor(replyOf(status, { detail: "no" })));
    const result = await client?.status?.poll(PAYLOAD, new AbortController().signal);
    expect(result?.replyClass).toEqual({ kind: "ambiguous", reason: `HTTP ${status}`, notFromApi: false });
  },
);

const PLAIN = { "content-type": "text/plain; charset=utf-8" };

test.each<[string, Partial<HttpReply>]>([
  ["plain text", { headers: PLAIN, body: "404 page not found\n" }],
  ["an empty body", { headers: {}, body: "" }],
  ["a web page under another type", { headers: { "content-type": "application/octet-stream" }, body: "<html></html>" }],
  ["another JSON object", { body: '{"message":"no Route matched with those values"}' }],
  ["an empty `detail`", { body: '{"detail":" "}' }],
  ["a list", { body: '[{"detail":"Not found."}]' }],
])("a 404 of a gateway does not prove that the record is absent: %s", async (_, difference) => {
  const [client] = createStepClients(operation("schedule"), toolsFor({ ...replyOf(404, {}), ...difference }));
  const result = await client?.status?.poll(PAYLOAD, new AbortController().signal);
  expect(result?.replyClass).toEqual({
    kind: "ambiguous",
    reason: 'HTTP 404 without the "detail" of an error in its body',
    notFromApi: true,
  });
});

test.each<[string, object]>([
  ["the name of the path's parameter", { state: "DONE", id: "EXT-2", identifier: "A-1" }],
  ["the name of the path's parameter in an envelope", { state: "DONE", data: { id: "EXT-2" }, identifier: "A-1" }],
  ["the attr of the payload", { state: "DONE", ref: "EXT-2", id: "EXT-1", identifier: "A-1" }],
  ["the name of the path's parameter after a failed import", { state: "FAILED", id: "EXT-2" }],
])("a status reply that names another record by %s is ambiguous", async (_, body) => {
  expect(await polled(body)).toBe("ambiguous");
});

test.each<[string, object, string]>([
  ["two different account numbers", { state: "DONE", identifier: "A-1", account_number: "A-2" }, "ambiguous"],
  ["a contradicting flag", { state: "DONE", identifier: "A-1", success: false }, "ambiguous"],
  ["a contradicting member", { state: "DONE", identifier: "A-1", result: "failed" }, "ambiguous"],
  ["an account number of null", { state: "DONE", identifier: null }, "waiting"],
  ["an empty account number", { state: "DONE", identifier: "" }, "waiting"],
])("a final status with %s is not accepted", async (_, body, kind) => {
  expect(await polled(body)).toBe(kind);
});

test("the status of an unfinished import includes its account number, so that a later change is detected", async () => {
  const [client] = createStepClients(
    operation("schedule"),
    toolsFor(replyOf(200, { state: "NEW", identifier: "A-1" })),
  );
  const result = await client?.status?.poll(PAYLOAD, new AbortController().signal);
  expect(result?.replyClass).toMatchObject({ kind: "waiting", account: "A-1" });
});

test.each<[string, object, JsonObject?]>([
  ["with its key", { state: "DONE", ref: "EXT-1", identifier: "A-1" }],
  ["with its key under the parameter's name", { state: "DONE", id: "EXT-1", identifier: "A-1" }],
  ["with the platform's own number under the parameter's name", { state: "DONE", id: 7, identifier: "A-1" }],
  ["with its key next to another identifier", { state: "DONE", id: "7f3a", ref: "EXT-1", identifier: "A-1" }],
  ["without the account number", { state: "DONE" }],
  ["under a name that the contract defines as a success", { state: "OLD_ERROR", identifier: "A-1" }],
  ["with a flag that repeats the payload", { state: "DONE", success: false }, { ...PAYLOAD, success: false }],
])("a final status is accepted %s", async (_, body, payload) => {
  expect(await polled(body, payload)).toBe("accepted");
});

test("a long number under the parameter's name is the platform's own number, not the key of another record", async () => {
  const body = '{"state":"DONE","id":12345678901234567890,"identifier":"A-1"}';
  expect(await kindOfStatus({ ...replyOf(200, {}), body })).toBe("accepted");
});

test.each<[string, number, object, string]>([
  ["a success", 201, { external_ref: "EXT-2", account_number: "A-2" }, "ambiguous"],
  ["a refusal as already imported", 400, { external_ref: "EXT-2", account_number: "A-2" }, "ambiguous"],
  ["a refusal", 422, { external_ref: "EXT-2" }, "ambiguous"],
  ["a success of the record itself", 201, { external_ref: "EXT-1", account_number: "A-1" }, "accepted"],
  ["an empty account number", 201, { external_ref: "EXT-1", account_number: "" }, "ambiguous"],
])("the reply of a step is compared with the key under the step's own name: %s", async (_, status, body, kind) => {
  const client = createStepClients(operation("stage"), toolsFor(replyOf(status, body))).at(-1);
  expect(await kindOf(client?.send)).toBe(kind);
});

function validated(body: object): Promise<string | undefined> {
  return kindOf(createRemoteValidation(operation("stage"), toolsFor(replyOf(400, body)))?.send);
}

test("a validation reply that names another record does not prove that this record is on the platform", async () => {
  expect(await validated({ ref: "EXT-2", account_number: "A-2" })).toBe("ambiguous");
  expect(await validated({ ref: "EXT-1", account_number: "A-1" })).toBe("accepted");
});

test("a successful dry run with status 400 does not mean that the record exists (its record used to be `existing`)", async () => {
  const rolledBack = toolsFor(replyOf(400, { code: "400", detail: "Rolled back" }));
  const clients = [
    createStepClients(operation("stage"), rolledBack)[0],
    createRemoteValidation(operation("stage"), rolledBack),
  ];
  for (const client of clients) {
    const reply = await client?.send(PAYLOAD, new AbortController().signal);
    expect(reply?.replyClass).toEqual({ kind: "accepted" });
  }
  const [imported] = createStepClients(operation("stage"), toolsFor(replyOf(400, { account_number: "A-1" })));
  const reply = await imported?.send(PAYLOAD, new AbortController().signal);
  expect(reply?.replyClass).toEqual({ kind: "accepted", account: "A-1", exists: true });
});

test("errors in the reply to a status request have attrs without the field that wraps the payload", async () => {
  const errors = [{ attr: "payload.customers.1.mobile", code: "invalid", detail: "no" }];
  const [client] = createStepClients(
    operation("schedule"),
    toolsFor(replyOf(200, { state: "FAILED", error: { errors } })),
  );
  const result = await client?.status?.poll(PAYLOAD, new AbortController().signal);
  expect(result?.replyClass).toMatchObject({ kind: "rejected", problems: [{ attr: "customers.1.mobile" }] });
});

test("errors about a payload that an earlier step sent have attrs without the field that wrapped it", async () => {
  const errors = [{ attr: "payload.customers.1.mobile", code: "invalid", detail: "no" }];
  const rejected = { kind: "rejected", problems: [{ attr: "customers.1.mobile" }] };
  const committing = createStepClients(operation("draft"), toolsFor(replyOf(422, { errors }))).at(-1);
  expect((await committing?.send(PAYLOAD, new AbortController().signal))?.replyClass).toMatchObject(rejected);
  const failed = toolsFor(replyOf(200, { phase: "4", error: { errors } }));
  const polling = createStepClients(operation("draft"), failed).at(-1);
  expect((await polling?.status?.poll(PAYLOAD, new AbortController().signal))?.replyClass).toMatchObject(rejected);
});

test.each([
  [3, "accepted"],
  [4, "rejected"],
  [5, "waiting"],
  [true, "accepted"],
  [null, "ambiguous"],
])("a polled status may be a number or a boolean: %j", async (phase, kind) => {
  const client = createStepClients(operation("draft"), toolsFor(replyOf(200, { phase }))).at(-1);
  expect(await kindOf(client?.status?.poll)).toBe(kind);
});
