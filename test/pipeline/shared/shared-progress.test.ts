import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/job/run-event.ts";
import type { SharedStatus, WorkerStatus } from "../../../src/ledger/runs/shared-run.ts";
import { createSharedProgress } from "../../../src/pipeline/shared/shared-progress.ts";

function worker(pid: number, given: Partial<WorkerStatus> = {}): WorkerStatus {
  return {
    id: String(pid),
    host: "mover",
    pid,
    state: "working",
    startedAt: "",
    seenAt: "",
    counts: {},
    inFlight: 0,
    perSecond: 0,
    replies: { count: 0, totalMs: 0 },
    holds: [],
    ...given,
  };
}

/** Returns a function that observes a run at a given moment and returns the resulting progress events. */
function watched() {
  let now = 0;
  let events: RunEvent[] = [];
  const progress = createSharedProgress({
    onProgress: (event) => void events.push(event),
    onRequests: () => undefined,
    clock: { monotonic: () => now },
  });
  return (ms: number, status: Partial<SharedStatus>): readonly RunEvent[] => {
    now = ms;
    events = [];
    progress({
      run: "x",
      at: "",
      state: "open",
      leaseMs: 3_000,
      concurrency: 8,
      ranges: { waiting: 0, taken: 0, done: 0 },
      workers: [],
      ...status,
    });
    return events;
  };
}

const kindsOf = (events: readonly RunEvent[], kind: RunEvent["kind"]): readonly RunEvent[] =>
  events.filter((event) => event.kind === kind);

test("shows active workers with their ranges, and the number of lost workers", () => {
  const at = watched();
  const holds = [{ first: 1, last: 10, since: "2026-11-22T17:53:48.000Z" }];
  const workers = [worker(1, { holds, inFlight: 3, perSecond: 2.5, limit: 4 }), worker(2, { state: "lost" })];
  expect(kindsOf(at(0, { workers, ranges: { waiting: 1, taken: 1, done: 2 } }), "workers")).toEqual([
    {
      kind: "workers",
      sharing: {
        workers: 1,
        lost: 1,
        ranges: { waiting: 1, taken: 1, done: 2 },
        working: [{ host: "mover", pid: 1, perSecond: 2.5, inFlight: 3, limit: 4, holds }],
      },
    },
  ]);
});

test("shows the total pace and the reason for it once after each change", () => {
  const at = watched();
  const workers = [worker(1, { limit: 4, reason: "HTTP 429" }), worker(2, { limit: 4, reason: "HTTP 429" })];
  const findings = { rate: { id: "a", perSecond: 33.33, agoMs: 10 }, suppliers: [] };
  expect(kindsOf(at(0, { workers: [worker(1)] }), "pace")).toEqual([]);
  expect(kindsOf(at(0, { workers, findings }), "pace")).toEqual([
    { kind: "pace", limit: 8, perSecond: 33.3, reason: "2 workers, HTTP 429" },
  ]);
  expect(kindsOf(at(1_000, { workers, findings }), "pace")).toEqual([]);
  expect(kindsOf(at(2_000, { workers: [worker(1, { limit: 5, reason: "replies are still fast" })] }), "pace")).toEqual([
    { kind: "pace", limit: 5, reason: "1 worker, replies are still fast" },
  ]);
});

test("shows a pause when it starts and when it is extended, but not every second", () => {
  const at = watched();
  const held = (ms: number, forMs: number): readonly RunEvent[] =>
    kindsOf(at(ms, { hold: { forMs, reason: "HTTP 503" } }), "pause");
  expect(held(0, 3_000)).toEqual([{ kind: "pause", forMs: 3_000, reason: "HTTP 503" }]);
  expect(held(1_000, 2_100)).toEqual([]);
  expect(held(2_000, 900)).toEqual([]);
  expect(held(2_500, 8_000)).toEqual([{ kind: "pause", forMs: 8_000, reason: "HTTP 503" }]);
  expect(kindsOf(at(11_000, {}), "pause")).toEqual([]);
  expect(held(12_000, 1_000)).toHaveLength(1);
});

test("shows when an import supplier closes and opens again", () => {
  const at = watched();
  const seen = (open: boolean): readonly RunEvent[] =>
    kindsOf(at(0, { findings: { suppliers: [{ supplier: "SPRING", open, code: "paused", agoMs: 0 }] } }), "supplier");
  expect(seen(true)).toEqual([]);
  expect(seen(false)).toEqual([{ kind: "supplier", supplier: "SPRING", open: false, code: "paused" }]);
  expect(seen(false)).toEqual([]);
  expect(seen(true)).toEqual([{ kind: "supplier", supplier: "SPRING", open: true, code: "paused" }]);
});
