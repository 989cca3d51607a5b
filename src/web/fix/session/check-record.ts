import type { Job } from "../../../job/job.ts";
import { keyColumnIn } from "../../../job/correct-input.ts";
import { cellsOf } from "../../../model/place.ts";
import type { Problem } from "../../../model/problem.ts";
import type { InputRecord, Row } from "../../../model/record.ts";
import { compileChecks, mapRecord, prepareRecords } from "../../../pipeline/plan/check-records.ts";
import { createCorrector } from "../../../read/corrections/apply-corrections.ts";
import type { ListedCorrection } from "../../../read/corrections/corrections-file.ts";
import { cellText } from "../../../read/corrections/correction.ts";
import { columnIn, joinRows, type SessionRows, type StoredRow } from "./session-rows.ts";

/** A record of the session, as the check of the project found it. */
export interface StoredRecord extends Pick<InputRecord, "number" | "orphan"> {
  readonly source: string;
  readonly rows: readonly StoredRow[];
  readonly problems: readonly Problem[];
}

interface CheckedRecord {
  readonly problems: readonly Problem[];
  /**
   * Whether a cell that joins, orders or identifies rows has changed. The effect of this change is known only after a
   * check of all records.
   */
  readonly needsRecheck: boolean;
  readonly record: InputRecord;
}

/**
 * Checks records with their corrections, with the same mapping, contract and rules as `validate`. Returns the results
 * in the order of the records.
 */
export type CheckRecords = (records: readonly StoredRecord[]) => Promise<readonly CheckedRecord[]>;

/**
 * Problems that depend on other records. Checking one record does not find them again, so they remain until their cell
 * changes.
 */
const ACROSS_RECORDS: ReadonlySet<string> = new Set(["duplicate_key", "near_duplicate_key"]);

/** Returns a row with the corrections in force. */
export type Amend = (row: StoredRow) => Row;

export function createRecordCheck(job: Job, rows: SessionRows, amend: Amend): CheckRecords {
  const check = compileChecks(job, undefined);
  return async (stored) => {
    const joined = stored.map((record) => joinAgain(record, rows, amend));
    const records = joined.map(({ record }) => record);
    await prepareRecords(records, job);
    const checked = check(records.map((record) => mapRecord(record, job)));
    return joined.map((each, at) => ({ ...each, problems: [...(checked[at]?.problems ?? []), ...each.problems] }));
  };
}

/** Joins the current rows of a record. Returns only the problems that a check of the record does not find again. */
function joinAgain({ rows: stored, problems, ...about }: StoredRecord, rows: SessionRows, amend: Amend): CheckedRecord {
  const current = new Map(stored.map((row) => [row.id, amend(row)]));
  const changed = changedCells(stored, current, rows);
  const kept = problems.filter((problem) => keepsUnlessChanged(problem) && !isChanged(problem, stored, changed));
  const row = joinRows(rows.sources, stored, current);
  const source = kept.filter(({ code, by }) => by === "local" && code.startsWith("source_"));
  const needsRecheck = [...changed].some(([id, columns]) => {
    const definition = rows.sources[stored.find((each) => each.id === id)?.source ?? -1];
    const own = current.get(id);
    const key = own && definition?.keyName(own);
    return columns.some((column) => column === key || definition?.structural.has(column) === true);
  });
  return {
    record: { ...about, row, problems: source },
    problems: kept.filter((problem) => !source.includes(problem)),
    needsRecheck,
  };
}

/**
 * Returns a function that corrects a row by the same rules as the input reader.
 * @param correctionsOf returns the corrections in force for the rows of a source with this key, in file order
 */
export function createAmend(
  { plan, mapping, settings }: Job,
  correctionsOf: (source: string, key: string) => readonly ListedCorrection[],
  { sourceName }: SessionRows,
): Amend {
  const options = { file: settings.corrections ?? "", plan, keyColumn: keyColumnIn(mapping) };
  return (stored) => {
    const name = sourceName(stored.source);
    const corrections = stored.key === undefined ? [] : correctionsOf(name, stored.key);
    if (corrections.length === 0) return stored.original;
    return createCorrector(corrections, options).amend(stored.original, name);
  };
}

function keepsUnlessChanged({ code, by }: Problem): boolean {
  return by === "platform" || code.startsWith("source_") || ACROSS_RECORDS.has(code);
}

/** The columns whose cells have changed since the check of the project, by the id of the row. */
type ChangedCells = ReadonlyMap<number, readonly string[]>;

function changedCells(
  stored: readonly StoredRow[],
  current: ReadonlyMap<number, Row>,
  { sources }: SessionRows,
): ChangedCells {
  const changed = new Map<number, readonly string[]>();
  for (const { id, source, built } of stored) {
    const now = current.get(id) ?? built;
    if (now === built) continue;
    const columns = (sources[source]?.columns ?? []).filter((name) => cellText(now, name) !== cellText(built, name));
    if (columns.length > 0) changed.set(id, columns);
  }
  return changed;
}

/** Whether a cell of a problem has changed. A platform refusal without a cell depends on all cells. */
function isChanged({ place, by }: Problem, stored: readonly StoredRow[], changed: ChangedCells): boolean {
  if (changed.size === 0) return false;
  const cells = stored.flatMap(({ id, built }) =>
    (place === undefined ? [] : cellsOf(place)).flatMap((cell) => {
      const column = columnIn(built, cell);
      return column === undefined ? [] : [changed.get(id)?.includes(column) === true];
    }),
  );
  return cells.length === 0 ? by === "platform" : cells.includes(true);
}
