import { describe, expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import type { Answer } from "../../src/platform/judged-request.ts";
import type { Sendable } from "../../src/upload/sendable.ts";
import {
  ACCEPTED,
  AMBIGUOUS,
  busy,
  fakeClock,
  fakeLedger,
  play,
  rejected,
  sendable,
  sendables,
  UNSENT,
  type FakeLedger,
} from "./scene.ts";

async function* given(...records: readonly Sendable[]): AsyncGenerator<readonly Sendable[]> {
  yield records;
}

async function* silent(): AsyncGenerator<readonly Sendable[]> {
  yield* sendables(3);
  await new Promise(() => undefined);
}

async function* damaged(): AsyncGenerator<readonly Sendable[]> {
  yield* sendables(3);
  throw new Failure("source_damaged", "cut short");
}

describe("every record", () => {
  test("is intended, sent once and settled", async () => {
    const { end, ledger, sent } = await play(() => ACCEPTED, { records: 100 });
    expect(end).toEqual({ reason: "done", counts: { accepted: 100 }, unsaved: [] });
    expect(sent.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(ledger.settlements).toHaveLength(100);
    expect(ledger.settlements[0]).toMatchObject({
      status: "accepted",
      account: "A-1",
      http: 201,
      durationMs: 10,
      attempt: 1,
    });
  });

  test("never more than four times the concurrency would be left in doubt by a crash", async () => {
    const ledger = fakeLedger();
    let most = 0;
    const answer = async (): Promise<Answer> => {
      most = Math.max(most, ledger.sending());
      for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate);
      return ACCEPTED;
    };
    const played = await play(answer, { records: 400, concurrency: 8, ledger });
    expect(played.most).toBe(8);
    expect(most).toBeGreaterThan(8);
    expect(most).toBeLessThanOrEqual(32);
    expect(ledger.intentGroups.length).toBeLessThan(100);
  });

  test("is rejected with the cell and the shape of the value, and without the value", async () => {
    const answer = rejected("invalid_phone_number", "customers.0.phone", "07700 900123 is not a phone number");
    const payload = { customers: [{ phone: "07700 900123" }] };
    const { ledger } = await play(() => answer, { records: 1, payload });
    expect(ledger.settlements[0]?.problems).toEqual([
      {
        attr: "customers.0.phone",
        code: "invalid_phone_number",
        detail: "9{5} 9{6} is not a phone number",
        severity: "error",
        by: "platform",
        shape: "9{5} 9{6}",
        place: { file: "accounts.csv", line: 2, column: "customers.0.phone" },
      },
    ]);
  });

  test("a detail about the whole record is masked word by word", async () => {
    const answer = rejected("odd", "non_field_errors", "Ann of EXT-1 is not in the Annexe");
    const { ledger } = await play(() => answer, { records: 1, payload: { name: "Ann", key: "EXT-1" } });
    expect(ledger.settlements[0]?.problems[0]).toMatchObject({ detail: "Aaa of AAA-9 is not in the Annexe" });
  });

  test("goes on after attempts of earlier runs", async () => {
    const ledger = fakeLedger();
    const earlier = { record: 1, identity: Uint8Array.of(1), attempt: 1, at: "2026-01-01T00:00:00.000Z" };
    await ledger.intend("earlier", [{ ...earlier, content: Uint8Array.of(1) }]);
    await ledger.settle("earlier", [{ ...earlier, status: "rejected", problems: [] }]);
    await play(() => ACCEPTED, { ledger, source: given({ ...sendable(1), attempts: 1 }) });
    expect(ledger.settlements.at(-1)).toMatchObject({ attempt: 2, status: "accepted" });
  });
});

const DETAILS_LOST: Answer = {
  verdict: {
    kind: "retry",
    reason: "HTTP 400, details lost",
    problems: [{ attr: "non_field_errors", code: "unreadable_reply", detail: "", severity: "error", by: "platform" }],
  },
  http: 400,
  durationMs: 1,
};

describe("retry", () => {
  test("429 is sent again, each time with an intent of its own", async () => {
    const { end, ledger, sent } = await play(({ number }) => (number <= 2 ? busy() : ACCEPTED), { records: 1 });
    expect(end.counts).toEqual({ accepted: 1 });
    expect(sent).toEqual([1, 1, 1]);
    expect(ledger.settlements.map(({ status, attempt }) => [status, attempt])).toEqual([
      ["pending", 1],
      ["pending", 2],
      ["accepted", 3],
    ]);
  });

  test("three tries where the platform does not push back", async () => {
    const answer: Answer = { verdict: { kind: "retry", reason: "HTTP 408" }, http: 408, durationMs: 1 };
    const { end, sent } = await play(() => answer, { records: 1 });
    expect(sent).toHaveLength(3);
    expect(end).toMatchObject({ reason: "done", counts: { pending: 1 } });
  });

  test("a refusal whose details were lost is rejected in the end", async () => {
    const { end, ledger } = await play(() => DETAILS_LOST, { records: 1 });
    expect(end.counts).toEqual({ rejected: 1 });
    expect(ledger.settlements.map(({ status }) => status)).toEqual(["pending", "pending", "rejected"]);
  });

  test.each<[string, Answer, string]>([
    ["a refusal whose details were lost", DETAILS_LOST, "ambiguous"],
    ["push-back to the end", busy(), "ambiguous"],
    ["a closed import supplier", { verdict: { kind: "blocked", problems: [] }, http: 400, durationMs: 1 }, "ambiguous"],
    ["a refusal with its reason", rejected("blank"), "rejected"],
  ])(
    "a request without a clear answer is not forgotten after %s: it was, and the account existed",
    async (_, answer, status) => {
      const { ledger } = await play(({ number }) => (number === 1 ? AMBIGUOUS : answer), { records: 1, dedupes: true });
      expect(ledger.settlements.at(-1)?.status).toBe(status);
    },
  );

  test("a request of an earlier run without a clear answer is not forgotten when this one cannot be sent", async () => {
    const drain = new AbortController();
    const refused = (): Answer => {
      drain.abort();
      return UNSENT;
    };
    const source = given({ ...sendable(1), inDoubt: true });
    const { ledger } = await play(refused, { source, dedupes: true, drain: drain.signal });
    expect(ledger.settlements.at(-1)).toMatchObject({
      status: "ambiguous",
      reason: expect.stringContaining("an earlier request had no clear answer"),
    });
  });

  test("Retry-After holds for everybody, to the millisecond", async () => {
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

  test("Retry-After does not use up a record's tries", async () => {
    const { end } = await play(({ number }) => (number <= 6 ? busy(1000) : ACCEPTED), { records: 1 });
    expect(end.counts).toEqual({ accepted: 1 });
  });

  test("a Retry-After beyond all patience ends the run, safe to run again", async () => {
    const { end } = await play(() => busy(99_999_000), { records: 10 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "incomplete", exitCode: 3 } });
    expect(end.counts).toEqual({ pending: expect.any(Number) });
  });

  test("a platform that lets nothing through ends the run after the patience, with few requests", async () => {
    const { end, sent, clock } = await play(() => busy(), { records: 5_000, concurrency: 16 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "incomplete" } });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(300_000);
    expect(clock.monotonic()).toBeLessThan(360_000);
    expect(sent.length).toBeLessThan(150);
  });

  test("the retry budget is the run's: a platform that fails everything sees few requests twice", async () => {
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

describe("ambiguous", () => {
  test("is never sent again by default", async () => {
    const { end, sent, ledger } = await play(({ record }) => (record === 3 ? AMBIGUOUS : ACCEPTED));
    expect(end).toMatchObject({ reason: "done", counts: { accepted: 19, ambiguous: 1 } });
    expect(sent.filter((record) => record === 3)).toHaveLength(1);
    expect(ledger.settlements.find(({ record }) => record === 3)).toMatchObject({ reason: "HTTP 500", http: 500 });
  });

  test("is sent again where the platform dedupes, three times at most", async () => {
    const { end, sent } = await play(({ record }) => (record === 3 ? AMBIGUOUS : ACCEPTED), { dedupes: true });
    expect(end.counts).toEqual({ accepted: 19, ambiguous: 1 });
    expect(sent.filter((record) => record === 3)).toHaveLength(3);
  });

  test("waiting for its next try, it is in doubt for as long as the run may stop", async () => {
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

  test("one after another without end stops the run before everything is in doubt", async () => {
    const { end, sent } = await play(() => AMBIGUOUS, { records: 1_000 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "incomplete" } });
    expect(sent.length).toBeLessThan(30);
  });
});

describe("the circuit", () => {
  const closed: Answer = {
    verdict: {
      kind: "blocked",
      problems: [
        {
          attr: "non_field_errors",
          code: "import_supplier_migration_not_ongoing",
          detail: "",
          severity: "error",
          by: "platform",
        },
      ],
    },
    http: 400,
    durationMs: 1,
  };

  test("F31: supplier closed: what met it is blocked, the rest pending", async () => {
    const { end, sent, ledger } = await play(({ number }) => (number >= 30 ? closed : ACCEPTED), { records: 500 });
    expect(end).toMatchObject({
      reason: "stopped",
      failure: { code: "supplier_closed", exitCode: 4, hint: expect.stringContaining("resume") },
    });
    expect(sent.length).toBeLessThanOrEqual(33);
    expect(end.counts.accepted).toBe(29);
    expect(end.counts.blocked).toBeGreaterThanOrEqual(1);
    expect(ledger.sending()).toBe(0);
  });

  test("five equal refusals without a field in a row", async () => {
    const { end, sent } = await play(() => rejected("service_closed", "non_field_errors"), { records: 100 });
    expect(end.failure).toMatchObject({ code: "platform_refused" });
    expect(sent.length).toBeLessThanOrEqual(8);
  });

  test.each([
    ["a field is named", rejected("blank")],
    ["no code is given", rejected("unspecified", "non_field_errors")],
  ])("equal refusals go on when %s", async (_, answer) => {
    const { end } = await play(() => answer, { records: 30 });
    expect(end).toMatchObject({ reason: "done", counts: { rejected: 30 } });
  });

  test("three answers in a row that are not the API's", async () => {
    const page: Answer = {
      verdict: { kind: "ambiguous", reason: "a web page", foreign: true },
      http: 200,
      durationMs: 1,
    };
    const { end, sent } = await play(() => page, { records: 100, concurrency: 1 });
    expect(end.failure).toMatchObject({ code: "wrong_endpoint" });
    expect(sent).toHaveLength(3);
  });

  test("authentication gone", async () => {
    const { end } = await play(() => ({ verdict: { kind: "unauthorised" }, http: 401, durationMs: 1 }), {
      concurrency: 1,
    });
    expect(end).toMatchObject({ failure: { code: "authentication", exitCode: 4 }, counts: { blocked: 1 } });
  });

  test("TLS: no record is touched", async () => {
    const failure = new Failure("tls", "no secure connection");
    const { end } = await play(() => ({ verdict: { kind: "stop", failure }, durationMs: 0 }));
    expect(end.failure).toBe(failure);
    expect(Object.keys(end.counts)).toEqual(["pending"]);
  });
});

describe("a platform that cannot be reached", () => {
  test("costs no tries; one request at a time finds out when it is back", async () => {
    const { end, ledger, events, sent } = await play(({ clock }) => (clock.monotonic() < 60_000 ? UNSENT : ACCEPTED), {
      records: 50,
      concurrency: 16,
    });
    expect(end).toEqual({ reason: "done", counts: { accepted: 50 }, unsaved: [] });
    expect(sent.length).toBeLessThan(50 + 16 + 20);
    expect([...ledger.attempts.values()].every((attempt) => attempt === 1)).toBe(true);
    expect(events.filter((event) => event.kind === "pace").map(({ limit }) => limit)).toEqual([1, 16]);
  });

  test("ends the run after the patience, everything pending", async () => {
    const { end, clock, sent } = await play(() => UNSENT, { records: 50, maxWaitMs: 60_000 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "platform_unreachable", exitCode: 3 } });
    expect(Object.keys(end.counts)).toEqual(["pending"]);
    expect(clock.monotonic()).toBeLessThan(100_000);
    expect(sent.length).toBeLessThan(30);
  });

  test("F2: an unknown host at the start ends it at once", async () => {
    const { end } = await play(() => ({
      verdict: { kind: "unsent", code: "ENOTFOUND", reason: "cannot reach https://nope.invalid: ENOTFOUND" },
      durationMs: 0,
    }));
    expect(end.failure).toMatchObject({ exitCode: 2 });
  });
});

describe("stopping", () => {
  test("drain: what is in flight finishes, nothing new begins", async () => {
    const drain = new AbortController();
    const { end, sent, ledger } = await play(
      async ({ number, clock }) => {
        if (number === 10) drain.abort();
        await clock.sleep(1000);
        return ACCEPTED;
      },
      { records: 200, drain: drain.signal },
    );
    expect(end.reason).toBe("drained");
    expect(sent.length).toBeLessThanOrEqual(12);
    expect(end.counts.accepted).toBe(sent.length);
    expect(end.counts.pending).toBe(ledger.states.size - sent.length);
    expect(ledger.sending()).toBe(0);
  });

  test("drain: after 30 seconds the rest is broken off", async () => {
    const drain = new AbortController();
    const { end, clock } = await play(
      async ({ signal, clock: { sleep } }) => {
        drain.abort();
        await sleep(600_000, signal);
        return AMBIGUOUS;
      },
      { drain: drain.signal },
    );
    expect(end.counts).toMatchObject({ ambiguous: expect.any(Number) });
    expect(clock.monotonic()).toBe(30_000);
  });

  test("abort: at once", async () => {
    const abort = new AbortController();
    const { end, clock } = await play(
      async ({ number, signal, clock: { sleep } }) => {
        if (number === 4) abort.abort();
        await sleep(600_000, signal);
        return AMBIGUOUS;
      },
      { abort: abort.signal },
    );
    expect(end).toMatchObject({ reason: "drained", counts: { ambiguous: 4 } });
    expect(clock.monotonic()).toBe(0);
  });

  test("a record that waits for its next try is pending, and is counted", async () => {
    const drain = new AbortController();
    const { end } = await play(
      ({ number }) => {
        if (number === 1) return { verdict: { kind: "retry", reason: "HTTP 408" }, http: 408, durationMs: 1 };
        drain.abort();
        return ACCEPTED;
      },
      { records: 2, concurrency: 1, drain: drain.signal },
    );
    expect(end.counts).toEqual({ pending: 1, accepted: 1 });
  });

  test("does not wait for a source that gives nothing", async () => {
    const drain = new AbortController();
    setTimeout(() => drain.abort(), 20);
    const { end } = await play(() => ACCEPTED, { source: silent(), drain: drain.signal });
    expect(end).toMatchObject({ reason: "drained", counts: { accepted: 3 } });
  });
});

test("outcomes are written with the next intents: an upload waits for the disk once a group", async () => {
  const base = fakeLedger();
  let alone = 0;
  const settle: FakeLedger["settle"] = (run, group) => {
    alone += 1;
    return base.settle(run, group);
  };
  const { end } = await play(() => ACCEPTED, { records: 1000, concurrency: 32, ledger: { ...base, settle } });
  expect(end.counts).toEqual({ accepted: 1000 });
  expect(alone).toBeLessThan(base.intentGroups.length / 4);
});

describe("faults at home", () => {
  const full = new Failure("storage", "disk full");

  test("F36: no intent, no request", async () => {
    const ledger = fakeLedger({
      intend: (call) => {
        if (call >= 3) throw full;
      },
    });
    const { end, sent } = await play(() => ACCEPTED, { records: 100, ledger });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "storage", exitCode: 6 } });
    expect(sent.length).toBe(ledger.intentGroups.flat().length);
    expect(ledger.sending()).toBe(0);
  });

  test("F37: outcomes that could not be saved are tried once more", async () => {
    const ledger = fakeLedger({
      settle: (call) => {
        if (call === 1) throw full;
      },
    });
    const { end } = await play(() => ACCEPTED, { records: 100, ledger });
    expect(end).toMatchObject({ failure: { code: "storage" }, unsaved: [] });
    expect(ledger.sending()).toBe(0);
  });

  test("F37: and handed back when that fails too", async () => {
    const ledger = fakeLedger({
      settle: () => {
        throw full;
      },
    });
    const { end, sent } = await play(() => ACCEPTED, { records: 100, ledger });
    expect(end.unsaved.filter(({ status }) => status === "accepted")).toHaveLength(sent.length);
    expect(end.counts).toEqual({});
  });

  test("a source that fails ends the run after what was begun", async () => {
    const { end } = await play(() => ACCEPTED, { source: damaged() });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "source_damaged" } });
    expect(Object.values(end.counts).reduce((a, b) => a + b, 0)).toBe(3);
  });

  test("a bug is thrown, after the outcomes are saved", async () => {
    const ledger = fakeLedger();
    const played = play(
      ({ number }) => {
        if (number === 5) throw new TypeError("bug");
        return ACCEPTED;
      },
      { ledger, clock: fakeClock() },
    );
    await expect(played).rejects.toThrow(TypeError);
    expect(ledger.sending()).toBe(1);
  });
});
