import { NOTED_SCHEDULED } from "../../tables/counts.ts";
import { PLANNED_PUSHES } from "../../tables/planned-records.ts";
import { CURRENT_PROBLEM } from "../../tables/problems.ts";

/** Returns SQL for the number of problems that a stored problem represents in addition to itself. */
const unlisted = (problem: string): string => `coalesce(substring(${problem} from '"unlisted":([0-9]+)')::int, 0)`;

const add = (selected: string): string => `insert into migrate.counts (run, kind, name, count) ${selected};`;

/**
 * Returns SQL that selects the problems of the latest attempts of the items in `rows`. Uses the index, because a
 * statement changes only a few items.
 */
const problemsOfAttempts = (rows: string, sign: "" | "-"): string => `
  select found.run, found.severity as kind, found.code as name, ${sign}(1 + found.unlisted) as count
  from ${rows} cross join lateral (
    select problems.run, severity, code, ${unlisted("problem")} as unlisted from migrate.problems
    where problems.run = ${rows}.run and problems.record = ${rows}.record and problems.attempt = ${rows}.attempt
      and problems.attempt <> 0 offset 0
  ) as found`;

/**
 * Returns SQL that counts problems. Problems of the plan always count. Problems of an attempt count only while it is
 * the latest attempt of its record.
 */
const currentProblems = (rows: string, sign: "" | "-"): string => `
  select run, severity, code, ${sign}sum(1 + ${unlisted("problem")}) from ${rows}
  where case when attempt = 0 then true else exists (
    select from migrate.items
    where items.run = ${rows}.run and items.record = ${rows}.record and items.attempt = ${rows}.attempt
  ) end group by run, severity, code`;

const TABLES = `
  create table migrate.counts (
    run integer not null, id bigint generated always as identity, kind text collate "C" not null,
    name text collate "C" not null, count bigint not null,
    primary key (run, id)
  );
  create table migrate.unsent (
    identity bytea primary key, since_run integer, planned_run integer, planned_record integer
  );
  create table migrate.keyless (run integer, record integer, since_run integer, primary key (run, record));
  create index attempts_ambiguous on migrate.attempts (run, record) where status = 'ambiguous';`;

/** After about this number of new rows in `counts`, the rows of a run are merged into one row per kind and name. */
const FOLD_EVERY = 1000;

/** Merging does not wait for locks. Rows that another transaction has added or is merging are merged later. */
const FOLD = `
  create function migrate.fold_counts(integer) returns void language sql as $$
    with folded as (
      delete from migrate.counts
      where run = $1 and id in (select id from migrate.counts where run = $1 for update skip locked)
      returning kind, name, count
    )
    insert into migrate.counts (run, kind, name, count)
    select $1, kind, name, sum(count) from folded group by kind, name having sum(count) <> 0
  $$;`;

/**
 * The number of an item's latest attempt never decreases. If the sum of these numbers is unchanged, each number is
 * unchanged.
 */
const COUNT_ITEMS = `
  create function migrate.count_items() returns trigger language plpgsql as $$
  declare
    rows bigint;
    latest bigint;
  begin
    if tg_op = 'INSERT' then
      ${add("select run, 'status', status, count(*) from added group by run, status")}
    elsif tg_op = 'DELETE' then
      ${add("select run, 'status', status, -count(*) from gone group by run, status")}
    else
      with made as (
        insert into migrate.counts (run, kind, name, count)
        select run, kind, name, sum(count) from (
          select run, 'status' as kind, status as name, 1 as count from added
          union all select run, 'status', status, -1 from gone
          union all select run, 'requests', '', attempts from added where attempts is not null
          union all select run, 'requests', '', -attempts from gone where attempts is not null
        ) as each group by run, kind, name having sum(count) <> 0 returning id
      )
      select count(*), max(id) into rows, latest from made;
      if latest % ${FOLD_EVERY} < rows then
        perform migrate.fold_counts(run) from (select distinct run from added) as each;
      end if;
      if (select sum(attempt) from gone) <> (select sum(attempt) from added) then
        ${add(`
          select run, kind, name, sum(count) from (
            ${problemsOfAttempts("added", "")} union all ${problemsOfAttempts("gone", "-")}
          ) as each group by run, kind, name having sum(count) <> 0`)}
      end if;
    end if;
    return null;
  end $$;`;

const COUNT_PROBLEMS = `
  create function migrate.count_problems() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      ${add(currentProblems("added", ""))}
    else
      ${add(currentProblems("gone", "-"))}
    end if;
    return null;
  end $$;`;

const trigger = (table: string, event: string, rows: string): string => `
  create trigger count_${event} after ${event} on migrate.${table} referencing ${rows}
    for each statement execute function migrate.count_${table}();`;

const TRIGGERS = [
  trigger("items", "insert", "new table as added"),
  trigger("items", "update", "old table as gone new table as added"),
  trigger("items", "delete", "old table as gone"),
  trigger("problems", "insert", "new table as added"),
  trigger("problems", "delete", "old table as gone"),
].join("");

const COUNTED = `
  select run, 'status' as kind, status as name, count(*) as count from migrate.items group by run, status
  union all
  select problems.run, severity, code, sum(1 + ${unlisted("problem")})
  from migrate.problems join migrate.items on items.run = problems.run and items.record = problems.record
  where ${CURRENT_PROBLEM} group by problems.run, severity, code
  union all
  select run, 'requests', '', count(*) from migrate.attempts group by run`;

/**
 * Counts planned and accepted records by destination. An accepted record stays on the platform even if its revision is
 * refused. If its accepted content is `''`, the platform has different content.
 */
const COVERED = `
  select target, supplier, endpoint, count(*) as covered, count(records.identity) as accepted
  from (
    select distinct items.identity, runs.target, runs.supplier, runs.endpoint
    from migrate.runs join migrate.items on items.run = runs.id
    where ${PLANNED_PUSHES} and items.identity is not null
  ) as each
  left join migrate.records on records.identity = each.identity and records.accepted_content <> ''
  group by target, supplier, endpoint`;

/**
 * The part of the schema that maintains totals. Counting on demand would take too long. Triggers update the totals in
 * the same transaction, for every writer. `counts` contains increments, so that writers do not wait for each other. For
 * each run, it contains the number of records by status, the number of current problems by severity and code, and the
 * number of `requests`. It also contains the run's contribution to its destination. The contribution consists of the
 * number of records that no earlier push to the destination has planned (`covered`), and the number of these records
 * that are `accepted`. `unsent` contains the planned records of pushes that have no row in `records`.
 */
export const CREATE_COUNTS: string = [TABLES, FOLD, COUNT_ITEMS, COUNT_PROBLEMS, TRIGGERS].join("");

const SUMS = `
  select run, kind, name, sum(count) as count from migrate.counts where kind not in ('covered', 'accepted', '${NOTED_SCHEDULED}')
  group by run, kind, name having sum(count) <> 0`;

const COVERED_SUMS = `
  select target, supplier, endpoint, coalesce(sum(count) filter (where kind = 'covered'), 0) as covered,
    coalesce(sum(count) filter (where kind = 'accepted'), 0) as accepted
  from migrate.runs join migrate.counts on counts.run = runs.id where ${PLANNED_PUSHES}
  group by target, supplier, endpoint
  having count(*) filter (where kind = 'covered') > 0`;

/** Selects every total that differs from the actual count. */
export const MISCOUNTED: string = `
  (select * from (${COUNTED}) as counted except select * from (${SUMS}) as sums)
  union all
  (select * from (${SUMS}) as sums except select * from (${COUNTED}) as counted)
  union all
  (select null, endpoint, supplier, covered - accepted from (
    select target, supplier, endpoint, covered, accepted from (${COVERED}) as covered
    except select * from (${COVERED_SUMS}) as sums
  ) as destinations)`;
