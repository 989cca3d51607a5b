import { PLANNED_PUSHES } from "./planned-pushes.ts";
import type { Statement, Tables, Work } from "./tables.ts";

/**
 * Notes, when a plan is finished, which item of all planned pushes is the latest one of each record: `planned_run` and
 * `planned_record`. `first_run` is the first planned push with the record. Records that no plan could send are in
 * `unsent`, with the same columns. Two exceptions keep this fast in a daily push whose records are mostly unchanged:
 *
 * - A skipped item is not noted, because the platform has its content. But if an earlier item has other content, it is.
 * - `planned_content` is null until a second push plans the record: the item then has the latest content. It is empty
 *   if the latest content is unknown: an item without content, or several items that differ.
 */
export function* notePlanned(tables: Tables, run: number): Work<void> {
  yield* tables.run(NOTE_RECORDS, run);
  yield* tables.run(NOTE_UNSENT, run);
  yield* noteKeyless(tables, run);
}

const STATUSES = ["pending", "sending", "blocked", "ambiguous", "rejected", "invalid", "existing", "excluded"];

/** SQL condition of items that are not done. SQLite uses the index `items_open` only for the same condition. */
export function openItems(prefix: "" | "items."): string {
  return STATUSES.map((status) => `${prefix}status = '${status}'`).join(" or ");
}

/** SQL condition of accepted records that have other content in a later plan, also if that was sent before. */
export const OUTDATED = "accepted_content <> planned_content";

/** The items of the run that are not left to send, by record. The first of several items counts. */
const FIRST_ITEMS = `
  with firsts as materialized (
    select identity, min(record) as record, count(content) = count(*) and count(distinct content) = 1 as is_one
    from migrate.items /*+ indexed by items_open */
    where run = $1 and (${openItems("")}) and status <> 'pending' and identity is not null
    group by identity
  )`;

const NOTE_RECORDS = `
  ${FIRST_ITEMS}
  update migrate.records set first_run = coalesce(first_run, $1), planned_run = $1, planned_record = items.record,
    planned_content = case when firsts.is_one then items.content else ''::bytea end
  from firsts inner join migrate.items on items.run = $1 and items.record = firsts.record
  where records.identity = firsts.identity and coalesce(records.planned_run, 0) <> $1`;

const NOTE_UNSENT = `
  ${FIRST_ITEMS}
  update migrate.unsent set planned_run = $1, planned_record = firsts.record from firsts
  where unsent.identity = firsts.identity and unsent.planned_run <> $1`;

/**
 * Notes that the latest plan of records has the content of the platform, or an older version of it. Call this after
 * records of the run have become `skipped`.
 */
export function* noteSkipped(tables: Tables, run: number): Work<void> {
  if ((yield* tables.row(ANY_OUTDATED)) !== undefined) yield* tables.run(NOTE_SKIPPED, run);
}

const ANY_OUTDATED: Statement<{ found: number }> = {
  sql: `select 1 as found from migrate.records /*+ indexed by records_outdated */ where ${OUTDATED} limit 1`,
};

const NOTE_SKIPPED = `
  with found as materialized (
    select identity, min(record) as record from migrate.items
    where run = $1 and status = 'skipped' and identity in (
      select identity from migrate.records /*+ indexed by records_outdated */ where ${OUTDATED})
    group by identity
  )
  update migrate.records set planned_run = $1, planned_record = found.record, planned_content = accepted_content
  from found where records.identity = found.identity and coalesce(planned_run, 0) <= $1`;

/**
 * Inserts rows into `records` for the records of a resumed run that no plan could send and that are now left to send.
 * Otherwise they would be inserted without their plans when they are sent.
 */
export function* planUnsent(tables: Tables, run: number): Work<void> {
  if ((yield* tables.row(ANY_UNSENT)) === undefined) return;
  yield* tables.run(MOVE_UNSENT, run);
  yield* tables.run(DELETE_MOVED);
}

const ANY_UNSENT: Statement<{ found: number }> = { sql: "select 1 as found from migrate.unsent limit 1" };

const MOVE_UNSENT = `
  insert into migrate.records
    (identity, content, state, attempts, first_run, planned_run, planned_record, planned_content)
  select items.identity, items.content, 'pending', 0, unsent.first_run, unsent.planned_run, unsent.planned_record,
    coalesce(latest.content, ''::bytea)
  from migrate.items /*+ indexed by items_open */
  inner join migrate.unsent on unsent.identity = items.identity
  inner join migrate.items as latest on latest.run = unsent.planned_run and latest.record = unsent.planned_record
  where items.run = $1 and items.status = 'pending' and items.content is not null
  order by items.record
  on conflict (identity) do nothing`;

const DELETE_MOVED = `
  delete from migrate.unsent where exists (select 1 from migrate.records where records.identity = unsent.identity)`;

/** Lists the rows of the run without a key, in place of earlier ones of the same files and of the same rows. */
function* noteKeyless(tables: Tables, run: number): Work<void> {
  yield* tables.run(INSERT_KEYLESS, run);
  if ((yield* tables.row(ANY_OLDER_KEYLESS, run)) !== undefined) yield* tables.run(DELETE_KEYLESS, run);
}

const ANY_OLDER_KEYLESS: Statement<{ found: number }> = {
  sql: "select 1 as found from migrate.keyless where run <> $1 limit 1",
};

/** The rows without a key in earlier pushes to the destination of the run. */
const OLDER_KEYLESS = `
  from migrate.runs as own
  inner join migrate.runs as other on other.target = own.target and other.supplier = own.supplier
    and other.endpoint = own.endpoint and other.id <> own.id
  inner join migrate.keyless on keyless.run = other.id
  inner join migrate.items as earlier on earlier.run = keyless.run and earlier.record = keyless.record
  where own.id = $1`;

const INSERT_KEYLESS = `
  insert into migrate.keyless (run, record, first_run)
  with older as materialized (
    select earlier.row_hash, min(keyless.first_run) as first_run ${OLDER_KEYLESS} group by earlier.row_hash
  )
  select items.run, items.record, coalesce(older.first_run, items.run)
  from migrate.items /*+ indexed by items_open */ left join older on older.row_hash = items.row_hash
  where items.run = $1 and (${openItems("items.")}) and items.identity is null`;

const DELETE_KEYLESS = `
  delete from migrate.keyless where (run, record) in (
    select keyless.run, keyless.record ${OLDER_KEYLESS} and (
      earlier.file in (select file from migrate.items where run = $1)
      or earlier.row_hash in (
        select row_hash from migrate.items /*+ indexed by items_open */
        where run = $1 and (${openItems("")}) and identity is null)
    ))`;

const ITEMS_OF_PLANS = `
  select items.* from items cross join runs on runs.id = items.run where ${PLANNED_PUSHES}`;

const LATEST_ITEMS = `
  with latest as materialized (
    select identity, first_run, run, min(record) as record,
      case when count(content) = count(*) and count(distinct content) = 1 then min(content) else x'' end as content
    from (
      select identity, run, record, status,
        case when status <> 'skipped' then content
          else (select accepted_content from records where records.identity = planned.identity) end as content, min(run) over by_identity as first_run,
        max(run) over by_identity as last_run
      from (${ITEMS_OF_PLANS}) as planned where identity is not null window by_identity as (partition by identity)
    ) where run = last_run and status <> 'duplicate' group by identity
  )`;

/** Notes everything again, in a repaired SQLite ledger. */
export const NOTE_AGAIN: string = `
  ${LATEST_ITEMS}
  update records set first_run = latest.first_run, planned_run = latest.run, planned_record = latest.record,
    planned_content = latest.content from latest where records.identity = latest.identity;
  ${LATEST_ITEMS}
  update unsent set first_run = latest.first_run, planned_run = latest.run, planned_record = latest.record
    from latest where unsent.identity = latest.identity;
  delete from keyless;
  insert into keyless (run, record, first_run)
  select run, record, run from (
    select items.run, items.record, identity,
      max(items.run) over (partition by file, runs.target, runs.supplier, runs.endpoint) as last_run
    from items cross join runs on runs.id = items.run where ${PLANNED_PUSHES}
  ) where identity is null and run = last_run;`;
