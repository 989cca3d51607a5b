import type { CompiledJob } from "../../job/job.ts";
import { formatAttr } from "../../json/attr.ts";
import { type CsvTable, isCsvRow, type MappedRecord } from "../../model/record.ts";
import { CELL_SEPARATOR, PROBLEM_COLUMNS } from "../../report/rejects/reject-file.ts";
import { findKeyDamage } from "../../text/key-damage.ts";

const [KEY_COLUMN, ATTR_COLUMN] = PROBLEM_COLUMNS;

/** Whether a file is a rejects file, whatever it is called: it has the columns that a report adds. */
function isRejectsFile({ columnIndex }: CsvTable): boolean {
  return PROBLEM_COLUMNS.every((column) => columnIndex.has(column));
}

/**
 * Refuses the records of a rejects file whose key is not the one in the column `migrate_key`, unless the key itself was
 * reported (`migrate_attr`) and has been corrected. Only for a rejects file that is an ordinary source: `--rejects`
 * compares every cell with what was exported.
 */
export function compareWithRejects(
  batch: readonly MappedRecord[],
  { mapping, settings }: Pick<CompiledJob, "mapping" | "settings">,
): readonly MappedRecord[] {
  const { keyAttr } = mapping;
  if (settings.rejects !== undefined || keyAttr === undefined) return batch;
  return batch.map((record) => {
    const known = record.orphan ? undefined : rejectedKey(record, formatAttr(keyAttr));
    const { key } = record;
    if (known === undefined || key === undefined || isSameKey(known, key)) return record;
    const place = mapping.locate(record.row, keyAttr);
    const problem = { code: "key_differs_from_reject", severity: "error", by: "local", key, known } as const;
    const located = { attr: formatAttr(keyAttr), ...problem, ...(place !== undefined && { place }) };
    return { ...record, problems: [...record.problems, located] };
  });
}

/** The key that the record was rejected with; undefined for a row that was added, and for a key that was reported. */
function rejectedKey({ row }: MappedRecord, keyAttr: string): string | undefined {
  if (!isCsvRow(row) || !isRejectsFile(row.table)) return undefined;
  const { cells, table } = row;
  const cellOf = (column: string): string => cells[table.columnIndex.get(column) ?? -1]?.trim() ?? "";
  const key = cellOf(KEY_COLUMN);
  return key === "" || cellOf(ATTR_COLUMN).split(CELL_SEPARATOR).includes(keyAttr) ? undefined : key;
}

/** The column is written with an apostrophe in front of what could be a formula, and a spreadsheet may have changed it, too. */
function isSameKey(known: string, key: string): boolean {
  if (known.normalize("NFC") === key.normalize("NFC")) return true;
  return findKeyDamage(known, key)?.changed === "known";
}
