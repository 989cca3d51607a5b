import type { Problem } from "../../../model/problem.ts";
import type { Status } from "../../../model/outcome.ts";
import { appendPlanProblems } from "../tables/problem-rows.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Queries, Statement, Transaction } from "../queries.ts";

/** A finding about one record of the plan. */
interface PlanFinding {
  readonly record: number;
  /** Absent for a warning. */
  readonly status?: Status | undefined;
  readonly problems: readonly Problem[];
}

const BATCH = 1000;

/** Saves the findings about the rows of a query, batch by batch. */
export async function applyFindings<Row>(
  transaction: Transaction,
  run: RunRow,
  { statement, found }: { readonly statement: Statement<Row>; readonly found: (row: Row) => PlanFinding },
): Promise<void> {
  for await (const rows of transaction.batches(statement, BATCH))
    await writeFindings(transaction, run, rows.map(found));
}

export async function writeFindings(
  transaction: Queries,
  run: RunRow,
  findings: readonly PlanFinding[],
): Promise<void> {
  const changed = findings.flatMap(({ record, status }) => (status === undefined ? [] : [{ record, status }]));
  if (changed.length > 0) {
    await transaction.run(
      UPDATE_STATUSES,
      run.number,
      changed.map(({ record }) => record),
      changed.map(({ status }) => status),
    );
  }
  await appendPlanProblems(transaction, run.number, findings);
}

const UPDATE_STATUSES = `
  update migrate.items set status = found.status from unnest($2::int[], $3::text[]) as found (record, status)
  where items.run = $1 and items.record = found.record`;
