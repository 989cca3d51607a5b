import { Failure } from "../../model/failure.ts";
import type { Problem } from "../../model/problem.ts";
import { counted, formatCount } from "../../text/count.ts";
import type { ExcludedRow, PlanPolicy } from "../records/planned-item.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { coverPlan } from "../tables/counts.ts";
import { statement, type Tables, type Work } from "../tables/tables.ts";
import { noteCompared } from "./compared-runs.ts";
import { markDuplicateKeys } from "./duplicate-keys.ts";
import { type PlanFinding, writeFindings } from "./findings.ts";
import { applyKnownRecords } from "./known-records.ts";
import { keepLaterPlans, laterPlans, warnOfLaterPlans } from "./later-plans.ts";
import { refuseNearKnownKeys } from "./near-known-keys.ts";

export function* finishPlan(tables: Tables, run: RunRow, policy: PlanPolicy): Work<void> {
  requirePlanning(run);
  if (policy.records !== undefined) yield* requireRecords(tables, run, policy.records);
  yield* excludeRows(tables, run, policy.excluded ?? []);
  const later = yield* laterPlans(tables, run, policy);
  yield* markDuplicateKeys(tables, run, policy);
  yield* applyKnownRecords(tables, run, policy, "all");
  if (policy.newKeys !== true) yield* refuseNearKnownKeys(tables, run, policy);
  yield* warnOfLaterPlans(tables, run, later, policy);
  if (run.sends) {
    yield* coverPlan(tables, run.number, policy.superseded ?? []);
    yield* keepLaterPlans(tables, run, later);
    yield* noteCompared(tables, run);
  }
  yield* tables.run("update migrate.runs set state = 'sending' where id = $1", run.number);
}

/** A server that fails over to a standby may lose changes that it has confirmed. */
function* requireRecords(tables: Tables, run: RunRow, records: number): Work<void> {
  const { count = 0 } = (yield* tables.row(COUNT_RECORDS, run.number)) ?? {};
  if (count === records) return;
  throw new Failure(
    "storage",
    `the ledger ${tables.name} contains ${formatCount(count)} of the ${counted(records, "planned record")}`,
    {
      hint:
        "nothing was sent. If the database failed over to a standby, it may have lost the last changes. Run the same " +
        "command again, or `migrate resume`: both plan all records again",
    },
  );
}

const COUNT_RECORDS = statement<{ count: number }>(
  "select coalesce(sum(count), 0)::bigint as count from migrate.counts where run = $1 and kind = 'status'",
);

export function* restartPlan(tables: Tables, run: RunRow): Work<void> {
  requirePlanning(run);
  yield* tables.run("delete from migrate.problems where run = $1", run.number);
  yield* tables.run("delete from migrate.positions where run = $1", run.number);
  yield* tables.run("delete from migrate.items where run = $1", run.number);
  // On PostgreSQL, triggers count the deleted items.
  if (tables.dialect === "sqlite") yield* tables.run("delete from counts where run = $1", run.number);
}

export function requirePlanning(run: RunRow): void {
  if (run.state !== "planning") throw new Error("The run's plan is already finished.");
}

/** Marks planned records as `invalid` if their rows begin at these places. Reads the plan once. */
export function* excludeRows(tables: Tables, run: RunRow, excluded: readonly ExcludedRow[]): Work<void> {
  if (excluded.length === 0) return;
  const places = excluded.map(({ file, line, record }) => JSON.stringify([file, line, record ?? null]));
  const byRecord = new Map<number, Problem[]>();
  for (const { record, position } of yield* tables.rows(SELECT_EXCLUDED, run.number, places)) {
    const found = excluded[position]?.problem ?? [];
    byRecord.set(record, (byRecord.get(record) ?? []).concat(found));
  }
  const findings = [...byRecord].map(([record, problems]): PlanFinding => ({ record, status: "invalid", problems }));
  yield* writeFindings(tables, run, findings);
}

const selectExcluded = (excluded: string): string => `
  with excluded as materialized (${excluded})
  select items.record, excluded.position
  from migrate.items
  inner join migrate.files on files.id = items.file
  inner join excluded on excluded.line = items.line and excluded.file = files.name
    and coalesce(excluded.record, items.record) = items.record
  where items.run = $1 and items.status in ('valid', 'pending', 'invalid')
  order by items.record, excluded.position`;

const SELECT_EXCLUDED = statement<{ record: number; position: number }>({
  sqlite: selectExcluded(`
      select key as position, json_extract(value, '$[0]') as file, json_extract(value, '$[1]') as line,
        json_extract(value, '$[2]') as record
      from json_each($2)`),
  postgres: selectExcluded(`
      select (nth - 1)::int as position, each::json ->> 0 as file, (each::json ->> 1)::bigint as line,
        (each::json ->> 2)::bigint as record
      from unnest($2::text[]) with ordinality as places (each, nth)`),
});
