import path from "node:path";
import { NEEDS_WORK, type Outcome } from "../../model/outcome.ts";
import { type InputRecord, isCsvRow, type Row } from "../../model/record.ts";
import type { ReportFolder } from "../report-folder.ts";
import { countRecords, type Report } from "../report.ts";
import {
  csvLayout,
  type CsvRejectOptions,
  JSON_LAYOUT,
  openRejectFile,
  originalColumns,
  type RejectFile,
  rejectFileName,
  type RejectFileWriter,
  WORKBOOK_FILE,
} from "./reject-file.ts";
import { type HandOut, type HandOutWriter, openHandOut } from "./handed-out.ts";
import type { RejectsWorkbook, WorkbookOptions, WrittenWorkbook } from "../workbook/rejects-workbook.ts";
import { recordRows, type RejectedBatch, rejectedRecords, type RejectRow, rejectRows } from "./rejected-rows.ts";

export interface RejectsOptions extends RejectWriterOptions {
  /**
   * Reads the input again from its beginning; the numbers and places of the records are those of the run. Absent when
   * the input can no longer be read: then there are no rejects.
   */
  readonly records?: (() => AsyncIterable<readonly InputRecord[]>) | undefined;
  /** The rows are written to a workbook as well. */
  readonly workbook?: Pick<WorkbookOptions, "choices"> | undefined;
  /** What is needed to take the rejects back (docs/errors.md, "Re-import rejects"); absent: they are not known again. */
  readonly handOut?: HandOut | undefined;
}

/**
 * Starts the files with the original rows of the records that need work, one for each source (docs/errors.md,
 * "Rejects"): `rejects.csv` for the root, `rejects.<source>.csv` for its children, `.ndjson` for JSON sources. Fed back
 * in together they are those records again. Memory does not grow with the input.
 * @throws Failure `source_changed` when the input is no longer what it was, `storage`
 */
export async function writeRejects(folder: ReportFolder, report: Report, options: RejectsOptions): Promise<Rejects> {
  const { records } = options;
  if (records === undefined || countRecords(report.summary, NEEDS_WORK) === 0) return { files: [], leftOut: 0 };
  const columns: KnownColumns = new Map();
  const pass = async (): Promise<Rejects | undefined> => {
    const workbook = await openWorkbook(folder, options);
    const handOut = options.handOut && openHandOut(folder, options.handOut, options.sources[0] ?? "");
    const writer = openRejectWriter(folder, columns, {
      ...options,
      others: [workbook, handOut].filter((one) => one !== undefined),
    });
    const rejects = await writeOnePass(writer, rejectedRecords(report, records()));
    const written = rejects && (await workbook?.finish(report));
    if (rejects !== undefined) {
      await handOut?.finish({ sheets: written?.sheets ?? {}, digests: digestsOf(rejects.files, written) });
    }
    return rejects && { ...rejects, workbook: written };
  };
  const rejects = (await pass()) ?? (await pass());
  if (rejects === undefined) throw new Error("the columns of the rejects changed between two readings");
  return rejects;
}

function digestsOf(
  files: readonly RejectFile[],
  workbook: WrittenWorkbook | undefined,
): Readonly<Record<string, string>> {
  const digests = files.map(({ path: file, sha256 }) => [path.basename(file), sha256]);
  return Object.fromEntries(workbook?.sha256 === undefined ? digests : [...digests, [WORKBOOK_FILE, workbook.sha256]]);
}

/** The library for workbooks is loaded for those who want one. */
async function openWorkbook(
  folder: ReportFolder,
  { workbook, sources }: RejectsOptions,
): Promise<RejectsWorkbook | undefined> {
  if (workbook === undefined) return undefined;
  const { openRejectsWorkbook } = await import("../workbook/rejects-workbook.ts");
  return openRejectsWorkbook(folder, { ...workbook, root: sources[0] ?? "" });
}

/** Undefined when a column turned up after its file had been begun; the next pass then knows it. */
async function writeOnePass(writer: RejectWriter, batches: AsyncIterable<RejectedBatch>): Promise<Rejects | undefined> {
  for await (const { batch, rejected, last } of batches) {
    for (const record of batch) writer.noteSources(record);
    for (const { record, outcome } of rejected) {
      const [own, ...joined] = rejectRows(record, outcome);
      // Rows joined to one that is left out would be orphans.
      if (own === undefined || !writer.add(own, outcome)) continue;
      for (const entry of joined) writer.add(entry, outcome);
    }
    await writer.flush();
    if (last && writer.hasAllSources()) break;
  }
  return writer.finish();
}

/** The files of one pass over the input that hold its rejected rows. */
interface RejectWriter {
  /** Takes note of the sources that a record has rows of: each gets a file, if only a header. */
  readonly noteSources: (record: InputRecord) => void;
  readonly hasAllSources: () => boolean;
  /** False when the row is left out. */
  readonly add: (entry: RejectRow, outcome: Outcome) => boolean;
  /** Writes what was added. */
  readonly flush: () => Promise<void>;
  /** Undefined when a column turned up after its file had been begun. */
  readonly finish: () => Promise<Rejects | undefined>;
}

export interface Rejects {
  readonly files: readonly RejectFile[];
  /** JSON values that could not be read faithfully, and so are in no file; `errors.csv` has their places. */
  readonly leftOut: number;
  /** Absent where none was asked for. */
  readonly workbook?: WrittenWorkbook | undefined;
}

interface RejectWriterOptions extends CsvRejectOptions {
  /** The names of all sources of the mapping, the root's among them. */
  readonly sources: readonly string[];
}

/** The original columns of each file of rejects, in order of appearance; what one pass learns the next one knows. */
type KnownColumns = Map<string, string[]>;

/** Takes the rows that are written to the files of rejects. */
type RowTaker = Pick<HandOutWriter, "addFile" | "add" | "flush">;

function openRejectWriter(
  folder: ReportFolder,
  known: KnownColumns,
  { others, ...options }: RejectWriterOptions & { readonly others: readonly RowTaker[] },
): RejectWriter {
  const files = new Map<string, RejectFileWriter>();
  const unseen = new Set(options.sources);
  const childRows = newWrittenRows();
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

  return {
    noteSources: (record) => {
      if (unseen.size === 0) return;
      for (const { row, child } of recordRows(record)) {
        unseen.delete(child ?? record.source);
        fileOf(child, row);
      }
    },
    hasAllSources: () => unseen.size === 0,
    add: (entry, outcome) => {
      if (entry.child !== undefined && childRows.isRepeated(entry.row)) return true;
      const isTaken = fileOf(entry.child, entry.row).add(entry, outcome.key);
      if (isTaken) for (const other of others) other.add(entry, outcome);
      else leftOut += 1;
      return isTaken;
    },
    flush: async () => {
      for (const other of others) await other.flush();
      for (const file of files.values()) await file.flush();
    },
    finish: async () => {
      const all = [...files.values()];
      if (all.some((file) => file.hasNewColumns())) return undefined;
      const written: RejectFile[] = [];
      for (const file of all) written.push(await file.finish());
      return { files: written, leftOut };
    },
  };
}

/** Which child rows were written: several records may share one, and fed back in, it has to be there once. */
interface WrittenRows {
  /** True for a row that was here before. */
  readonly isRepeated: (row: Row) => boolean;
}

/** One bit for every line of a file, or for every element of a JSON list. */
function newWrittenRows(): WrittenRows {
  const byFile = new Map<Row["table"], Uint8Array>();
  return {
    isRepeated: (row) => {
      const number = rowNumber(row);
      const bits = wideEnough(byFile.get(row.table) ?? new Uint8Array(), number);
      byFile.set(row.table, bits);
      const before = bits[number >> 3] ?? 0;
      bits[number >> 3] = before | (1 << (number & 7));
      return ((before >> (number & 7)) & 1) === 1;
    },
  };
}

function rowNumber(row: Row): number {
  const element = isCsvRow(row) ? undefined : /\d+$/.exec(row.pointer)?.[0];
  return element === undefined ? row.line : Number(element);
}

function wideEnough(bits: Uint8Array, number: number): Uint8Array {
  if (number >> 3 < bits.length) return bits;
  const wider = new Uint8Array(Math.max(1024, bits.length * 2, (number >> 3) + 1));
  wider.set(bits);
  return wider;
}

function knownColumnsOf(known: KnownColumns, name: string, columns: readonly string[]): string[] {
  const list = known.get(name) ?? [...columns];
  known.set(name, list);
  return list;
}
