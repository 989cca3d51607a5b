import { describe, expect, test } from "vitest";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { RecordToSend } from "../../src/upload/upload-types.ts";
import { ACCEPTED, AMBIGUOUS, play, sendables } from "./scene.ts";

async function* silent(): AsyncGenerator<readonly RecordToSend[]> {
  yield* sendables(3);
  await new Promise(() => undefined);
}

describe("an upload that is stopped", () => {
  test("by the drain signal finishes the requests in flight and starts no other requests", async () => {
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

  test("by the drain signal aborts the requests that are still in flight after 30 seconds", async () => {
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

  test("by the abort signal aborts all requests immediately", async () => {
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

  test("counts a record that waits for its next attempt as pending", async () => {
    const drain = new AbortController();
    const { end } = await play(
      ({ number }) => {
        if (number === 1) return { replyClass: { kind: "retry", reason: "HTTP 408" }, http: 408, durationMs: 1 };
        drain.abort();
        return ACCEPTED;
      },
      { records: 2, concurrency: 1, drain: drain.signal },
    );
    expect(end.counts).toEqual({ pending: 1, accepted: 1 });
  });

  test("does not wait for a source that has stalled", async () => {
    const drain = new AbortController();
    const answer = ({ number }: { readonly number: number }): RequestResult => {
      if (number === 3) drain.abort();
      return ACCEPTED;
    };
    const { end } = await play(answer, { source: silent(), drain: drain.signal });
    expect(end).toMatchObject({ reason: "drained", counts: { accepted: 3 } });
  });
});
