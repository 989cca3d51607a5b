import type { WorkerReport } from "../../ledger/runs/shared-run.ts";
import type { MonotonicClock } from "../../time/clock.ts";
import type { UploadEvent } from "../../upload/upload-types.ts";

/** Collects the progress that a worker reports with its heartbeats. */
export interface ReportBuilder {
  readonly note: (event: UploadEvent) => void;
  readonly current: () => WorkerReport;
}

/** Period over which the current rate is measured. */
const RATE_WINDOW_MS = 10_000;

/** @param limitOf returns the maximum number of requests in flight, given the last reported limit */
export function createReport(clock: MonotonicClock, limitOf: (announced: number | undefined) => number): ReportBuilder {
  const counts: Record<string, number> = {};
  const replies = { count: 0, totalMs: 0 };
  const samples = [{ at: clock.monotonic(), done: 0 }];
  let done = 0;
  let inFlight = 0;
  let pace: { limit?: number; reason?: string } = {};
  return {
    note(event) {
      if (event.kind === "pace") pace = { limit: event.limit, reason: event.reason };
      if (event.kind !== "outcome") return;
      inFlight = event.inFlight;
      counts[event.status] = (counts[event.status] ?? 0) + 1;
      done += 1;
      if (event.durationMs === undefined) return;
      replies.count += 1;
      replies.totalMs += event.durationMs;
    },
    current() {
      const now = clock.monotonic();
      samples.push({ at: now, done });
      while ((samples[1]?.at ?? now) <= now - RATE_WINDOW_MS) samples.shift();
      const [first = { at: now, done }] = samples;
      const perSecond = now > first.at ? ((done - first.done) * 1000) / (now - first.at) : 0;
      return {
        counts: { ...counts },
        inFlight,
        perSecond: Math.round(perSecond * 10) / 10,
        ...pace,
        limit: limitOf(pace.limit),
        replies: { count: replies.count, totalMs: Math.round(replies.totalMs) },
      };
    },
  };
}
