import type { Coverage } from "../records/run.ts";
import type { RowName } from "../records/planned-item.ts";
import { NEW_OTHER_CONTENT } from "../records/prior-content.ts";
import { forgetCorrected, notePlanned, PLANNED_PUSHES, sinceRun } from "./planned-records.ts";
import { adoptUnsent, coverRecovered } from "./recoveries.ts";
import { type Sql, statement, type Tables, type Work } from "./tables.ts";

/** PostgreSQL: the kind of the count of records that a plan made ambiguous (`noteScheduled`). */
export const NOTED_SCHEDULED = "scheduled";

/** Returns the counts of one kind, largest first. */
export function* countsOf(
  tables: Tables,
  run: number,
  kind: "status" | "error" | "warning",
): Work<Readonly<Record<string, number>>> {
  const rows = yield* tables.rows(SELECT_COUNTS, run, kind);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

const SELECT_COUNTS = statement<{ name: string; count: number }>(`
  select name, sum(count)::bigint as count from migrate.counts where run = $1 and kind = $2
  group by name having sum(count) <> 0 order by 2 desc, name`);

/** Returns the latest destination first. */
export function* coverage(tables: Tables): Work<readonly Coverage[]> {
  const found = yield* coverageOfEndpoints(tables);
  return found.map(({ target, supplier, operation, records, accepted }) => ({
    target,
    supplier,
    operation,
    records,
    accepted,
  }));
}

export interface EndpointCoverage extends Coverage {
  readonly endpoint: string;
}

export function* coverageOfEndpoints(tables: Tables): Work<readonly EndpointCoverage[]> {
  return yield* tables.rows(SELECT_COVERAGE);
}

const SELECT_COVERAGE = statement<EndpointCoverage>({
  sqlite: `
    select max(runs.id) as latest, runs.target, runs.supplier, runs.operation, runs.endpoint, coverage.records,
      coverage.accepted
    from coverage
    cross join runs on runs.target = coverage.target and runs.supplier = coverage.supplier
      and runs.endpoint = coverage.endpoint
    where ${PLANNED_PUSHES}
    group by coverage.target, coverage.supplier, coverage.endpoint order by 1 desc`,
  postgres: `
    select runs.target, runs.supplier, runs.operation, runs.endpoint, each.records, each.accepted
    from (
      select max(runs.id) as latest, sum(counted.records)::bigint as records, sum(counted.accepted)::bigint as accepted
      from migrate.runs cross join lateral (
        select coalesce(sum(count) filter (where kind = 'covered'), 0) as records,
          coalesce(sum(count) filter (where kind = 'accepted'), 0) as accepted
        from migrate.counts where counts.run = runs.id
      ) as counted
      where ${PLANNED_PUSHES} group by runs.target, runs.supplier, runs.endpoint
    ) as each join migrate.runs on runs.id = each.latest
    where each.records > 0 order by each.latest desc`,
});

/**
 * Creates or updates the row in `records` of each record that a new plan sends. Records that have no row there and are
 * not sent are stored in `unsent`. Counts the records that no earlier plan contains, minus the earlier records that
 * this plan contains with corrected keys.
 */
export function* coverPlan(tables: Tables, run: number, superseded: readonly RowName[]): Work<void> {
  yield* adoptUnsent(tables);
  const { id: latest = 0 } = (yield* tables.row(LATEST_RECORD)) ?? {};
  yield* tables.run(INSERT_RECORDS, run);
  const { count: inserted = 0 } = (yield* tables.row(COUNT_INSERTED, latest)) ?? {};
  yield* tables.run(KEEP_SINCE, latest);
  const known = yield* tables.run(FORGET_UNSENT, latest);
  const unsent = yield* tables.run(INSERT_UNSENT, run);
  const { recovered, accepted } = yield* coverRecovered(tables, run);
  const forgotten = yield* forgetCorrected(tables, run, superseded);
  yield* tables.run(COVER, run, inserted - known + unsent + recovered - forgotten);
  yield* addAccepted(tables, run, accepted);
  yield* notePlanned(tables, run, yield* countsOf(tables, run, "status"), superseded);
}

const LATEST_RECORD = statement<{ id: number }>("select coalesce(max(id), 0) as id from migrate.records");

/**
 * Creates rows for all records to send, or notes the plan in existing rows (`planned-records.ts`), in one statement and
 * in input order. Adding an entry to the index of identities takes longer than all other writes for a record, and would
 * delay each request if done later. Most records of the plan are left to send, so `+` prevents a lookup of each record
 * in SQLite's index of open records.
 */
const insertRecords = (otherContent: string): string => `
  insert into migrate.records as known
    (identity, content, state, attempts, other_content, since_run, planned_run, planned_record)
  select identity, content, 'pending', 0, ${otherContent}, run, run, record from migrate.items
  where run = $1 and /*++*/status = 'pending' and identity is not null and content is not null order by record
  on conflict (identity) do update set
    since_run = ${sinceRun("known.", "excluded.since_run")}, planned_run = excluded.planned_run,
    planned_record = excluded.planned_record, planned_content = excluded.content, held = null`;

const INSERT_RECORDS: Sql = {
  sqlite: insertRecords(NEW_OTHER_CONTENT.sqlite),
  postgres: insertRecords(NEW_OTHER_CONTENT.postgres),
};

/** Counts the new rows. SQLite numbers them without gaps. */
const COUNT_INSERTED = statement<{ count: number }>({
  sqlite: "select coalesce(max(id), 0) - ?1 as count from records",
  postgres: "select count(*) as count from migrate.records where id > $1",
});

const KEEP_SINCE = `
  update migrate.records
  set since_run = (select unsent.since_run from migrate.unsent where unsent.identity = records.identity)
  where id in (
    select other.id from migrate.unsent inner join migrate.records as other on other.identity = unsent.identity
    where other.id > $1)`;

const FORGET_UNSENT = `
  delete from migrate.unsent where exists (
    select 1 from migrate.records where records.identity = unsent.identity and records.id > $1)`;

const INSERT_UNSENT = `
  insert into migrate.unsent (identity, since_run, planned_run, planned_record)
  select identity, run, run, min(record) from migrate.items
  where run = $1 and identity is not null and status in ('invalid', 'duplicate', 'blocked', 'excluded')
    and not exists (select 1 from migrate.records where records.identity = items.identity)
  group by identity, run
  on conflict do nothing`;

const COVER: Sql = {
  sqlite: `insert into coverage (target, supplier, endpoint, records, accepted)
    select target, supplier, endpoint, $2, 0 from runs where id = $1 and $2 <> 0
    on conflict (target, supplier, endpoint) do update set records = records + excluded.records`,
  postgres: `insert into migrate.counts (run, kind, name, count)
    select $1, 'covered', '', $2::bigint where $2::bigint <> 0`,
};

/**
 * Adds `count` to the number of accepted records of the run's destination. A negative count means that some records are
 * no longer accepted.
 */
export function* addAccepted(tables: Tables, run: number, count: number): Work<void> {
  if (count !== 0) yield* tables.run(ADD_ACCEPTED, run, count);
}

const ADD_ACCEPTED: Sql = {
  sqlite: `
    update coverage set accepted = accepted + $2
    where (target, supplier, endpoint) = (select target, supplier, endpoint from runs where id = $1)`,
  postgres: "insert into migrate.counts (run, kind, name, count) values ($1, 'accepted', '', $2)",
};
