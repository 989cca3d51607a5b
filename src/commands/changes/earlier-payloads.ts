import type { Dependencies } from "../../job/dependencies.ts";
import { pathsFrom } from "../../job/contract-files.ts";
import { type Job, openJob } from "../../job/job.ts";
import { type JobSettings, mapSources } from "../../job/settings/job-settings.ts";
import { changedFiles, isData, type RecordedFile } from "../../job/settings/recorded-files.ts";
import { type RunSettings, settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import { copyName } from "../../job/settings/setup-paths.ts";
import { restoreSetup, type StoredFiles } from "../../job/settings/stored-setup.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import { recover } from "../../model/failure.ts";
import { getOrAdd } from "../../model/groups.ts";
import type { MappedRecord } from "../../model/record.ts";
import { mapRecords, readRecords } from "../../pipeline/plan/check-records.ts";
import { type OrderedRecords, orderedRecords } from "../../pipeline/plan/ordered-records.ts";
import { openRecordedJob } from "../../pipeline/run/recorded-job.ts";

/** Finds the payloads of a job by record number, in ascending order. After a failure, finds no later records. */
export type PayloadReader = OrderedRecords<MappedRecord>;

/** The payloads that an earlier run produced, and the payloads that its setup builds from the current sources. */
export interface EarlierPayloads {
  /** Resolves to undefined if the setup of the run is lost. */
  readonly bySetup: (run: string) => Promise<PayloadReader | undefined>;
  /**
   * Resolves to undefined if the sources of the run have changed or no longer exist, or if the sources of `MAX_RUNS`
   * other runs are open.
   */
  readonly ofRun: (run: string) => Promise<PayloadReader | undefined>;
  readonly close: () => Promise<void>;
}

/** @param job the job with the current sources */
export function openEarlierPayloads(
  job: Job,
  { ledger, dependencies }: { readonly ledger: Ledger; readonly dependencies: Dependencies },
): EarlierPayloads {
  const quiet = { ...dependencies, notice: () => undefined, onProgress: () => undefined };
  const readers = new Map<string, Promise<PayloadReader | undefined>>();
  const setups = new Map<string, Promise<string>>();
  const runs = new Set<string>();
  const once = (name: string, open: () => Promise<Job | undefined>): Promise<PayloadReader | undefined> => {
    const read = async (): Promise<PayloadReader | undefined> => {
      const opened = await open();
      return opened && createReader(opened, dependencies.drain);
    };
    return getOrAdd(readers, name, () => recover(read, () => undefined));
  };
  return {
    async bySetup(run) {
      const setup = await getOrAdd(setups, run, () => nameOfSetup(run, ledger));
      return once(`setup ${setup}`, () => openWithSetup(run, job, { ledger, dependencies: quiet }));
    },
    async ofRun(run) {
      if (!runs.has(run) && runs.size >= MAX_RUNS) return undefined;
      runs.add(run);
      return once(`run ${run}`, async () => {
        const recorded = await ledger.findRun(run);
        const settings = recorded && settingsIfKnown(recorded);
        return settings && openRecordedJob(settings, { stored: ledger, dependencies: quiet });
      });
    },
    async close() {
      for (const reader of readers.values()) await (await reader)?.close();
    },
  };
}

/** Maximum number of runs whose sources are read. Limits the number of open files. */
const MAX_RUNS = 16;

async function nameOfSetup(run: string, ledger: Ledger): Promise<string> {
  const recorded = await ledger.findRun(run);
  return recorded === undefined ? run : setupName(recorded, { usesOwnCorrections: false });
}

/** Returns the same string for all runs whose setups differ only in their sources. These runs share a reader. */
export function setupName(recorded: Run, { usesOwnCorrections }: CorrectionsOfSetup): string {
  const settings = settingsIfKnown(recorded);
  if (settings === undefined) return recorded.id;
  const { sources: _sources, namedSources: _named, standardInput: _input, ...job } = settings.job;
  const files = setupFiles(settings, usesOwnCorrections).map(({ file, sha256 }) => [file, sha256]);
  return JSON.stringify([job, files]);
}

interface CorrectionsOfSetup {
  /** Whether to use the corrections of the run instead of the current corrections. */
  readonly usesOwnCorrections: boolean;
}

function setupFiles({ files }: RunSettings, usesOwnCorrections: boolean): readonly RecordedFile[] {
  return files.filter(({ kind }) => {
    return kind === "corrections" ? usesOwnCorrections : kind !== "configuration" && !isData(kind);
  });
}

async function openWithSetup(
  run: string,
  { settings: current }: Job,
  { ledger, dependencies }: { readonly ledger: Ledger; readonly dependencies: Dependencies },
): Promise<Job | undefined> {
  const recorded = await ledger.findRun(run);
  const { temporaryFolder } = dependencies;
  const setup =
    recorded && (await setupOfRun(recorded, current, { stored: ledger, temporaryFolder, usesOwnCorrections: false }));
  return setup && openJob(setup, dependencies);
}

interface SetupOptions extends CorrectionsOfSetup {
  readonly stored: StoredFiles;
  /** Folder for the files that have changed since the run. */
  readonly temporaryFolder: string;
}

/**
 * Returns settings with the current sources and with the contract, mapping and lists of a run. Resolves to undefined if
 * any of these files is lost.
 */
export async function setupOfRun(
  recorded: Run,
  current: JobSettings,
  { stored, temporaryFolder, usesOwnCorrections }: SetupOptions,
): Promise<JobSettings | undefined> {
  const settings = settingsIfKnown(recorded);
  if (settings === undefined) return undefined;
  const { job } = settings;
  const files = setupFiles(settings, usesOwnCorrections);
  const changed = await changedFiles({ job, files });
  const copies = await restoreSetup({ job, files }, changed, { stored, temporaryFolder });
  if (changed.some(({ file }) => copies[copyName(job.folder, file)] === undefined)) return undefined;
  const resolve = pathsFrom(current.folder);
  const { standardInput, encoding, delimiter, corrections, rejects } = current;
  return {
    ...job,
    standardInput,
    encoding,
    delimiter,
    rejects,
    ...(!usesOwnCorrections && { corrections: corrections === undefined ? undefined : resolve(corrections) }),
    ...mapSources(current, resolve),
    copies,
  };
}

function createReader(job: Job, signal: AbortSignal): PayloadReader {
  const toSentForm = compileSentForm(job.operation);
  const records = orderedRecords(mapRecords(readRecords(job, signal), job));
  return {
    at: (record) =>
      recover(
        async () => {
          const mapped = await records.at(record);
          return mapped && { ...mapped, ...toSentForm(mapped) };
        },
        () => undefined,
      ),
    close: () => records.close().finally(job.input.close),
  };
}
