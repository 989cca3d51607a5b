import type { Problem } from "../../model/problem.ts";
import type { CorrectionChange } from "../../read/corrections/corrections-file.ts";
import { cellText, type Correction, rowHash, textHash } from "../../read/corrections/correction.ts";
import { rejectRows } from "../../report/rejects/rejected-rows.ts";
import { countRow } from "./build-session.ts";
import { type CheckRecord, type StoredRecord } from "./check-record.ts";
import { correctionsOfKey, storeChanges } from "./correction-log.ts";
import { ALL_CAUSES, type RecordCounts } from "./fix-types.ts";
import type { SessionCauses } from "./session-causes.ts";
import { type SessionRows, type StoredRow, storedRow, storedRows } from "./session-rows.ts";
import type { SessionStore } from "./session-store.ts";

interface ChangeParts {
  readonly store: SessionStore;
  readonly rows: SessionRows;
  readonly causes: SessionCauses;
  readonly check: CheckRecord;
  /** The number of changes before the session. */
  readonly firstSeq: number;
}

/** Keeps the session up to date with the corrections file. */
export interface SessionChanges {
  /** The number of the last change. */
  readonly seq: () => number;
  /**
   * Applies lines of the file, and checks the records that they change.
   * @param tab who made the changes; empty for another program
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
          const { column, by, at } = correction;
          for (const row of rowsOfCell(correction, store, rows)) {
            store.run("insert or replace into touched values (?,?,?,?,?,?)", row.id, column, seq, tab, by, at);
            affected.add(row.record);
          }
        }
      });
      for (const [index, record] of [...affected].entries()) {
        // A change of many cells must not block other requests.
        if (index % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
        const { before, after } = await checkAgain(record, parts);
        if (before === "open") counts.open -= 1;
        if (before === "recheck") counts.recheck -= 1;
        if (after === "open") counts.open += 1;
        if (after === "recheck") counts.recheck += 1;
      }
    },
  };
}

const RECORDS_PER_TURN = 50;

/** The stored rows with the cell that a correction changes. Several records may share a row. */
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
      if (text === undefined || textHash(text) !== oldSha256) return false;
      return rowSha256 === undefined || rowHash(original) === rowSha256;
    });
}

type RecordState = "open" | "fixed" | "recheck";

/** Checks a record with the corrections in force, and stores its problems. */
async function checkAgain(
  id: number,
  parts: ChangeParts,
): Promise<{ readonly before: RecordState; readonly after: RecordState }> {
  const { store, rows, check } = parts;
  const record = storedRecord(id, store, rows);
  const { problems, needsRecheck, record: checked } = await check(record);
  const entries = rejectRows(checked, { problems });
  const hasErrors = problems.some(({ severity }) => severity === "error");
  const after = hasErrors ? "open" : needsRecheck ? "recheck" : "fixed";
  store.transaction(() => {
    for (const [index, row] of record.rows.entries()) saveProblems(row, entries[index]?.problems ?? [], parts);
    store.run("update record set state = ? where id = ?", after, id);
  });
  return { before: record.state, after };
}

function storedRecord(
  id: number,
  store: SessionStore,
  rows: SessionRows,
): StoredRecord & { readonly state: RecordState } {
  const found = store.one("select * from record where id = ?", id) ?? {};
  const problems: readonly Problem[] = JSON.parse(String(found["problems"]));
  const { state } = found;
  return {
    number: Number(found["number"]),
    orphan: found["orphan"] === 1,
    source: rows.sources[Number(found["source"])]?.spec.name ?? "",
    rows: storedRows(store, rows, id),
    problems,
    state: state === "fixed" || state === "recheck" ? state : "open",
  };
}

/** Stores the problems of a row, and updates the causes that it has now. */
function saveProblems(row: StoredRow, problems: readonly Problem[], { store, rows, causes }: ChangeParts): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  store.run("update row set found = ? where id = ?", problems.length === 0 ? null : JSON.stringify(problems), row.id);
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
  const home = { id: row.id, source: row.source, isListed: before.size > 0 };
  countRow({ store, rows, causes }, home, { row: row.original, errors: errors.filter(isNew) });
  for (const cause of added) {
    const { count } =
      store.one("select count(*) as count from listed where source = ? and cause = ?", row.source, cause) ?? {};
    store.run("insert into listed values (?,?,?,?)", row.source, cause, Number(count), row.id);
  }
}

/** The corrections that apply to a cell of a row: those of its key with its old value. */
export function correctionsOfCell(
  { original, key, source }: StoredRow,
  column: string,
  { store, rows }: { readonly store: SessionStore; readonly rows: SessionRows },
): readonly Correction[] {
  const old = cellText(original, column);
  if (key === undefined || old === undefined) return [];
  const oldHash = textHash(old);
  return correctionsOfKey(store, rows.sources[source]?.spec.name ?? "", key).filter(
    (correction) =>
      correction.column === column &&
      correction.oldSha256 === oldHash &&
      (correction.rowSha256 === undefined || correction.rowSha256 === rowHash(original)),
  );
}
