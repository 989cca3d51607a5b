import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { setupName, setupOfRun } from "../../../commands/changes/earlier-payloads.ts";
import { type Job, type JobDependencies, openJob } from "../../../job/job.ts";
import type { JobSettings } from "../../../job/settings/job-settings.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { compileSentForm } from "../../../map/node/sent-form.ts";
import { recover } from "../../../model/failure.ts";
import type { InputRecord, MappedRecord } from "../../../model/record.ts";
import { mapRecord, prepareRecords, readRecords } from "../../../pipeline/plan/check-records.ts";
import { type OrderedRecords, orderedRecords } from "../../../pipeline/plan/ordered-records.ts";

/** The records that earlier runs would send from the current sources, with their own setups and corrections. */
export interface EarlierRecords {
  /** Prepares the setup of a run, so that the ledger can be closed. */
  readonly prepare: (run: string, ledger: Ledger) => Promise<void>;
  /**
   * Resolves to undefined if the setup of the run is lost or cannot read the current sources.
   * @param record the number of the record in the current sources, in ascending order for each run
   */
  readonly at: (run: string, record: number) => Promise<MappedRecord | undefined>;
  readonly close: () => Promise<void>;
}

interface Reader {
  readonly job: Job;
  readonly records: OrderedRecords<InputRecord>;
}

/** The maximum number of setups. Limits the number of open files. */
const MAX_SETUPS = 16;

export function createEarlierRecords(
  current: JobSettings,
  dependencies: JobDependencies & { readonly drain: AbortSignal },
): EarlierRecords {
  const temporaryFolder = path.join(dependencies.temporaryFolder, `refused-${randomUUID()}`);
  const names = new Map<string, string>();
  const setups = new Map<string, JobSettings | undefined>();
  const readers = new Map<string, Promise<Reader | undefined>>();
  const open = async (setup: JobSettings): Promise<Reader> => {
    const job = await openJob(setup, dependencies);
    return { job, records: orderedRecords(readRecords(job, dependencies.drain)) };
  };
  return {
    async prepare(run, ledger) {
      const recorded = await ledger.findRun(run);
      if (recorded === undefined) return;
      const name = setupName(recorded, { usesOwnCorrections: true });
      names.set(run, name);
      if (setups.has(name) || setups.size >= MAX_SETUPS) return;
      const options = { stored: ledger, temporaryFolder, usesOwnCorrections: true };
      setups.set(name, await setupOfRun(recorded, current, options));
    },
    async at(run, record) {
      const name = names.get(run) ?? "";
      const setup = setups.get(name);
      if (setup === undefined) return undefined;
      const opening = readers.get(name) ?? unlessFailure(() => open(setup));
      readers.set(name, opening);
      const reader = await opening;
      if (reader === undefined) return undefined;
      return unlessFailure(async () => {
        const found = await reader.records.at(record);
        return found && sentRecord(found, reader.job);
      });
    },
    async close() {
      for (const opening of readers.values()) {
        const reader = await opening;
        await reader?.records.close().finally(reader.job.input.close);
      }
      await rm(temporaryFolder, { recursive: true, force: true });
    },
  };
}

function unlessFailure<T>(work: () => Promise<T>): Promise<T | undefined> {
  return recover<T | undefined>(work, () => undefined);
}

/** Maps a record, with its payload and parameters in the form in which they are sent. */
export async function sentRecord(record: InputRecord, job: Job): Promise<MappedRecord> {
  await prepareRecords([record], job);
  const mapped = mapRecord(record, job);
  return { ...mapped, ...compileSentForm(job.operation)(mapped) };
}
