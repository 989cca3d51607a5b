import { ROW } from "../records/exclusions.ts";
import { PLANNED_PUSHES } from "./planned-records.ts";

const ITEMS_OF_PLANS = `
  select items.* from items cross join runs on runs.id = items.run where ${PLANNED_PUSHES} and items.status <> 'stale'
    and not exists (
      select 1 from problems
      where problems.run = items.run and problems.record = items.record and problems.code = 'changed_since_export')`;

const LATEST_ITEMS = `
  with latest as materialized (
    select identity, since_run, run, min(record) as record,
      case when count(content) = count(*) and count(distinct content) = 1 then min(content) else x'' end as content
    from (
      select identity, run, record, status,
        case when status <> 'skipped' then content
          else (select accepted_content from records where records.identity = planned.identity) end as content,
        min(run) over by_identity as since_run, max(run) over by_identity as last_run
      from (${ITEMS_OF_PLANS}) as planned where identity is not null window by_identity as (partition by identity)
    ) where run = last_run and status <> 'duplicate' group by identity
  )`;

/** Determines the latest item of every record again, for a repaired SQLite ledger. */
export const NOTE_AGAIN: string = `
  ${LATEST_ITEMS}
  update records set since_run = coalesce(records.since_run, latest.since_run), planned_run = latest.run,
    planned_record = latest.record, planned_content = latest.content,
    held = case when exists (
      select 1 from exclusions where exclusions.identity = records.identity and undone_at is null) or (
      select status from items where items.run = latest.run and items.record = latest.record) = 'invalid' then 1 end
  from latest where records.identity = latest.identity;
  ${LATEST_ITEMS}
  update unsent set since_run = latest.since_run, planned_run = latest.run, planned_record = latest.record
    from latest where unsent.identity = latest.identity;
  delete from keyless;
  insert into keyless (run, record, since_run)
  select run, record, run from (
    select items.run, items.record, identity, key, row_hash,
      max(items.run) over (partition by file, runs.target, runs.supplier, runs.endpoint) as last_run,
      max(items.run) filter (where identity is null)
        over (partition by row_hash, runs.target, runs.supplier, runs.endpoint) as last_same
    from items cross join runs on runs.id = items.run where ${PLANNED_PUSHES}
  ) where identity is null and key is null and run = last_run and (row_hash is null or run = last_same) and not exists (
    select 1 from exclusions inner join runs on runs.id = run
    where exclusions.identity = cast('${ROW}' || runs.name || ' ' || record as blob) and undone_at is null);`;
