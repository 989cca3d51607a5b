import type { SendEnvironment } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { Counts } from "../../job/run-progress.ts";
import type { Connection } from "../../job/target-connection.ts";
import type { Journal } from "../../ledger/journal/open-journal.ts";
import { Failure, recover } from "../../model/failure.ts";
import type { HeldLease } from "../../ledger/runs/held-lease.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import type { UploadEnd, UploadLedger, WaitLimits } from "../../upload/upload-types.ts";
import type { Clock } from "../../time/clock.ts";
import { upload } from "../../upload/upload.ts";
import { guardedSteps } from "./guarded-step.ts";
import type { RunHandle } from "../plan/plan-records.ts";
import { keptGroups, type KeptPayloads } from "./kept-payloads.ts";
import { type PayloadGroup, smallGroups } from "./payload-group.ts";
import { rereadPayloads } from "./reread-payloads.ts";
import { probeUnsent } from "./probe-unsent.ts";
import type { RateLimitSettings } from "../../job/settings/platform-settings.ts";
import { readAhead } from "./read-ahead.ts";
import { quietBeforeResend } from "./quiet-period.ts";
import { recordsToSend } from "./records-to-send.ts";
import { unsentRecords } from "./unsent-records.ts";

export interface SendOptions {
  readonly connection: Connection;
  readonly pace: RateLimitSettings;
  readonly dependencies: SendEnvironment;
  readonly shownValues?: ShownValues | undefined;
  /** Name of the last workflow step to run. */
  readonly until?: string | undefined;
  /** The journal, which records the sent requests outside the ledger. */
  readonly journal?: Journal | undefined;
  /**
   * Whether the connection only validates and creates nothing. A record that the platform would accept then becomes
   * `valid`.
   */
  readonly remoteValidation?: boolean;
  /** Whether the platform has replied to an earlier request of the run. */
  readonly hasReplied?: boolean | undefined;
  /** The payloads that were kept when the input was checked. Absent if they must be built again. */
  readonly kept?: KeptPayloads | undefined;
}

/**
 * Sends the `pending` records of the plan to the platform, and saves their outcomes in the ledger. Reads the input
 * again, unless its payloads were kept. Reads it once more for records that had to wait. Skips settled records.
 */
export async function sendRecords(job: Job, handle: RunHandle, options: SendOptions): Promise<UploadEnd> {
  const { connection, pace, dependencies, shownValues, until, remoteValidation = false } = options;
  const { drain, abort, clock, random, onProgress } = dependencies;
  const { supplier } = job.operation;
  const { lease } = handle.ledger;
  const steps = guardedByLease(connection, lease, clock);
  const quietMs = await quietBeforeResend(handle, connection, dependencies);
  await options.journal?.begin(handle.run.id);
  const groupsOf = payloadGroups(job, handle, options);
  const end = await upload(
    () => {
      const due = recordsToSend(smallGroups(groupsOf()), { job, handle, shownValues, until });
      return readAhead(remoteValidation ? due : probeUnsent(due, { job, handle, connection, drain }));
    },
    { ledger: journaled(handle.ledger, options.journal), steps, clock, random, onProgress },
    {
      run: handle.run.id,
      concurrency: pace.concurrency,
      ceiling: pace.maxConcurrency,
      until,
      remoteValidation,
      accountOwner: job.accountOwner,
      oneSupplier: supplier === undefined || job.mapping.isConstant(supplier),
      waitForSupplier: pace.waitForSupplier,
      drain: lease === undefined ? drain : AbortSignal.any([drain, lease.lost]),
      abort,
      trustNotFoundFrom: clock.monotonic() + quietMs,
      ...platformWaits(pace, options.hasReplied),
      ...(pace.rps !== undefined && { rps: pace.rps }),
    },
  );
  const ended = await endJournal(options.journal, end);
  return lease?.lost.aborted === true ? endWithoutLedger(ended, lease.lost) : ended;
}

/** Ends the journal of an upload. If this fails, the upload keeps its outcomes and its first failure. */
export function endJournal(journal: Pick<Journal, "end"> | undefined, end: UploadEnd): Promise<UploadEnd> {
  return recover<UploadEnd>(
    async () => {
      await journal?.end();
      return end;
    },
    (failure) => ({ ...end, reason: "stopped", failure: end.failure ?? failure }),
  );
}

function guardedByLease(connection: Connection, lease: HeldLease | undefined, clock: Clock): Connection["steps"] {
  if (lease?.isHeld === undefined) return connection.steps;
  const { isHeld, lost } = lease;
  return guardedSteps(connection, { isHeld, clock, lost });
}

/** Returns a function that reads the records left to send. Each call starts at the first of these records. */
function payloadGroups(
  job: Job,
  handle: RunHandle,
  { kept, dependencies: { drain: signal } }: SendOptions,
): () => AsyncGenerator<PayloadGroup> {
  const { input } = job;
  const groups = kept?.groups();
  if (groups !== undefined) return () => keptGroups(groups, input, signal);
  const readPayloads = rereadPayloads(job);
  return () => unsentRecords({ ...handle, input, readPayloads, signal });
}

/**
 * Returns the result of an upload that has lost its lease.
 * @throws the reason for the loss if it is not a `Failure`
 */
function endWithoutLedger(end: UploadEnd, lost: AbortSignal): UploadEnd {
  const failure: unknown = lost.reason;
  if (!(failure instanceof Failure)) throw failure;
  return { ...end, reason: "stopped", failure: end.failure ?? failure };
}

/**
 * Returns a ledger that writes intents to the given ledger, then to the journal. A request may be sent only after both
 * writes. Neither write happens if the disk has no space for the journal's entry.
 */
export function journaled(ledger: UploadLedger, journal: Journal | undefined): UploadLedger {
  return {
    async saveIntents(run, intents, settled) {
      journal?.reserve(intents.length);
      await ledger.saveIntents(run, intents, settled);
      journal?.add(intents);
    },
    saveOutcomes: (run, outcomes) => ledger.saveOutcomes(run, outcomes),
  };
}

/**
 * Returns the time limits for a platform that does not reply or accepts nothing.
 * @param hasReplied whether the platform has replied to an earlier request of the run
 */
export function platformWaits(
  { wait = false }: { readonly wait?: boolean | undefined },
  hasReplied = false,
): WaitLimits {
  return { maxWaitMs: MAX_WAIT_MS, firstWaitMs: wait || hasReplied ? undefined : FIRST_WAIT_MS };
}

/** Maximum time to wait for a platform that accepts nothing. The run then ends as incomplete. */
const MAX_WAIT_MS = 5 * 60_000;
/**
 * Maximum time to wait for the first reply. With one more pause (8 s) and one more connection timeout (10 s), the run
 * fails within 30 s if the platform is unreachable.
 */
const FIRST_WAIT_MS = 12_000;

/** Whether the counts of a run prove that the platform has replied to one of its requests. */
export function haveReplies(counts: Counts): boolean {
  return REPLIED.some((status) => (counts[status] ?? 0) > 0);
}

const REPLIED = ["accepted", "rejected", "existing", "blocked"] as const;
