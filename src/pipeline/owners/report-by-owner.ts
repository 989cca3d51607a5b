import path from "node:path";
import type { Dependencies } from "../../job/dependencies.ts";
import { refuseChangedRejects } from "../../job/rejects/recorded-rejects.ts";
import type { Job } from "../../job/job.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { OpenRecord } from "../../ledger/migration-state.ts";
import { type Failure, highestPriorityExitCode } from "../../model/failure.ts";
import type { OwnerRule } from "../../model/owner.ts";
import { removeReportFiles } from "../../report/report-files.ts";
import type { Report } from "../../report/report.ts";
import { timestamp } from "../../time/clock.ts";
import { orderedRecords } from "../plan/ordered-records.ts";
import { nextCommand, type RejectedSource } from "../run/next-command.ts";
import { describeReport, reportFolder, requireReportFolder } from "../run/run-report.ts";
import { writeFolder } from "../run/write-folder.ts";
import { type KeepTogether, keepConflictsTogether } from "./conflicts.ts";
import { type ExportedPackages, readExport, writeExport } from "./exported-packages.ts";
import { folderNames } from "./folder-names.ts";
import { excludedKeys } from "../run/excluded-keys.ts";
import { type FindOwners, outcomesOfShare, ownerShares, type OwnerShare } from "./owner-shares.ts";
import { cellsOfJob } from "./read-cells.ts";
import { dueDay, findOwners, haveColumns, type OwnableRecord } from "./record-owner.ts";

export interface ByOwnerOptions {
  readonly ledger: Ledger;
  readonly store: LedgerStore;
  readonly run: Run;
  readonly job: Job;
  readonly owners: readonly OwnerRule[];
  /** The folder of the packages; default: the folder of the run. */
  readonly out?: string | undefined;
}

/** The packages of a run. */
export interface ReportByOwner {
  readonly run: string;
  /** The packages, in descending order of their number of records. */
  readonly packages: readonly OwnerPackage[];
  /** The command that re-imports all packages. */
  readonly next?: string | undefined;
  readonly failures: readonly Failure[];
  readonly exitCode: number;
}

interface OwnerPackage {
  readonly owner: string;
  readonly address?: string | undefined;
  /** The day (UTC) on which the first record in the package is due. */
  readonly due?: string | undefined;
  readonly records: number;
  readonly folder: string;
}

/**
 * Writes a report folder for each owner of records that need correction. Each of these records is in exactly one
 * folder, the folder of its owner; conflicting records are in the same folder.
 * @throws Failure `usage` if a report would replace a folder that contains corrections or the input of the run;
 * `storage`
 */
export async function reportByOwner(options: ByOwnerOptions, dependencies: Dependencies): Promise<ReportByOwner> {
  const { ledger, store, run, job, owners } = options;
  const reporting = { store, out: options.out, showValues: false };
  const exitCode = run.exitCode ?? (await ledger.summary(run.id)).exitCode;
  const reported = await describeReport({ ledger, run, job, reporting }, { exitCode }, dependencies);
  const { inColumns: _inColumns, ...whole } = reported;
  const includedOutcomes = withoutExcluded(whole.outcomes, await (await excludedKeys(ledger))(run));
  const keepTogether = await keepConflictsTogether(whole.outcomes);
  const shares = await sharesOf({ outcomes: includedOutcomes, keepTogether }, options, dependencies);
  const parent = reportFolder(reporting, run.id) ?? ".";
  const names = folderNames([...owners.map(({ owner }) => owner), ...shares.keys()]);
  const folderOf = (name: string): string => path.join(parent, names.get(name) ?? name);
  const before = await readExport(store, run.id);
  const stale = staleFolders(before, parent, new Set([...shares.keys()].map(folderOf)));
  for (const folder of [...shares.keys()].map(folderOf)) await requireReportFolder(folder, job);
  for (const folder of [...[...shares.keys()].map(folderOf), ...stale])
    await refuseChangedRejects(folder, run.id, store.name);

  const packages: OwnerPackage[] = [];
  const rejects: RejectedSource[] = [];
  const failures: Failure[] = [];
  for (const share of [...shares.values()].toSorted((a, b) => b.summary.records - a.summary.records)) {
    const { name, addresses } = share;
    const address = addresses.length === 0 ? undefined : addresses.join(", ");
    const due = share.due ?? dueOfRun(run, share);
    const owner = { name, address, due };
    const outcomes = outcomesOfShare(includedOutcomes, share.ranges);
    const report: Report = { ...whole, summary: share.summary, outcomes, owner };
    const written = await writeFolder(report, folderOf(name), { job, run, workbook: true, ...dependencies });
    rejects.push(...written.rejects);
    failures.push(...written.failures);
    packages.push({ owner: name, address, due, records: share.summary.records, folder: folderOf(name) });
  }
  if (failures.length === 0) {
    for (const folder of stale) await removeReportFiles(folder);
    await writeExport(store, exportOf(run, [...shares.values()], { at: timestamp(dependencies.clock), folderOf }));
  }
  const next = nextCommand({
    run,
    settings: job.settings,
    summary: whole.summary,
    rejects,
    ledger: store.name,
    flags: [],
    settlesAmbiguous: false,
    readsBack: job.operation.readBack.length > 0,
    comparesContent: false,
  });
  const codes = [exitCode, ...failures.map((failure) => failure.exitCode)];
  return { run: run.id, packages, next, failures, exitCode: highestPriorityExitCode(codes) };
}

/** Omits the records that the user has excluded from the migration, because they need no correction. */
function withoutExcluded(outcomes: Report["outcomes"], isExcluded: (key: string) => boolean): Report["outcomes"] {
  return async function* left(statuses) {
    for await (const batch of outcomes(statuses))
      yield batch.filter(({ key }) => key === undefined || !isExcluded(key));
  };
}

/** Returns the folders from an earlier export that belong to owners who no longer have any records. */
function staleFolders(before: ExportedPackages | undefined, parent: string, kept: ReadonlySet<string>): string[] {
  const current = new Set([...kept].map((folder) => path.resolve(folder)));
  const earlier = before?.packages.map(({ folder }) => folder) ?? [];
  return earlier.filter((folder) => path.dirname(folder) === path.resolve(parent) && !current.has(folder));
}

function exportOf(
  run: Run,
  shares: readonly OwnerShare[],
  { at, folderOf }: { readonly at: string; readonly folderOf: (name: string) => string },
): ExportedPackages {
  const packages = shares.map(({ name, ranges }) => ({
    owner: name,
    folder: path.resolve(folderOf(name)),
    records: ranges,
  }));
  return { version: 1, run: run.id, exportedAt: at, packages };
}

/**
 * Returns the day (UTC) on which the records of a share are due, counted from the start of the run. Used for records
 * that are not open, for example in a dry run, or in a run that a later run has replaced.
 */
function dueOfRun({ startedAt }: Run, { name, days }: OwnerShare): string | undefined {
  return dueDay({ since: startedAt }, { name, days });
}

/**
 * Divides the records among their owners. Finds the owners in the same way as `migrate open`, but keeps conflicting
 * records together. If the platform has accepted a record with other content, or already had the record, its state in
 * `migrate open` differs from its state in the run.
 */
async function sharesOf(
  { outcomes, keepTogether }: { readonly outcomes: Report["outcomes"]; readonly keepTogether: KeepTogether },
  { ledger, run, job, owners }: ByOwnerOptions,
  dependencies: Dependencies,
): Promise<ReadonlyMap<string, OwnerShare>> {
  const { id, supplier } = run;
  const open = orderedRecords(openInRun(ledger, run));
  const cells = haveColumns(owners) ? cellsOfJob(job, dependencies) : undefined;
  const find: FindOwners = async (batch) => {
    const since: (string | undefined)[] = [];
    const records: OwnableRecord[] = [];
    for (const { record, source, problems, status } of batch) {
      const found = await open.at(record);
      since.push(found?.since);
      records.push({ run: id, record, source, problems, supplier, state: found?.state ?? status });
    }
    const owned = await findOwners(owners, records, cells);
    return batch.map((outcome, index) => {
      const owner = keepTogether(outcome, owned[index] ?? { name: NO_OWNER });
      const from = since[index];
      return { ...owner, due: from === undefined ? undefined : dueDay({ since: from }, owner) };
    });
  };
  try {
    return await ownerShares(outcomes, find);
  } finally {
    await open.close();
    await cells?.close();
  }
}

async function* openInRun(
  ledger: Ledger,
  { id }: Run,
): AsyncGenerator<readonly (OpenRecord & { readonly number: number })[]> {
  for await (const records of ledger.openRecords({})) {
    yield records.flatMap((record) => (record.run === id ? { number: record.record, ...record } : []));
  }
}

const NO_OWNER = "no owner";
