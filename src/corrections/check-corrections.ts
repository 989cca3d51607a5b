import path from "node:path";
import type { Row } from "../model/record.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import type { OpenOptions } from "../read/input/opened-file.ts";
import { createFingerprints } from "../report/rejects/fingerprints.ts";
import type { RejectsManifest } from "../report/rejects/rejects-manifest.ts";
import { type ChangedRow, openCellChanges, rowRestorer } from "./cell-changes.ts";
import type { ColumnFindings, CorrectionFindings, FoundRows, RowFindings } from "./correction-findings.ts";
import { type CorrectionIndex, loadRejectedRows, openCorrectionIndex } from "./correction-index.ts";
import { fingerprintPath } from "./read-manifest.ts";
import { createRowMatcher } from "./match-rows.ts";
import { type KeyColumns, type ReturnedColumns, returnedRows } from "./returned-rows.ts";

interface CorrectionOptions {
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
  readonly close: () => void;
}

/**
 * Compares the re-imported rejects with the fingerprints of the exported rejects. Reads all rejects once. Memory use
 * does not depend on the number of rejects, unless the changed rows are requested.
 */
export async function checkCorrections(plan: SourceSpec, options: CorrectionOptions): Promise<CheckedCorrections> {
  const index = openCorrectionIndex(options.tempFolder);
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
    index.close();
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
  const matcher = createRowMatcher(index, { fingerprints, columnsOf, keyColumns });
  const layouts = new Map<string, ReturnedColumns>();
  let emptyRows = 0;
  index.database.exec("begin");
  for await (const { rows, columns, ...batch } of returnedRows(plan, manifest.files, { reading, keyColumns })) {
    emptyRows += batch.emptyRows;
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
  const findings = { folder, emptyRows, ...cells, ...findRowChanges(index, plan), ...columnChanges(layouts) };
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

/** Finds added, removed and reordered rows, after all re-imported rows have been matched. */
function findRowChanges(index: CorrectionIndex, plan: SourceSpec): RowFindings {
  const { rows } = index;
  const count = (sql: string): number => Number(rows(sql)[0]?.["count"] ?? 0);
  const added = count("select count(*) as count from added");
  const missing = (condition: string): readonly FoundRows[] =>
    rows(`${LOST} and ${condition} group by source order by source`).map(({ source, count: found, number }) => ({
      source: String(source),
      count: Number(found),
      number: Number(number),
    }));
  return {
    exportedRows: count("select count(*) as count from exported"),
    returned: count("select count(*) as count from exported where file is not null") + added,
    added: rows(ADDED).map(({ source, count: found, file, line }) => ({
      source: String(source),
      count: Number(found),
      place: { file: String(file), line: Number(line) },
    })),
    lost: missing(`marks not like '%d%' and record in (${RECORDS_LEFT})`),
    deleted: missing(`(marks like '%d%' or record not in (${RECORDS_LEFT}))`),
    lostRecords: count(
      `select count(distinct record) as count from exported
       where record not in (${RECORDS_LEFT}) and marks not like '%r%' and key not in (${KEYS_LEFT})`,
    ),
    ...reorderedRows(index, sourcesInFileOrder(plan)),
  };
}

/** With `min(line)`, SQLite returns `file` from the same row as the minimum line. */
const ADDED = "select source, count(*) as count, file, min(line) as line from added group by source order by source";
const LOST = "select source, count(*) as count, min(number) + 1 as number from exported where file is null";
const RECORDS_LEFT = "select record from exported where file is not null";
/** The keys of re-imported rows. If several records have the same key, a correction may remove all but one of them. */
const KEYS_LEFT = "select key from exported where file is not null and key <> ''";

/** Returns the child sources whose rows are joined to their parents in the order of the file. */
function sourcesInFileOrder({ children }: SourceSpec): readonly string[] {
  return children.flatMap((child) => {
    const { name, orderBy, pick } = child;
    const isOrdered = orderBy !== undefined || (pick?.by !== undefined && pick.per === undefined);
    return [...(isOrdered ? [] : [name]), ...sourcesInFileOrder(child)];
  });
}

/** Returns the rows that now follow a row that they preceded in the export. Equal rows are interchangeable. */
function reorderedRows(
  { each }: CorrectionIndex,
  inFileOrder: readonly string[],
): Pick<RowFindings, "reordered" | "listOrder"> {
  const found = rowsBehind(each(`${MATCHED} order by source, file_order, line`));
  if (found.length === 0) return { reordered: [], listOrder: [] };
  const reordered = rowsBehind(
    each(
      `select source, 0 as record, number, file, line from (${EQUAL_ROWS_IN_ORDER}) order by source, file_order, line`,
    ),
  );
  const ofOneRecord = rowsBehind(each(`${EQUAL_ROWS_IN_ORDER} order by source, record, file_order, line`));
  return { reordered, listOrder: ofOneRecord.filter(({ source }) => inFileOrder.includes(source)) };
}

const MATCHED = "select source, 0 as record, number, file, line from exported join files using (file)";
/** The matched rows by place. Equal rows are in the order of the export. */
const EQUAL_ROWS_IN_ORDER = `
  with matched as (select * from exported join files using (file))
  select source, record, number, file, file_order, line from
    (select source, content, file, file_order, line,
       row_number() over (partition by source, content order by file_order, line) as position
     from matched)
  join
    (select source, content, record, number,
       row_number() over (partition by source, content order by number) as position
     from matched)
  using (source, content, position)`;

/** Rows are only compared with rows of the same source and the same `record`. */
function rowsBehind(rows: Iterable<Readonly<Record<string, unknown>>>): readonly FoundRows[] {
  const found = new Map<string, FoundRows>();
  let last = { source: "", record: -1, number: -1 };
  for (const row of rows) {
    const [source, record, number] = [String(row["source"]), Number(row["record"]), Number(row["number"])];
    if (source !== last.source || record !== last.record || number > last.number) {
      last = { source, record, number };
      continue;
    }
    const before = found.get(source);
    const place = before?.place ?? { file: String(row["file"]), line: Number(row["line"]) };
    found.set(source, { source, count: (before?.count ?? 0) + 1, place });
  }
  return [...found.values()];
}
