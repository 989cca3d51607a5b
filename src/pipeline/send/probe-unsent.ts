import { createsOnce, type Operation } from "../../contract/operations/operation.ts";
import type { Job } from "../../job/job.ts";
import type { Connection } from "../../job/target-connection.ts";
import { Failure } from "../../model/failure.ts";
import { lookUpRecords } from "../../platform/reading/record-lookup.ts";
import { counted } from "../../text/count.ts";
import type { RecordToSend } from "../../upload/upload-types.ts";
import type { RunHandle } from "../plan/plan-records.ts";

interface ProbeContext {
  readonly job: Job;
  readonly handle: RunHandle;
  readonly connection: Connection;
  readonly drain: AbortSignal;
}

/**
 * Yields the records unchanged, and queries the platform for the first few records that have no request in the ledger.
 * If the platform already has such a record, another ledger sent it, or this ledger is an older copy. Queries the
 * platform only if sending a record again would create it twice and the contract has an operation that reads one
 * record. Makes no query if the ledger has no requests and the platform refuses records that it already has. Ignores
 * failures of the query.
 * @throws Failure `ledger_outdated` if the platform already has one of these records
 */
export async function* probeUnsent(
  records: AsyncIterable<readonly RecordToSend[]>,
  context: ProbeContext,
): AsyncGenerator<readonly RecordToSend[]> {
  let isDue = await isProbeDue(context);
  for await (const batch of records) {
    if (isDue) isDue = !(await probeBatch(batch, context));
    yield batch;
  }
}

/**
 * Queries the platform like `probeUnsent`, before workers begin to send. Stops reading after the first query.
 * @throws Failure `ledger_outdated` if the platform already has one of the queried records
 */
export async function probeFirstUnsent(
  records: AsyncIterable<readonly RecordToSend[]>,
  context: ProbeContext,
): Promise<void> {
  if (!(await isProbeDue(context))) return;
  for await (const batch of records) if (await probeBatch(batch, context)) return;
}

async function isProbeDue({ job, handle }: ProbeContext): Promise<boolean> {
  if (readBacksOf(job.operation).length === 0) return false;
  return !refusesRepeats(job.operation) || (await hasRequests(handle));
}

/** Whether a reply of the platform can mean that it already has the record. */
function refusesRepeats({ steps, outcomes }: Operation): boolean {
  const rules = [...steps.map((step) => step.operation.outcomes), outcomes].flat();
  return rules.some(({ outcome }) => outcome === "exists");
}

async function hasRequests({ ledger }: RunHandle): Promise<boolean> {
  return (await ledger.history()).requests > 0;
}

/**
 * Queries the platform for the first few records of the batch that have no request in the ledger, are not ambiguous,
 * and are not known to be on the platform. Returns false, without a query, if there are no such records.
 */
async function probeBatch(batch: readonly RecordToSend[], context: ProbeContext): Promise<boolean> {
  const unsent = batch.filter(isUnknown).slice(0, MAX_PROBES);
  if (unsent.length > 0) await probe(unsent, context);
  return unsent.length > 0;
}

function isUnknown({ attempts, isAmbiguous, isOnPlatform = false }: RecordToSend): boolean {
  return attempts === 0 && !isAmbiguous && !isOnPlatform;
}

const MAX_PROBES = 5;
const PROBE_TIMEOUT_MS = 10_000;

/**
 * Returns the operations that read one record, or none if the platform cannot create a record twice. Excludes lists,
 * because a list may have thousands of pages.
 */
function readBacksOf(operation: Operation): Operation["readBack"] {
  return createsOnce(operation) ? [] : operation.readBack.filter(({ list }) => list === undefined);
}

async function probe(unsent: readonly RecordToSend[], { job, connection, drain }: ProbeContext): Promise<void> {
  const records = unsent.map(({ payload, parameters }) => ({ payload, parameters, isAsSent: true }));
  const client = connection.readClient(AbortSignal.any([drain, AbortSignal.timeout(PROBE_TIMEOUT_MS)]));
  const key = job.mapping.keyAttr ?? [];
  const results = await lookUpRecords(records, readBacksOf(job.operation), { client, key }).catch((error: unknown) => {
    if (error instanceof Failure) return [];
    throw error;
  });
  const there = unsent.filter((_, index) => ["found", "different"].includes(results[index]?.kind ?? ""));
  const [first] = there;
  if (first === undefined) return;
  throw new Failure(
    "ledger_outdated",
    `the platform already has ${there.length} of ${counted(unsent.length, "record")} for which the ledger has no request, ` +
      `starting with record ${first.record}`,
    {
      hint:
        "nothing more was sent. If this is an older copy of the ledger, restore the newest copy. If another ledger " +
        "sent these records, push with that ledger. If that ledger is lost, or the records were created in another " +
        "way, run `migrate ledger repair --some-lost`, push again, and then run `migrate reconcile`",
    },
  );
}
