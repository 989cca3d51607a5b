import type { RunEvent } from "../../job/run-event.ts";
import { SEND_STATUSES, type Sharing } from "../../job/run-progress.ts";
import type { SharedStatus, WorkerStatus } from "../../ledger/runs/shared-run.ts";
import type { Status } from "../../model/outcome.ts";
import { counted } from "../../text/count.ts";
import type { MonotonicClock } from "../../time/clock.ts";
import type { UploadEvent } from "../../upload/upload-types.ts";

interface SharedProgressOptions {
  readonly onProgress: (event: RunEvent) => void;
  /** Called with the number of new outcomes, each of which counts as one request. */
  readonly onRequests: (count: number) => void;
  readonly clock: MonotonicClock;
}

/** Returns a function that converts the reports of all workers into the events that a single process would emit. */
export function createSharedProgress({
  onProgress,
  onRequests,
  clock,
}: SharedProgressOptions): (status: SharedStatus) => void {
  const reported = new Map<Status, number>();
  const holds = createHoldChanges(clock);
  const suppliers = createSupplierChanges();
  let replies = { count: 0, totalMs: 0 };
  let pace = "";

  const noteOutcomes = (workers: readonly WorkerStatus[]): void => {
    const now = totalReplies(workers);
    const meanMs =
      now.count > replies.count ? (now.totalMs - replies.totalMs) / (now.count - replies.count) : undefined;
    const inFlight = sum(workers, (worker) => (worker.state === "working" ? worker.inFlight : 0));
    let changes = 0;
    for (const status of SEND_STATUSES) {
      const count = sum(workers, ({ counts }) => counts[status] ?? 0);
      for (let one = reported.get(status) ?? 0; one < count; one += 1) {
        onProgress({ kind: "outcome", status, inFlight, durationMs: meanMs });
        changes += 1;
      }
      reported.set(status, count);
    }
    if (changes > 0) onRequests(changes);
    replies = now;
  };

  return (status) => {
    noteOutcomes(status.workers);
    const sharing = sharingOf(status);
    onProgress({ kind: "workers", sharing });
    const current = paceOf(status, sharing);
    const key = JSON.stringify(current);
    if (current !== undefined && key !== pace) onProgress(current);
    pace = key;
    for (const event of [...holds(status.hold), ...suppliers(status.findings)]) onProgress(event);
  };
}

function sharingOf({ workers, ranges }: SharedStatus): Sharing {
  const working = workers
    .filter(({ state }) => state === "working")
    .map(({ host, pid, perSecond, inFlight, limit, holds }) => ({ host, pid, perSecond, inFlight, limit, holds }));
  const lost = workers.filter(({ state }) => state === "lost").length;
  return { workers: working.length, lost, ranges, working };
}

/**
 * Returns the combined limit of all workers, and the reasons for the limit; undefined until a worker sends its first
 * report.
 */
function paceOf({ workers, findings }: SharedStatus, { working }: Sharing): UploadEvent | undefined {
  const limit = working.reduce((total, worker) => total + (worker.limit ?? 0), 0);
  if (limit === 0) return undefined;
  const reasons = new Set(workers.flatMap(({ state, reason }) => (state === "working" ? (reason ?? []) : [])));
  const reason = [counted(working.length, "worker"), ...reasons].join(", ");
  const rate = findings?.rate;
  return {
    kind: "pace",
    limit,
    ...(rate !== undefined && { perSecond: Math.round(rate.perSecond * 10) / 10 }),
    reason,
  };
}

/** Maximum difference between the end times in two consecutive reports of the same pause. */
const SAME_END_MS = 500;

/** Returns a function that reports a pause when it begins and when it is extended. */
function createHoldChanges({ monotonic }: MonotonicClock) {
  let until = Number.NEGATIVE_INFINITY;
  return (hold: SharedStatus["hold"]): readonly UploadEvent[] => {
    if (hold === undefined || monotonic() + hold.forMs <= until + SAME_END_MS) return [];
    until = monotonic() + hold.forMs;
    return [{ kind: "pause", ...hold }];
  };
}

/** Returns a function that reports an import supplier when it closes and when it opens again. */
function createSupplierChanges() {
  const closed = new Set<string>();
  return (findings: SharedStatus["findings"]): readonly UploadEvent[] =>
    (findings?.suppliers ?? []).flatMap(({ supplier, open, code }): readonly UploadEvent[] => {
      if (closed.has(supplier) === !open) return [];
      if (open) closed.delete(supplier);
      else closed.add(supplier);
      return [{ kind: "supplier", supplier, open, ...(code !== undefined && { code }) }];
    });
}

function totalReplies(workers: readonly WorkerStatus[]): { readonly count: number; readonly totalMs: number } {
  return {
    count: sum(workers, ({ replies }) => replies.count),
    totalMs: sum(workers, ({ replies }) => replies.totalMs),
  };
}

function sum(workers: readonly WorkerStatus[], of: (worker: WorkerStatus) => number): number {
  return workers.reduce((total, worker) => total + of(worker), 0);
}
