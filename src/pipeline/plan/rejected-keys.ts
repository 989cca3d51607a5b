import type { CompiledJob } from "../../job/job.ts";
import { formatAttr } from "../../json/attr.ts";
import { type CsvTable, isCsvRow, type MappedRecord } from "../../model/record.ts";
import { PROBLEM_COLUMNS } from "../../model/added-columns.ts";
import { CELL_SEPARATOR } from "../../report/rejects/reject-file.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { findKeyCorruption } from "../../text/key-corruption.ts";

const [KEY_COLUMN, ATTR_COLUMN] = PROBLEM_COLUMNS;

/** Detects a rejects file by the columns that a report adds, not by its name. */
function isRejectsFile({ columnIndex }: CsvTable): boolean {
  return PROBLEM_COLUMNS.every((column) => columnIndex.has(column));
}

/**
 * Adds an error to records of a rejects file whose key differs from the column `migrate_key`, unless the key itself was
 * reported as a problem (`migrate_attr`) and then corrected. Applies only to a rejects file that is used as an ordinary
 * source, because `--rejects` compares every cell with the export.
 */
export function compareWithRejects(
  batch: readonly MappedRecord[],
  { mapping, settings }: CompiledJob,
): readonly MappedRecord[] {
  const { keyAttr } = mapping;
  if (settings.rejects !== undefined || keyAttr === undefined) return batch;
  return batch.map((record) => {
    const known = record.orphan || isRagged(record) ? undefined : rejectedKey(record, formatAttr(keyAttr));
    const { key } = record;
    if (known === undefined || key === undefined || isSameKey(known, key)) return record;
    const place = mapping.locate(record.row, keyAttr);
    const problem = { code: "key_differs_from_reject", severity: "error", by: "local", key, known } as const;
    const located = { attr: formatAttr(keyAttr), ...problem, ...(place !== undefined && { place }) };
    return { ...record, problems: [...record.problems, located] };
  });
}

/** In a ragged row, the cells in the columns that the report added may belong to other columns. */
function isRagged({ problems }: MappedRecord): boolean {
  return problems.some(({ code }) => code === "source_ragged_row");
}

/**
 * Returns the key of the rejected record; undefined for an added row, for a key that was reported as a problem, and for
 * a row of another file.
 */
function rejectedKey({ row }: MappedRecord, keyAttr: string): string | undefined {
  if (!isCsvRow(row) || !isRejectsFile(row.table)) return undefined;
  const { cells, table } = row;
  const cellOf = (column: string): string => cells[table.columnIndex.get(column) ?? -1]?.trim() ?? "";
  const key = cellOf(KEY_COLUMN);
  return key === "" || cellOf(ATTR_COLUMN).split(CELL_SEPARATOR).includes(keyAttr) ? undefined : key;
}

/**
 * Compares keys. Tolerates the changes that a spreadsheet program makes, and the apostrophe that a report writes before
 * possible formulas.
 */
function isSameKey(known: string, key: string): boolean {
  if (canonicalKey(known) === canonicalKey(key)) return true;
  return findKeyCorruption(known, key)?.changed === "known";
}
