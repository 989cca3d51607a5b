import type { Connection } from "../job/target-connection.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RecordVerification } from "../ledger/records/verifications.ts";
import { compileSentForm } from "../map/node/sent-form.ts";
import { Failure } from "../model/failure.ts";
import type { Outcome } from "../model/outcome.ts";
import { formatPlace } from "../model/place.ts";
import { foundRecords, mapRecords, readRecords } from "../pipeline/plan/check-records.ts";
import { excludedKeys } from "../pipeline/run/excluded-keys.ts";
import type { OpenRun } from "../pipeline/run/with-run.ts";
import { type SendOptions, sendRecords } from "../pipeline/send/send-records.ts";
import { comparedAttrs, type LookupRecord } from "../platform/reading/compare-content.ts";
import { isLookedUpAgain, type LookupResult, markConflictingAccounts } from "../platform/reading/lookup-result.ts";
import { lookUpRecords } from "../platform/reading/record-lookup.ts";
import { counted } from "../text/count.ts";
import { timestamp } from "../time/clock.ts";
import type { UploadEnd } from "../upload/upload-types.ts";
import { createSampler } from "./choose-sample.ts";

/**
 * Sends a sample of a run's records. Checks that the platform has accepted each record and, where the contract allows a
 * comparison, that it has stored the values that were sent. Does nothing if the run has already sent more than `size`
 * records, because the canary has then either passed or been skipped (`--skip-canary`).
 * @param size number of records in the sample
 * @returns undefined if the other records may be sent; otherwise how sending ended, with the failure `canary_failed` if
 * the sample failed. Records that the platform has just refused are not a failure if no other records are left
 */
export async function sendCanary(run: OpenRun, options: SendOptions, size: number): Promise<UploadEnd | undefined> {
  const started = await startedRecords(run, size);
  if (started.length > size) return undefined;
  const known = new Set(started.map(({ record }) => record));
  if (started.some(isRefused))
    return failed(NOTHING_SENT, canaryFailure(run, started.filter(isRefused).map(refusalText)));
  const chosen = await chooseRecords(run, size - known.size);
  const sample = new Set([...known, ...chosen]);
  if (sample.size === 0) return undefined;
  const { notice } = run.dependencies;
  if (chosen.length > 0) notice(`Canary: sending ${counted(chosen.length, "record")} first`);
  // The canary does not use the kept payloads. They are reserved for the records after the canary.
  const sending = { ...run, ledger: onlyRecords(run.ledger, sample) };
  const end = await sendRecords(run.job, sending, { ...options, kept: undefined });
  if (end.reason !== "done") return end;
  const outcomes = await outcomesOf(run, sample);
  const refused = outcomes.filter(isRefused);
  if (refused.length > 0)
    return (await hasPending(run)) ? failed(end, canaryFailure(run, refused.map(refusalText))) : end;
  const wrong = await differences(run, options.connection, outcomes);
  if (wrong.length > 0) return failed(end, canaryFailure(run, wrong));
  notice(`Canary: the platform has accepted ${counted(sample.size, "record")}`);
  return undefined;
}

const NOTHING_SENT: UploadEnd = { reason: "stopped", counts: {}, unsaved: [] };

function failed(end: UploadEnd, failure: Failure): UploadEnd {
  return { ...end, reason: "stopped", failure };
}

function isRefused({ status }: Outcome): boolean {
  return status !== "accepted" && status !== "skipped";
}

function refusalText({ source, status }: Outcome): string {
  return `${formatPlace(source)} is ${status}`;
}

const LISTED = 3;

function canaryFailure({ run }: OpenRun, wrong: readonly string[]): Failure {
  const listed = wrong.slice(0, LISTED).join(", ");
  const more = wrong.length > LISTED ? ` and ${wrong.length - LISTED} more` : "";
  return new Failure("canary_failed", `the canary failed, so no other records were sent: ${listed}${more}`, {
    hint:
      `fix the causes in the report, then push again; to send the other records anyway, use ` +
      `\`migrate resume ${run.id} --skip-canary\``,
  });
}

/**
 * Returns records that were sent and have an outcome, except records that the user has since excluded. Stops reading
 * when it has found more than `size` records.
 */
async function startedRecords({ ledger, run }: OpenRun, size: number): Promise<readonly Outcome[]> {
  const found: Outcome[] = [];
  const isExcluded = await (await excludedKeys(ledger))(run);
  for await (const batch of ledger.outcomes(run.id, {
    statuses: ["accepted", "rejected", "existing", "ambiguous", "blocked"],
  })) {
    found.push(...batch.filter(({ key, attempts = 0 }) => attempts > 0 && !(key !== undefined && isExcluded(key))));
    if (found.length > size) break;
  }
  return found;
}

async function hasPending({ ledger, run }: OpenRun): Promise<boolean> {
  const { pending = 0 } = (await ledger.summary(run.id)).counts;
  return pending > 0;
}

async function outcomesOf({ ledger, run }: OpenRun, sample: ReadonlySet<number>): Promise<readonly Outcome[]> {
  const found: Outcome[] = [];
  for await (const batch of ledger.outcomes(run.id)) {
    found.push(...batch.filter(({ record }) => sample.has(record)));
    if (found.length === sample.size) break;
  }
  return found;
}

/** Reads the input and chooses the sample from the records that have not been sent yet. */
async function chooseRecords({ job, ledger, run, dependencies }: OpenRun, size: number): Promise<readonly number[]> {
  const { pending = 0 } = (await ledger.summary(run.id)).counts;
  if (size === 0 || pending === 0) return [];
  const sampler = createSampler(size, pending);
  for await (const batch of mapRecords(readRecords(job, dependencies.drain), job)) {
    const [first, last] = [batch[0], batch.at(-1)];
    if (first === undefined || last === undefined) continue;
    const left = new Set((await ledger.sendable(run.id, first.number, last.number)).map(({ record }) => record));
    for (const { number: record, row, payload } of batch) {
      if (left.has(record)) sampler.add({ record, file: row.table.file, payload });
    }
  }
  return sampler.chosen();
}

/** Returns a view of the ledger in which only these records are left to send. */
function onlyRecords(ledger: Ledger, records: ReadonlySet<number>): Ledger {
  const numbers = [...records].toSorted((a, b) => a - b);
  return {
    ...ledger,
    sendable: async (run, from, to) =>
      (await ledger.sendable(run, from, to)).filter(({ record }) => records.has(record)),
    async nextSendable(run, from) {
      for (const number of numbers) {
        if (number < from) continue;
        const next = await ledger.nextSendable(run, number);
        if (next === undefined || next.record === number) return next;
      }
      return undefined;
    },
  };
}

/**
 * Looks up the accepted records on the platform and stores the results. Returns descriptions of the records that the
 * platform does not have, or has with different values.
 */
async function differences(
  run: OpenRun,
  connection: Connection,
  outcomes: readonly Outcome[],
): Promise<readonly string[]> {
  const { job, ledger, dependencies } = run;
  const { clock, notice } = dependencies;
  if (comparedAttrs(job.operation.readBack, job.mapping.keyAttr ?? []).length === 0) return [];
  const results = new Map<number, LookupResult>();
  try {
    await readBack(run, connection, { outcomes, results });
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === 6) throw error;
    notice(`The canary records could not be read back: ${error.message}`);
  }
  const unknown = [...results.values()].flatMap((result) => (result.kind === "unknown" ? result.reason : []));
  if (unknown[0] !== undefined)
    notice(`${counted(unknown.length, "canary record")} could not be compared: ${unknown[0]}`);
  await ledger.saveVerifications(run.run.id, [...results].flatMap(verificationOf), timestamp(clock));
  const places = new Map(outcomes.map(({ record, source }) => [record, source]));
  return [...results].flatMap(([record, result]) => differenceText(places.get(record), result));
}

/**
 * Looks up the records. Looks up records that are absent or in progress again after a delay, up to `MAX_TRIES` times in
 * total. If a query fails, `results` keeps the earlier results.
 */
async function readBack(
  { job, dependencies: { clock, drain } }: OpenRun,
  { readClient, quietMs }: Connection,
  { outcomes, results }: { readonly outcomes: readonly Outcome[]; readonly results: Map<number, LookupResult> },
): Promise<void> {
  const { operation, mapping, accountOwner } = job;
  const toSentForm = compileSentForm(operation);
  const accounts = new Map(outcomes.map(({ record, account }) => [record, account]));
  const wanted = { isWanted: (_row: unknown, number: number) => accounts.has(number), limit: accounts.size };
  let left: (LookupRecord & { readonly record: number; readonly account: string | undefined })[] = [];
  for await (const batch of mapRecords(foundRecords(job, wanted), job)) {
    for (const mapped of batch) {
      const { payload, parameters } = toSentForm(mapped);
      const record = mapped.number;
      left.push({ record, account: accounts.get(record), payload, parameters, isAsSent: true, needsContent: true });
    }
  }
  for (let tries = 0; tries < MAX_TRIES && left.length > 0 && !drain.aborted; tries += 1) {
    if (tries > 0) await clock.sleep(Math.min(quietMs, MAX_INTERVAL_MS), drain);
    const context = { client: readClient(drain), key: mapping.keyAttr ?? [] };
    const found = markConflictingAccounts(left, await lookUpRecords(left, operation.readBack, context), accountOwner);
    for (const [index, { record }] of left.entries()) {
      const result = found[index];
      if (result !== undefined) results.set(record, result);
    }
    left = left.filter(({ record }) => isLookedUpAgain(results.get(record)));
  }
}

/** Maximum number of lookups per record. An accepted record may take a few seconds to appear on the platform. */
const MAX_TRIES = 4;
const MAX_INTERVAL_MS = 3000;

function verificationOf([record, result]: readonly [number, LookupResult]): readonly RecordVerification[] {
  if (result.kind === "absent" || result.kind === "different") return [{ record, verification: result.kind }];
  return result.kind === "found" && result.compared.length > 0 ? [{ record, verification: "same" }] : [];
}

function differenceText(source: Outcome["source"] | undefined, result: LookupResult): readonly string[] {
  const place = source === undefined ? "a record" : formatPlace(source);
  if (result.kind === "absent") return [`${place} is not on the platform`];
  return result.kind === "different"
    ? [`${place} has different values on the platform for ${result.attrs.join(", ")}`]
    : [];
}
