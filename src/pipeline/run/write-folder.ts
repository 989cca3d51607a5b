import path from "node:path";
import { keepEditedRejects } from "../../job/rejects/keep-edited-rejects.ts";
import type { Notifier } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import { settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import type { Run } from "../../ledger/records/run.ts";
import { Failure } from "../../model/failure.ts";
import { NEEDS_WORK } from "../../model/outcome.ts";
import type { InputRecord } from "../../model/record.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import { declaredDelimiter } from "../../read/csv/csv-delimiter.ts";
import type { Input } from "../../read/input/open-input.ts";
import type { RejectsOptions } from "../../report/rejects/write-rejects.ts";
import { writeReportFiles, type WrittenReport } from "../../report/report-files.ts";
import { countRecords, type Report } from "../../report/report.ts";
import { bytesOf } from "../threads/thread-count.ts";
import type { RejectedSource } from "./next-command.ts";

interface WrittenFolder {
  /** The files with the rows that need work. */
  readonly rejects: readonly RejectedSource[];
  readonly leftOut: number;
  readonly failures: readonly Failure[];
  readonly files?: WrittenReport;
}

interface FolderOptions extends Notifier {
  readonly job: Job | undefined;
  readonly run: Run;
  readonly workbook: boolean | undefined;
}

/**
 * Writes the report folder of a run. Returns a failure instead of throwing it, because the run itself has already
 * ended.
 */
export async function writeFolder(
  report: Report,
  folder: string | undefined,
  { job, run, workbook, notice }: FolderOptions,
): Promise<WrittenFolder> {
  if (folder === undefined) return { rejects: [], leftOut: 0, failures: [] };
  try {
    const sources = job === undefined ? [] : sourceNames(job.plan);
    for (const { name, copy } of await keepEditedRejects(folder)) {
      notice(`${path.join(folder, name)} was edited after its export; the edited file is now ${copy}`);
    }
    const written = await writeReportFiles(report, {
      folder,
      sources,
      ...(job && rejectsOptions(job, { run, report })),
      ...(workbook === true && job !== undefined && { workbook: { choices: job.mapping.choices } }),
    });
    const { rejects } = written;
    if (rejects.workbook?.leftOut !== undefined) {
      notice(`The workbook was not written: ${rejects.workbook.leftOut}. The rejects files contain all rows.`);
    }
    const only = sources.length === 1;
    const isEmpty = rejects.files.every(({ rows }) => rows === 0);
    const rejected = (isEmpty ? [] : rejects.files).map(({ path: file, child }) => ({
      source: only ? undefined : (child ?? job?.plan.name),
      path: file,
    }));
    return { rejects: rejected, leftOut: rejects.leftOut, failures: [], files: written };
  } catch (error) {
    if (error instanceof Failure) return { rejects: [], leftOut: 0, failures: [error] };
    throw error;
  }
}

function rejectsOptions(
  job: Job,
  { run, report }: { readonly run: Run; readonly report: Report },
): Omit<RejectsOptions, "sources"> {
  const { settings } = job;
  return {
    records: () => rejectedInput(job.input, report),
    manifest: { command: run.command, run: run.id, settings, secret: settingsIfKnown(run)?.rejectsSecret },
    ...(settings.delimiter !== undefined && { delimiter: declaredDelimiter(settings.delimiter) }),
    ...(settings.encoding !== undefined && { encoding: settings.encoding }),
  };
}

function sourceNames(plan: SourceSpec): readonly string[] {
  return [plan.name, ...plan.children.flatMap(sourceNames)];
}

/** Limits on the records held in memory, including their joined rows. */
const MAX_RECORDS = 10_000;
const MAX_BYTES = 16_000_000;

/**
 * Yields the records needed to write the rejects. If only a few records need work and none of them is an orphan, reads
 * and joins only these records and the first rows of each source, which provide its columns. Otherwise, yields all
 * records of the input.
 */
export async function* rejectedInput(input: Input, report: Report): AsyncGenerator<readonly InputRecord[]> {
  const numbers = await numbersOfFew(input, report);
  if (numbers === undefined) {
    yield* input.records();
    return;
  }
  yield await input.samples();
  yield await input.find({ isWanted: (_row, number) => numbers.has(number), limit: numbers.size });
}

/**
 * Returns the numbers of the records that need work; undefined if there are too many, or if one of them is an orphan.
 */
async function numbersOfFew(
  { files, rootFiles }: Input,
  { summary, outcomes }: Report,
): Promise<ReadonlySet<number> | undefined> {
  const count = countRecords(summary, NEEDS_WORK);
  const share = count / Math.max(1, summary.records);
  if (count > MAX_RECORDS || share * bytesOf(files) > MAX_BYTES) return undefined;
  const numbers = new Set<number>();
  for await (const batch of outcomes([...NEEDS_WORK])) {
    for (const { record, source } of batch) {
      if (!rootFiles.has(source.file)) return undefined;
      numbers.add(record);
    }
  }
  return numbers;
}
