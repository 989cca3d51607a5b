import { describe, expect, test } from "vitest";
import type { Answer } from "../../src/platform/judged-request.ts";
import type { StepClient } from "../../src/platform/step-clients.ts";
import { createRoute, type Position } from "../../src/upload/route.ts";
import { ACCEPTED } from "./scene.ts";

const never = (): Promise<Answer> => Promise.reject(new Error("nothing is to be sent"));
const VALIDATE: StepClient = { name: "validate", harmless: true, dedupes: false, send: never };
const STAGE: StepClient = { name: "stage", harmless: true, dedupes: false, send: never };
const PROCESS: StepClient = { name: "process", harmless: false, dedupes: true, send: never };
const SCHEDULE: StepClient = {
  name: "schedule",
  harmless: false,
  dedupes: false,
  send: never,
  status: { ask: never, intervalMs: 1, patienceMs: 10 },
};

const DONE: Answer = { verdict: { kind: "accepted" }, http: 200, durationMs: 1 };
const THERE: Answer = { verdict: { kind: "accepted", account: "A-1" }, http: 400, durationMs: 1 };
const ABSENT: Answer = { verdict: { kind: "absent", reason: "HTTP 404" }, http: 404, durationMs: 1 };
const WAITING: Answer = { verdict: { kind: "waiting", reason: "PENDING" }, http: 200, durationMs: 1 };
const REFUSED: Answer = { verdict: { kind: "rejected", problems: [] }, http: 400, durationMs: 1 };
const SURE = { inDoubt: false, absences: 0, isPatienceOver: false };

const v1 = createRoute([VALIDATE, STAGE, PROCESS], undefined);
const v2 = createRoute([SCHEDULE], undefined);

function at(step: StepClient, mode: Position["mode"] = "send"): Position {
  return { step, mode };
}

describe("where a record begins", () => {
  test.each([
    [undefined, VALIDATE],
    ["validate", STAGE],
    ["stage", PROCESS],
    ["a step of another contract", VALIDATE],
  ])("after %s", (step, next) => {
    expect(v1.start({ inDoubt: false, ...(step !== undefined && { step }) })).toEqual(at(next));
  });

  test("what was scheduled is waited for, what may have been is asked for first", () => {
    expect(v2.start({ inDoubt: false })).toEqual(at(SCHEDULE, "send"));
    expect(v2.start({ inDoubt: false, step: "schedule" })).toEqual(at(SCHEDULE, "wait"));
    expect(v2.start({ inDoubt: true })).toEqual(at(SCHEDULE, "check"));
    expect(v2.start({ inDoubt: true, step: "schedule" })).toEqual(at(SCHEDULE, "check"));
  });
});

describe("where it goes from there", () => {
  test("a success ends a step, and the last one ends the record", () => {
    expect(v1.after(DONE, at(VALIDATE), SURE)).toEqual({ kind: "advance", to: at(STAGE) });
    expect(v1.after(DONE, at(STAGE), SURE)).toEqual({ kind: "advance", to: at(PROCESS) });
    expect(v1.after(ACCEPTED, at(PROCESS), SURE)).toEqual({ kind: "conclude" });
  });

  test("what is on the platform already ends at once; a dry run that is a 400 without an account does not", () => {
    expect(v1.after(THERE, at(VALIDATE), SURE)).toEqual({ kind: "conclude" });
    expect(v1.after({ ...DONE, http: 400 }, at(VALIDATE), SURE)).toEqual({ kind: "advance", to: at(STAGE) });
  });

  test("a refusal ends it", () => {
    expect(v1.after(REFUSED, at(STAGE), SURE)).toEqual({ kind: "conclude" });
  });

  test("a run that is to stop on the way stops there", () => {
    const short = createRoute([VALIDATE, STAGE, PROCESS], "stage");
    expect(short.after(DONE, at(VALIDATE), SURE)).toEqual({ kind: "advance", to: at(STAGE) });
    expect(short.after(DONE, at(STAGE), SURE)).toEqual({ kind: "advance", to: undefined });
  });

  test("what is scheduled is waited for until it is final, or patience is over", () => {
    expect(v2.after(DONE, at(SCHEDULE), SURE)).toEqual({ kind: "advance", to: at(SCHEDULE, "wait") });
    for (const answer of [WAITING, ABSENT]) {
      expect(v2.after(answer, at(SCHEDULE, "wait"), SURE)).toEqual({ kind: "look" });
      expect(v2.after(answer, at(SCHEDULE, "wait"), { ...SURE, isPatienceOver: true })).toEqual({ kind: "conclude" });
    }
    expect(v2.after(ACCEPTED, at(SCHEDULE, "wait"), SURE)).toEqual({ kind: "conclude" });
    expect(v2.after(REFUSED, at(SCHEDULE, "wait"), SURE)).toEqual({ kind: "conclude" });
  });

  test("in doubt: waited for when it is under way, sent again only when nothing is there twice", () => {
    const doubtful = { ...SURE, inDoubt: true };
    expect(v2.after(WAITING, at(SCHEDULE, "check"), doubtful)).toEqual({ kind: "advance", to: at(SCHEDULE, "wait") });
    expect(v2.after(ACCEPTED, at(SCHEDULE, "check"), doubtful)).toEqual({ kind: "conclude" });
    for (const answer of [ABSENT, REFUSED]) {
      expect(v2.after(answer, at(SCHEDULE, "check"), { ...doubtful, absences: 1 })).toEqual({ kind: "look" });
      expect(v2.after(answer, at(SCHEDULE, "check"), { ...doubtful, absences: 2 })).toEqual({ kind: "send" });
    }
  });
});
