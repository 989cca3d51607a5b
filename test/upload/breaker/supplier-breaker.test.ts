import { describe, expect, test } from "vitest";
import type { RequestResult } from "../../../src/platform/import/classified-request.ts";
import { ACCEPTED, AMBIGUOUS, busy, play, rejected } from "../scene.ts";

const CLOSED: RequestResult = {
  replyClass: {
    kind: "blocked",
    problems: [
      {
        attr: "non_field_errors",
        code: "import_supplier_migration_not_ongoing",
        detail: "no",
        severity: "error",
        by: "platform",
      },
    ],
  },
  http: 400,
  durationMs: 1,
};
const UNKNOWN_CODE = rejected("migration_window_shut", "non_field_errors");
const SEVEN: RequestResult = { ...ACCEPTED, replyClass: { kind: "accepted", account: "A-7" } };
const MINUTE = 60_000;

/** Every third record belongs to the second supplier. */
const supplierOf = (record: number): string => (record % 3 === 0 ? "WINTER" : "SPRING");

describe("an upload for two import suppliers", () => {
  test("sends only the records of the open supplier if the other is closed", async () => {
    const answer = ({ record }: { readonly record: number }): RequestResult =>
      supplierOf(record) === "WINTER" && record > 30 ? CLOSED : ACCEPTED;
    const { end, sent, ledger } = await play(answer, { records: 300, supplierOf, oneSupplier: false });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "supplier_closed", exitCode: 4 } });
    expect(end.failure?.message).toContain("WINTER");
    expect(end.failure?.message).not.toContain("SPRING");
    const winter = sent.filter((record) => supplierOf(record) === "WINTER" && record > 30);
    expect(winter.length).toBeLessThanOrEqual(4);
    const spring = [...ledger.states].filter(([record]) => supplierOf(record) === "SPRING");
    expect(spring).toHaveLength(200);
    expect(spring.every(([, state]) => state === "accepted")).toBe(true);
    expect(ledger.sending()).toBe(0);
  });

  test("names both suppliers if both are closed", async () => {
    const { end } = await play(() => CLOSED, { records: 30, supplierOf, oneSupplier: false });
    expect(end.failure?.message).toMatch(/suppliers SPRING, WINTER accept no/);
  });

  test("opens only the circuit of the supplier whose records are refused with the same error", async () => {
    const answer = ({ record }: { readonly record: number }): RequestResult =>
      supplierOf(record) === "WINTER" ? UNKNOWN_CODE : ACCEPTED;
    const { end, sent, ledger } = await play(answer, { records: 300, supplierOf, oneSupplier: false, concurrency: 1 });
    expect(end.failure).toMatchObject({ code: "platform_refused", exitCode: 4 });
    expect(end.failure?.message).toContain("WINTER");
    expect(sent.filter((record) => supplierOf(record) === "WINTER")).toHaveLength(5);
    expect([...ledger.states.values()].filter((state) => state === "accepted")).toHaveLength(200);
  });
});

test("after five equal refusals, later refusals with the same code block records instead of rejecting them", async () => {
  const { end } = await play(() => UNKNOWN_CODE, { records: 100, concurrency: 8 });
  expect(end.counts.rejected).toBe(5);
  expect(end.counts.blocked).toBeLessThanOrEqual(3);
});

test("an accepted record between equal refusals ends the streak", async () => {
  const { end } = await play(({ number }) => (number % 5 === 0 ? ACCEPTED : UNKNOWN_CODE), {
    records: 50,
    concurrency: 1,
  });
  expect(end).toMatchObject({ reason: "done", counts: { rejected: 40, accepted: 10 } });
});

describe("a run that waits for an import supplier", () => {
  test("probes with one record at growing intervals and continues once the supplier is open", async () => {
    const asked: number[] = [];
    const { end, ledger, events } = await play(
      ({ number, clock }) => {
        const open = clock.monotonic() > 5 * MINUTE;
        if (number > 20 && !open) asked.push(clock.monotonic());
        return number > 20 && !open ? CLOSED : ACCEPTED;
      },
      { records: 200, waitForSupplier: {}, concurrency: 1 },
    );
    expect(end.failure).toBeUndefined();
    expect(end).toMatchObject({ reason: "done" });
    expect([...ledger.states.values()].filter((state) => state === "accepted")).toHaveLength(200);
    const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(pauses.map((ms) => Math.round(ms / 1000))).toEqual([2, 4, 8, 16, 32, 64, 120]);
    expect(events).toContainEqual(expect.objectContaining({ kind: "supplier", open: true }));
  });

  test("sends only the probe for this supplier, and still sends the records of the other supplier", async () => {
    const { end, sent, ledger } = await play(
      ({ record, clock }) => (supplierOf(record) === "WINTER" && clock.monotonic() < 10 * MINUTE ? CLOSED : ACCEPTED),
      { records: 90, supplierOf, oneSupplier: false, waitForSupplier: {} },
    );
    expect(end).toMatchObject({ reason: "done" });
    expect([...ledger.states.values()]).toEqual(Array.from({ length: 90 }, () => "accepted"));
    expect(sent.filter((record) => supplierOf(record) === "SPRING")).toHaveLength(60);
    expect(sent.filter((record) => supplierOf(record) === "WINTER").length).toBeLessThan(30 + 4 + 12);
  });

  test("ends after its time limit, with every record pending", async () => {
    const { end, clock, ledger } = await play(() => CLOSED, { records: 50, waitForSupplier: { forMs: MINUTE } });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "supplier_closed" } });
    expect(clock.monotonic()).toBeLessThanOrEqual(MINUTE);
    expect(clock.monotonic()).toBeGreaterThan(MINUTE / 4);
    expect(new Set(ledger.states.values())).toEqual(new Set(["pending"]));
  });

  test("measures its time limit from the start of each wait (the limit used to include the time of the whole upload)", async () => {
    const isOpen = (ms: number): boolean =>
      ms < 2 * MINUTE || (ms > 2.5 * MINUTE && ms < 4 * MINUTE) || ms > 4.5 * MINUTE;
    const { end, ledger } = await play(
      async ({ clock }) => {
        await clock.sleep(5_000);
        return isOpen(clock.monotonic()) ? ACCEPTED : CLOSED;
      },
      { records: 60, concurrency: 1, waitForSupplier: { forMs: MINUTE } },
    );
    expect(end).toMatchObject({ reason: "done" });
    expect(new Set(ledger.states.values())).toEqual(new Set(["accepted"]));
  });

  test("stops when the user stops it", async () => {
    const drain = new AbortController();
    const { end } = await play(
      ({ number }) => {
        if (number === 5) setImmediate(() => drain.abort());
        return CLOSED;
      },
      { records: 50, waitForSupplier: {}, drain: drain.signal, concurrency: 1 },
    );
    expect(end.reason).toBe("drained");
  });

  test("also waits after five equal refusals with an unknown code", async () => {
    const { end } = await play(({ clock }) => (clock.monotonic() < MINUTE ? UNKNOWN_CODE : ACCEPTED), {
      records: 60,
      concurrency: 1,
      waitForSupplier: {},
    });
    expect(end.reason).toBe("done");
  });

  test("probes again after a probe that failed for another reason", async () => {
    const script: readonly RequestResult[] = [CLOSED, busy(), busy(), AMBIGUOUS, CLOSED];
    const { end, ledger } = await play(({ number }) => script[number - 1] ?? ACCEPTED, {
      records: 40,
      concurrency: 1,
      waitForSupplier: {},
    });
    expect(end.reason).toBe("done");
    const states = [...ledger.states.values()];
    expect(states.filter((state) => state === "accepted")).toHaveLength(39);
    expect(states.filter((state) => state === "ambiguous")).toHaveLength(1);
  });

  test("does not accept an account number twice, before or after a probe (a probe used to forget the known numbers)", async () => {
    const script: readonly RequestResult[] = [SEVEN, CLOSED, SEVEN];
    const { ledger } = await play(({ number }) => script[number - 1] ?? ACCEPTED, {
      records: 4,
      concurrency: 1,
      waitForSupplier: {},
    });
    expect([...ledger.states.values()]).toEqual(["accepted", "ambiguous", "accepted", "accepted"]);
  });

  test("counts the outcomes before and after a probe", async () => {
    const { end } = await play(({ number }) => (number === 11 ? CLOSED : ACCEPTED), {
      records: 20,
      concurrency: 1,
      waitForSupplier: {},
    });
    expect(end.counts.accepted).toBe(20);
  });

  test("ends when another failure ends the upload", async () => {
    const { end } = await play(
      ({ number }) => (number === 3 ? { replyClass: { kind: "unauthorised" }, http: 401, durationMs: 1 } : CLOSED),
      { records: 50, concurrency: 1, waitForSupplier: {} },
    );
    expect(end.failure).toMatchObject({ code: "authentication" });
  });
});
