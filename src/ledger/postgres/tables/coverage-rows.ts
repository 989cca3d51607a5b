import type { Coverage } from "../../ledger.ts";
import type { Queries, Statement } from "../queries.ts";
import { PLANNED_PUSHES } from "./count-schema.ts";
import { forgetUncovered } from "./recovery-rows.ts";

/** See `Ledger.coverage`. Latest destination first. */
export async function coverage(queries: Queries): Promise<readonly Coverage[]> {
  return queries.rows(SELECT_COVERAGE);
}

const SELECT_COVERAGE: Statement<Coverage> = {
  sql: `
  select runs.target, runs.supplier, runs.operation, each.records, each.accepted
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
};

/** Counts the records of a new plan that are in no earlier plan, and inserts the records to send into `records`. */
export async function coverPlan(queries: Queries, run: number, insertRecords: () => Promise<number>): Promise<void> {
  const { id: latest = 0 } = (await queries.row(LATEST_RECORD)) ?? {};
  const inserted = await insertRecords();
  const known = await queries.run(FORGET_UNSENT, latest);
  const unsent = await queries.run(INSERT_UNSENT, run);
  const journaled = await forgetUncovered(queries, run);
  await queries.run(COVER, run, inserted - known + unsent + journaled);
}

const LATEST_RECORD: Statement<{ id: number }> = {
  sql: "select coalesce(max(id), 0) as id from migrate.records",
};
const FORGET_UNSENT = `
  delete from migrate.unsent where exists (
    select from migrate.records where records.identity = unsent.identity and records.id > $1)`;
const INSERT_UNSENT = `
  insert into migrate.unsent
  select distinct identity from migrate.items
  where run = $1 and identity is not null and status in ('invalid', 'duplicate', 'blocked')
    and not exists (select from migrate.records where records.identity = items.identity)
  on conflict do nothing`;
const COVER = `
  insert into migrate.counts (run, kind, name, count) select $1, 'covered', '', $2::bigint where $2::bigint <> 0`;

/** Adds to the number of accepted records of the run's destination; negative if some are no longer accepted. */
export async function addAccepted(queries: Queries, run: number, count: number): Promise<void> {
  if (count !== 0) await queries.run(ADD_ACCEPTED, run, count);
}

const ADD_ACCEPTED = "insert into migrate.counts (run, kind, name, count) values ($1, 'accepted', '', $2)";
