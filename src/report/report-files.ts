import { readdir, realpath, rmdir } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../model/failure.ts";
import { csvReporter } from "./formats/csv-report.ts";
import { ndjsonReporter } from "./formats/json-report.ts";
import { createCauseCollector } from "./page/collect-rows.ts";
import { writeReportPage } from "./page/report-page.ts";
import type { Outcome, ValidOutcomes } from "../model/outcome.ts";
import { openReportFolder, removeFile } from "./report-folder.ts";
import { FINGERPRINT_FILE, MANIFEST_FILE } from "./rejects/rejects-manifest.ts";
import { type Rejects, type RejectsOptions, writeRejects } from "./rejects/write-rejects.ts";
import { rejectFileName, WORKBOOK_FILE } from "./rejects/reject-file.ts";
import { isOutcome, type Report, summaryJson } from "./report.ts";

export interface ReportFilesOptions extends RejectsOptions {
  /** Folder of the report; created if it does not exist. */
  readonly folder: string;
}

/** Paths of the report files, inside the given folder. */
export interface WrittenReport {
  readonly outcomes: string;
  readonly errors: string;
  readonly page: string;
  readonly summary: string;
  readonly rejects: Rejects;
}

/**
 * Writes `outcomes.ndjson`, `errors.csv`, `report.html`, `summary.json` and the rejects (docs/errors.md). With
 * `workbook`, also writes the rejects to `rejects.xlsx`. Once all new files are complete, they replace the earlier
 * files. Only the owner can read the files. If the input can be read again, also removes the rejects files of an
 * earlier report that have no replacement.
 * @throws Failure `storage`, or `source_changed` if the input has changed
 */
export async function writeReportFiles(report: Report, options: ReportFilesOptions): Promise<WrittenReport> {
  const folder = await openReportFolder(options.folder);
  try {
    const outcomes = await folder.create("outcomes.ndjson");
    await ndjsonReporter(report, outcomes.write);
    const errors = await folder.create("errors.csv");
    const collector = createCauseCollector(report);
    await csvReporter(watched(report, collector.add), errors.write);
    const rejects = await writeRejects(folder, report, options);
    const page = await folder.create("report.html");
    await writeReportPage(report, collector, rejects, page.write);
    const summary = await folder.create("summary.json");
    await summary.write(`${summaryJson(report.summary)}\n`);
    await folder.commit();
    await removeOldRejects(rejects, options);
    return { outcomes: outcomes.path, errors: errors.path, page: page.path, summary: summary.path, rejects };
  } finally {
    await folder.discard();
  }
}

/**
 * Returns a report that passes each outcome to `watch` when the outcome is read, so that outcomes are read only once.
 * Does not pass on valid records that are stored as columns, because they have no problems.
 */
function watched(report: Report, watch: (batch: readonly Outcome[]) => void): Report {
  const { outcomes, inColumns } = report;
  const watching = async function* <Part extends Outcome | ValidOutcomes>(
    batches: AsyncIterable<readonly Part[]>,
  ): AsyncGenerator<readonly Part[]> {
    for await (const batch of batches) {
      const parts: readonly (Outcome | ValidOutcomes)[] = batch;
      watch(parts.filter(isOutcome));
      yield batch;
    }
  };
  return {
    ...report,
    outcomes: (statuses) => watching(outcomes(statuses)),
    ...(inColumns && { inColumns: () => watching(inColumns()) }),
  };
}

/**
 * Checks that the report of a run can be written to the folder without overwriting the input of the run. Call this
 * function before the run.
 * @throws Failure `usage` if the report would overwrite the input, `storage` if the folder is not writable
 */
export async function checkReportFolder(folder: string, inputs: readonly string[]): Promise<void> {
  const { create, discard } = await openReportFolder(folder);
  await create("summary.json");
  await discard();
  const place = await realpath(folder);
  for (const input of inputs) {
    const real = await realpath(input).catch(() => path.resolve(input));
    if (path.dirname(real) !== place || !REPORT_FILE_NAME.test(path.basename(real))) continue;
    throw new Failure("usage", `the report would overwrite its own input ${input}`, {
      hint: "choose another folder with --out",
    });
  }
}

const REPORT_FILE_NAME =
  /^(?:outcomes\.ndjson|errors\.csv|report\.html|summary\.json|rejects(?:\..+)?\.(?:csv|ndjson)|rejects\.(?:json|fingerprints|xlsx))$/;

/**
 * Removes the files of a report, and the folder if it has no other files.
 * @throws Failure `storage`
 */
export async function removeReportFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => REPORT_FILE_NAME.test(each))) await removeFile(path.join(folder, name));
  await rmdir(folder).catch(() => undefined);
}

async function removeOldRejects(
  { files, workbook }: Rejects,
  { folder, sources, records }: ReportFilesOptions,
): Promise<void> {
  if (records === undefined) return;
  const written = new Set(files.map((file) => file.path));
  if (workbook === undefined || workbook.leftOut !== undefined) await removeFile(path.join(folder, WORKBOOK_FILE));
  if (written.size === 0)
    for (const name of [MANIFEST_FILE, FINGERPRINT_FILE]) await removeFile(path.join(folder, name));
  for (const child of [undefined, ...sources]) {
    for (const kind of ["csv", "json"] as const) {
      const old = path.join(folder, rejectFileName(child, kind));
      if (!written.has(old)) await removeFile(old);
    }
  }
}
