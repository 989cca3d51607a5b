import path from "node:path";
import type { Dependencies } from "../../job/dependencies.ts";
import { settingsIfKnown, settingsOf } from "../../job/settings/recorded-settings.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StoreOptions } from "../../ledger/ledger-store.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import type {
  DestinationReport,
  MigrationReport,
  OpenCauseReport,
  RunOfMigration,
} from "../../model/migration-report.ts";
import type { OwnerRule } from "../../model/owner.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { eachOpenRecord, type OpenRecordOptions } from "../../pipeline/owners/each-open-record.ts";
import { type OwnerProgress, ownerProgress } from "../../pipeline/owners/owner-progress.ts";
import type { CellDependencies } from "../../pipeline/owners/read-cells.ts";
import { causesOf, causeText, daysSince } from "../../pipeline/owners/record-owner.ts";
import { type ReportByOwner, reportByOwner } from "../../pipeline/owners/report-by-owner.ts";
import { closeAfterReport } from "../../pipeline/run/close-after-report.ts";
import { openJobIfUnchanged, openRecordedJob } from "../../pipeline/run/recorded-job.ts";
import {
  listedRuns,
  noteUnplanned,
  readRunLedger,
  requireRun,
  type RunSelection,
} from "../../pipeline/run/run-ledger.ts";
import { type RunReport, reportRun, requireReportFolder } from "../../pipeline/run/run-report.ts";
import { runState, unreadExitCode } from "../../pipeline/run/run-state.ts";
import { timestamp } from "../../time/clock.ts";
import { openReportFolder } from "../../report/report-folder.ts";
import { writeMigrationPage } from "../../report/page/migration-page.ts";
import { indentedJson } from "../../terminal/safe-json.ts";

export interface ReportOptions extends RunSelection {
  /** Folder for the report files; default: the folder of the run. */
  readonly out?: string | undefined;
  /** Whether to write the rejects to a workbook as well. */
  readonly workbook?: boolean | undefined;
}

/**
 * Renders the report of a run from the ledger. Reads the rejected rows from the sources if the sources are unchanged.
 */
export function report(options: ReportOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (closeLater) => {
    const store = await openLedgerStore(options.ledger, dependencies);
    const ledger = closeLater(await store.read());
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const out = options.out ?? settings.out;
    const job = await openJobIfUnchanged(settings, { stored: ledger, dependencies });
    if (job !== undefined) {
      closeLater(job.input);
      await requireReportFolder(out, job);
    }
    const exitCode = run.exitCode ?? unreadExitCode(run) ?? (await ledger.summary(run.id)).exitCode;
    const reporting = { store, out, showValues: false, workbook: options.workbook };
    return reportRun({ ledger, run, job, reporting }, { exitCode }, dependencies);
  });
}

export interface OwnerReportOptions extends RunSelection {
  /** Folder of the reports by owner; default: the folder of the run. */
  readonly out?: string | undefined;
  readonly owners: readonly OwnerRule[];
}

/**
 * Writes one report folder per owner for a run. Reads the rejected rows from the sources. The sources must not have
 * changed.
 */
export async function reportOwners(options: OwnerReportOptions, dependencies: Dependencies): Promise<ReportByOwner> {
  const { owners } = options;
  const store = await openLedgerStore(options.ledger, dependencies);
  return readRunLedger(store, async (ledger) => {
    const run = await requireRun(ledger, options.run);
    if ((await store.activeRun()) === run.id) {
      throw new Failure("usage", `run ${run.id} is still active, so its records cannot be divided among their owners`, {
        hint: "wait until it has ended: `migrate status --watch`",
      });
    }
    const settings = settingsOf(run);
    const job = await openRecordedJob(settings, { stored: ledger, dependencies });
    try {
      return await reportByOwner({ ledger, store, run, job, owners, out: options.out ?? settings.out }, dependencies);
    } finally {
      await job.input.close();
    }
  });
}

export interface OwnerStatusOptions {
  readonly ledger: string;
  readonly owners: readonly OwnerRule[];
  /** The keys to migrate. Without an inventory, no record is reported as missing. */
  readonly inventory?: Inventory | undefined;
}

/** Counts the open, overdue, exported and returned records of each owner. Does not change the ledger. */
export async function ownerStatus(
  { ledger: at, ...options }: OwnerStatusOptions,
  dependencies: StoreOptions & CellDependencies,
): Promise<readonly OwnerProgress[]> {
  const store = await openLedgerStore(at, dependencies);
  return readRunLedger(store, (ledger) => ownerProgress({ ledger, store, ...options }, dependencies));
}

export interface MigrationReportOptions {
  readonly ledger: string;
  /** Folder of the report; default: `migration` next to the ledger. */
  readonly out?: string | undefined;
  readonly inventory?: Inventory | undefined;
  readonly owners?: readonly OwnerRule[] | undefined;
}

export interface WrittenMigrationReport {
  readonly report: MigrationReport;
  /** Path of the written page. */
  readonly page: string;
}

/**
 * Writes the state of the whole migration as a page and as JSON, without values. Does not change the ledger.
 * @throws Failure `run_unknown` before the first push, `storage` if a file cannot be written
 */
export async function reportMigration(
  { ledger: at, out, inventory, owners }: MigrationReportOptions,
  dependencies: Dependencies,
): Promise<WrittenMigrationReport> {
  const store = await openLedgerStore(at, dependencies);
  const migration = await readRunLedger(store, async (ledger): Promise<MigrationReport> => {
    const active = await store.activeRun();
    const destinations = await destinationsOf(ledger);
    if (destinations.length === 0) {
      throw new Failure("run_unknown", "the ledger has no push yet", { hint: "start one with `migrate push`" });
    }
    await noteUnplanned(ledger, dependencies.notice);
    return {
      format: "migrate-migration/1",
      tool: dependencies.userAgent,
      madeAt: timestamp(dependencies.clock),
      destinations,
      open: await openCauses(ledger, { inventory, owners }, dependencies),
      runs: await runsOf(ledger, active),
    };
  });
  const page = await writeMigrationReport(migration, out ?? path.join(store.folder, "migration"));
  return { report: migration, page };
}

/**
 * Writes `migration.json` and `migration.html`, and moves them into the folder once both are complete. Returns the path
 * of the page.
 * @throws Failure `storage`, or `usage` for a folder that is a link or that others can write to
 */
async function writeMigrationReport(migration: MigrationReport, name: string): Promise<string> {
  const folder = await openReportFolder(name);
  try {
    const json = await folder.create("migration.json");
    await json.write(indentedJson(migration));
    const page = await folder.create("migration.html");
    await writeMigrationPage(migration, page.write);
    await folder.commit();
    return page.path;
  } finally {
    await folder.discard();
  }
}

/** Returns the destinations of all pushes; empty before the first push. */
export async function destinationsOf(ledger: Ledger): Promise<readonly DestinationReport[]> {
  const destinations = await ledger.migration();
  const days = await ledger.acceptedByDay();
  return destinations.map(({ target, supplier, operation, endpoint, records, counts }) => ({
    target,
    supplier,
    operation,
    records,
    states: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    accepted: days
      .filter((each) => each.target === target && each.supplier === supplier && each.endpoint === endpoint)
      .map(({ day, records: count }) => ({ day, records: count })),
  }));
}

async function openCauses(
  ledger: Ledger,
  options: OpenRecordOptions,
  dependencies: Dependencies,
): Promise<readonly OpenCauseReport[]> {
  const now = dependencies.clock.now();
  const found = new Map<string, { cause: string; owner: string; records: number; ages: [number, number, number] }>();
  await eachOpenRecord(ledger, options, dependencies, (records) => {
    for (const record of records) {
      const owner = record.owner?.name ?? "";
      const days = daysSince(record.since, now);
      for (const cause of causesOf(record).map(causeText)) {
        const name = JSON.stringify([cause, owner]);
        const group = found.get(name) ?? { cause, owner, records: 0, ages: [0, 0, 0] };
        group.records += 1;
        group.ages[days <= 7 ? 0 : days <= 30 ? 1 : 2] += 1;
        found.set(name, group);
      }
    }
  });
  return [...found.values()].toSorted((a, b) => b.records - a.records || (a.cause < b.cause ? -1 : 1));
}

async function runsOf(ledger: Ledger, active: string | undefined): Promise<readonly RunOfMigration[]> {
  const listed: RunOfMigration[] = [];
  for (const run of listedRuns(await ledger.runs(), active)) {
    const { records, counts } = await ledger.summary(run.id);
    const { by } = settingsIfKnown(run) ?? {};
    const state = run.dryRun ? "dry run" : runState(run, counts, run.id === active);
    listed.push({ id: run.id, startedAt: run.startedAt, state, records, counts, ...definedMembers({ by }) });
  }
  return listed;
}
