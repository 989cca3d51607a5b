import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Problem } from "../../../model/problem.ts";
import type { CorrectionChange } from "../../../read/corrections/corrections-file.ts";
import { cellText, type Correction, rowSha256Of, sha256Of } from "../../../read/corrections/correction.ts";
import { rejectRows } from "../../../report/rejects/rejected-rows.ts";
import { countRow } from "./build-session.ts";
import { type CheckRecords, type StoredRecord } from "./check-record.ts";
import { correctionsOfKey, storeChanges } from "../edits/correction-log.ts";
import { ALL_CAUSES, type RecordCounts } from "../fix-types.ts";
import type { SessionParts } from "./session-causes.ts";
import { type SessionRows, type StoredRow, storedRow } from "./session-rows.ts";
import type { SessionStore } from "./session-store.ts";

interface ChangeParts extends SessionParts {
  readonly check: CheckRecords;
  /** The number of the last change before the session. */
  readonly firstSeq: number;
}

/** Keeps the session consistent with the corrections file. */
export interface SessionChanges {
  /** The number of the last change. */
  readonly seq: () => number;
  /**
   * Applies lines of the corrections file and checks the records that the lines change.
   * @param tab the tab that made the changes; empty for another program
   */
  readonly apply: (changes: readonly CorrectionChange[], tab: string) => Promise<void>;
  readonly counts: () => RecordCounts;
}

export function createSessionChanges(parts: ChangeParts): SessionChanges {
  const { store, rows } = parts;
  let seq = parts.firstSeq;
  const count = (state: string): number =>
    Number(store.one("select count(*) as count from record where state = ?", state)?.["count"] ?? 0);
  const counts = { total: count("open"), open: count("open"), recheck: 0 };
  return {
    seq: () => seq,
    counts: () => ({ ...counts }),
    apply: async (changes, tab) => {
      if (changes.length === 0) return;
      const affected = new Set<number>();
      store.transaction(() => {
        storeChanges(store, changes, () => (seq += 1));
        seq += 1;
        for (const { correction } of changes) {
          for (const row of rowsOfCell(correction, store, rows)) {
            store.run("insert or replace into touched values (?,?,?,?)", row.id, correction.column, seq, tab);
            affected.add(row.record);
          }
        }
      });
      const records = [...affected];
      for (let from = 0; from < records.length; from += RECORDS_PER_TURN) {
        // A change of many cells must not block other requests.
        if (from > 0) await yieldToEventLoop();
        for (const { before, after } of await checkAgain(records.slice(from, from + RECORDS_PER_TURN), parts)) {
          if (before !== "fixed") counts[before] -= 1;
          if (after !== "fixed") counts[after] += 1;
        }
      }
    },
  };
}

const RECORDS_PER_TURN = 100;

/** Returns the stored rows with the cell that a correction changes. Several records may share a row. */
function rowsOfCell(
  { source, key, column, oldSha256, rowSha256 }: Correction,
  store: SessionStore,
  rows: SessionRows,
): readonly (StoredRow & { readonly record: number })[] {
  return store
    .all("select * from row where source = ? and key = ?", rows.sourceIndex(source), key)
    .map((found) => ({ ...storedRow(found, rows), record: Number(found["record"]) }))
    .filter(({ original }) => {
      const text = cellText(original, column);
      if (text === undefined || sha256Of(text) !== oldSha256) return false;
      return rowSha256 === undefined || rowSha256Of(original) === rowSha256;
    });
}

type RecordState = "open" | "fixed" | "recheck";

interface StateChange {
  readonly before: RecordState;
  readonly after: RecordState;
}

/** Checks records with the corrections in force and stores their problems. */
async function checkAgain(ids: readonly number[], parts: ChangeParts): Promise<readonly StateChange[]> {
  const { store, rows, check } = parts;
  const records = storedRecords(ids, store, rows);
  const checked = await check(records);
  return store.transaction(() =>
    records.map((record, at): StateChange => {
      const { problems = [], needsRecheck = false, record: now } = checked[at] ?? {};
      const entries = now === undefined ? [] : rejectRows(now, { problems });
      const hasErrors = problems.some(({ severity }) => severity === "error");
      const after = hasErrors ? "open" : needsRecheck ? "recheck" : "fixed";
      for (const [index, row] of record.rows.entries()) saveProblems(row, entries[index]?.problems ?? [], parts);
      store.run("update record set state = ? where id = ?", after, record.id);
      return { before: record.state, after };
    }),
  );
}

type RecordToCheck = StoredRecord & { readonly id: number; readonly state: RecordState };

function storedRecords(ids: readonly number[], store: SessionStore, rows: SessionRows): readonly RecordToCheck[] {
  const wanted = JSON.stringify(ids);
  const byRecord = new Map(ids.map((id) => [id, new Array<StoredRow>()]));
  const sql = "select * from row where record in (select value from json_each(?)) order by id";
  for (const found of store.all(sql, wanted)) byRecord.get(Number(found["record"]))?.push(storedRow(found, rows));
  return store
    .all("select * from record where id in (select value from json_each(?)) order by id", wanted)
    .map((found): RecordToCheck => {
      const id = Number(found["id"]);
      const problems: readonly Problem[] = JSON.parse(String(found["problems"]));
      const { state } = found;
      return {
        id,
        number: Number(found["number"]),
        orphan: found["orphan"] === 1,
        source: rows.sourceName(Number(found["source"])),
        rows: byRecord.get(id) ?? [],
        problems,
        state: state === "fixed" || state === "recheck" ? state : "open",
      };
    });
}

/** Stores the problems of a row, and updates the row counts of its causes. */
function saveProblems(row: StoredRow, problems: readonly Problem[], parts: SessionParts): void {
  const { store, causes } = parts;
  const found = problems.length === 0 ? null : JSON.stringify(problems);
  if (found === row.found) return;
  const errors = problems.filter(({ severity }) => severity === "error");
  store.run("update row set found = ? where id = ?", found, row.id);
  const now = new Set(errors.map(causes.idOf));
  if (errors.length > 0) now.add(ALL_CAUSES);
  const before = new Map(
    store
      .all("select cause, open from cause_row where row = ?", row.id)
      .map(({ cause, open }) => [Number(cause), open === 1] as const),
  );
  for (const [cause, isOpen] of before) {
    if (isOpen === now.has(cause)) continue;
    store.run("update cause_row set open = ? where row = ? and cause = ?", Number(!isOpen), row.id, cause);
    causes.open(cause, row.source, isOpen ? -1 : 1);
  }
  const added = [...now].filter((cause) => !before.has(cause));
  if (added.length === 0) return;
  const isNew = (problem: Problem): boolean => added.includes(causes.idOf(problem));
  const shown = { id: row.id, source: row.source, isListed: before.size > 0 };
  countRow(parts, shown, { row: row.original, errors: errors.filter(isNew) });
  for (const cause of added) {
    const { count } =
      store.one("select count(*) as count from listed where source = ? and cause = ?", row.source, cause) ?? {};
    store.run("insert into listed values (?,?,?,?)", row.source, cause, Number(count), row.id);
  }
}

/**
 * Returns the corrections that apply to a cell of a row. A correction contains the key of the row and a hash of the old
 * value. If several rows have the key, it also contains a hash of the row.
 */
export function correctionsOfCell(
  { original, key, source }: StoredRow,
  column: string,
  { store, rows }: SessionParts,
): readonly Correction[] {
  const old = cellText(original, column);
  if (key === undefined || old === undefined) return [];
  const oldHash = sha256Of(old);
  return correctionsOfKey(store, rows.sourceName(source), key).filter(
    (correction) =>
      correction.column === column &&
      correction.oldSha256 === oldHash &&
      (correction.rowSha256 === undefined || correction.rowSha256 === rowSha256Of(original)),
  );
}
