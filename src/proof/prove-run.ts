import path from "node:path";
import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import { type RunSettings, settingsOf } from "../job/settings/recorded-settings.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/records/run.ts";
import { Failure } from "../model/failure.ts";
import type { FileProof, ProvedRunFacts, RowCounts, RunProof, SourceProof } from "../model/proof.ts";
import { openRecordedJob } from "../pipeline/run/recorded-job.ts";
import type { ReportFolder } from "../report/report-folder.ts";
import { type PlatformCheck, platformFile } from "./platform-check.ts";
import { type ProofFile, type ProofTable, accountForFiles, fileKey, openHashedFile, openTable } from "./row-counter.ts";
import { type TraceTables, traceLedger, traceRecords } from "./trace-records.ts";

/** The ledger and the dependencies for reading the sources of a run again. */
export interface ReadingContext {
  readonly ledger: Ledger;
  readonly dependencies: Dependencies;
}

export interface PlatformQueries {
  /**
   * Returns the check of a run's accepted records; undefined if the run is not checked. If absent, no run is checked.
   */
  readonly queryPlatform?:
    | ((job: Job, settings: RunSettings, run: Run) => Promise<PlatformCheck | undefined>)
    | undefined;
}

interface ProveContext extends ReadingContext, PlatformQueries {
  readonly folder: ReportFolder;
}

interface ProvedRun {
  readonly proof: RunProof;
  readonly files: readonly ProofFile[];
}

/**
 * Proves one run. Reads its sources again, both joined and file by file, maps every record again, and compares the
 * results with the ledger. If the files of the run have changed or cannot be read, the proof uses only the ledger and
 * states the reason.
 */
export async function proveRun(run: Run, context: ProveContext): Promise<ProvedRun> {
  const settings = settingsOf(run);
  const job = await openUnchanged(settings, context);
  if (job instanceof Failure) return proveFromLedger(run, settings, job, context);
  try {
    return await proveFromSources(run, settings, job, context);
  } finally {
    await job.input.close();
  }
}

async function proveFromSources(
  run: Run,
  settings: RunSettings,
  job: Job,
  { ledger, folder, dependencies, queryPlatform }: ProveContext,
): Promise<ProvedRun> {
  const tables = await openTables(folder, run);
  const check = await queryPlatform?.(job, settings, run);
  const platform = check && { ...check, file: await openHashedFile(folder, platformFile(run.id)) };
  const traced = await traceRecords({ ledger, run, tables, platform, job });
  const counts = await accountForFiles(job, traced.rows, tables.rows, dependencies.drain);
  const { records: total, counts: byStatus } = await ledger.summary(run.id);
  const corrections = await listCorrected(job, folder, run);
  const inputs = job.input.files.map(({ path: file }) => file);
  const proof: RunProof = {
    ...factsOf(run),
    sources: sourcesOf(job, settings, counts),
    setup: setupOf(settings, inputs),
    records: { total, byStatus, leftOut: traced.leftOut },
    payloads: traced.payloads,
    measures: traced.measures,
    differences: traced.differences,
    ...(corrections !== undefined && { corrections: corrections.applied }),
    ...(platform !== undefined && { platform: platform.proof() }),
  };
  const others = [corrections?.table, platform?.file].filter((file) => file !== undefined);
  return { proof, files: [...Object.values(tables), ...others] };
}

/**
 * Writes the table of corrections, and counts the applied corrections. Call this function once all records have been
 * read, because the result of a correction is known only then. Returns undefined if the job has no corrections.
 */
async function listCorrected(
  { input: { corrections } }: Job,
  folder: ReportFolder,
  { id }: Run,
): Promise<{ readonly applied: number; readonly table: ProofTable } | undefined> {
  if (corrections === undefined) return undefined;
  const results = [...corrections()];
  const table = await openTable(folder, `corrections-${id}.csv`, CORRECTION_COLUMNS);
  await table.write(
    results.map(({ state, place, correction: { source, key, column, oldSha256, by, at, reason } }) => [
      source,
      key,
      column,
      place?.file,
      place?.line,
      state,
      oldSha256,
      by,
      at,
      reason,
    ]),
  );
  return { applied: results.filter(({ state }) => state === "applied").length, table };
}

const CORRECTION_COLUMNS = ["source", "key", "column", "file", "line", "state", "old_sha256", "by", "at", "reason"];

async function proveFromLedger(
  run: Run,
  settings: RunSettings,
  { message }: Failure,
  { ledger, folder }: ProveContext,
): Promise<ProvedRun> {
  const tables = await openTables(folder, run);
  const { payloads, measures, differences, leftOut } = await traceLedger({ ledger, run }, tables);
  const { records: total, counts: byStatus } = await ledger.summary(run.id);
  const records = { total, byStatus, leftOut };
  const setup = setupOf(settings, []);
  const known = { sources: [], setup, records, payloads, measures, differences };
  return { proof: { ...factsOf(run), unreadable: message, ...known }, files: Object.values(tables) };
}

async function openTables(folder: ReportFolder, { id }: Run): Promise<TraceTables> {
  return {
    rows: await openTable(folder, `rows-${id}.csv`, ["source", "file", "line", "pointer", "record", "key", "as"]),
    records: await openTable(folder, `records-${id}.csv`, RECORD_COLUMNS),
    differences: await openTable(folder, `differences-${id}.csv`, DIFFERENCE_COLUMNS),
  };
}

const RECORD_COLUMNS = ["record", "key", "status", "file", "line", "account", "content", "payload", "platform"];
const DIFFERENCE_COLUMNS = [
  "kind",
  "key",
  "record",
  "status",
  "file",
  "line",
  "measure",
  "by",
  "source",
  "payload",
  "sent",
  "accepted",
  "platform",
];

/** Returns the job of the run, or the failure that states why its payloads cannot be rebuilt. */
export async function openUnchanged(
  settings: RunSettings,
  { ledger, dependencies }: ReadingContext,
): Promise<Job | Failure> {
  try {
    return await openRecordedJob(settings, { stored: ledger, dependencies });
  } catch (error) {
    if (error instanceof Failure && UNREADABLE.has(error.code)) return error;
    throw error;
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(["source_changed", "source_unreadable"]);

function factsOf(run: Run): ProvedRunFacts {
  const { id, startedAt, finishedAt, exitCode, dryRun, target, endpoint, supplier, operation } = run;
  return {
    run: id,
    startedAt,
    ...(finishedAt !== undefined && { finishedAt }),
    ...(exitCode !== undefined && { exitCode }),
    dryRun,
    target,
    endpoint,
    supplier,
    operation,
  };
}

function sourcesOf(
  { input }: Job,
  { job, files }: RunSettings,
  counts: ReadonlyMap<string, RowCounts>,
): readonly SourceProof[] {
  return input.files.map(({ source, file, path: at }) => {
    const counted = counts.get(fileKey(source, file));
    const recorded = files.find((one) => path.resolve(job.folder, one.file) === path.resolve(job.folder, at));
    if (counted === undefined || recorded === undefined) throw new Error(`the run has no fingerprint of ${file}`);
    return { source, file, bytes: recorded.bytes, sha256: recorded.sha256, ...counted };
  });
}

/** Returns the fingerprints of the files that are not sources. */
function setupOf({ job, files }: RunSettings, sources: readonly string[]): readonly FileProof[] {
  const known = new Set(sources.map((file) => path.resolve(job.folder, file)));
  return files
    .filter(({ file }) => !known.has(path.resolve(job.folder, file)))
    .map(({ file, bytes, sha256 }) => ({ file, bytes, sha256 }));
}
