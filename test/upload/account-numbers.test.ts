import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json/json-value.ts";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import { createAccountNumbers } from "../../src/upload/account-numbers.ts";
import type { RecordToSend } from "../../src/upload/upload-types.ts";

function accepted(account?: string): RequestResult {
  return { replyClass: { kind: "accepted", ...(account !== undefined && { account }) }, http: 201, durationMs: 1 };
}

const ANY_RECORD: RecordToSend = {
  record: 1,
  identity: new Uint8Array(32),
  content: new Uint8Array(32),
  attempts: 0,
  isAmbiguous: false,
  payload: {},
  locate: () => undefined,
};

type CheckedState = Parameters<ReturnType<typeof createAccountNumbers>["check"]>[1];

function stateOf(payload: JsonObject, more: Partial<RecordToSend> = {}): CheckedState {
  const toSend = { ...ANY_RECORD, payload, ...more };
  return { toSend, json: Buffer.from(JSON.stringify(payload)), account: undefined };
}

function checker(payload: JsonObject = {}): (result: RequestResult, record: number) => RequestResult {
  const { check } = createAccountNumbers();
  return (result, record) => check(result, stateOf(payload, { record }));
}

test("a reply with the account number of another record is ambiguous", () => {
  const check = checker();
  expect(check(accepted("A-1"), 1)).toEqual(accepted("A-1"));
  expect(check(accepted("A-2"), 2)).toEqual(accepted("A-2"));
  expect(check(accepted("A-1"), 3).replyClass).toEqual({
    kind: "ambiguous",
    reason: "HTTP 201 with the account number of another record (record 1)",
    notFromApi: true,
  });
});

test("a reply is ambiguous if its account number differs from that of the record's earlier version", () => {
  const { check } = createAccountNumbers();
  const state = stateOf({}, { account: "A-1" });
  expect(check(accepted("A-1"), state)).toEqual(accepted("A-1"));
  expect(check(accepted(), state)).toEqual(accepted());
  expect(check(accepted("A-2"), state).replyClass).toEqual(DIFFERENT);
});

const DIFFERENT = {
  kind: "ambiguous",
  reason: "HTTP 201 with a different account number than before (A-1)",
  notFromApi: true,
};

test.each<[string, RequestResult["replyClass"]]>([
  ["a completed step", { kind: "accepted", account: "A-1" }],
  ["a poll of an unfinished import", { kind: "waiting", reason: "the status is IN_PROGRESS", account: "A-1" }],
])("a reply is ambiguous if its account number differs from that of an earlier reply: %s", (_, replyClass) => {
  const { check } = createAccountNumbers();
  const state = stateOf({});
  const earlier = { ...accepted(), replyClass };
  expect(check(earlier, state)).toBe(earlier);
  expect(check(accepted("A-2"), state).replyClass).toEqual(DIFFERENT);
  expect(check(accepted("A-1"), state)).toEqual(accepted("A-1"));
});

test("a record may receive its own account number twice, and a reply may have no account number", () => {
  const check = checker();
  for (const result of [accepted("A-1"), accepted("A-1"), accepted(), accepted()]) {
    expect(check(result, 1)).toBe(result);
  }
  expect(check(accepted(), 2)).toEqual(accepted());
});

test("only the account numbers of the latest records are remembered", () => {
  const check = checker();
  for (let record = 1; record <= 20_001; record += 1) check(accepted(`A-${record}`), record);
  expect(check(accepted("A-1"), 30_000).replyClass.kind).toBe("accepted");
  expect(check(accepted("A-10002"), 30_001).replyClass.kind).toBe("ambiguous");
});

test("records that name their own account, such as notes and transactions, may share an account", () => {
  const check = checker({ note: "Moved", account_number: "A-1" });
  for (const record of [1, 2, 3]) expect(check(accepted("A-1"), record)).toEqual(accepted("A-1"));
});

test("records that belong to one account may have the same account number", () => {
  const { check } = createAccountNumbers(["account"]);
  expect(check(accepted("A-1"), stateOf({ account: "G1" }, { record: 1 }))).toEqual(accepted("A-1"));
  expect(check(accepted("A-1"), stateOf({ account: "G1" }, { record: 2 }))).toEqual(accepted("A-1"));
  for (const payload of [{ account: "G2" }, {}]) {
    expect(check(accepted("A-1"), stateOf(payload, { record: 3 })).replyClass).toMatchObject({
      reason: "HTTP 201 with the account number of another record (record 2)",
    });
  }
});

test("records whose path parameter is the account number may have the same account number", () => {
  const { check } = createAccountNumbers();
  for (const record of [1, 2]) {
    const state = stateOf({}, { record, parameters: { number: "A-1" } });
    expect(check(accepted("A-1"), state)).toEqual(accepted("A-1"));
  }
});
