import type { LocalFinding } from "../model/problem.ts";
import { type CsvRow, isCsvRow } from "../model/row.ts";
import { csvText } from "./csv-text.ts";
import type { PrivateFile, PrivateFolder } from "./private-file.ts";
import { migrateCells, MIGRATE_COLUMNS, originalCells, originalColumns } from "./reject-cells.ts";
import type { RejectRow } from "./reject-rows.ts";

/** One file of rejects while it is written. */
export interface RejectSheet {
  /** False when the row is left out, because it could not be read faithfully. */
  readonly add: (entry: RejectRow, key: string | undefined) => boolean;
  /** A column turned up behind rows already laid out: the file has to be written anew. */
  readonly isWidened: () => boolean;
  /** Writes the rows that were added. */
  readonly flush: () => Promise<void>;
  readonly finish: () => Promise<RejectFile>;
}

export interface RejectFile {
  /** The child source; absent for the root. */
  readonly child?: string;
  readonly path: string;
  readonly rows: number;
}

/** `rejects.csv`, `rejects.customers.csv`: where the rejects of a source lie in the folder. */
export function sheetName(child: string | undefined, kind: "csv" | "json"): string {
  const suffix = kind === "csv" ? "csv" : "ndjson";
  return child === undefined ? `rejects.${suffix}` : `rejects.${encodeURIComponent(child)}.${suffix}`;
}

/** Starts the file of a source with its first row or, at the latest, when it is finished. */
export function openSheet<R>(folder: PrivateFolder, child: string | undefined, layout: Layout<R>): RejectSheet {
  const waiting: R[] = [];
  let count = 0;
  let file: PrivateFile | undefined;
  const begun = async (): Promise<PrivateFile> => {
    if (file !== undefined) return file;
    file = await folder.create(sheetName(child, layout.kind));
    await file.write(layout.header());
    return file;
  };
  return {
    add: (entry, key) => {
      const row = layout.lay(entry, key);
      if (row === undefined) return false;
      waiting.push(row);
      count += 1;
      return true;
    },
    isWidened: layout.isWidened,
    flush: async () => {
      const rows = waiting.splice(0);
      if (rows.length > 0 && !layout.isWidened()) await (await begun()).write(layout.render(rows));
    },
    finish: async () => {
      const { path } = await begun();
      return { path, rows: count, ...(child !== undefined && { child }) };
    },
  };
}

/** How the rows of one file are written down. */
export interface Layout<R> {
  readonly kind: "csv" | "json";
  readonly header: () => string;
  readonly lay: (entry: RejectRow, key: string | undefined) => R | undefined;
  readonly render: (rows: readonly R[]) => string;
  readonly isWidened: () => boolean;
}

export interface CsvSheetOptions {
  /** The delimiter that the sources were declared to have, one character. */
  readonly delimiter?: string;
  /** The encoding that the sources were declared to have. */
  readonly encoding?: string;
}

/** `columns`: the original columns known so far, in order of appearance; those that turn up are added to it. */
export function csvLayout(columns: string[], { delimiter, encoding }: CsvSheetOptions): Layout<readonly string[]> {
  let laid = 0;
  let widened = false;
  const learn = ({ table }: CsvRow): void => {
    const added = originalColumns(table).filter((column) => !columns.includes(column));
    columns.push(...added);
    widened ||= added.length > 0 && laid > 0;
    laid += 1;
  };
  return {
    kind: "csv",
    header: () => markFor(encoding) + csvText([[...columns, ...MIGRATE_COLUMNS]], delimiter),
    lay: ({ row, problems }, key) => {
      if (!isCsvRow(row)) return undefined;
      learn(row);
      return [...originalCells(row, columns), ...migrateCells(key, problems)];
    },
    render: (rows) => csvText(rows, delimiter),
    isWidened: () => widened,
  };
}

/** A byte order mark says that the rejects are UTF-8, whatever the sources were declared to be. */
function markFor(encoding: string | undefined): string {
  return encoding === undefined || /^utf-?8$/i.test(encoding) ? "" : "\uFEFF";
}

/** The original values, one a line. */
export const JSON_LAYOUT: Layout<string> = {
  kind: "json",
  header: () => "",
  lay: ({ row, problems }) =>
    isCsvRow(row) || problems.some(({ code }) => UNFAITHFUL.has(code)) ? undefined : JSON.stringify(row.value),
  render: (lines) => lines.map((line) => `${line}\n`).join(""),
  isWidened: () => false,
};

/** What reading a JSON value lost: written out again, it would be another value than the original. */
const UNFAITHFUL: ReadonlySet<string> = new Set<LocalFinding["code"]>([
  "source_invalid_json",
  "source_not_an_object",
  "source_duplicate_name",
  "source_forbidden_name",
  "source_unsafe_number",
  "source_too_deep",
  "source_record_too_large",
]);
