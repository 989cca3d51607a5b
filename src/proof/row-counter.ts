import type { Job } from "../job/job.ts";
import type { SourceProof } from "../model/proof.ts";
import type { Row } from "../model/record.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import type { ProofTable } from "./proof-files.ts";
import { createRowMarks, type RowMarks, rowNumber } from "./row-marks.ts";

/** Counts of the rows of a file, by outcome. */
type RowCounts = Omit<SourceProof, "source" | "file" | "bytes" | "sha256">;
export type RowOutcome = "inRecords" | "orphans" | "duplicates" | "leftOut" | "notPicked" | "unaccounted";

/** The names used in the table of rows. */
export const ROW_OUTCOME_NAMES: Readonly<Record<RowOutcome, string>> = {
  inRecords: "record",
  orphans: "orphan",
  duplicates: "duplicate",
  leftOut: "left out",
  notPicked: "not picked",
  unaccounted: "unaccounted",
};

export interface RowCounter {
  /** Counts a row. A row that is shared by several records counts once. */
  readonly count: (source: string, row: Row, rowOutcome: RowOutcome) => void;
  readonly has: (source: string, row: Row) => boolean;
  readonly countsOf: (source: string, file: string) => Readonly<Record<RowOutcome, number>>;
}

export function createRowCounter(): RowCounter {
  const files = new Map<string, { readonly marks: RowMarks; readonly counts: Record<RowOutcome, number> }>();
  return {
    count: (source, row, rowOutcome) => {
      const name = fileKey(source, row.table.file);
      const known = files.get(name) ?? { marks: createRowMarks(), counts: { ...NONE } };
      files.set(name, known);
      if (known.marks.mark(rowNumber(row))) known.counts[rowOutcome] += 1;
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
 * Reads each file separately and compares its rows with the rows counted during tracing. A row that is in no record
 * counts as not picked if the mapping picks rows from that source. Otherwise it counts as unaccounted for.
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

/** The key of a file in a source. A file may belong to several sources, so the key includes both. */
export function fileKey(source: string, file: string): string {
  return `${source}\n${file}`;
}

/** The cells that identify a row: source, file, line and pointer. */
export function rowCells(source: string, row: Row): readonly (string | number | undefined)[] {
  return [source, row.table.file, row.line, "pointer" in row ? row.pointer : undefined];
}

/** Sources from which the mapping may deliberately skip rows, with the sources joined to them. */
function pickingSources(spec: SourceSpec, isBelow: boolean): ReadonlySet<string> {
  const picks =
    isBelow || ("distinct" in spec && spec.distinct === true) || ("pick" in spec && spec.pick !== undefined);
  return new Set([
    ...(picks ? [spec.name] : []),
    ...spec.children.flatMap((child) => [...pickingSources(child, picks)]),
  ]);
}
