import type { RecordProblems } from "../../records/stored-problem.ts";
import { problemRows } from "../../tables/problems.ts";
import type { SqliteDatabase } from "../sqlite-database.ts";

/** Inserts problems of the plan or of an attempt, for records that have no such problems yet. */
export function insertProblems(
  database: SqliteDatabase,
  { run, attempt }: { readonly run: number; readonly attempt: number },
  records: readonly RecordProblems[],
): void {
  for (const row of problemRows(records)) database.run(INSERT_PROBLEM, run, attempt, ...row);
}

const INSERT_PROBLEM = `
  insert into problems (run, attempt, record, position, severity, code, problem) values (?, ?, ?, ?, ?, ?, ?)`;
