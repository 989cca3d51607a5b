import { describe, expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import {
  attemptOutcomeFor,
  awaitingSupplier,
  interruptedOutcome,
  keepAmbiguous,
  outcomeOf,
  type RecordOutcome,
} from "../../src/upload/record-outcome.ts";
import {
  detach,
  intentFor,
  newRecordState,
  noteDoneBefore,
  noteUnclear,
  type RecordState,
} from "../../src/upload/record-state.ts";
import type { RecordToSend } from "../../src/upload/upload-types.ts";
import { ACCEPTED, AMBIGUOUS, fakeClock, rejected, sendable, UNSENT } from "./scene.ts";

const STEP: StepClient = {
  name: "import",
  idempotent: false,
  dedupesByKey: false,
  send: () => Promise.reject(new Error("nothing is to be sent")),
};
const CHECK = { step: STEP, mode: "check" } as const;
const WAIT = { step: STEP, mode: "wait" } as const;

function stateOf(more: Partial<RecordToSend> = {}, changes: Partial<RecordState> = {}): RecordState {
  return { ...newRecordState({ ...sendable(1), ...more }, { step: STEP, mode: "send" }), ...changes };
}

function replied(replyClass: RequestResult["replyClass"], http?: number): RequestResult {
  return { replyClass, durationMs: 1.6, ...(http !== undefined && { http }) };
}

const CLOSED = { attr: "non_field_errors", severity: "error", by: "platform", code: "closed", detail: "no" } as const;
const DROPPED = { ...CLOSED, severity: "warning", code: "dropped" } as const;
const THERE = replied({ kind: "accepted", account: "A-1", exists: true }, 409);
const stopped = new Failure("wrong_endpoint", "no such path");

describe("the outcome of a record", () => {
  test.each<[string, RequestResult, Partial<RecordState>, object]>([
    ["accepted", ACCEPTED, {}, { status: "accepted", account: "A-1" }],
    ["accepted without an account", replied({ kind: "accepted" }), {}, { status: "accepted" }],
    [
      "accepted, but the platform had already completed an earlier step",
      ACCEPTED,
      { wasDoneBefore: true },
      { status: "existing", reason: "the platform had already completed an earlier step", account: "A-1" },
    ],
    [
      "found by polling after other content was sent",
      ACCEPTED,
      { position: CHECK, prior: "other" },
      {
        status: "ambiguous",
        reason: "the platform has the record, and different content was sent earlier",
        account: "A-1",
        problems: [{ code: "version_unknown", attr: "non_field_errors" }],
      },
    ],
    ["found by polling", ACCEPTED, { position: CHECK, prior: "same" }, { status: "accepted", account: "A-1" }],
    [
      "already on the platform",
      THERE,
      {},
      { status: "existing", reason: "HTTP 409: the platform already has the record", account: "A-1" },
    ],
    [
      "already on the platform, in a reply without an HTTP status",
      replied({ kind: "accepted", exists: true }),
      {},
      { status: "existing", reason: "HTTP reply: the platform already has the record" },
    ],
    ["already on the platform with its own content", THERE, { prior: "same" }, { status: "accepted", account: "A-1" }],
    [
      "already on the platform in its accepted version",
      THERE,
      { prior: "accepted" },
      { status: "rejected", account: "A-1", problems: [{ code: "revision_ignored", attr: "non_field_errors" }] },
    ],
    [
      "a change, although the platform had all its items already",
      replied({ kind: "accepted", hadItems: true, account: "A-1" }, 201),
      { prior: "accepted" },
      { status: "rejected", account: "A-1", problems: [{ code: "revision_ignored", attr: "non_field_errors" }] },
    ],
    [
      "a change whose items an earlier request without a clear reply may have added",
      replied({ kind: "accepted", hadItems: true, account: "A-1" }, 201),
      { prior: "accepted", isAmbiguous: true },
      { status: "accepted", account: "A-1" },
    ],
    [
      "a new record whose items the platform had already",
      replied({ kind: "accepted", hadItems: true, account: "A-1" }, 201),
      {},
      { status: "accepted", account: "A-1" },
    ],
    ["rejected", rejected("blank"), {}, { status: "rejected", problems: [{ code: "blank" }] }],
    [
      "rejected after an unclear reply",
      rejected("blank"),
      { isAmbiguous: true },
      {
        status: "ambiguous",
        problems: [{ code: "blank" }],
        reason: "HTTP 400 to a repeated request; an earlier request has an unknown outcome",
      },
    ],
    [
      "rejected after an unclear reply, in a reply without an HTTP status",
      replied({ kind: "rejected", problems: [] }),
      { isAmbiguous: true },
      { reason: "HTTP reply to a repeated request; an earlier request has an unknown outcome" },
    ],
    [
      "a closed supplier",
      replied({ kind: "blocked", problems: [CLOSED] }),
      {},
      { status: "blocked", problems: [CLOSED] },
    ],
    ["no valid token", replied({ kind: "unauthorised" }, 401), {}, { status: "blocked", reason: "HTTP 401" }],
    ["no request", UNSENT, {}, { status: "pending", reason: "cannot reach https://localhost: ECONNREFUSED" }],
    ["no clear reply", AMBIGUOUS, {}, { status: "ambiguous", reason: "HTTP 500" }],
    ["no clear reply to polling", AMBIGUOUS, { position: CHECK }, { status: "pending", reason: "HTTP 500" }],
    [
      "a refused run",
      replied({ kind: "stop", failure: stopped }, 404),
      {},
      { status: "blocked", reason: "no such path" },
    ],
    ["an ended run", replied({ kind: "stop", failure: stopped }), {}, { status: "pending", reason: "no such path" }],
  ])("has the expected status and reason: %s", (_, result, changes, expected) => {
    expect(outcomeOf(result, stateOf({}, changes))).toMatchObject(expected);
  });

  test.each<[string, Partial<RecordToSend>, Partial<RecordState>, RecordOutcome["status"]]>([
    ["an earlier run's unclear request with other content", { isAmbiguous: true, prior: "other" }, {}, "ambiguous"],
    ["an earlier run's unclear request with the same content", { isAmbiguous: true, prior: "same" }, {}, "rejected"],
    ["an earlier run's unclear request for the same change", { isAmbiguous: true, prior: "accepted" }, {}, "rejected"],
    ["an unclear request of this run", { prior: "other" }, { isAmbiguous: true }, "rejected"],
    ["a polled request", { isAmbiguous: true, prior: "other" }, { position: WAIT }, "rejected"],
  ])("after a final refusal depends on the earlier content: %s", (_, toSend, changes, status) => {
    const refused = replied({ kind: "rejected", problems: [CLOSED], isFinal: true }, 400);
    expect(outcomeOf(refused, stateOf(toSend, changes))).toMatchObject({ status, problems: [CLOSED] });
  });

  const ITEMS = { problems: [CLOSED], isFinal: true, account: "A-1", isPartial: true } as const;
  const polled: StepClient = { ...STEP, status: { intervalMs: 1, timeoutMs: 1, poll: STEP.send } };
  test.each<[string, StepClient, Partial<RecordState>, object]>([
    ["a request that must not be repeated", STEP, {}, { status: "rejected", partial: { mayRepeat: false } }],
    [
      "a request that may be repeated",
      { ...STEP, dedupesByKey: true },
      {},
      { status: "rejected", partial: { mayRepeat: true } },
    ],
    ["a repeated request", STEP, { isAmbiguous: true }, { status: "rejected", partial: { mayRepeat: false } }],
    ["a request that only schedules the record", polled, {}, { status: "ambiguous" }],
  ])("keeps the account number if items are rejected by the reply to %s", (_, step, changes, expected) => {
    const state = stateOf({}, { ...changes, position: { step, mode: "send" } });
    const outcome = outcomeOf(replied({ kind: "rejected", ...ITEMS }, 201), state);
    expect(outcome).toMatchObject({ ...expected, problems: [CLOSED], account: "A-1" });
    const saved = attemptOutcomeFor(state, outcome, { clock: fakeClock(), result: undefined });
    expect(saved.partial).toEqual(outcome.partial);
  });

  test("does not say that the platform has the record if a step without effect rejects items", () => {
    const state = stateOf({}, { position: { step: { ...STEP, idempotent: true }, mode: "send" } });
    const outcome = outcomeOf(replied({ kind: "rejected", ...ITEMS }, 200), state);
    expect(outcome).toMatchObject({ status: "rejected" });
    expect(outcome).not.toHaveProperty("partial");
  });

  test("is valid if the platform only validates, with a warning for each field that it dropped", () => {
    const accepted = replied({ kind: "accepted", account: "A-1", warnings: [DROPPED] });
    expect(outcomeOf(accepted, stateOf(), true)).toMatchObject({ status: "valid", problems: [DROPPED] });
    expect(outcomeOf(replied({ kind: "accepted" }), stateOf(), true)).toEqual({ status: "valid", problems: [] });
    expect(outcomeOf(THERE, stateOf(), true)).toMatchObject({ status: "existing" });
  });

  test("is pending if its supplier is closed and the run waits", () => {
    expect(awaitingSupplier({ status: "blocked", problems: [CLOSED] })).toEqual({
      status: "pending",
      reason: "closed",
    });
    expect(awaitingSupplier({ status: "blocked", problems: [] })).toEqual({ status: "pending", reason: "" });
  });

  test.each([
    { status: "blocked", reason: "HTTP 401" },
    { status: "rejected", problems: [CLOSED] },
  ] as const)("stays %j if the run waits for suppliers", (outcome) => {
    expect(awaitingSupplier(outcome)).toBe(outcome);
  });

  test("remains ambiguous after an unclear reply, unless a later reply resolves it", () => {
    const unclear = { isAmbiguous: true };
    const why = "an earlier request has an unknown outcome";
    expect(keepAmbiguous({ status: "pending" }, unclear)).toEqual({ status: "ambiguous", reason: why });
    expect(keepAmbiguous({ status: "blocked", reason: "HTTP 401" }, unclear)).toEqual({
      status: "ambiguous",
      reason: `HTTP 401; ${why}`,
    });
    expect(keepAmbiguous({ status: "accepted" }, unclear)).toEqual({ status: "accepted" });
    expect(keepAmbiguous({ status: "pending" }, { isAmbiguous: false })).toEqual({ status: "pending" });
  });

  test("of an interrupted run has the reason from the last reply, if that reply has a reason", () => {
    expect(interruptedOutcome(UNSENT, stateOf())).toEqual({
      status: "pending",
      reason: "cannot reach https://localhost: ECONNREFUSED",
    });
    expect(interruptedOutcome(AMBIGUOUS, stateOf())).toEqual({ status: "ambiguous", reason: "HTTP 500" });
    expect(interruptedOutcome(ACCEPTED, stateOf())).toEqual({ status: "pending" });
  });
});

describe("the state of a record", () => {
  test.each<[Partial<RecordToSend>, Partial<RecordState>]>([
    [{ attempts: 2 }, { attempt: 3, prior: "none", isAmbiguous: false, wasDoneBefore: false }],
    [{ isAmbiguous: true }, { prior: "same", isAmbiguous: true }],
    [{ isAmbiguous: true, prior: "other" }, { prior: "other" }],
  ])("of %j includes %j", (toSend, expected) => {
    expect(stateOf(toSend)).toMatchObject(expected);
  });

  test("notes what content the platform may have, and keeps earlier notes", () => {
    const [unclear, done, other] = [stateOf(), stateOf(), stateOf({ prior: "other" })];
    noteUnclear(unclear);
    noteDoneBefore(done);
    noteUnclear(other);
    expect(unclear).toMatchObject({ isAmbiguous: true, prior: "same" });
    expect(done).toMatchObject({ wasDoneBefore: true, prior: "other" });
    expect(other).toMatchObject({ isAmbiguous: true, prior: "other" });
    noteDoneBefore(unclear);
    expect(unclear).toMatchObject({ prior: "same" });
  });

  test("copies memory that other records share, and keeps the encoded payload unchanged", () => {
    const json = Buffer.from(`{"record":1}`);
    const copy = sendable(1);
    const shared = stateOf({ detached: () => copy, json });
    detach(shared);
    expect(shared.toSend).toBe(copy);
    expect(shared.json).toEqual(json);
    expect(shared.json).not.toBe(json);
    const own = stateOf({ detached: () => ({ ...copy, json }) });
    detach(own);
    expect(own.json).toBe(json);
    const alone = stateOf({ json });
    detach(alone);
    expect(alone.json).toBe(json);
  });
});

describe("the data that the ledger stores:", () => {
  test.each<[Partial<RecordState>, boolean]>([
    [{}, false],
    [{ position: CHECK }, true],
    [{ position: CHECK, isAmbiguous: true }, false],
    [{ position: { step: { ...STEP, idempotent: true }, mode: "send" } }, true],
  ])("an intent with %j says whether the record can be repeated after a crash", (changes, idempotent) => {
    expect(intentFor(stateOf({}, changes))).toMatchObject({
      record: 1,
      attempt: 1,
      step: "import",
      idempotent,
    });
  });

  test("an intent has no step if the workflow has only one request", () => {
    const { name: _, ...unnamed } = STEP;
    expect(intentFor(stateOf({}, { position: { step: unnamed, mode: "send" } }))).not.toHaveProperty("step");
  });

  test("an outcome contains only known facts", () => {
    const context = { clock: fakeClock(), result: undefined };
    const outcome = attemptOutcomeFor(stateOf(), { status: "pending" }, context);
    expect(Object.keys(outcome).toSorted()).toEqual(["at", "attempt", "identity", "problems", "record", "status"]);
    expect(outcome.problems).toEqual([]);
  });

  test("an outcome says whether the platform created the account", () => {
    const context = { clock: fakeClock(), result: ACCEPTED };
    const outcome = { status: "accepted", account: "A-1", step: "import", mayHoldOther: true } as const;
    expect(attemptOutcomeFor(stateOf(), outcome, context)).toMatchObject({
      http: 201,
      durationMs: 10,
      account: "A-1",
      isNewAccount: true,
      step: "import",
      mayHoldOther: true,
    });
    const named = stateOf({ payload: { account: "A-1" } });
    expect(attemptOutcomeFor(named, outcome, context)).toMatchObject({ isNewAccount: false });
    const part = stateOf({ payload: { owner: "E-1" } });
    const ofPart = (attr: string) => attemptOutcomeFor(part, outcome, { ...context, accountOwner: [attr] });
    expect([ofPart("owner"), ofPart("other")]).toMatchObject([{ isNewAccount: false }, { isNewAccount: true }]);
    const unnamed = stateOf();
    const addressed = { ...unnamed, toSend: { ...unnamed.toSend, parameters: { number: "A-1" } } };
    expect(attemptOutcomeFor(addressed, outcome, context)).toMatchObject({ isNewAccount: false });
    const later = { ...context, result: replied({ kind: "accepted" }) };
    expect(attemptOutcomeFor(stateOf(), { status: "accepted" }, later)).toMatchObject({ durationMs: 2 });
  });
});
