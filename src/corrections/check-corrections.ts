import path from "node:path";
import type { Row } from "../model/record.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import type { OpenOptions } from "../read/input/opened-file.ts";
import { createFingerprints } from "../report/rejects/fingerprints.ts";
import type { RejectsManifest } from "../report/rejects/rejects-manifest.ts";
import { type ChangedRow, openCellChanges } from "./cell-changes.ts";
import type { ColumnFindings, CorrectionFindings } from "./correction-findings.ts";
import { type CorrectionIndex, loadRejectedRows, openCorrectionIndex } from "./correction-index.ts";
import { fingerprintPath } from "./read-manifest.ts";
import { createRowMatcher } from "./match-rows.ts";
import { findRowChanges } from "./row-changes.ts";
import { rowRestorer } from "./restore-keys.ts";
import type { ReturnedColumns } from "./returned-columns.ts";
import { type KeyColumns, returnedRows } from "./returned-rows.ts";

export interface CorrectionOptions {
  /** The report folder of the re-imported rejects. */
  readonly folder: string;
  readonly manifest: RejectsManifest;
  readonly restoreKeys: boolean;
  readonly reading: OpenOptions;
  readonly keyColumns: KeyColumns;
  readonly tempFolder: string;
  /** Whether to return the changed rows. If so, they are kept in memory. */
  readonly listsRows?: boolean;
}

/** The changes to the rejects of a report. */
export interface ReturnedRejects {
  readonly manifest: RejectsManifest;
  readonly findings: CorrectionFindings;
  /** Empty unless `CorrectionOptions.listsRows` is set. */
  readonly changedRows: readonly ChangedRow[];
}

export interface CheckedCorrections extends ReturnedRejects {
  /** The record numbers of exported rows without a key, in the run that exported them. */
  readonly withoutKey: ReadonlySet<number>;
  /** The numbers of records that were re-imported with changed keys, in the run that exported them. */
  readonly keyChanged: readonly number[];
  /** Restores the keys in a row as it is read. */
  readonly restore: ((row: Row) => Row) | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Compares the re-imported rejects with the fingerprints of the exported rejects. Reads all rejects once. Memory use
 * does not depend on the number of rejects, unless the changed rows are requested.
 */
export async function checkCorrections(plan: SourceSpec, options: CorrectionOptions): Promise<CheckedCorrections> {
  const index = await openCorrectionIndex(options.tempFolder);
  try {
    await loadRejectedRows(index, fingerprintPath(options.folder));
    const { keyRecords, ...compared } = await compare(plan, index, options);
    const restore = options.restoreKeys ? rowRestorer(index) : undefined;
    const withoutKey = new Set(
      index.rows("select distinct record from exported where key = ''").map(({ record }) => Number(record)),
    );
    const rootRow = "select 1 from exported where record = ? and source = ? and file is not null limit 1";
    const keyChanged = [...keyRecords].filter((record) => index.rows(rootRow, record, plan.name).length > 0);
    return { ...compared, withoutKey, keyChanged, restore, close: index.close };
  } catch (error) {
    await index.close();
    throw error;
  }
}

async function compare(
  plan: SourceSpec,
  index: CorrectionIndex,
  { folder, manifest, restoreKeys, reading, keyColumns, listsRows = false }: CorrectionOptions,
): Promise<ReturnedRejects & { readonly keyRecords: ReadonlySet<number> }> {
  const fingerprints = createFingerprints(manifest.secret);
  const columnsOf = exportedColumns(manifest);
  const matcher = createRowMatcher(index, fingerprints, columnsOf);
  const layouts = new Map<string, ReturnedColumns>();
  index.database.exec("begin");
  for await (const { rows, columns } of returnedRows(plan, manifest.files, { reading, keyColumns })) {
    if (columns !== undefined) layouts.set(columns.file, columns.found);
    matcher.add(rows);
  }
  const changes = openCellChanges({ index, fingerprints, columnsOf, keyColumns, layouts, restoreKeys, listsRows });
  const addRow = index.database.prepare("insert into added values (?,?,?)");
  for (const { row, exported } of matcher.matchChanged()) {
    if (exported === undefined) addRow.run(row.source, row.file, row.line);
    else changes.add(exported, row);
  }
  const { cells, rows: changedRows, keyRecords } = await changes.finish(path.join(folder, "outcomes.ndjson"));
  index.database.exec("commit");
  const findings = { folder, ...cells, ...findRowChanges(index), ...columnChanges(layouts) };
  return { manifest, findings, changedRows, keyRecords };
}

/**
 * Returns a function that finds the original columns of a source's exported rows. The function finds no columns for
 * JSON.
 */
export function exportedColumns({ files }: RejectsManifest): (source: string) => readonly string[] {
  const bySource = new Map(files.filter(({ kind }) => kind === "csv").map((file) => [file.source, file.columns]));
  return (source) => bySource.get(source) ?? [];
}

function columnChanges(layouts: ReadonlyMap<string, ReturnedColumns>): ColumnFindings {
  const all = [...layouts];
  return {
    renamed: all.flatMap(([file, { renamed }]) => renamed.map((each) => ({ file, ...each }))),
    missingColumns: all.flatMap(([file, { missing }]) => (missing.length === 0 ? [] : [{ file, columns: missing }])),
    newColumns: all.flatMap(([file, { added }]) => (added.length === 0 ? [] : [{ file, columns: added }])),
  };
}
