import type { Status } from "../../model/outcome.ts";
import type { RecordProblems } from "../records/stored-problem.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { appendPlanProblems } from "../tables/problems.ts";
import type { EachStatement, Statement, Tables, Work } from "../tables/tables.ts";

export interface PlanFinding extends RecordProblems {
  /** The new status of the record. Absent for a warning. */
  readonly status?: Status | undefined;
}

export function* writeFindings(tables: Tables, run: RunRow, findings: readonly PlanFinding[]): Work<void> {
  const changed = findings.flatMap(({ record, status }) => (status === undefined ? [] : [[record, status]]));
  yield* tables.runEach(UPDATE_STATUS, run.number, changed);
  yield* appendPlanProblems(tables, run.number, findings);
}

/** Writes a finding about each row of a query. */
export function writeEach<Row>(
  tables: Tables,
  run: RunRow,
  select: Statement<Row>,
  findingOf: (row: Row) => PlanFinding,
): Work<void> {
  return tables.eachBatch(select, [run.number], (rows) => writeFindings(tables, run, rows.map(findingOf)));
}

const UPDATE_STATUS: EachStatement = {
  sqlite: "update items set status = $3 where run = $1 and record = $2",
  postgres: `update migrate.items set status = found.status from unnest($2::int[], $3::text[]) as found (record, status)
    where items.run = $1 and items.record = found.record`,
};
