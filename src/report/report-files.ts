import { realpath } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../model/failure.ts";
import { csvReporter } from "./formats/csv-report.ts";
import { ndjsonReporter } from "./formats/json-report.ts";
import { createCauseCollector } from "./page/collect-rows.ts";
import { writeReportPage } from "./page/report-page.ts";
import type { Outcome } from "../model/outcome.ts";
import { openReportFolder, removeFile } from "./report-folder.ts";
import { FINGERPRINT_FILE, HAND_OUT_FILE } from "./rejects/handed-out.ts";
import { type Rejects, type RejectsOptions, writeRejects } from "./rejects/write-rejects.ts";
import { rejectFileName, WORKBOOK_FILE } from "./rejects/reject-file.ts";
import { isOutcome, type Report, summaryJson } from "./report.ts";

export interface ReportFilesOptions extends RejectsOptions {
  /** Where the report is to lie; made when it does not exist. */
  readonly folder: string;
}

/** The files of a report, as paths inside the folder that was given. */
export interface WrittenReport {
  readonly outcomes: string;
  readonly errors: string;
  readonly page: string;
  readonly summary: string;
  readonly rejects: Rejects;
}

/**
 * Writes `outcomes.ndjson`, `errors.csv`, `report.html`, `rejects*.csv` and `summary.json` (docs/errors.md). They take their
 * places together at the end, readable by their owner alone; rejects of an earlier report that has none now are removed. With
 * `workbook` the rejects are in `rejects.xlsx`, too.
 * @throws Failure `storage`, or `source_changed` when the input is no longer what it was
 */
export async function writeReportFiles(report: Report, options: ReportFilesOptions): Promise<WrittenReport> {
  const folder = await openReportFolder(options.folder);
  try {
    const outcomes = await folder.create("outcomes.ndjson");
    await ndjsonReporter(report, outcomes.write);
    const errors = await folder.create("errors.csv");
    const causes = createCauseCollector(report);
    await csvReporter(watched(report, causes.add), errors.write);
    const page = await folder.create("report.html");
    await writeReportPage(report, causes, page.write);
    const rejects = await writeRejects(folder, report, options);
    const summary = await folder.create("summary.json");
    await summary.write(`${summaryJson(report.summary)}\n`);
    await folder.commit();
    await removeOldRejects(rejects, options);
    return { outcomes: outcomes.path, errors: errors.path, page: page.path, summary: summary.path, rejects };
  } finally {
    await folder.discard();
  }
}

/** The same report; somebody else sees its outcomes pass by, so that they need not be read once more. */
function watched(report: Report, watch: (batch: readonly Outcome[]) => void): Report {
  const { outcomes, inColumns } = report;
  return {
    ...report,
    outcomes: async function* (statuses) {
      for await (const batch of outcomes(statuses)) {
        watch(batch);
        yield batch;
      }
    },
    ...(inColumns && {
      inColumns: async function* () {
        for await (const batch of inColumns()) {
          watch(batch.filter(isOutcome));
          yield batch;
        }
      },
    }),
  };
}

/**
 * Asks, before a run, whether its report can be written to the folder without overwriting the run's own input.
 * @throws Failure `usage` when it would, `storage` when the folder cannot be written to
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

async function removeOldRejects(
  { files, workbook }: Rejects,
  { folder, sources, records }: ReportFilesOptions,
): Promise<void> {
  if (records === undefined) return;
  const written = new Set(files.map((file) => file.path));
  if (workbook === undefined || workbook.leftOut !== undefined) await removeFile(path.join(folder, WORKBOOK_FILE));
  if (written.size === 0)
    for (const name of [HAND_OUT_FILE, FINGERPRINT_FILE]) await removeFile(path.join(folder, name));
  for (const child of [undefined, ...sources]) {
    for (const kind of ["csv", "json"] as const) {
      const old = path.join(folder, rejectFileName(child, kind));
      if (!written.has(old)) await removeFile(old);
    }
  }
}
