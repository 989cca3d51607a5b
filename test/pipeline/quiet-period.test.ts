import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { quietPeriodMs } from "../../src/job/target-connection.ts";
import { quietBeforeResend, quietLeftMs, waitForOtherContent } from "../../src/pipeline/send/quiet-period.ts";
import { PUSH_SETTINGS } from "../job/sample-job.ts";

const { target } = PUSH_SETTINGS;

it.each([
  ["twice the default maximum duration of a request", undefined, 240_000],
  ["twice the maximum duration of a request to the target", { wholeSeconds: 600 }, 1_200_000],
  [
    "not shortened by a shorter client timeout, because the platform does not become faster",
    { wholeSeconds: 1 },
    240_000,
  ],
  ["the configured value of the target", { wholeSeconds: 600, quietSeconds: 3 }, 3000],
])("the quiet period is %s", (_, timeouts, ms) => {
  expect(quietPeriodMs({ ...target, timeouts })).toBe(ms);
});

it("the remaining quiet period counts from the last request without a clear reply, and never exceeds the full period", () => {
  expect(quietLeftMs(1000, undefined)).toBe(0);
  expect(quietLeftMs(1000, 400)).toBe(600);
  expect(quietLeftMs(1000, 4000)).toBe(0);
  expect(quietLeftMs(1000, -86_400_000)).toBe(1000);
});

const waitedFor = async (
  outcomes: Operation["outcomes"],
): Promise<{ readonly slept: readonly number[]; readonly notices: readonly string[] }> => {
  const slept: number[] = [];
  const notices: string[] = [];
  const sleep = (ms: number): Promise<void> => Promise.resolve(void slept.push(ms));
  await waitForOtherContent(
    outcomes,
    () => Promise.resolve(400),
    { quietMs: 1000, steps: [], onlyWhile: () => undefined },
    { clock: { sleep }, drain: new AbortController().signal, notice: (text) => notices.push(text) },
  );
  return { slept, notices };
};

describe("a push of changed content whose earlier request got no reply", () => {
  it("waits until the platform can no longer apply the earlier request", async () => {
    expect(await waitedFor([{ status: 201, outcome: "accepted" }])).toEqual({
      slept: [600],
      notices: [expect.stringMatching(/^Waiting 1 s, because the platform may still be processing aborted requests/)],
    });
  });

  it("does not wait if the platform refuses repeats", async () => {
    expect(await waitedFor([{ status: 400, code: "already_imported", outcome: "exists" }])).toEqual({
      slept: [],
      notices: [],
    });
  });
});

const neverCalled = (): Promise<never> => Promise.reject(new Error("unexpected call"));

it.each([
  [{ pending: 1 }, 0],
  [{ pending: 1, ambiguous: 1 }, 1],
])("a run with the counts %j prints %i notices about ambiguous records", async (counts, expected) => {
  const notices: string[] = [];
  const ledger = {
    history: async () => ({ id: "ledger", requests: 1, msSinceAbandoned: 400 }),
    summary: async () => ({ records: 1, counts, errors: {}, warnings: {}, exitCode: 0 }),
  };
  const steps = [
    {
      idempotent: false,
      dedupesByKey: false,
      send: neverCalled,
      status: { poll: neverCalled, intervalMs: 1, timeoutMs: 1 },
    },
  ];
  const connection = { quietMs: 1000, steps, onlyWhile: () => undefined };
  const environment = {
    clock: { sleep: neverCalled },
    drain: new AbortController().signal,
    notice: (text: string) => notices.push(text),
  };
  expect(await quietBeforeResend({ ledger, run: { id: "run" } }, connection, environment)).toBe(600);
  expect(notices).toHaveLength(expected);
});
