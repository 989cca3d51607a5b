import { createNumberSet, type NumberSet } from "../text/number-set.ts";
import { createHash } from "node:crypto";
import type { Job } from "../job/job.ts";
import type { RowCounts } from "../model/proof.ts";
import type { Row } from "../model/record.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import { csvText, shownCell } from "../report/csv-text.ts";
import type { ReportFolder } from "../report/report-folder.ts";

export type RowOutcome = "inRecords" | "orphans" | "duplicates" | "leftOut" | "notPicked" | "unaccounted";

/** The names of row outcomes in the table of rows. */
export const ROW_OUTCOME_NAMES: Readonly<Record<RowOutcome, string>> = {
  inRecords: "record",
  orphans: "orphan",
  duplicates: "duplicate",
  leftOut: "left out",
  notPicked: "not picked",
  unaccounted: "unaccounted",
};

export interface RowCounter {
  /** Counts a row. A row that several records share is counted once. */
  readonly count: (source: string, row: Row, rowOutcome: RowOutcome) => void;
  readonly has: (source: string, row: Row) => boolean;
  readonly countsOf: (source: string, file: string) => Readonly<Record<RowOutcome, number>>;
}

export function createRowCounter(): RowCounter {
  const files = new Map<string, { readonly marks: NumberSet; readonly counts: Record<RowOutcome, number> }>();
  return {
    count: (source, row, rowOutcome) => {
      const name = fileKey(source, row.table.file);
      const known = files.get(name) ?? { marks: createNumberSet(), counts: { ...NONE } };
      files.set(name, known);
      if (known.marks.add(rowNumber(row))) known.counts[rowOutcome] += 1;
    },
    has: (source, row) => files.get(fileKey(source, row.table.file))?.marks.has(rowNumber(row)) === true,
    countsOf: (source, file) => files.get(fileKey(source, file))?.counts ?? NONE,
  };
}

const NONE: Readonly<Record<RowOutcome, number>> = {
  inRecords: 0,
  orphans: 0,
  duplicates: 0,
  leftOut: 0,
  notPicked: 0,
  unaccounted: 0,
};

/**
 * Reads each file separately and compares its rows with the rows that were counted during tracing. A row that is in no
 * record counts as not picked if the mapping picks rows from its source. Otherwise, the row counts as unaccounted for.
 */
export async function accountForFiles(
  { input, plan }: Job,
  counter: RowCounter,
  table: ProofTable,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RowCounts>> {
  const picking = pickingSources(plan, false);
  const found = new Map<string, { rows: number; blankLines: number }>();
  for await (const { source, file, rows, blankLines } of input.rowsByFile(signal)) {
    const rowOutcome = picking.has(source) ? "notPicked" : "unaccounted";
    const others = rows.filter((row) => !counter.has(source, row));
    for (const row of others) counter.count(source, row, rowOutcome);
    await table.write(
      others.map((row) => [...rowCells(source, row), undefined, undefined, ROW_OUTCOME_NAMES[rowOutcome]]),
    );
    const name = fileKey(source, file);
    const before = found.get(name) ?? { rows: 0, blankLines: 0 };
    found.set(name, { rows: before.rows + rows.length, blankLines: before.blankLines + blankLines });
  }
  return new Map(
    input.files.map(({ source, file }) => {
      const name = fileKey(source, file);
      return [name, { ...(found.get(name) ?? { rows: 0, blankLines: 0 }), ...counter.countsOf(source, file) }];
    }),
  );
}

/** Returns the key of a file in a source. The key includes the source, because a file may belong to several sources. */
export function fileKey(source: string, file: string): string {
  return `${source}\n${file}`;
}

/** Returns the cells that identify a row: source, file, line and pointer. */
export function rowCells(source: string, row: Row): readonly (string | number | undefined)[] {
  return [source, row.table.file, row.line, "pointer" in row ? row.pointer : undefined];
}

/** Returns the sources from which the mapping may deliberately skip rows, and the sources joined to them. */
function pickingSources(spec: SourceSpec, isBelow: boolean): ReadonlySet<string> {
  const picks =
    isBelow || ("distinct" in spec && spec.distinct === true) || ("pick" in spec && spec.pick !== undefined);
  return new Set([
    ...(picks ? [spec.name] : []),
    ...spec.children.flatMap((child) => [...pickingSources(child, picks)]),
  ]);
}

/** Returns a number that is unique in the file: the index of a row in a JSON array, or the line of any other row. */
function rowNumber(row: Row): number {
  if (row.table.kind === "csv" || !("pointer" in row)) return row.line;
  const index = /\/(\d{1,9})$/.exec(row.pointer)?.[1];
  return index === undefined ? row.line : Number(index);
}

/** Yields a row and all rows joined to it, depth first. */
export function* rowsOf(source: string, row: Row): Generator<{ readonly source: string; readonly row: Row }> {
  yield { source, row };
  for (const [name, children] of row.children ?? []) for (const child of children) yield* rowsOf(name, child);
}

/** A file of a proof that has been written. Its hash is recorded in `proof.json`. */
export interface ProofFile {
  readonly name: string;
  /** Returns the hash of the written bytes, in hex. */
  readonly sha256: () => string;
}

export interface HashedFile extends ProofFile {
  readonly write: (text: string) => Promise<void>;
}

export async function openHashedFile(folder: ReportFolder, name: string): Promise<HashedFile> {
  const file = await folder.create(name);
  const hash = createHash("sha256");
  return {
    name,
    write: async (text) => {
      hash.update(text);
      await file.write(text);
    },
    sha256: () => hash.copy().digest("hex"),
  };
}

/** A table of a proof as CSV. Cells with data are escaped for safe display, but decimal numbers are unchanged. */
export interface ProofTable extends ProofFile {
  readonly write: (rows: readonly (readonly (string | number | undefined)[])[]) => Promise<void>;
}

export async function openTable(folder: ReportFolder, name: string, columns: readonly string[]): Promise<ProofTable> {
  const file = await openHashedFile(folder, name);
  await file.write(csvText([columns]));
  return {
    ...file,
    write: (rows) => (rows.length === 0 ? Promise.resolve() : file.write(csvText(rows.map((row) => row.map(cellOf))))),
  };
}

function cellOf(value: string | number | undefined): string {
  if (value === undefined) return "";
  return typeof value === "number" || /^-?\d+(\.\d+)?$/.test(value) ? String(value) : shownCell(value);
}
