import type {
  HeartbeatReply,
  RecordRange,
  SharedFailure,
  SharedPlan,
  WorkerIdentity,
  WorkerReport,
  WorkerStatus,
} from "../../../src/ledger/runs/shared-run.ts";
import { Failure } from "../../../src/model/failure.ts";

export interface ModelRange extends RecordRange {
  fence: number;
  state: "waiting" | "taken" | "done" | "closed";
  holder?: string | undefined;
  /** Whether a worker has ever held the range. */
  wasTaken?: boolean;
  until: number;
}

/** A range with the fencing token of its holder. */
export type HeldRange = RecordRange & { readonly fence: number };

export interface ModelWorker extends WorkerIdentity {
  readonly id: string;
  readonly run: string;
  state: WorkerStatus["state"];
  seen: number;
  /** The time of the first heartbeat. */
  shown?: number;
  report: WorkerReport;
}

export interface ModelShare {
  readonly plan: SharedPlan;
  readonly ranges: ModelRange[];
  state: HeartbeatReply["state"];
  holdUntil: number;
  failure?: SharedFailure;
}

export function ordersOf(
  share: ModelShare | undefined,
  now: number,
): Pick<HeartbeatReply, "state" | "concurrency" | "rps" | "holdMs"> {
  if (share === undefined) return { state: "ended", concurrency: 1, holdMs: 0 };
  const { state, plan, holdUntil } = share;
  const { concurrency, rps } = plan;
  return { state, concurrency, ...(rps !== undefined && { rps }), holdMs: Math.max(0, holdUntil - now) };
}

export function isPresent({ state }: Pick<ModelWorker, "state">): boolean {
  return state === "joining" || state === "working";
}

export function toStatus(worker: ModelWorker, hasHeartbeat: boolean, held: readonly ModelRange[]): WorkerStatus {
  const { id, host, pid, state, report, seen } = worker;
  const now = isPresent(worker) && !hasHeartbeat ? "lost" : state;
  const holds = held.map(({ first, last }) => ({ first, last, since: "" }));
  return { id, host, pid, state: now, ...report, startedAt: "", seenAt: String(seen), holds };
}

export function ledgerInUse(): Failure {
  return new Failure("ledger_in_use", "another process has the ledger", {});
}

export function runClosed(run: string): Failure {
  return new Failure("run_unknown", `run ${run} does not accept workers`, {});
}
