import { createNumberSet, type NumberSet } from "../../text/number-set.ts";
import path from "node:path";
import { NEEDS_WORK, type Outcome } from "../../model/outcome.ts";
import { type InputRecord, isCsvRow, type Row } from "../../model/record.ts";
import type { ReportFolder } from "../report-folder.ts";
import { countRecords, type Report } from "../report.ts";
import {
  csvLayout,
  type CsvRejectOptions,
  isRagged,
  JSON_LAYOUT,
  openRejectFile,
  originalColumns,
  type RejectFile,
  rejectFileName,
  type RejectFileWriter,
  UNCOPIED_ERRORS,
  WORKBOOK_FILE,
} from "./reject-file.ts";
import { type ManifestInfo, openManifest } from "./rejects-manifest.ts";
import { createSharedRows, type RejectRecordRow, type SharedRows } from "./shared-rows.ts";
import type { RejectsWorkbook, WorkbookOptions, WrittenWorkbook } from "../workbook/rejects-workbook.ts";
import {
  recordRows,
  type RejectedBatch,
  rejectedRecords,
  type RejectRow,
  rejectRows,
  rowsToExport,
  type RowWriter,
} from "./rejected-rows.ts";

export interface RejectsOptions extends RejectWriterOptions {
  /**
   * Reads the input again from the beginning. Records must have the same numbers and places as in the run. Absent if
   * the input can no longer be read. In this case, no rejects are written.
   */
  readonly records?: (() => AsyncIterable<readonly InputRecord[]>) | undefined;
  /** Options for a workbook with the same rows; absent if no workbook is requested. */
  readonly workbook?: WorkbookOptions | undefined;
  /**
   * Data for the re-import (docs/errors.md, "Re-import rejects"). Without it, a re-import does not recognise the
   * rejects.
   */
  readonly manifest?: ManifestInfo | undefined;
}

/**
 * Writes the original rows of the records that need correction, one file per source (docs/errors.md, "Rejects"):
 * `rejects.csv` for the root, `rejects.<source>.csv` for its children, and `.ndjson` for JSON sources. Together, these
 * files are a valid input for the same records. Apart from one bit per row of a child source, and the problems of rows
 * that several records share, memory use does not grow with the input.
 * @throws Failure `source_changed` if the input has changed, or `storage`
 */
export async function writeRejects(folder: ReportFolder, report: Report, options: RejectsOptions): Promise<Rejects> {
  const { records } = options;
  if (records === undefined || countRecords(report.summary, NEEDS_WORK) === 0) return { files: [], leftOut: 0 };
  const columns: KnownColumns = new Map();
  const shared = createSharedRows();
  const pass = async (): Promise<Rejects | undefined> => {
    const workbook = await openWorkbook(folder, options);
    const manifest = options.manifest && openManifest(folder, options.manifest, options.sources[0] ?? "");
    const writer = openRejectWriter(folder, columns, {
      ...options,
      shared,
      others: [workbook, manifest].filter((one) => one !== undefined),
    });
    const rejects = await writeOnePass(writer, rejectedRecords(report, records()));
    const written = rejects && (await workbook?.finish(report));
    if (rejects !== undefined) {
      await manifest?.finish({ sheets: written?.sheets ?? {}, digests: digestsOf(rejects.files, written) });
    }
    return rejects && { ...rejects, workbook: written };
  };
  const rejects = (await pass()) ?? (await pass());
  if (rejects === undefined) throw new Error("the rejects changed between two reads");
  return rejects;
}

function digestsOf(
  files: readonly RejectFile[],
  workbook: WrittenWorkbook | undefined,
): Readonly<Record<string, string>> {
  const digests = files.map(({ path: file, sha256 }) => [path.basename(file), sha256]);
  return Object.fromEntries(workbook?.sha256 === undefined ? digests : [...digests, [WORKBOOK_FILE, workbook.sha256]]);
}

/** Loads the workbook library only if a workbook is requested. */
async function openWorkbook(
  folder: ReportFolder,
  { workbook, sources }: RejectsOptions,
): Promise<RejectsWorkbook | undefined> {
  if (workbook === undefined) return undefined;
  const { openRejectsWorkbook } = await import("../workbook/rejects-workbook.ts");
  return openRejectsWorkbook(folder, sources[0] ?? "", workbook);
}

/**
 * Writes the rejects. Returns undefined if a new column appeared after the first rows of a file were added, or if a
 * record has problems in a row that an earlier record added. The next pass then includes the column and the problems.
 */
async function writeOnePass(writer: RejectWriter, batches: AsyncIterable<RejectedBatch>): Promise<Rejects | undefined> {
  for await (const { batch, rejected, last } of batches) {
    for (const record of batch) writer.noteSources(record);
    for (const { record, outcome } of rejected) {
      writer.add(rejectRows(record, outcome, rowsToExport(record, outcome.problems)), outcome);
    }
    await writer.flush();
    if (last && writer.hasAllSources()) break;
  }
  return writer.finish();
}

/** Writes the rejected rows to files during one pass over the input. */
interface RejectWriter {
  /**
   * Remembers the sources that have rows in the record. Each of these sources gets a file, even if the file contains
   * only a header.
   */
  readonly noteSources: (record: InputRecord) => void;
  readonly hasAllSources: () => boolean;
  /**
   * Adds the rows of a record, except child rows that were already added. Adds none of them if one of them cannot be
   * copied exactly, because the record would then be incomplete.
   */
  readonly add: (rows: readonly RejectRow[], outcome: Outcome) => void;
  readonly flush: () => Promise<void>;
  /** Finishes the files. Returns undefined if they must be written again. */
  readonly finish: () => Promise<Rejects | undefined>;
}

export interface Rejects {
  readonly files: readonly RejectFile[];
  /**
   * The number of records that could not be copied exactly and are therefore in no file. `errors.csv` lists their
   * places.
   */
  readonly leftOut: number;
  /** Absent if no workbook was requested. */
  readonly workbook?: WrittenWorkbook | undefined;
}

interface RejectWriterOptions extends CsvRejectOptions {
  /** Names of all sources of the mapping, including the root. */
  readonly sources: readonly string[];
}

interface RejectWriterParts extends RejectWriterOptions {
  readonly others: readonly RowWriter[];
  readonly shared: SharedRows;
}

/**
 * Original columns of each rejects file, in order of appearance. Each pass starts with the columns that earlier passes
 * found.
 */
type KnownColumns = Map<string, string[]>;

function openRejectWriter(
  folder: ReportFolder,
  known: KnownColumns,
  { others, shared, ...options }: RejectWriterParts,
): RejectWriter {
  const sharedBefore = shared.count();
  const files = new Map<string, RejectFileWriter>();
  const unseen = new Set(options.sources);
  const isRepeated = createRowMemory();
  let leftOut = 0;

  const fileOf = (child: string | undefined, row: Row): RejectFileWriter => {
    const name = rejectFileName(child, row.table.kind);
    const old = files.get(name);
    if (old !== undefined) return old;
    const columns = isCsvRow(row) ? knownColumnsOf(known, name, originalColumns(row.table)) : [];
    const file = isCsvRow(row)
      ? openRejectFile(folder, child, csvLayout(columns, options))
      : openRejectFile(folder, child, JSON_LAYOUT);
    files.set(name, file);
    for (const other of others) other.addFile(child, row.table.kind, columns);
    return file;
  };

  const addRow = ({ entry, outcome }: RejectRecordRow): void => {
    fileOf(entry.child, entry.row).add(entry, outcome.key);
    for (const other of others) other.add(entry, outcome);
  };

  return {
    noteSources: (record) => {
      if (unseen.size === 0) return;
      for (const { row, child } of recordRows(record)) {
        unseen.delete(child ?? record.source);
        fileOf(child, row);
      }
    },
    hasAllSources: () => unseen.size === 0,
    add: (rows, outcome) => {
      if (!canCopy(rows, outcome, known)) {
        leftOut += 1;
        return;
      }
      for (const row of rows) {
        if (row.child !== undefined && isRepeated(row.row)) shared.note(row, outcome);
        else addRow(shared.complete(row, outcome));
      }
    },
    flush: async () => {
      for (const other of others) await other.flush();
      for (const file of files.values()) await file.flush();
    },
    finish: async () => {
      const all = [...files.values()];
      if (shared.count() > sharedBefore || all.some((file) => file.hasNewColumns())) return undefined;
      return { files: await finishAll(all), leftOut };
    },
  };
}

function canCopy(rows: readonly RejectRow[], { problems }: Outcome, known: KnownColumns): boolean {
  return !problems.some(({ code }) => UNCOPIED_ERRORS.has(code)) && rows.every((entry) => fitsColumns(entry, known));
}

async function finishAll(writers: readonly RejectFileWriter[]): Promise<readonly RejectFile[]> {
  const written: RejectFile[] = [];
  for (const writer of writers) written.push(await writer.finish());
  return written;
}

/** Whether the cells of a ragged row would be below the columns of their own file. */
function fitsColumns({ row, child }: RejectRow, known: KnownColumns): boolean {
  if (!isCsvRow(row) || !isRagged(row)) return true;
  const columns = knownColumnsOf(known, rejectFileName(child, "csv"), originalColumns(row.table));
  return originalColumns(row.table).every((column, index) => column === columns[index]);
}

/**
 * Returns a function that remembers a child row, and returns true for a row that it already knows. Several records may
 * share a row, but a re-import needs the row only once. Needs one bit per line of a file, or per element of a JSON
 * list.
 */
function createRowMemory(): (row: Row) => boolean {
  const byFile = new Map<Row["table"], NumberSet>();
  return (row) => {
    const known = byFile.get(row.table) ?? createNumberSet();
    byFile.set(row.table, known);
    return !known.add(rowNumber(row));
  };
}

function rowNumber(row: Row): number {
  const element = isCsvRow(row) ? undefined : /\d+$/.exec(row.pointer)?.[0];
  return element === undefined ? row.line : Number(element);
}

function knownColumnsOf(known: KnownColumns, name: string, columns: readonly string[]): string[] {
  const list = known.get(name) ?? [...columns];
  known.set(name, list);
  return list;
}
