import type { RunEvent } from "../../job/run-event.ts";
import type { SharedStatus, WorkerStatus } from "../../ledger/runs/shared-run.ts";
import type { UploadEvent } from "../../upload/upload-types.ts";

/** Tells what the workers of a run say of themselves as one process would. */
export interface SharedProgress {
  readonly note: (status: SharedStatus) => void;
}

type Outcome = Extract<UploadEvent, { kind: "outcome" }>;

export function createSharedProgress(
  onProgress: (event: RunEvent) => void,
  onRequests: (count: number) => void,
): SharedProgress {
  const told = new Map<Outcome["status"], number>();
  let replies = { count: 0, totalMs: 0 };
  let pace = "";
  let heldUntil = false;

  return {
    note({ workers, hold, ranges }) {
      const counts = totalCounts(workers);
      const now = totalReplies(workers);
      const meanMs =
        now.count > replies.count ? (now.totalMs - replies.totalMs) / (now.count - replies.count) : undefined;
      const inFlight = sum(workers, (worker) => (worker.state === "working" ? worker.inFlight : 0));
      let news = 0;
      for (const [status, count] of counts) {
        for (let one = told.get(status) ?? 0; one < count; one += 1) {
          onProgress({ kind: "outcome", status, inFlight, durationMs: meanMs });
          news += 1;
        }
        told.set(status, count);
      }
      if (news > 0) onRequests(news);
      replies = now;
      const working = workers.filter(({ state }) => state === "working");
      onProgress({ kind: "workers", sharing: { workers: working.length, ranges } });
      const limit = sum(working, (worker) => worker.limit ?? 0);
      const reason = `${working.length} ${working.length === 1 ? "worker" : "workers"}, ${ranges.waiting} ranges waiting`;
      if (limit > 0 && `${limit} ${working.length}` !== pace) onProgress({ kind: "pace", limit, reason });
      pace = `${limit} ${working.length}`;
      if (hold !== undefined && !heldUntil) onProgress({ kind: "pause", ...hold });
      heldUntil = hold !== undefined;
    },
  };
}

function totalCounts(workers: readonly WorkerStatus[]): ReadonlyMap<Outcome["status"], number> {
  const totals = new Map<Outcome["status"], number>();
  for (const { counts } of workers) {
    for (const [status, count] of Object.entries(counts)) {
      if (isOutcome(status)) totals.set(status, (totals.get(status) ?? 0) + count);
    }
  }
  return totals;
}

const OUTCOMES: ReadonlySet<string> = new Set<Outcome["status"]>([
  "valid",
  "accepted",
  "rejected",
  "ambiguous",
  "blocked",
  "pending",
]);

function isOutcome(status: string): status is Outcome["status"] {
  return OUTCOMES.has(status);
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
