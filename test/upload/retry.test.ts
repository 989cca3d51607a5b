import { describe, expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import { upload } from "../../src/upload/upload.ts";
import { ACCEPTED, AMBIGUOUS, busy, fakeClock, fakeLedger, given, play, rejected, sendable, UNSENT } from "./scene.ts";

/** Returns a rejection that is final, because the contract identifies it by its code or a member. */
function rejectedByName(code: string): RequestResult {
  const { replyClass, ...rest } = rejected(code);
  return { ...rest, replyClass: replyClass.kind === "rejected" ? { ...replyClass, isFinal: true } : replyClass };
}

/** By default, a 404 for a record ends the run. */
const notProcessed: RequestResult = {
  replyClass: { kind: "stop", failure: new Failure("wrong_endpoint", "no such path") },
  http: 404,
  durationMs: 1,
};

describe("a repeated record", () => {
  test("has a new intent for each attempt after a 429", async () => {
    const { end, ledger, sent } = await play(({ number }) => (number <= 2 ? busy() : ACCEPTED), { records: 1 });
    expect(end.counts).toEqual({ accepted: 1 });
    expect(sent).toEqual([1, 1, 1]);
    expect(ledger.settlements.map(({ status, attempt }) => [status, attempt])).toEqual([
      ["pending", 1],
      ["pending", 2],
      ["accepted", 3],
    ]);
  });

  test("has three attempts if the platform does not push back", async () => {
    const answer: RequestResult = { replyClass: { kind: "retry", reason: "HTTP 408" }, http: 408, durationMs: 1 };
    const { end, sent } = await play(() => answer, { records: 1 });
    expect(sent).toHaveLength(3);
    expect(end).toMatchObject({ reason: "done", counts: { pending: 1 } });
  });

  test("has ten attempts at a step that the platform throttles (it used to have three)", async () => {
    const never = new AbortController().signal;
    const ledger = fakeLedger();
    let processed = 0;
    const stage: StepClient = {
      name: "stage",
      idempotent: true,
      dedupesByKey: false,
      send: () => Promise.resolve(ACCEPTED),
    };
    const process: StepClient = {
      name: "process",
      idempotent: false,
      dedupesByKey: true,
      send: () => Promise.resolve(++processed < 10 ? busy() : ACCEPTED),
    };
    const end = await upload(
      () => given(sendable(1)),
      { ledger, steps: [stage, process], clock: fakeClock(), random: () => 0.5, onProgress: () => undefined },
      { run: "run", concurrency: 1, drain: never, abort: never },
    );
    expect([end.counts, processed]).toEqual([{ accepted: 1 }, 10]);
  });

  test.each<[string, RequestResult, string]>([
    ["push-back until the run ends", busy(), "ambiguous"],
    [
      "a closed import supplier",
      { replyClass: { kind: "blocked", problems: [] }, http: 400, durationMs: 1 },
      "ambiguous",
    ],
    ["a refusal", rejected("in_progress", "non_field_errors", "is already being processed"), "ambiguous"],
    ["a refusal with its reason", rejected("blank"), "ambiguous"],
    ["a 404 without a rule", notProcessed, "ambiguous"],
    ["a refusal that the contract names, which determines the outcome", rejectedByName("blank"), "rejected"],
  ])(
    "takes an earlier unclear reply into account after %s (the reply used to be forgotten, although the account existed)",
    async (_, answer, status) => {
      const { ledger } = await play(({ number }) => (number === 1 ? AMBIGUOUS : answer), { records: 1, dedupes: true });
      expect(ledger.settlements.at(-1)?.status).toBe(status);
    },
  );

  test("has the reasons of a refused repeat, and a note that an earlier request had no clear reply", async () => {
    const { ledger } = await play(({ number }) => (number === 1 ? AMBIGUOUS : rejected("blank")), {
      records: 1,
      dedupes: true,
    });
    expect(ledger.settlements.at(-1)).toMatchObject({
      status: "ambiguous",
      http: 400,
      problems: [{ code: "blank" }],
      reason: "HTTP 400 to a repeated request; an earlier request has an unknown outcome",
    });
  });

  test.each([
    ["ambiguous", rejected("blank")],
    ["rejected", rejectedByName("blank")],
  ])("is %s after a refusal if a request of an earlier run had no clear reply", async (status, reply) => {
    const source = given({ ...sendable(1), isAmbiguous: true });
    const { ledger } = await play(() => reply, { source, dedupes: true });
    expect(ledger.settlements.at(-1)).toMatchObject({ status });
  });

  test("stays ambiguous if it was ambiguous in an earlier run and cannot be sent now", async () => {
    const drain = new AbortController();
    const refused = (): RequestResult => {
      drain.abort();
      return UNSENT;
    };
    const source = given({ ...sendable(1), isAmbiguous: true });
    const { ledger } = await play(refused, { source, dedupes: true, drain: drain.signal });
    expect(ledger.settlements.at(-1)).toMatchObject({
      status: "ambiguous",
      reason: expect.stringContaining("an earlier request has an unknown outcome"),
    });
  });

  test("waits for exactly the time in Retry-After", async () => {
    const times: number[] = [];
    const { end } = await play(
      ({ number, clock }) => {
        times.push(clock.monotonic());
        return number === 3 ? busy(10_000) : ACCEPTED;
      },
      { records: 40, concurrency: 2 },
    );
    expect(end.counts).toEqual({ accepted: 40 });
    const gap = times.findIndex((time) => time >= 10_000);
    expect(gap).toBeLessThanOrEqual(4);
    expect(times[gap]).toBe(10_000);
  });

  test("is sent more than three times if the replies have Retry-After", async () => {
    const { end } = await play(({ number }) => (number <= 6 ? busy(1000) : ACCEPTED), { records: 1 });
    expect(end.counts).toEqual({ accepted: 1 });
  });

  test("is not sent if Retry-After exceeds the longest wait: the run ends and can be repeated safely", async () => {
    const { end } = await play(() => busy(99_999_000), { records: 10 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "incomplete", exitCode: 3 } });
    expect(end.counts).toEqual({ pending: expect.any(Number) });
  });

  test("ends the run after the longest wait and few requests if the platform admits nothing", async () => {
    const { end, sent, clock } = await play(() => busy(), { records: 5_000, concurrency: 16 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "incomplete" } });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(300_000);
    expect(clock.monotonic()).toBeLessThan(360_000);
    expect(sent.length).toBeLessThan(150);
  });

  test("shares the retry budget of the run, so that few requests are repeated if all fail", async () => {
    let turn = 0;
    const { sent, end } = await play(
      () => {
        turn += 1;
        return turn % 10 === 0 ? ACCEPTED : AMBIGUOUS;
      },
      { records: 5_000, dedupes: true, concurrency: 16 },
    );
    expect(end.reason).toBe("done");
    expect(sent.length / 5_000).toBeLessThan(1.1);
  });
});

describe("an ambiguous record", () => {
  test("is not sent again by default", async () => {
    const { end, sent, ledger } = await play(({ record }) => (record === 3 ? AMBIGUOUS : ACCEPTED));
    expect(end).toMatchObject({ reason: "done", counts: { accepted: 19, ambiguous: 1 } });
    expect(sent.filter((record) => record === 3)).toHaveLength(1);
    expect(ledger.settlements.find(({ record }) => record === 3)).toMatchObject({ reason: "HTTP 500", http: 500 });
  });

  test("is sent at most three times if the platform deduplicates", async () => {
    const { end, sent } = await play(({ record }) => (record === 3 ? AMBIGUOUS : ACCEPTED), { dedupes: true });
    expect(end.counts).toEqual({ accepted: 19, ambiguous: 1 });
    expect(sent.filter((record) => record === 3)).toHaveLength(3);
  });

  test("stays ambiguous if the run stops while it waits for its next attempt", async () => {
    const drain = new AbortController();
    const { end, sent } = await play(
      ({ number }) => {
        if (number === 1) return AMBIGUOUS;
        drain.abort();
        return ACCEPTED;
      },
      { records: 2, concurrency: 1, dedupes: true, drain: drain.signal },
    );
    expect(sent).toEqual([1, 2]);
    expect(end.counts).toEqual({ ambiguous: 1, accepted: 1 });
  });

  test("ends the run early if all other records also become ambiguous", async () => {
    const { end, sent } = await play(() => AMBIGUOUS, { records: 1_000 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "incomplete" } });
    expect(sent.length).toBeLessThan(30);
  });
});
