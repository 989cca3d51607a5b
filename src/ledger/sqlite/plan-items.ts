import type { Status } from "../../model/outcome.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { storedNormalKey } from "../../text/near-key.ts";
import { type PlannedItem, plannedStatus } from "../records/planned-item.ts";
import { requirePlanning } from "../plan/finish-plan.ts";
import { PLAN_ATTEMPT } from "../records/stored-problem.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
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
    const counts = new Map<Status, number>();
    for (const item of items) {
      const { record, identity = null, content = null, awaits = null, line, rowHash = null, asOf = null } = item;
      // Keys with the same canonical form have the same identity.
      const key = item.key === undefined ? null : canonicalKey(item.key);
      // Null if the ledger computes the normal form from the key.
      const near = key === null ? null : (storedNormalKey(key) ?? null);
      const status = plannedStatus(item, run);
      const planned = [record, key, near, identity, content, awaits, fileNumber(item.file), line, rowHash, asOf];
      database.run(INSERT_ITEM, run.number, ...planned, status);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    addToCounts(database, run.number, "status", counts);
    insertProblems(database, { run: run.number, attempt: PLAN_ATTEMPT }, items);
  };
}

const INSERT_ITEM = `
  insert into items (run, record, key, near, identity, content, awaits, file, line, row_hash, as_of, status)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
