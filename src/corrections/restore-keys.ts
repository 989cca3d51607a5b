import path from "node:path";
import { isCsvRow, type Row } from "../model/record.ts";
import type { Fingerprints } from "../report/rejects/fingerprints.ts";
import { isChangeKind } from "./change-kind.ts";
import type { ChangeCounter, ChangedCell } from "./correction-findings.ts";
import { type CorrectionIndex, readOutcomes, type RejectedRow } from "./correction-index.ts";

interface ChangedKey {
  readonly change: ChangedCell;
  readonly exported: RejectedRow;
  /** The fingerprint that the restored value must match. */
  readonly fingerprint: string;
  /** The current 0-based index of the column. */
  readonly position: number;
}

/** Restores the previous values of keys. Uses only values that match the fingerprint of the exported key. */
interface KeyRestorer {
  readonly restore: (key: ChangedKey) => void;
  /** Restores further keys from the outcomes of the report, if no reversed change produced their previous values. */
  readonly finish: (outcomes: string) => Promise<void>;
}

interface KeyCounters {
  /** Keys that could not be restored. */
  readonly keys: ChangeCounter;
  readonly restored: ChangeCounter;
}

export function openKeyRestorer(
  { database, each, rows }: CorrectionIndex,
  fingerprints: Fingerprints,
  { keys, restored }: KeyCounters,
): KeyRestorer {
  const put = database.prepare("insert into restored values (?,?,?,?)");
  const wait = database.prepare("insert into unresolved values (?,?,?,?,?,?,?,?,?,?)");
  const settle = database.prepare("delete from unresolved where rowid = ?");
  return {
    restore: ({ change, exported, fingerprint, position }) => {
      const { place, before, source, column, after } = change;
      if (before === undefined) {
        const { record, number } = exported;
        wait.run(record, source, number, column, fingerprint, place.file, place.line, position, after, change.change);
      } else {
        put.run(place.file, place.line, position, before);
        restored.add(change);
      }
    },
    finish: async (outcomes) => {
      if (rows("select 1 from unresolved limit 1").length === 0) return;
      database.exec("create index unresolved_by_record on unresolved (record)");
      for await (const { record, key } of readOutcomes(outcomes, path.basename(outcomes))) {
        if (typeof record !== "number" || typeof key !== "string") continue;
        for (const found of rows("select rowid as id, * from unresolved where record = ?", record)) {
          const { source, number, column_name: column } = found;
          const place = { source: String(source), row: Number(number), column: String(column) };
          if (fingerprints.cell(place, key) !== found["fingerprint"]) continue;
          put.run(String(found["file"]), Number(found["line"]), Number(found["position"]), key);
          restored.add({ ...changeOf(found), before: key });
          settle.run(Number(found["id"]));
        }
      }
      for (const found of each("select * from unresolved order by rowid")) keys.add(changeOf(found));
    },
  };
}

function changeOf(found: Readonly<Record<string, unknown>>): ChangedCell {
  const { source, column_name: column, file, line, value, kind } = found;
  const place = { file: String(file), line: Number(line) };
  const change = isChangeKind(kind) ? kind : "other";
  return { source: String(source), column: String(column), change, place, before: undefined, after: String(value) };
}

/** Returns a function that restores the keys in a row. */
export function rowRestorer({ rows }: CorrectionIndex): (row: Row) => Row {
  const sql = "select position, value from restored where file = ? and line = ?";
  return (row) => {
    if (!isCsvRow(row)) return row;
    const found = rows(sql, row.table.file, row.line);
    if (found.length === 0) return row;
    const byPosition = new Map(found.map(({ position, value }) => [Number(position), String(value)]));
    return { ...row, cells: row.cells.map((cell, position) => byPosition.get(position) ?? cell) };
  };
}
