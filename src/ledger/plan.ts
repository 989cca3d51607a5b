import type { Status } from "../model/outcome.ts";
import { settleDuplicateKeys } from "./duplicate-keys.ts";
import { applyKnownRecords } from "./known-records.ts";
import { holdBack } from "./held-back.ts";
import type { KeyMarks } from "./key-marks.ts";
import { createKeyMarks } from "./key-marks.ts";
import type { HeldBack, PlannedItem, PlanPolicy } from "./ledger.ts";
import { nearKey } from "./near-key.ts";
import { insertProblems, PLAN_ATTEMPT } from "./problem-table.ts";
import type { RunRow } from "./run-row.ts";
import type { Query, SqliteDatabase, SqlValue } from "./sqlite-database.ts";

const SELECT_FILE: Query<{ id: number }> = { sql: "select id from files where name = ?" };

/** Writes the plans of runs; each call is one transaction. */
export interface Planner {
  readonly restartPlan: (run: RunRow) => void;
  readonly plan: (run: RunRow, items: readonly PlannedItem[]) => void;
  readonly holdBack: (run: RunRow, held: readonly HeldBack[]) => void;
  readonly settlePlan: (run: RunRow, policy: PlanPolicy) => void;
}

/** Remembers the files it has met, and the keys of the run that it plans. */
export function createPlanner(database: SqliteDatabase): Planner {
  const files = new Map<string, number>();
  let keys: { readonly run: number; readonly marks: KeyMarks } | undefined;

  function fileNumber(name: string): number {
    const known = files.get(name);
    if (known !== undefined) return known;
    database.run("insert or ignore into files (name) values (?)", name);
    const number = database.row(SELECT_FILE, name)?.id ?? 0;
    files.set(name, number);
    return number;
  }

  /** Of a plan that somebody else has begun not all keys are known. */
  function marksOf({ number }: RunRow): KeyMarks | undefined {
    if (keys?.run === number) return keys.marks;
    if (database.row(ANY_ITEM, number) !== undefined) return undefined;
    keys = { run: number, marks: createKeyMarks() };
    return keys.marks;
  }

  return {
    restartPlan(run) {
      requirePlanning(run);
      keys = undefined;
      database.transaction(() => {
        database.run("delete from problems where run = ?", run.number);
        database.run("delete from items where run = ?", run.number);
      });
    },
    plan(run, items) {
      requirePlanning(run);
      const writing: Writing = { run, fileNumber, marks: marksOf(run) };
      database.transaction(() => {
        insertItems(database, items, writing);
        for (const { record, problems } of items) {
          if (problems.length > 0)
            insertProblems(database, { run: run.number, record, attempt: PLAN_ATTEMPT }, problems);
        }
      });
    },
    holdBack: (run, held) => holdBack(database, run, held),
    settlePlan(run, policy) {
      requirePlanning(run);
      const mayRepeat = marksOf(run)?.mayRepeat() ?? true;
      keys = undefined;
      database.transaction(() => {
        if (mayRepeat) settleDuplicateKeys(database, run, policy);
        applyKnownRecords(database, run, policy);
        database.run(INSERT_RECORDS, run.number);
        database.run("update runs set state = 'sending' where id = ?", run.number);
      });
    },
  };
}

const ANY_ITEM: Query<{ record: number }> = { sql: "select record from items where run = ? limit 1" };

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

interface Writing {
  readonly run: RunRow;
  readonly fileNumber: (name: string) => number;
  readonly marks: KeyMarks | undefined;
}

function insertItems(database: SqliteDatabase, items: readonly PlannedItem[], writing: Writing): void {
  let done = 0;
  for (const size of ROWS_AT_ONCE) {
    for (; items.length - done >= size; done += size) {
      const values: SqlValue[] = [writing.run.number];
      for (const item of items.slice(done, done + size)) addValues(values, item, writing);
      database.run(INSERT_ITEMS[size], ...values);
    }
  }
}

const INSERT_ITEMS = { 300: insertSql(300), 20: insertSql(20), 1: insertSql(1) } as const;

/** The run is parameter 1 of every row. */
function insertSql(rows: number): string {
  const row = "(?1, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return `insert into items (run, record, key, near, identity, content, awaits, file, line, status)
    values ${Array.from({ length: rows }, () => row).join(", ")}`;
}

/** Keys are kept in NFC: two that differ only in Unicode form are one key, as they are one identity. */
function addValues(values: SqlValue[], item: PlannedItem, { run, fileNumber, marks }: Writing): void {
  const { identity = null, content = null, awaits = null } = item;
  const key = item.key?.normalize("NFC");
  const near = key === undefined ? undefined : nearKey(key);
  if (key !== undefined) marks?.add(near ?? key);
  const status = run.sends ? sentStatus(item) : item.status;
  const row = [item.record, key ?? null, near ?? null, identity, content, awaits, fileNumber(item.file), item.line];
  values.push(...row, status);
}

function sentStatus({ status }: PlannedItem): Status {
  return status === "valid" ? "pending" : status;
}

function requirePlanning(run: RunRow): void {
  if (run.state !== "planning") throw new Error("The run's plan is settled already.");
}
