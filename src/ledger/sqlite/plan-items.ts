import type { Status } from "../../model/outcome.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { storedNormalKey } from "../../text/near-key.ts";
import { type PlannedItem, plannedStatus } from "../records/planned-item.ts";
import { requirePlanning } from "../plan/finish-plan.ts";
import { PLAN_ATTEMPT } from "../records/stored-problem.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.ts";
import { addToCounts } from "./tables/count-schema.ts";
import { insertProblems } from "./tables/insert-problems.ts";
import { statement } from "../tables/tables.ts";

const SELECT_FILE = statement<{ id: number }>("select id from files where name = ?");

/** Returns a function that writes the items of plans. The function caches the numbers of files. */
export function createPlanner(database: SqliteDatabase): (run: RunRow, items: readonly PlannedItem[]) => void {
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
    insertItems(database, items, { run, fileNumber });
    addToCounts(database, run.number, "status", countStatuses(items, run));
    insertProblems(database, { run: run.number, attempt: PLAN_ATTEMPT }, items);
  };
}

/** Rows per insert statement. A row in a large insert costs half as much as a row that is inserted alone. */
const ROWS_AT_ONCE = [300, 20, 1] as const;

interface Writing {
  readonly run: RunRow;
  readonly fileNumber: (name: string) => number;
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

/** Parameter 1 is the run of every row. */
function insertSql(rows: number): string {
  const row = "(?1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return `insert into items (run, record, key, near, identity, content, awaits, file, line, row_hash, as_of, status)
    values ${Array.from({ length: rows }, () => row).join(", ")}`;
}

/**
 * Returns a key and its normal form as they are stored. The key is first converted to its canonical form, because
 * keys with the same canonical form have the same identity. The normal form is null if the ledger computes it
 * from the key.
 */
function storedKeys(given: string | undefined): readonly [string | null, string | null] {
  if (given === undefined) return [null, null];
  const key = canonicalKey(given);
  return [key, storedNormalKey(key) ?? null];
}

function addValues(values: SqlValue[], item: PlannedItem, { run, fileNumber }: Writing): void {
  const { identity = null, content = null, awaits = null, rowHash = null } = item;
  const [key, near] = storedKeys(item.key);
  const row = [item.record, key, near, identity, content, awaits, fileNumber(item.file), item.line];
  values.push(...row, rowHash, item.asOf ?? null, plannedStatus(item, run));
}

function countStatuses(items: readonly PlannedItem[], run: RunRow): ReadonlyMap<Status, number> {
  const counts = new Map<Status, number>();
  for (const item of items) {
    const status = plannedStatus(item, run);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}
