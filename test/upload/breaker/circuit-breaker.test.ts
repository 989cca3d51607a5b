import { describe, expect, test } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import type { RequestResult } from "../../../src/platform/import/classified-request.ts";
import { ACCEPTED, busy, play, rejected, UNSENT } from "../scene.ts";

const UNREACHED = { kind: "unsent", reason: "no token available" } as const;

describe("the circuit", () => {
  const closed: RequestResult = {
    replyClass: {
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

  test("opens when the supplier is closed, and the refused records are blocked", async () => {
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

  test("opens after five consecutive equal refusals that name no field", async () => {
    const { end, sent } = await play(() => rejected("service_closed", "non_field_errors"), { records: 100 });
    expect(end.failure).toMatchObject({ code: "platform_refused" });
    expect(sent.length).toBeLessThanOrEqual(8);
  });

  test.each([
    ["a field is named", rejected("blank")],
    ["no code is given", rejected("unspecified", "non_field_errors")],
  ])("does not open after equal refusals if %s", async (_, answer) => {
    const { end } = await play(() => answer, { records: 30 });
    expect(end).toMatchObject({ reason: "done", counts: { rejected: 30 } });
  });

  test("opens after three consecutive replies that are not from the API", async () => {
    const page: RequestResult = {
      replyClass: { kind: "ambiguous", reason: "a web page", notFromApi: true },
      http: 200,
      durationMs: 1,
    };
    const { end, sent } = await play(() => page, { records: 100, concurrency: 1 });
    expect(end.failure).toMatchObject({
      code: "wrong_endpoint",
      hint: expect.stringMatching(/; the report lists any ambiguous records$/),
    });
    expect(sent).toHaveLength(3);
  });

  test("opens after many consecutive requests without a trustworthy reply, and names the last reason", async () => {
    const lost: RequestResult = {
      replyClass: { kind: "ambiguous", reason: "connection closed before the reply", notFromApi: false },
      durationMs: 1,
    };
    const { end } = await play(() => lost, { records: 200 });
    expect(end.failure).toMatchObject({
      code: "incomplete",
      message: expect.stringMatching(/^\d+ consecutive .* reply; the last: connection closed before the reply$/),
    });
  });

  test("opens when the token and a new token are refused", async () => {
    const { end } = await play(() => ({ replyClass: { kind: "unauthorised" }, http: 401, durationMs: 1 }), {
      concurrency: 1,
    });
    expect(end).toMatchObject({ failure: { code: "authentication", exitCode: 4 }, counts: { blocked: 1 } });
  });

  test("opens when no TLS connection can be established, and all records stay pending", async () => {
    const failure = new Failure("tls", "no secure connection");
    const { end } = await play(() => ({ replyClass: { kind: "stop", failure }, durationMs: 0 }));
    expect(end.failure).toBe(failure);
    expect(Object.keys(end.counts)).toEqual(["pending"]);
  });
});

describe("an unreachable platform", () => {
  test("uses up no attempts, and is probed with one request at a time until it is available again", async () => {
    const { end, ledger, events, sent } = await play(({ clock }) => (clock.monotonic() < 60_000 ? UNSENT : ACCEPTED), {
      records: 50,
      concurrency: 16,
    });
    expect(end).toEqual({ reason: "done", counts: { accepted: 50 }, unsaved: [] });
    expect(sent.length).toBeLessThan(50 + 16 + 20);
    expect([...ledger.attempts.values()].every((attempt) => attempt === 1)).toBe(true);
    expect(events.filter((event) => event.kind === "pace").map(({ limit }) => limit)).toEqual([1, 16]);
  });

  test("ends the run after the longest wait, with every record pending", async () => {
    const { end, clock, sent } = await play(() => UNSENT, { records: 50, maxWaitMs: 60_000 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "platform_unreachable", exitCode: 3 } });
    expect(Object.keys(end.counts)).toEqual(["pending"]);
    expect(clock.monotonic()).toBeLessThan(100_000);
    expect(sent.length).toBeLessThan(30);
  });

  test("ends the run within 20 seconds if it was never reached", async () => {
    const { end, clock } = await play(() => UNSENT, { records: 50, firstWaitMs: 12_000 });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "platform_unreachable", exitCode: 3 } });
    expect(end.failure?.hint).toContain("--wait");
    expect(Object.keys(end.counts)).toEqual(["pending"]);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(12_000);
    expect(clock.monotonic()).toBeLessThan(20_000);
  });

  test("ends the run after two connection timeouts if it was never reached", async () => {
    const { end, clock, sent } = await play(
      async ({ clock: { sleep } }) => {
        await sleep(10_000);
        return { ...UNSENT, durationMs: 10_000 };
      },
      { records: 50, concurrency: 1, firstWaitMs: 12_000, random: () => 0.99 },
    );
    expect(end.failure).toMatchObject({ code: "platform_unreachable" });
    expect([sent.length, clock.monotonic() < 30_000]).toEqual([2, true]);
  });

  test.each([
    ["after any reply, even a 503", busy()],
    ["after any reply to a token request", { ...UNSENT, replyClass: { ...UNREACHED, code: "HTTP_503" } }],
  ])("does not end the run %s, because it was reached before", async (_, reply) => {
    const { end } = await play(
      ({ clock, number }) => {
        if (number === 1) return reply;
        return clock.monotonic() < 100_000 ? UNSENT : ACCEPTED;
      },
      { records: 5, concurrency: 1, firstWaitMs: 12_000 },
    );
    expect(end).toMatchObject({ reason: "done", counts: { accepted: 5 } });
  });

  test("ends the run immediately if its host is unknown from the start", async () => {
    const { end } = await play(() => ({
      replyClass: { kind: "unsent", code: "ENOTFOUND", reason: "cannot reach https://nope.invalid: ENOTFOUND" },
      durationMs: 0,
    }));
    expect(end.failure).toMatchObject({ exitCode: 2 });
  });
});
