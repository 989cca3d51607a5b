import type { Dependencies } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { RateLimitSettings } from "../../job/settings/platform-settings.ts";
import type { Connection } from "../../job/target-connection.ts";
import type { Run } from "../../ledger/ledger.ts";
import type { RecordRange, SharedRun, SharedWorker } from "../../ledger/runs/shared-run.ts";
import { Failure, type FailureCode } from "../../model/failure.ts";
import type { InputPosition, InputRecord } from "../../model/record.ts";
import { upload } from "../../upload/upload.ts";
import type { RecordToSend, UploadEnd, UploadEvent, UploadOptions } from "../../upload/upload-types.ts";
import { readRecords } from "../plan/check-records.ts";
import { createNotedPlaces } from "../send/noted-places.ts";
import {
  hasReachedStep,
  MAX_PLATFORM_WAIT_MS,
  quietBeforeResend,
  recordsToSend,
  type SendJob,
} from "../send/send-records.ts";
import { createRangeProgress, type RangeProgress } from "./held-ranges.ts";
import { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import { createRangeReader, type RangeReader } from "./range-reader.ts";
import { createWorkerLease, guardedStep } from "./worker-lease.ts";
import { createWorkerPace, type WorkerPace } from "./worker-pace.ts";
import { createFindings } from "./worker-findings.ts";
import { createReport } from "./worker-report.ts";

export interface WorkOptions {
  readonly job: SendJob & { readonly input: Pick<Job["input"], "records"> };
  readonly run: Pick<Run, "id">;
  readonly shared: Pick<SharedRun, "ledger">;
  /** Has joined the run. */
  readonly worker: SharedWorker;
  readonly connection: Pick<Connection, "steps" | "quietMs">;
  readonly pace: RateLimitSettings;
  readonly until?: string | undefined;
  readonly dependencies: Pick<Dependencies, "drain" | "abort" | "clock" | "random" | "onProgress" | "notice">;
}

/** How the work of one worker ended; `failure` may be that of the run, or its own. */
export interface WorkEnd extends UploadEnd {
  /** Ranges that this worker finished. */
  readonly ranges: number;
}

/** What the parts of a worker's work share. */
interface Work extends WorkOptions {
  readonly heartbeat: Heartbeat;
  readonly ranges: RangeProgress;
  readonly reader: RangeReader<InputRecord>;
  readonly workerPace: WorkerPace;
  readonly closedSuppliers: ReadonlySet<string>;
  /** All records go to one import supplier. */
  readonly oneSupplier: boolean;
}

/**
 * Takes one range of a run after the other and sends its records, until all ranges are done, whoever did them, or this
 * worker is to leave. What it could not finish goes back to the others.
 */
export async function workOnRun(options: WorkOptions): Promise<WorkEnd> {
  const { job, run, shared, worker, connection, until, dependencies } = options;
  const { clock, notice } = dependencies;
  const quietMs = await quietBeforeResend({ ledger: shared.ledger, run }, connection, { clock, notice });
  const trustNotFoundFrom = clock.monotonic() + quietMs;
  const [report, findings, workerPace] = [createReport(clock), createFindings(clock), createWorkerPace(clock)];
  const lease = createWorkerLease(worker.leaseMs, clock);
  const closedSuppliers = new Set<string>();
  const ranges = createRangeProgress(worker, async ({ first, last }) => {
    const left = await shared.ledger.sendable(run.id, first, last);
    return left.some((item) => !hasReachedStep(item, { until, job }));
  });
  const heartbeat = startHeartbeat({ worker, clock, report, findings, lease, pace: workerPace, onBeat: ranges.settle });
  const reader = createRangeReader({
    open: (from) => notedRecords(options, heartbeat.leaving, from),
    placeBefore: async (record) => (await shared.ledger.nextSendable(run.id, record))?.position,
  });
  const { supplier } = job.operation;
  const oneSupplier = supplier === undefined || job.mapping.isConstant(supplier);
  const work: Work = { ...options, heartbeat, ranges, reader, workerPace, closedSuppliers, oneSupplier };
  const onProgress = (event: UploadEvent): void => {
    report.note(event);
    findings.note(event);
    if (event.kind === "supplier") (event.open ? removeFrom : addTo)(closedSuppliers, event.supplier);
    if (event.kind === "pause") worker.hold(event.forMs, event.reason).catch(() => undefined);
    dependencies.onProgress(event);
  };
  try {
    await heartbeat.ready;
    const steps = connection.steps.map((step) => guardedStep(step, { lease, clock, lost: heartbeat.lost }));
    const end = await upload(
      () => recordsOfRanges(work),
      { ledger: ranges.ledger, steps, clock, random: dependencies.random, onProgress },
      uploadOptions(work, trustNotFoundFrom),
    );
    return await endWork(end, work);
  } finally {
    await reader.close();
    await heartbeat.stop();
  }
}

/** The input, of which places are noted for whoever has to find one of its records later. */
async function* notedRecords(
  { job, run, shared }: WorkOptions,
  leaving: AbortSignal,
  from: InputPosition | undefined,
): AsyncGenerator<readonly InputRecord[]> {
  const places = createNotedPlaces({ ledger: shared.ledger, run: run.id }, from);
  for await (const batch of readRecords(job, leaving, from)) {
    const last = batch.at(-1);
    if (last !== undefined) await places.readUpTo(last);
    yield batch;
  }
}

function addTo(names: Set<string>, name: string): void {
  names.add(name);
}

function removeFrom(names: Set<string>, name: string): void {
  names.delete(name);
}

function uploadOptions(work: Work, trustNotFoundFrom: number): UploadOptions {
  const { run, pace, until, heartbeat, workerPace, oneSupplier, dependencies } = work;
  return {
    run: run.id,
    concurrency: pace.concurrency,
    ceiling: pace.maxConcurrency,
    share: workerPace.share,
    until,
    oneSupplier,
    waitForSupplier: pace.waitForSupplier,
    drain: AbortSignal.any([dependencies.drain, heartbeat.leaving]),
    abort: dependencies.abort,
    trustNotFoundFrom,
    maxWaitMs: MAX_PLATFORM_WAIT_MS,
  };
}

/** What is left of the ranges that the worker holds, then range after range, as long as there are any. */
async function* recordsOfRanges(work: Work): AsyncGenerator<readonly RecordToSend[]> {
  const { worker, ranges, heartbeat, workerPace, closedSuppliers, dependencies } = work;
  for (const range of ranges.unsettled()) {
    yield* recordsOf(range, work);
    ranges.fed(range);
  }
  while (!heartbeat.leaving.aborted && !dependencies.drain.aborted) {
    const range = workerPace.isWanted() ? await worker.claim() : undefined;
    if (range !== undefined) {
      ranges.take(range);
      yield* recordsOf(range, work);
      ranges.fed(range);
      continue;
    }
    // Ranges that others hold come back when they die; not to wait for those is left to the others.
    const { waiting, taken } = heartbeat.orders()?.ranges ?? { waiting: 1, taken: 1 };
    const isNoneLeft = waiting + taken <= ranges.unsettled().length || closedSuppliers.size > 0;
    if (isNoneLeft && workerPace.isWanted()) return;
    await dependencies.clock.sleep(heartbeat.everyMs, AbortSignal.any([heartbeat.leaving, dependencies.drain]));
  }
}

function recordsOf(range: RecordRange, work: Work): AsyncGenerator<readonly RecordToSend[]> {
  const { job, run, shared, reader, until } = work;
  const handle = { ledger: shared.ledger, run };
  return recordsToSend(reader.records(range), { job, handle, until });
}

async function endWork(end: UploadEnd, work: Work): Promise<WorkEnd> {
  const { heartbeat, ranges } = work;
  await heartbeat.stop();
  const failure = heartbeat.failure() ?? (await leave(end, work)) ?? end.failure;
  return { ...end, ...(failure !== undefined && { reason: "stopped", failure }), ranges: ranges.settled() };
}

/**
 * Settles what was sent, tells the others of a failure that concerns them, and leaves. Gives what kept it from that: it may have
 * been taken for dead meanwhile.
 */
async function leave(end: UploadEnd, { worker, ranges, oneSupplier }: Work): Promise<Failure | undefined> {
  try {
    await ranges.settle();
    if (end.failure !== undefined && isOfRun(end.failure)) await tellOthers(end.failure, oneSupplier, worker);
    await worker.leave();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** A closed supplier is no reason to stop where others are open. */
async function tellOthers(failure: Failure, oneSupplier: boolean, worker: SharedWorker): Promise<void> {
  const { code, message, hint } = failure;
  const isOfSupplier = code === "supplier_closed" || code === "platform_refused";
  await worker.stop({ code, message, hint }, isOfSupplier && !oneSupplier ? "go on" : "stop");
}

/** What one worker was told by the platform that it would tell each of them. */
const OF_RUN: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "incomplete",
  "platform_refused",
  "supplier_closed",
  "authentication",
  "redirect",
  "wrong_endpoint",
]);

function isOfRun({ code }: Failure): boolean {
  return OF_RUN.has(code);
}
