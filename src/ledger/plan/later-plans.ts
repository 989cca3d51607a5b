import type { LocalProblem } from "../../model/problem.ts";
import { keyProblem } from "../records/key-place.ts";
import type { PlannedPlace, PlanPolicy } from "../records/planned-item.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { type EachStatement, statement, type Tables, type Work } from "../tables/tables.ts";
import { writeFindings } from "./findings.ts";

/** A record of a re-import, and its item in a later extract. */
export interface LaterPlan extends PlannedPlace {
  readonly runName: string;
  readonly plannedRun: number;
  readonly plannedRecord: number;
}

/**
 * Finds the re-imported records whose content in an extract that was pushed after the export differs from the exported
 * rows. Such a record has the content of the older extract, apart from its corrections. Call this before the plan of
 * the re-import is compared with earlier plans.
 */
export function* laterPlans(tables: Tables, { number }: RunRow, { reimport }: PlanPolicy): Work<readonly LaterPlan[]> {
  if (reimport === undefined) return [];
  return yield* tables.rows(SELECT_LATER, number, reimport.exportedBy, reimport.reimports);
}

/** Adds a warning to each of these records that is left to send. */
export function* warnOfLaterPlans(
  tables: Tables,
  run: RunRow,
  later: readonly LaterPlan[],
  policy: PlanPolicy,
): Work<void> {
  if (later.length === 0) return;
  const toSend = new Set((yield* tables.rows(SELECT_TO_SEND, run.number)).map(({ record }) => record));
  const findings = later.flatMap((row) => {
    if (!toSend.has(row.record)) return [];
    const problem: LocalProblem = {
      ...keyProblem("warning", row, policy),
      code: "changed_since_export",
      run: row.runName,
    };
    return [{ record: row.record, problems: [problem] }];
  });
  yield* writeFindings(tables, run, findings);
}

/**
 * Makes these items the latest items of their records again. The records therefore become `outdated` once the platform
 * has accepted the re-imported content.
 */
export function keepLaterPlans(tables: Tables, run: RunRow, later: readonly LaterPlan[]): Work<void> {
  const rows = later.map(({ record, plannedRun, plannedRecord }) => [record, plannedRun, plannedRecord]);
  return tables.runEach(KEEP, run.number, rows);
}

const SELECT_TO_SEND = statement<{ record: number }>(
  "select record from migrate.items where run = $1 and status in ('valid', 'pending')",
);

const latestOf = (table: "records" | "unsent"): string => `
  select own.record, own.identity, latest.run, latest.record as at, latest.content
  from own inner join migrate.${table} as known on known.identity = own.identity
  inner join migrate.items as latest on latest.run = known.planned_run and latest.record = known.planned_record
  where latest.content is not null`;

/**
 * The latest item of a record can precede the export if the exporting run was itself a re-import, of an extract older
 * than that item. A skipped item whose content differs from the planned content is an older version.
 */
const SELECT_LATER = statement<LaterPlan>(`
  with own as materialized (
    select identity, min(record) as record from migrate.items
    where run = $1 and identity is not null and status in ('valid', 'pending', 'invalid') group by identity
  ), exported as materialized (
    select items.identity, items.content, items.run, runs.dry_run
    from migrate.runs inner join migrate.items on items.run = runs.id
    where runs.name = any($2::text[]) and items.identity in (select identity from own)
  ), latest as materialized (
    ${latestOf("records")} and coalesce(known.planned_content, latest.content) = latest.content
    union all ${latestOf("unsent")}
  )
  select latest.record, items.line, files.name as file, runs.name as "runName", latest.run as "plannedRun",
    latest.at as "plannedRecord"
  from latest inner join migrate.runs on runs.id = latest.run
  inner join migrate.items on items.run = $1 and items.record = latest.record
  inner join migrate.files on files.id = items.file
  where latest.run not in (select id from migrate.runs where name = any($3::text[]))
    and exists (
      select 1 from exported where exported.identity = latest.identity
        and (exported.run < latest.run or exported.run > latest.run and not exported.dry_run))
    and not exists (
      select 1 from exported where exported.identity = latest.identity and exported.content = latest.content)
  order by latest.record`);

const IS_HELD = "case when latest.status in ('invalid', 'excluded') then 1 end";

const KEEP: EachStatement = {
  sqlite: `
    update records set (planned_run, planned_record, planned_content, held) = (
      select latest.run, latest.record, latest.content, ${IS_HELD} from items as latest where run = $3 and record = $4)
    where identity = (
      select identity from items where run = $1 and record = $2 and status in ('pending', 'skipped'))`,
  postgres: `
    update migrate.records set planned_run = latest.run, planned_record = latest.record,
      planned_content = latest.content, held = ${IS_HELD}
    from unnest($2::int[], $3::int[], $4::int[]) as later (own, run, record)
    inner join migrate.items as own on own.run = $1 and own.record = later.own
    inner join migrate.items as latest on latest.run = later.run and latest.record = later.record
    where records.identity = own.identity and own.status in ('pending', 'skipped')`,
};
