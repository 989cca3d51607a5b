import { hostname } from "node:os";
import type { ProcessEnd, ProcessEnvironment, ProgressEnvironment, StartedProcess } from "../../job/dependencies.ts";
import type { WorkerSettings } from "../../job/settings/recorded-settings.ts";
import type { RateLimitSettings } from "../../job/settings/platform-settings.ts";
import type { SharedFailure, SharedPlan, SharedRun, SharedStatus } from "../../ledger/runs/shared-run.ts";
import { Failure, type FailureCode, FAILURES } from "../../model/failure.ts";
import { counted } from "../../text/count.ts";
import type { UploadEnd } from "../../upload/upload-types.ts";
import { createSharedProgress } from "./shared-progress.ts";
import { withWorkerProcesses } from "./worker-processes.ts";

/** The settings of a run that several processes send. */
interface SharingSettings {
  readonly workers: WorkerSettings;
  readonly pace: RateLimitSettings;
  readonly resendAmbiguous: boolean;
}

export interface CoordinateOptions extends SharingSettings {
  readonly shared: Pick<SharedRun, "begin" | "watch" | "evict" | "drain" | "end">;
  readonly run: string;
  /** Number of records to send. */
  readonly pending: number;
  /** The arguments of the command that starts a worker on this machine. */
  readonly workerCommand: readonly string[];
  /** Called with the number of new outcomes, each of which counts as one request. */
  readonly onRequests: (count: number) => void;
  /** @throws Failure `ledger_outdated` if an older copy has replaced the ledger */
  readonly requireNotRestored?: (() => Promise<void>) | undefined;
  readonly dependencies: ProgressEnvironment & ProcessEnvironment;
}

const POLL_MS = 1_000;

/**
 * Divides the pending records into ranges, starts the local workers, and watches the run until all ranges are done, or
 * until no worker is running. Without local workers, waits for workers on other machines until the run fails or is
 * drained. Sends nothing itself.
 */
export async function coordinate(options: CoordinateOptions): Promise<UploadEnd> {
  const { shared, workers, pending, run, workerCommand, dependencies } = options;
  const { notice } = dependencies;
  const given = await shared.begin(planOf(pending, options));
  if (given === 0) {
    await shared.end();
    return { reason: "done", counts: {}, unsaved: [] };
  }
  return withWorkerProcesses(dependencies, async (start) => {
    try {
      const processes = start(workers.count, workerCommand);
      notice(startedText(given, processes.length, run));
      return await watch(options, processes);
    } finally {
      await shared.end();
    }
  });
}

/**
 * Maximum number of records in a range. Larger ranges could leave one worker with a lot of work when the other workers
 * are done. Smaller ranges require more claims.
 */
const MAX_RANGE = 1_000;
const RANGES_PER_WORKER = 8;

export function planOf(pending: number, { workers, pace, resendAmbiguous }: SharingSettings): SharedPlan {
  const concurrency = pace.concurrency === "auto" ? pace.maxConcurrency : pace.concurrency;
  const parts = RANGES_PER_WORKER * Math.max(1, workers.count);
  return {
    size: Math.max(1, Math.min(MAX_RANGE, Math.ceil(pending / parts))),
    leaseMs: workers.leaseMs,
    concurrency,
    resendAmbiguous,
    ...(pace.rps !== undefined && { rps: pace.rps }),
  };
}

function startedText(ranges: number, here: number, run: string): string {
  const others = `to join from other machines, run \`migrate worker --run ${run} --ledger <url>\``;
  if (here === 0) return `${counted(ranges, "range")} and no worker on this machine; ${others}`;
  return `${counted(ranges, "range")} for ${counted(here, "worker")} on this machine; ${others}`;
}

async function watch(options: CoordinateOptions, processes: readonly StartedProcess[]): Promise<UploadEnd> {
  const { shared, onRequests, workers, dependencies } = options;
  const { drain, clock, onProgress, notice } = dependencies;
  const everyMs = Math.min(POLL_MS, workers.leaseMs / 5);
  const noteProgress = createSharedProgress({ onProgress, onRequests, clock });
  const ended = new Map<StartedProcess, ProcessEnd>();
  let isDraining = false;
  for (const one of processes) void one.ended.then((end) => ended.set(one, end));
  const evicted = new Set<StartedProcess>();
  for (;;) {
    for (const [one, end] of [...ended].filter(([process]) => !evicted.has(process))) {
      evicted.add(one);
      if (end.signal !== undefined) notice(`Worker process ${one.pid} ${endText(end)}`);
      if (one.pid !== undefined) await shared.evict({ host: hostname(), pid: one.pid });
    }
    if (drain.aborted && !isDraining) {
      isDraining = true;
      await shared.drain();
    }
    await options.requireNotRestored?.();
    const status = await shared.watch();
    noteProgress(status);
    const running = processes.filter((one) => !ended.has(one)).map(({ pid }) => pid);
    const end = endOf(status, { isDraining, running, ended, waits: workers.count === 0 });
    if (end !== undefined) return end;
    await clock.sleep(everyMs, isDraining ? undefined : drain);
  }
}

interface LocalState {
  readonly isDraining: boolean;
  /** Process ids of the running workers on this machine. Undefined for a process that will soon end with an error. */
  readonly running: readonly (number | undefined)[];
  readonly ended: ReadonlyMap<StartedProcess, ProcessEnd>;
  /**
   * Whether this process started no workers of its own and waits for workers on other machines, which may join at any
   * time.
   */
  readonly waits: boolean;
}

/** Returns how the run ended; undefined while it may still continue. */
function endOf(status: SharedStatus, { isDraining, running, ended, waits }: LocalState): UploadEnd | undefined {
  const { ranges, workers, failure } = status;
  const nothing = { counts: {}, unsaved: [] };
  const open = ranges.waiting + ranges.taken;
  if (open === 0 && failure === undefined) return { reason: "done", ...nothing };
  if (workers.some(({ state }) => state === "working")) return undefined;
  // A suspended worker may resume, but the planner does not wait for it if the run must end.
  const isOver = failure !== undefined || isDraining;
  if (waits && !isOver) return undefined;
  if (!isOver && workers.some(({ state }) => state === "joining")) return undefined;
  if (running.some((pid) => !isOver || !hasJoined(pid, workers))) return undefined;
  if (failure !== undefined) return { reason: "stopped", failure: toFailure(failure), ...nothing };
  if (isDraining) return { reason: "drained", ...nothing };
  return { reason: "stopped", failure: noWorkerLeft(status.run, open, ended), ...nothing };
}

/** Whether a process has joined the run. A process that has not joined will soon join or end. */
function hasJoined(process: number | undefined, workers: SharedStatus["workers"]): boolean {
  return workers.some(({ host, pid, state }) => pid === process && host === hostname() && state !== "joining");
}

function toFailure({ code, message, hint }: SharedFailure): Failure {
  return new Failure(isFailureCode(code) ? code : "incomplete", message, { hint });
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code);
}

function noWorkerLeft(run: string, ranges: number, ended: ReadonlyMap<StartedProcess, ProcessEnd>): Failure {
  const ends = [...ended].map(([{ pid }, end]) =>
    pid === undefined ? `a worker process ${endText(end)}` : `worker process ${pid} ${endText(end)}`,
  );
  const why = ends.length === 0 ? "" : `: ${ends.join(", ")}`;
  const hints = [
    `\`migrate resume ${run}\` sends the rest`,
    ...([...ended.values()].some(({ exitCode }) => exitCode !== undefined)
      ? ["a worker that ended with an exit code printed the reason to stderr"]
      : []),
    ...([...ended.values()].some(({ signal }) => signal === SIGKILL)
      ? ["the system often sends signal 9 when memory runs out: check the system log, or start fewer workers"]
      : []),
  ];
  return new Failure(
    "incomplete",
    `no worker is running, and ${counted(ranges, "range")} of run ${run} ` +
      `${ranges === 1 ? "has" : "have"} not been sent${why}`,
    { hint: hints.join("; ") },
  );
}

const SIGKILL = 9;

function endText({ exitCode, signal, startError }: ProcessEnd): string {
  if (startError !== undefined) return `could not be started (${startError})`;
  return signal === undefined ? `ended with exit code ${exitCode}` : `was killed (signal ${signal})`;
}
