import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { fieldTitleAt } from "../../../contract/types/type-tree.ts";
import { pathsFrom } from "../../../job/contract-files.ts";
import { type Job, openJob } from "../../../job/job.ts";
import type { JobSettings } from "../../../job/settings/job-settings.ts";
import { parseAttr } from "../../../json/attr.ts";
import { openLedgerStore } from "../../../ledger/open-ledger-store.ts";
import { Failure } from "../../../model/failure.ts";
import type { Row } from "../../../model/record.ts";
import { timestamp } from "../../../time/clock.ts";
import { readActivity } from "../../overview/overview.ts";
import { correctionsOfKey, followCorrections } from "../edits/correction-log.ts";
import type { EditParts } from "../edits/edit-cells.ts";
import type { CurrentRows } from "../edits/plan-cells.ts";
import { createFixSession, type FixSession } from "../fix-session.ts";
import { buildSession, type FixDependencies } from "./build-session.ts";
import { createEarlierRecords } from "./earlier-records.ts";
import { createAmend, createRecordCheck } from "./check-record.ts";
import { readRefusals } from "./platform-refusals.ts";
import { createSessionCauses } from "./session-causes.ts";
import { createSessionChanges } from "./session-changes.ts";
import { readSessionCorrections } from "./session-corrections.ts";
import { createSessionRows, type SessionRows, type StoredRow } from "./session-rows.ts";
import { openSessionStore, type SessionStore } from "./session-store.ts";
import { watchFiles, type WatchedFiles } from "./watch-files.ts";

export interface FixSessionOptions {
  readonly job: JobSettings;
  /** Locator of the ledger that contains the platform's refusals. */
  readonly ledger: string;
  readonly configFile?: string | undefined;
  /** Adds the corrections file to the configuration if the configuration names none. */
  readonly configure: (file: string) => Promise<void>;
  /** The person who makes the edits: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly by: string;
}

/** Names for the corrections file if the configuration names none. The first name that does not exist is used. */
const DEFAULT_FILES = ["corrections.csv", "web-corrections.csv"];

/**
 * Checks the project and opens a session with the rows that need work.
 * @throws the Failures of `validate`, and Failure `storage`
 */
export async function openFixSession(options: FixSessionOptions, environment: FixDependencies): Promise<FixSession> {
  // The page shows the messages and the progress. The terminal would show the progress until the program ends.
  const dependencies = { ...environment, notice: () => undefined, onProgress: () => undefined };
  const { job: settings } = options;
  const file = fileOf(options);
  const files = watchFiles(settings, options.configFile);
  const { job, size } = await openUnchanged(settings, file, dependencies);
  files.addMappingFiles(job);
  let store: SessionStore | undefined;
  try {
    store = openSessionStore(dependencies.temporaryFolder);
    return await fill({ options, job, store, file, size, files }, dependencies);
  } catch (error) {
    store?.close();
    await job.input.close();
    throw error;
  }
}

/**
 * Returns the corrections file. The default is a new file in the folder of the configuration, or in the folder of the
 * job if there is no configuration.
 * @throws Failure `config` if files with the default names exist and the configuration does not use them
 */
function fileOf({ job: { folder, corrections }, configFile }: FixSessionOptions): string {
  const resolve = pathsFrom(folder);
  if (corrections !== undefined) return resolve(corrections);
  const own = configFile === undefined ? folder : path.dirname(resolve(configFile));
  const free = DEFAULT_FILES.find((name) => !existsSync(path.join(own, name)));
  if (free !== undefined) return path.join(own, free);
  throw new Failure("config", `${DEFAULT_FILES.join(" and ")} exist, but the configuration does not use them`, {
    hint: "name the corrections file in migrate.yaml, for example `corrections: fixes.csv`",
  });
}

/**
 * Opens the job, and opens it again if the size of the corrections file changes in the meantime. Returns the job and
 * the size of the file.
 */
async function openUnchanged(
  settings: JobSettings,
  file: string,
  dependencies: FixDependencies,
): Promise<{ readonly job: Job; readonly size: number }> {
  for (;;) {
    const size = sizeOf(file);
    const corrections = size === 0 ? undefined : settings.corrections;
    const job = await openJob({ ...settings, corrections }, dependencies);
    if (sizeOf(file) === size) return { job, size };
    await job.input.close();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

interface Opened {
  readonly options: FixSessionOptions;
  readonly job: Job;
  readonly store: SessionStore;
  readonly file: string;
  readonly size: number;
  readonly files: WatchedFiles;
}

async function fill(opened: Opened, dependencies: FixDependencies): Promise<FixSession> {
  const { options, job, store, file, size, files } = opened;
  const rows = createSessionRows(job);
  const causes = createSessionCauses((attr) => job.operation.body && fieldTitleAt(job.operation.body, parseAttr(attr)));
  const log = followCorrections(file);
  let firstSeq = 0;
  const unfinished = await readSessionCorrections({ store, log, file, size }, () => (firstSeq += 1));
  const earlier = createEarlierRecords(job.settings, dependencies);
  const { version: ledgerVersion } = await readActivity(await openLedgerStore(options.ledger));
  const build = async (): Promise<number> => {
    const refusals = await readRefusals(options.ledger, { operation: job.operation, store, earlier });
    return buildSession({ job, store, rows, causes, refusals }, dependencies);
  };
  const resolvedRefusals = await build().finally(earlier.close);
  const amend = createAmend(job, (source, key) => correctionsOfKey(store, source, key), rows);
  const check = createRecordCheck(job, rows, amend);
  const parts: EditParts = {
    store,
    rows,
    causes,
    log,
    file,
    by: options.by,
    amend,
    changes: createSessionChanges({ store, rows, causes, check, firstSeq }),
    now: () => timestamp(dependencies.clock),
    currentRows: async (stored) => {
      const setupFile = files.changed();
      if (setupFile !== undefined)
        throw new Failure("source_changed", `${setupFile} has changed since the check`, {
          hint: "check again to use the current setup",
        });
      if ((await job.input.changedFile()) === undefined) return undefined;
      return readCurrentRows(job.settings, stored, rows, dependencies);
    },
    beforeAppend: configureOnce(opened),
    onProgress: () => undefined,
  };
  return createFixSession({ job, files, resolvedRefusals, ledgerVersion }, parts, unfinished);
}

/** Reads from the current files the rows that have the same keys as the stored rows. Applies no corrections. */
async function readCurrentRows(
  settings: JobSettings,
  stored: readonly StoredRow[],
  rows: SessionRows,
  dependencies: FixDependencies,
): Promise<CurrentRows> {
  const wanted = new Map(stored.map(({ source, key }) => [nameOf(source, key ?? ""), new Array<Row>()]));
  const job = await openJob({ ...settings, corrections: undefined }, dependencies);
  try {
    for await (const { source, rows: batch } of job.input.rowsByFile(dependencies.drain)) {
      const index = rows.sourceIndex(source);
      for (const row of batch) {
        const key = rows.keyOfRow(row, index);
        if (key !== undefined) wanted.get(nameOf(index, key))?.push(row);
      }
    }
  } finally {
    await job.input.close();
  }
  return (source, key) => wanted.get(nameOf(source, key)) ?? [];
}

function nameOf(source: number, key: string): string {
  return `${source} ${key}`;
}

/**
 * Returns a function whose first call adds the corrections file to the configuration if the configuration names none.
 */
function configureOnce({ options, file, files }: Opened): () => Promise<void> {
  let isConfigured = options.job.corrections !== undefined;
  return async () => {
    if (isConfigured) return;
    await options.configure(path.basename(file));
    files.noteConfiguration();
    isConfigured = true;
  };
}
