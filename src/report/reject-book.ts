import { type InputRecord, isCsvRow, type Row } from "../model/row.ts";
import type { PrivateFolder } from "./private-file.ts";
import { originalColumns } from "./reject-cells.ts";
import { recordRows, type RejectRow } from "./reject-rows.ts";
import {
  csvLayout,
  type CsvSheetOptions,
  JSON_LAYOUT,
  openSheet,
  type RejectFile,
  type RejectSheet,
  sheetName,
} from "./reject-sheet.ts";

/** The files of one pass over the input that hold its rejected rows. */
export interface RejectBook {
  /** Takes note of the sources that a record has rows of: each gets a file, if only a header. */
  readonly see: (record: InputRecord) => void;
  readonly hasSeenAll: () => boolean;
  /** False when the row is left out. */
  readonly add: (entry: RejectRow, key: string | undefined) => boolean;
  /** Writes what was added. */
  readonly flush: () => Promise<void>;
  /** Undefined when a column turned up after its file had been begun. */
  readonly finish: () => Promise<Rejects | undefined>;
}

export interface Rejects {
  readonly files: readonly RejectFile[];
  /** JSON values that could not be read faithfully, and so are in no file; `errors.csv` has their places. */
  readonly leftOut: number;
}

export interface RejectBookOptions extends CsvSheetOptions {
  /** The names of all sources of the mapping, the root's among them. */
  readonly sources: readonly string[];
}

/** The original columns of each file of rejects, in order of appearance; what one pass learns the next one knows. */
export type KnownColumns = Map<string, string[]>;

export function openRejectBook(folder: PrivateFolder, known: KnownColumns, options: RejectBookOptions): RejectBook {
  const sheets = new Map<string, RejectSheet>();
  const unseen = new Set(options.sources);
  let leftOut = 0;

  const sheetOf = (child: string | undefined, row: Row): RejectSheet => {
    const name = sheetName(child, row.table.kind);
    const old = sheets.get(name);
    if (old !== undefined) return old;
    const sheet = isCsvRow(row)
      ? openSheet(folder, child, csvLayout(remembered(known, name, originalColumns(row.table)), options))
      : openSheet(folder, child, JSON_LAYOUT);
    sheets.set(name, sheet);
    return sheet;
  };

  return {
    see: (record) => {
      if (unseen.size === 0) return;
      for (const { row, child } of recordRows(record)) {
        unseen.delete(child ?? record.source);
        sheetOf(child, row);
      }
    },
    hasSeenAll: () => unseen.size === 0,
    add: (entry, key) => {
      const isTaken = sheetOf(entry.child, entry.row).add(entry, key);
      if (!isTaken) leftOut += 1;
      return isTaken;
    },
    flush: async () => {
      for (const sheet of sheets.values()) await sheet.flush();
    },
    finish: async () => {
      const all = [...sheets.values()];
      if (all.some((sheet) => sheet.isWidened())) return undefined;
      const files: RejectFile[] = [];
      for (const sheet of all) files.push(await sheet.finish());
      return { files, leftOut };
    },
  };
}

function remembered(known: KnownColumns, name: string, columns: readonly string[]): string[] {
  const list = known.get(name) ?? [...columns];
  known.set(name, list);
  return list;
}
