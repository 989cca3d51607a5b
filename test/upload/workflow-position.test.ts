import { describe, expect, test } from "vitest";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import { createStepOrder, type WorkflowPosition } from "../../src/upload/workflow-position.ts";
import { ACCEPTED } from "./scene.ts";

const never = (): Promise<RequestResult> => Promise.reject(new Error("nothing is to be sent"));
const VALIDATE: StepClient = { name: "validate", idempotent: true, dedupesByKey: false, send: never };
const STAGE: StepClient = { name: "stage", idempotent: true, dedupesByKey: false, send: never };
const PROCESS: StepClient = { name: "process", idempotent: false, dedupesByKey: true, send: never };
const SCHEDULE: StepClient = {
  name: "schedule",
  idempotent: false,
  dedupesByKey: false,
  send: never,
  status: { poll: never, intervalMs: 1, timeoutMs: 10 },
};

const DONE: RequestResult = { replyClass: { kind: "accepted" }, http: 200, durationMs: 1 };
const THERE: RequestResult = {
  replyClass: { kind: "accepted", account: "A-1", exists: true },
  http: 400,
  durationMs: 1,
};
const STEP_WAS_DONE: RequestResult = { replyClass: { kind: "accepted", exists: true }, http: 400, durationMs: 1 };
const ABSENT: RequestResult = { replyClass: { kind: "absent", reason: "HTTP 404" }, http: 404, durationMs: 1 };
const WAITING: RequestResult = { replyClass: { kind: "waiting", reason: "PENDING" }, http: 200, durationMs: 1 };
const REFUSED: RequestResult = { replyClass: { kind: "rejected", problems: [] }, http: 400, durationMs: 1 };
const SURE = { isAmbiguous: false, isOwnContent: true, notFoundCount: 0, isTimedOut: false };

const v1 = createStepOrder([VALIDATE, STAGE, PROCESS], undefined);
const v2 = createStepOrder([SCHEDULE], undefined);

function at(step: StepClient, mode: WorkflowPosition["mode"] = "send"): WorkflowPosition {
  return { step, mode };
}

describe("the first step of a record in a run", () => {
  test.each([
    [undefined, VALIDATE],
    ["validate", STAGE],
    ["stage", PROCESS],
    ["a step of another contract", VALIDATE],
  ])("is determined by the last completed step: %s", (step, next) => {
    expect(v1.start({ isAmbiguous: false, ...(step !== undefined && { step }) })).toEqual(at(next));
  });

  test("waits for the result of an answered schedule request, and checks an unanswered one before sending it again", () => {
    expect(v2.start({ isAmbiguous: false })).toEqual(at(SCHEDULE, "send"));
    expect(v2.start({ isAmbiguous: false, step: "schedule" })).toEqual(at(SCHEDULE, "wait"));
    expect(v2.start({ isAmbiguous: true })).toEqual(at(SCHEDULE, "check"));
    expect(v2.start({ isAmbiguous: true, step: "schedule" })).toEqual(at(SCHEDULE, "wait"));
  });
});

describe("the consequence of a step's reply:", () => {
  test("a success leads to the next step, and the last step ends the record", () => {
    expect(v1.nextAction(DONE, at(VALIDATE), SURE)).toEqual({ kind: "advance", to: at(STAGE) });
    expect(v1.nextAction(DONE, at(STAGE), SURE)).toEqual({ kind: "advance", to: at(PROCESS) });
    expect(v1.nextAction(ACCEPTED, at(PROCESS), SURE)).toEqual({ kind: "finish" });
  });

  test("a record that is already on the platform ends immediately, unless the reply has no account number", () => {
    expect(v1.nextAction(THERE, at(VALIDATE), SURE)).toEqual({ kind: "finish" });
    expect(v1.nextAction(STEP_WAS_DONE, at(VALIDATE), SURE)).toEqual({ kind: "advance", to: at(STAGE) });
  });

  test("a refusal ends the record", () => {
    expect(v1.nextAction(REFUSED, at(STAGE), SURE)).toEqual({ kind: "finish" });
  });

  test("a run that must end after a given step ends there", () => {
    const short = createStepOrder([VALIDATE, STAGE, PROCESS], "stage");
    expect(short.nextAction(DONE, at(VALIDATE), SURE)).toEqual({ kind: "advance", to: at(STAGE) });
    expect(short.nextAction(DONE, at(STAGE), SURE)).toEqual({ kind: "advance", to: undefined });
  });

  test("a scheduled record is polled until its status is final or its poll timeout expires", () => {
    expect(v2.nextAction(DONE, at(SCHEDULE), SURE)).toEqual({ kind: "advance", to: at(SCHEDULE, "wait") });
    for (const answer of [WAITING, ABSENT]) {
      expect(v2.nextAction(answer, at(SCHEDULE, "wait"), SURE)).toEqual({ kind: "poll" });
      expect(v2.nextAction(answer, at(SCHEDULE, "wait"), { ...SURE, isTimedOut: true })).toEqual({ kind: "finish" });
    }
    expect(v2.nextAction(ACCEPTED, at(SCHEDULE, "wait"), SURE)).toEqual({ kind: "finish" });
    expect(v2.nextAction(REFUSED, at(SCHEDULE, "wait"), SURE)).toEqual({ kind: "finish" });
  });

  test("work in progress with other content is only polled, because the current content was not sent", () => {
    const other = { ...SURE, isAmbiguous: true, isOwnContent: false };
    expect(v2.nextAction(WAITING, at(SCHEDULE, "check"), other)).toEqual({ kind: "poll" });
    expect(v2.nextAction(ACCEPTED, at(SCHEDULE, "check"), other)).toEqual({ kind: "finish" });
  });

  test("an ambiguous record is polled while it is in progress, and sent again only after two 'not found' polls", () => {
    const ambiguous = { ...SURE, isAmbiguous: true };
    expect(v2.nextAction(WAITING, at(SCHEDULE, "check"), ambiguous)).toEqual({
      kind: "advance",
      to: at(SCHEDULE, "wait"),
    });
    expect(v2.nextAction(ACCEPTED, at(SCHEDULE, "check"), ambiguous)).toEqual({ kind: "finish" });
    for (const answer of [ABSENT, REFUSED]) {
      expect(v2.nextAction(answer, at(SCHEDULE, "check"), { ...ambiguous, notFoundCount: 1 })).toEqual({
        kind: "poll",
      });
      expect(v2.nextAction(answer, at(SCHEDULE, "check"), { ...ambiguous, notFoundCount: 2 })).toEqual({
        kind: "send",
      });
    }
  });
});
