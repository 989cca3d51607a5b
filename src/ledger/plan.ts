import { settleDuplicateKeys } from "./duplicate-keys.ts";
import { applyKnownRecords } from "./known-records.ts";
import type { PlannedItem, PlanPolicy } from "./ledger.ts";
import { nearKey } from "./near-key.ts";
import { insertProblems, PLAN_ATTEMPT } from "./problem-table.ts";
import type { RunRow } from "./run-row.ts";
import type { Query, SqliteDatabase, SqlValue } from "./sqlite-database.ts";

const SELECT_FILE: Query<{ id: number }> = { sql: "select id from files where name = ?" };

/** Writes down batches of items. Remembers the files it has met. */
export function planWriter(database: SqliteDatabase): (run: RunRow, items: readonly PlannedItem[]) => void {
  const files = new Map<string, number>();

  function fileNumber(name: string): number {
    const known = files.get(name);
    if (known !== undefined) return known;
    database.run("insert or ignore into files (name) values (?)", name);
    const number = database.row(SELECT_FILE, name)?.id ?? 0;
    files.set(name, number);
    return number;
  }

  return (run, items) => {
    requirePlanning(run);
    database.transaction(() => {
      insertItems(database, run, items, fileNumber);
      for (const { record, problems } of items) {
        if (problems.length > 0) insertProblems(database, { run: run.number, record, attempt: PLAN_ATTEMPT }, problems);
      }
    });
  };
}

export function restartPlan(database: SqliteDatabase, run: RunRow): void {
  requirePlanning(run);
  database.transaction(() => {
    database.run("delete from problems where run = ?", run.number);
    database.run("delete from items where run = ?", run.number);
  });
}

export function settlePlan(database: SqliteDatabase, run: RunRow, policy: PlanPolicy): void {
  requirePlanning(run);
  database.transaction(() => {
    settleDuplicateKeys(database, run, policy);
    applyKnownRecords(database, run, policy);
    database.run(INSERT_RECORDS, run.number);
    database.run("update runs set state = 'sending' where id = ?", run.number);
  });
}

/**
 * The records to be sent get their rows now, in one go and in input order: finding a place in the index of identities
 * costs more than all else that is written for a record, and it would be paid between intent and request.
 */
const INSERT_RECORDS = `
  insert or ignore into records (identity, content, state, attempts)
  select identity, content, 'pending', 0 from items
  where run = ? and status = 'pending' and identity is not null and content is not null order by record`;

/** Rows an insert carries: many at once cost half as much each as one at a time. */
const ROWS_AT_ONCE = [300, 20, 1] as const;

function insertItems(
  database: SqliteDatabase,
  run: RunRow,
  items: readonly PlannedItem[],
  fileNumber: (name: string) => number,
): void {
  let done = 0;
  for (const size of ROWS_AT_ONCE) {
    for (; items.length - done >= size; done += size) {
      const values: SqlValue[] = [run.number];
      for (const item of items.slice(done, done + size)) addValues(values, run, item, fileNumber(item.file));
      database.run(INSERT_ITEMS[size], ...values);
    }
  }
}

const INSERT_ITEMS = { 300: insertSql(300), 20: insertSql(20), 1: insertSql(1) } as const;

/** The run is parameter 1 of every row. */
function insertSql(rows: number): string {
  const row = "(?1, ?, ?, ?, ?, ?, ?, ?, ?)";
  return `insert into items (run, record, key, near, identity, content, file, line, status)
    values ${Array.from({ length: rows }, () => row).join(", ")}`;
}

/** Keys are kept in NFC: two that differ only in Unicode form are one key, as they are one identity. */
function addValues(values: SqlValue[], run: RunRow, item: PlannedItem, file: number): void {
  const key = item.key?.normalize("NFC");
  values.push(
    item.record,
    key ?? null,
    (key === undefined ? undefined : nearKey(key)) ?? null,
    item.identity ?? null,
    item.content ?? null,
    file,
    item.line,
    item.status === "valid" && run.sends ? "pending" : item.status,
  );
}

function requirePlanning(run: RunRow): void {
  if (run.state !== "planning") throw new Error("The run's plan is settled already.");
}
