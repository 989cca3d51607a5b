import type { SendEnvironment } from "../../job/dependencies.ts";
import { SEND_STATUSES } from "../../job/run-progress.ts";
import type { RateLimitSettings } from "../../job/settings/platform-settings.ts";
import type { SendConnection } from "../../job/target-connection.ts";
import type { Journal } from "../../ledger/journal/open-journal.ts";
import { areDone, type SharedRun, type SharedWorker } from "../../ledger/runs/shared-run.ts";
import { Failure, type FailureCode } from "../../model/failure.ts";
import type { InputPosition } from "../../model/record.ts";
import { createLeaseWatch } from "../../time/lease-watch.ts";
import { START_LIMIT } from "../../upload/rate/concurrency-limit.ts";
import { upload } from "../../upload/upload.ts";
import type { UploadEnd, UploadEvent, UploadOptions } from "../../upload/upload-types.ts";
import type { OriginWatch } from "../run/machine-evidence.ts";
import { guardedSteps } from "../send/guarded-step.ts";
import { createPlaceNoter } from "../send/noted-places.ts";
import type { PayloadGroup } from "../send/payload-group.ts";
import type { ReadPayloads } from "../send/reread-payloads.ts";
import { recordsToSend, type SendJob } from "../send/records-to-send.ts";
import { quietBeforeResend } from "../send/quiet-period.ts";
import { haveReplies, journaled, platformWaits } from "../send/send-records.ts";
import { createRangeProgress, type RangeProgress } from "./held-ranges.ts";
import { createLeftRecords, type LeftRecords } from "./left-records.ts";
import { heartbeatMs, type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import { type RangeFeed, recordsOfRanges } from "./range-feed.ts";
import { createRangeReader, type RangeReader } from "./range-reader.ts";
import { createWorkerPace, type WorkerPace } from "./worker-pace.ts";
import { createFindings } from "./worker-findings.ts";
import { createReport, type ReportBuilder } from "./worker-report.ts";

export interface RunWork {
  readonly job: SendJob;
  readonly readPayloads: ReadPayloads;
  readonly run: { readonly id: string };
  readonly shared: SharedRun;
  readonly connection: SendConnection;
  readonly pace: RateLimitSettings;
  readonly until?: string | undefined;
  /** The journal, which records the sent requests outside the ledger. */
  readonly journal?: Journal | undefined;
  /** Detects whether the ledger is restored during the work. */
  readonly watch?: OriginWatch | undefined;
  readonly dependencies: SendEnvironment;
}

export interface WorkOptions extends RunWork {
  /** A worker that has already joined the run. */
  readonly worker: SharedWorker;
}

/** How the work of one worker ended. `failure` is the failure of the run or of this worker. */
export interface WorkEnd extends UploadEnd {
  /** Number of ranges that this worker finished. */
  readonly ranges: number;
}

/** State shared by the parts of a worker. */
interface Work extends WorkOptions {
  readonly heartbeat: Heartbeat;
  /** Aborts when the worker must not claim more ranges, for any reason. */
  readonly leaving: AbortSignal;
  readonly ranges: RangeProgress;
  readonly leftRecords: LeftRecords;
  readonly report: ReportBuilder;
  readonly reader: RangeReader<PayloadGroup>;
  readonly workerPace: WorkerPace;
  readonly closedSuppliers: ReadonlySet<string>;
  /** True if all records belong to one import supplier. */
  readonly oneSupplier: boolean;
}

/**
 * Claims the ranges of a run one after another and sends their records, until all ranges are done or this worker must
 * leave. A worker that leaves returns its unfinished ranges to the other workers.
 */
export async function workOnRun(options: WorkOptions): Promise<WorkEnd> {
  const { job, run, shared, worker, connection, pace, until, dependencies } = options;
  const { clock } = dependencies;
  const quietMs = await quietBeforeResend({ ledger: shared.ledger, run }, connection, dependencies);
  const trustNotFoundFrom = clock.monotonic() + quietMs;
  const [findings, workerPace] = [createFindings(clock), createWorkerPace(clock)];
  const firstLimit = pace.concurrency === "auto" ? START_LIMIT : pace.concurrency;
  const report = createReport(clock, (announced = firstLimit) => Math.min(announced, workerPace.share().limit));
  const lease = createLeaseWatch(worker.leaseMs, heartbeatMs(worker.leaseMs), clock);
  const closedSuppliers = new Set<string>();
  const leftRecords = createLeftRecords({ job, until });
  const ranges = createRangeProgress(worker, async ({ first, last }) => {
    return (await shared.ledger.sendable(run.id, first, last)).some(leftRecords.isLeft);
  });
  const onBeat = async (): Promise<void> => {
    await ranges.settle();
    await options.watch?.observe();
  };
  const heartbeat = startHeartbeat({ worker, clock, report, findings, lease, pace: workerPace, onBeat });
  const reader = createRangeReader({
    open: (from) => notedGroups(options, heartbeat.leaving, from),
    placeBefore: async (record) => (await shared.ledger.nextSendable(run.id, record))?.position,
  });
  const { supplier } = job.operation;
  const oneSupplier = supplier === undefined || job.mapping.isConstant(supplier);
  const leaving = AbortSignal.any([heartbeat.leaving, dependencies.drain]);
  const parts = { heartbeat, leaving, ranges, leftRecords, report, reader, workerPace, closedSuppliers, oneSupplier };
  const work: Work = { ...options, ...parts };
  const onProgress = (event: UploadEvent): void => {
    report.note(event);
    findings.note(event);
    noteSupplier(event, closedSuppliers);
    if (event.kind === "pause") worker.hold(event.forMs, event.reason).catch(() => undefined);
    dependencies.onProgress(event);
  };
  try {
    await heartbeat.ready;
    const steps = guardedSteps(connection, { isHeld: lease.isHeld, clock, lost: heartbeat.lost });
    const tools = {
      ledger: journaled(ranges.ledger, options.journal),
      steps,
      clock,
      random: dependencies.random,
      onProgress,
    };
    let hasReplied = haveReplies((await shared.ledger.summary(run.id)).counts);
    const end = await sendRanges(work, () => {
      const howToSend = uploadOptions(work, trustNotFoundFrom, hasReplied);
      // Another round begins only after all records of this round have been sent, so the platform has then replied.
      hasReplied = true;
      return upload(() => recordsOfRanges(feedOf(work)), tools, howToSend);
    });
    return await endWork(end, work);
  } finally {
    await reader.close();
    await heartbeat.stop();
  }
}

function noteSupplier(event: UploadEvent, closed: Set<string>): void {
  if (event.kind !== "supplier") return;
  if (event.open) closed.delete(event.supplier);
  else closed.add(event.supplier);
}

/** Sends ranges in rounds, until no range is left to claim or the work must end. */
async function sendRanges(work: Work, send: () => Promise<UploadEnd>): Promise<UploadEnd> {
  let end = await send();
  for (;;) {
    end = await settled(end, work);
    if (end.reason !== "done" || work.closedSuppliers.size > 0 || (await nextRanges(work)) === "none") return end;
    end = together(end, await send());
  }
}

/** Reads the input, and saves positions from which other workers can read later records. */
async function* notedGroups(
  { readPayloads, run, shared }: WorkOptions,
  leaving: AbortSignal,
  from: InputPosition | undefined,
): AsyncGenerator<PayloadGroup> {
  const notePlace = createPlaceNoter((position) => shared.ledger.notePosition(run.id, position), from);
  for await (const group of readPayloads(leaving, from)) {
    await notePlace(group.next, "skipped");
    yield group;
  }
}

function uploadOptions(work: Work, trustNotFoundFrom: number, hasReplied: boolean): UploadOptions {
  const { job, run, pace, until, leaving, workerPace, oneSupplier, dependencies } = work;
  return {
    run: run.id,
    accountOwner: job.accountOwner,
    concurrency: pace.concurrency,
    ceiling: pace.maxConcurrency,
    share: workerPace.share,
    until,
    oneSupplier,
    waitForSupplier: pace.waitForSupplier,
    drain: leaving,
    abort: dependencies.abort,
    trustNotFoundFrom,
    ...platformWaits(pace, hasReplied),
  };
}

/** Settles the ranges after a round. `migrate resume` sends records that remain unsent after all attempts. */
async function settled(end: UploadEnd, { ranges, leaving, closedSuppliers }: Work): Promise<UploadEnd> {
  // Ranges with records for a closed supplier are not settled but returned to the other workers.
  if (end.reason !== "done" || closedSuppliers.size > 0) return end;
  const failure = await failureOf(ranges.settleAll);
  if (failure !== undefined) return { ...end, reason: "stopped", failure };
  return leaving.aborted ? { ...end, reason: "drained" } : end;
}

/**
 * Waits until a range can be claimed or all ranges are done. If another worker dies, its ranges can be claimed again.
 */
async function nextRanges({ heartbeat, leaving, workerPace, dependencies }: Work): Promise<"some" | "none"> {
  while (!leaving.aborted) {
    await dependencies.clock.sleep(heartbeat.everyMs, leaving);
    const ranges = heartbeat.lastReply()?.ranges;
    if (ranges === undefined) continue;
    if (areDone(ranges)) return "none";
    if (ranges.waiting > 0 && workerPace.isWanted()) return "some";
  }
  // The next round sends nothing, and reports that the worker was stopped.
  return "some";
}

/** Runs the work and returns its failure, if any. Rethrows other errors. */
async function failureOf(work: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function together(one: UploadEnd, other: UploadEnd): UploadEnd {
  const counts: { -readonly [Status in keyof UploadEnd["counts"]]: number } = { ...one.counts };
  for (const status of SEND_STATUSES) {
    const count = (one.counts[status] ?? 0) + (other.counts[status] ?? 0);
    if (count > 0) counts[status] = count;
  }
  return { ...other, counts, unsaved: [...one.unsaved, ...other.unsaved] };
}

function feedOf(work: Work): RangeFeed {
  const { job, run, shared, worker, workerPace, reader, report, until, leftRecords, dependencies } = work;
  const { noteDue } = leftRecords;
  const handle = { ledger: shared.ledger, run };
  return {
    ...work,
    claim: () => worker.claim(),
    isWanted: workerPace.isWanted,
    requireNotRestored: work.watch?.look,
    clock: dependencies.clock,
    perSecond: () => report.current().perSecond,
    recordsOf: (range) => recordsToSend(reader.groups(range), { job, handle, until, noteDue }),
  };
}

async function endWork(end: UploadEnd, work: Work): Promise<WorkEnd> {
  const { heartbeat, ranges } = work;
  await heartbeat.stop();
  const failure = heartbeat.failure() ?? (await failureOf(() => leave(end, work))) ?? end.failure;
  if (failure !== undefined) return { ...end, reason: "stopped", failure, ranges: ranges.settled() };
  return { ...end, ...((await isOver(end, work)) && { reason: "done" }), ranges: ranges.settled() };
}

/** Whether this worker had to leave because other workers had sent the last records of the run. */
async function isOver({ reason }: UploadEnd, { shared, dependencies }: Work): Promise<boolean> {
  if (reason !== "drained" || dependencies.drain.aborted) return false;
  // If the ledger cannot be queried, the upload keeps its reason for ending.
  return shared.isAllDone().catch(() => false);
}

/** Settles sent ranges, reports a failure that affects the other workers, and leaves the run. */
async function leave(end: UploadEnd, { worker, ranges, oneSupplier }: Work): Promise<void> {
  await ranges.settle();
  if (end.failure !== undefined && OF_RUN.has(end.failure.code))
    await announceFailure(end.failure, oneSupplier, worker);
  await worker.leave();
}

/**
 * Reports a failure to the other workers. If the run has several suppliers, a closed supplier does not stop the run.
 */
async function announceFailure(failure: Failure, oneSupplier: boolean, worker: SharedWorker): Promise<void> {
  const { code, message, hint } = failure;
  const isOfSupplier = code === "supplier_closed" || code === "platform_refused";
  await worker.stop({ code, message, hint }, isOfSupplier && !oneSupplier ? "continue" : "stop");
}

/** Codes of failures that affect every worker, because the platform or the target causes them. */
const OF_RUN: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "incomplete",
  "platform_refused",
  "supplier_closed",
  "authentication",
  "redirect",
  "wrong_endpoint",
]);
