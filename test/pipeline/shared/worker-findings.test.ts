import { describe, expect, test } from "vitest";
import { latestFindings, type SharedFindings } from "../../../src/ledger/runs/platform-findings.ts";
import { createFindings, type FindingsBuilder } from "../../../src/pipeline/shared/worker-findings.ts";
import { createSupplierBreakers, type SupplierBreakers } from "../../../src/upload/breaker/supplier-breaker.ts";
import type { ReplyClass } from "../../../src/platform/reply/reply-class.ts";
import type { UploadEvent } from "../../../src/upload/upload-types.ts";

const CLOSED: ReplyClass = {
  kind: "blocked",
  problems: [{ attr: "non_field_errors", code: "paused", detail: "no", severity: "error", by: "platform" }],
};
const TAKEN: ReplyClass = { kind: "accepted" };

/** Creates workers of a run whose clocks started at different times. `pass` exchanges their findings. */
function createWorkers(count: number) {
  let time = 0;
  const events: UploadEvent[][] = Array.from({ length: count }, () => []);
  const sent: (SharedFindings | undefined)[] = Array.from({ length: count }, () => undefined);
  const sentAt = Array.from({ length: count }, () => 0);
  const alive = new Set(Array.from({ length: count }, (_, index) => index));
  const clocks = Array.from({ length: count }, (_, index) => ({ monotonic: () => time + 1_000_000 * index }));
  const findings: FindingsBuilder[] = clocks.map((clock) => createFindings(clock));
  const breakers: SupplierBreakers[] = clocks.map((clock, index) =>
    createSupplierBreakers({
      waits: true,
      clock,
      reported: () =>
        (sent[index]?.suppliers ?? []).map(({ agoMs, ...one }) => ({ ...one, at: (sentAt[index] ?? 0) - agoMs })),
      onChange(event) {
        events[index]?.push(event);
        findings[index]?.note(event);
      },
    }),
  );
  const reports = () =>
    [...alive].map((index) => ({ worker: String(index), seenAgoMs: 0, findings: findings[index]?.current() }));
  return {
    findings,
    events,
    breaker: (index: number): SupplierBreakers => {
      const found = breakers[index];
      if (found === undefined) throw new Error("no such worker");
      return found;
    },
    die: (index: number) => void alive.delete(index),
    pass(ms: number) {
      time += ms;
      for (const [index, clock] of clocks.entries()) {
        sent[index] = latestFindings(reports(), String(index));
        sentAt[index] = clock.monotonic();
        findings[index]?.learn({ findings: sent[index], workers: alive.size });
      }
    },
    shared: (index: number) => sent[index],
  };
}

describe("an import supplier that one worker finds closed", () => {
  test("is closed for all workers, and one of them probes it", () => {
    const workers = closedFor(3);
    workers.pass(2_000);
    expect([0, 1, 2].map((index) => workers.breaker(index).admit("SPRING"))).toEqual(["probe", "no", "no"]);
    expect([0, 1, 2].map((index) => workers.breaker(index).isProbedByOthers())).toEqual([false, true, true]);
    expect(workers.breaker(2).untilProbe()).toBeGreaterThan(0);
  });

  test("is open for all workers when the probe succeeds", () => {
    const workers = closedFor(3);
    workers.pass(2_000);
    expect(workers.breaker(0).admit("SPRING")).toBe("probe");
    workers.breaker(0).interpret(TAKEN, "SPRING");
    workers.pass(1_000);
    expect([0, 1, 2].map((index) => workers.breaker(index).admit("SPRING"))).toEqual(["yes", "yes", "yes"]);
    expect(workers.breaker(2).failure()).toBeUndefined();
    expect(workers.events[2]?.at(-1)).toMatchObject({ kind: "supplier", supplier: "SPRING", open: true });
    workers.pass(10_000);
    expect([0, 1, 2].map((index) => workers.breaker(index).admit("SPRING"))).toEqual(["yes", "yes", "yes"]);
  });

  test("is probed by another worker when the probing worker dies", () => {
    const workers = closedFor(3);
    workers.die(0);
    workers.pass(2_000);
    expect([1, 2].map((index) => workers.breaker(index).admit("SPRING"))).toEqual(["probe", "no"]);
  });

  test("is probed only by a worker that has records for the supplier", () => {
    const workers = createWorkers(2);
    expect(workers.breaker(1).admit("WINTER")).toBe("yes");
    workers.breaker(1).interpret(CLOSED, "WINTER");
    workers.pass(3_000);
    expect(workers.shared(1)?.suppliers).toMatchObject([{ supplier: "WINTER", open: false, isProbedHere: true }]);
    expect(workers.breaker(0).admit("SPRING")).toBe("yes");
    expect(workers.breaker(1).admit("WINTER")).toBe("probe");
  });
});

test("shares with all workers a rate that one worker found, and keeps the rate after that worker has ended", () => {
  const workers = createWorkers(4);
  const { findings } = workers;
  workers.pass(1_000);
  findings[2]?.note({ kind: "pace", limit: 4, perSecond: 10, reason: "HTTP 429" });
  workers.pass(1_000);
  expect(workers.shared(0)?.rate).toMatchObject({ perSecond: 40, agoMs: 1_000 });
  workers.pass(1_000);
  workers.die(2);
  workers.pass(1_000);
  expect(workers.shared(0)?.rate).toMatchObject({ perSecond: 40, agoMs: 3_000 });
  findings[1]?.note({ kind: "pace", limit: 4, perSecond: 20, reason: "HTTP 429" });
  workers.pass(1_000);
  expect(workers.shared(3)?.rate).toMatchObject({ perSecond: 60, agoMs: 1_000 });
});

/** Creates workers that know that the supplier is closed. The second worker has discovered this. */
function closedFor(count: number): ReturnType<typeof createWorkers> {
  const workers = createWorkers(count);
  for (let index = 0; index < count; index += 1) expect(workers.breaker(index).admit("SPRING")).toBe("yes");
  workers.breaker(1).interpret(CLOSED, "SPRING");
  workers.pass(1_000);
  for (let index = 0; index < count; index += 1) expect(workers.breaker(index).admit("SPRING")).toBe("no");
  workers.pass(1_000);
  return workers;
}
