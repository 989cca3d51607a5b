import { describe, expect, test } from "vitest";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import type { RecordToSend, UploadOptions } from "../../src/upload/upload-types.ts";
import { startPatience } from "../../src/upload/record-state.ts";
import { upload } from "../../src/upload/upload.ts";
import { ACCEPTED, busy, fakeClock, type FakeLedger, fakeLedger, rejected, sendable, UNSENT } from "./scene.ts";

const PATIENCE_MS = 8_000;
const WAITING: RequestResult = { replyClass: { kind: "waiting", reason: "PENDING" }, http: 200, durationMs: 1 };
const ABSENT: RequestResult = { replyClass: { kind: "absent", reason: "HTTP 404" }, http: 404, durationMs: 1 };
const NO_TOKEN: RequestResult = {
  replyClass: { kind: "unsent", code: "HTTP_500", reason: "cannot reach https://localhost: HTTP_500" },
  durationMs: 0,
};
const BROKEN: RequestResult = {
  replyClass: { kind: "ambiguous", reason: "HTTP 500", notFromApi: false },
  http: 500,
  durationMs: 10,
};

interface Polled {
  readonly ledger: FakeLedger;
  /** The end of the run, in simulated milliseconds after its start. */
  readonly endedAt: number;
  readonly reason: string;
  readonly scheduled: number;
}

interface Polling extends Partial<UploadOptions> {
  readonly records?: readonly RecordToSend[];
  readonly steps?: readonly StepClient[];
}

/** Records whose schedule request was answered in an earlier run. */
const SCHEDULED = [1, 2, 3, 4, 5, 6].map((record) => ({ ...sendable(record), step: "schedule" }));

/** Schedules the records that are not scheduled yet, and polls a platform that gives these replies. */
async function poll(answer: (number: number) => RequestResult, options: Polling = {}): Promise<Polled> {
  const { records = SCHEDULED, steps = [], ...more } = options;
  const clock = fakeClock();
  const ledger = fakeLedger();
  const never = new AbortController().signal;
  let scheduled = 0;
  let polls = 0;
  const schedule: StepClient = {
    name: "schedule",
    idempotent: false,
    dedupesByKey: false,
    send: async () => {
      scheduled += 1;
      return { ...ACCEPTED, replyClass: { kind: "accepted" } };
    },
    status: {
      intervalMs: 1_000,
      timeoutMs: PATIENCE_MS,
      async poll(_payload, _signal, maySend) {
        if ((await maySend?.()) === false)
          return { replyClass: { kind: "cancelled", reason: "not sent" }, durationMs: 0 };
        polls += 1;
        return answer(polls);
      },
    },
  };
  const { reason } = await upload(
    async function* () {
      yield records;
    },
    { ledger, steps: [...steps, schedule], clock, random: () => 0.9, onProgress: () => undefined },
    { run: "run", concurrency: 6, drain: never, abort: never, ...more },
  );
  return { ledger, endedAt: clock.monotonic(), reason, scheduled };
}

const STAGE: StepClient = {
  name: "stage",
  idempotent: true,
  dedupesByKey: false,
  send: async () => ({ ...ACCEPTED, replyClass: { kind: "accepted" } }),
};

test.each([
  ["is throttled without Retry-After", () => busy()],
  ["must wait for 100 s", () => busy(100_000)],
  ["cannot be sent because a login is answered with HTTP 500", () => NO_TOKEN],
  ["cannot reach the platform", () => UNSENT],
  ["is answered with HTTP 500", () => BROKEN],
  ["is not final", () => WAITING],
  ["is sometimes throttled and sometimes not final", (number: number) => (number % 3 === 0 ? WAITING : busy())],
])("the poll timeout ends a run in which every poll %s", async (_, answer) => {
  for (const steps of [[], [STAGE]]) {
    for (const records of [SCHEDULED, [sendable(1)]]) {
      const { ledger, endedAt, reason, scheduled } = await poll(answer, { steps, records });
      expect(reason).toBe("done");
      expect(endedAt).toBeLessThanOrEqual(PATIENCE_MS + 1_000);
      expect([...ledger.states.values()]).toEqual(records.map(() => "pending"));
      expect(scheduled).toBe(records === SCHEDULED ? 0 : 1);
    }
  }
});

test("a scheduled record is ambiguous if the platform no longer knows the record at the poll timeout", async () => {
  const { ledger, endedAt } = await poll((number) => (number <= 12 ? ABSENT : busy()));
  expect(endedAt).toBeLessThanOrEqual(PATIENCE_MS + 1_000);
  expect(new Set(ledger.states.values())).toEqual(new Set(["ambiguous"]));
});

test("a record is accepted within the poll timeout if only its first polls are throttled", async () => {
  const { ledger } = await poll((number) => (number <= 2 ? busy() : { ...ACCEPTED, replyClass: { kind: "accepted" } }));
  expect(new Set(ledger.states.values())).toEqual(new Set(["accepted"]));
});

test("polls that return equal refusals without a field do not close the import supplier", async () => {
  const records = Array.from({ length: 30 }, (_, index) => sendable(index + 1));
  const { ledger, reason } = await poll(() => rejected("VALIDATION_ERROR", "non_field_errors"), {
    records,
    oneSupplier: true,
  });
  expect(reason).toBe("done");
  expect([...ledger.states.values()]).toEqual(records.map(() => "rejected"));
});

describe("a polled refusal that reports a closed import supplier", () => {
  const closed = rejected("import_supplier_migration_not_ongoing", "non_field_errors");
  const records = Array.from({ length: 30 }, (_, index) => sendable(index + 1));

  test("stops the sending of other records if its request was sent in this run", async () => {
    const { ledger, reason, scheduled } = await poll(() => closed, { records, oneSupplier: true });
    expect(reason).toBe("stopped");
    expect(scheduled).toBeLessThan(records.length);
    expect(new Set(ledger.states.values())).toEqual(new Set(["rejected", "pending"]));
  });

  test("does not stop the push if its request was sent in an earlier run", async () => {
    const { ledger, reason } = await poll(() => closed, { oneSupplier: true });
    expect(reason).toBe("done");
    expect([...ledger.states.values()]).toEqual(SCHEDULED.map(() => "rejected"));
  });
});

test("a schedule request that was answered is not repeated if its polls return 404", async () => {
  const answered = { ...sendable(1), isAmbiguous: true, step: "schedule" };
  const { ledger, scheduled } = await poll(() => ABSENT, { records: [answered] });
  expect(scheduled).toBe(0);
  expect([...ledger.states.values()]).toEqual(["ambiguous"]);
});

test("the poll timeout for an ambiguous record starts after the quiet period", async () => {
  const unanswered = { ...sendable(1), isAmbiguous: true };
  const late = await poll(() => busy(), { records: [unanswered], trustNotFoundFrom: 30_000 });
  expect(late.endedAt).toBeLessThanOrEqual(30_000 + PATIENCE_MS + 1_000);
  expect([...late.ledger.states.values()]).toEqual(["ambiguous"]);
  const absent = await poll(() => ABSENT, { records: [unanswered], trustNotFoundFrom: 30_000 });
  expect(absent.scheduled).toBe(1);
});

test("if a record is not final in time, the reason names the last reply and the timeout", async () => {
  const { ledger } = await poll(() => WAITING, { records: [sendable(1)] });
  expect(ledger.settlements.at(-1)?.reason).toBe("PENDING; no final status within 8 s");
});

test("polling ends at the timeout, at the end of the run, or when it is no longer needed", async () => {
  const clock = fakeClock();
  const running = new AbortController();
  const given = { ms: 100, clock, stopping: running.signal };
  const [over, ended, stopped] = [startPatience(given), startPatience(given), startPatience(given)];
  expect(over.leftMs()).toBe(100);
  expect(over.isOver()).toBe(false);
  ended.end();
  await clock.sleep(100, new AbortController().signal);
  expect([over.isOver(), over.leftMs(), over.over.aborted]).toEqual([true, 0, true]);
  expect([ended.isOver(), ended.over.aborted]).toEqual([true, false]);
  expect(stopped.over.aborted).toBe(true);

  const late = startPatience({ ...given, stopping: AbortSignal.abort() });
  const interrupted = startPatience(given);
  running.abort();
  await clock.sleep(200, new AbortController().signal);
  expect([late.over.aborted, interrupted.over.aborted]).toEqual([false, false]);
  expect([late.leftMs(), interrupted.leftMs()]).toEqual([0, 0]);
});

test.each([
  [
    "stays ambiguous after a step that can be repeated, because a later request may have arrived",
    true,
    "same",
    "ambiguous",
  ],
  ["is no longer ambiguous once a step that creates the record was answered", false, "same", "pending"],
  ["stays ambiguous if other content may have reached a later step", false, "other", "ambiguous"],
] as const)("an ambiguous record %s", async (_, idempotent, prior, status) => {
  const unanswered = { ...sendable(1), isAmbiguous: true, prior };
  const { ledger } = await poll(() => busy(), { records: [unanswered], steps: [{ ...STAGE, idempotent }] });
  expect(ledger.settlements.map((saved) => saved.status).at(-1)).toBe(status);
});

function withAccount(kind: "accepted" | "waiting", account: string): RequestResult {
  const replyClass = kind === "accepted" ? { kind, account } : { kind, account, reason: "IN_PROGRESS" };
  return { replyClass, http: 200, durationMs: 1 };
}

test("a record is ambiguous if its polls return different account numbers", async () => {
  const changed = await poll(
    (number) => withAccount(number === 1 ? "waiting" : "accepted", `A-${Math.min(number, 2)}`),
    {
      records: [sendable(1)],
    },
  );
  expect([...changed.ledger.states.values()]).toEqual(["ambiguous"]);
  const kept = await poll((number) => withAccount(number === 1 ? "waiting" : "accepted", "A-1"), {
    records: [sendable(1)],
  });
  expect([...kept.ledger.states.values()]).toEqual(["accepted"]);
});
