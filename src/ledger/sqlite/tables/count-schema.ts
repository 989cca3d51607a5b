import { NOTE_AGAIN } from "../../tables/planned-again.ts";
import { PLANNED_PUSHES } from "../../tables/planned-records.ts";
import { CURRENT_PROBLEM } from "../../tables/problems.ts";
import type { SqliteDatabase } from "../sqlite-database.ts";

/**
 * Returns SQL for the number of problems that a stored problem represents in addition to itself. Few problems have the
 * member `unlisted`, so only those problems are parsed as JSON.
 */
const unlisted = (problem: string): string =>
  `case when instr(${problem}, '"unlisted":') = 0 then 0 else coalesce(json_extract(${problem}, '$.unlisted'), 0) end`;

const add = (selected: string): string =>
  `insert into counts (run, kind, name, count) ${selected}
   on conflict (run, kind, name) do update set count = count + excluded.count;`;

const problemsOf = (row: string, sign: "" | "-"): string =>
  `select run, severity, code, ${sign}(1 + ${unlisted("problem")}) from problems
   where run = ${row}.run and record = ${row}.record and attempt = ${row}.attempt and attempt <> 0`;

const problemIn = (row: string, sign: "" | "-"): string =>
  `select ${row}.run, ${row}.severity, ${row}.code, ${sign}(1 + ${unlisted(`${row}.problem`)})
   where ${row}.attempt = 0
     or ${row}.attempt = (select attempt from items where run = ${row}.run and record = ${row}.record)`;

/**
 * Tables with totals that would take a long time to count in a large ledger. Each change updates the totals in the same
 * transaction. For each run, `counts` contains the number of records by status, the number of current problems by
 * severity and code, and the number of requests. For each destination, `coverage` contains the number of distinct
 * records in the plans of pushes, and the number of these records that are accepted. `unsent` lists the planned records
 * without a row in `records`, and `keyless` lists the planned rows without a key (`planned-records.ts`).
 */
export const COUNT_TABLES: string = `
  create table counts (run int, kind text, name text, count int not null, primary key (run, kind, name)) without rowid;
  create table coverage (target text, supplier text, endpoint text, records int not null, accepted int not null,
   primary key (target, supplier, endpoint)) without rowid;
  create table unsent (identity blob primary key, since_run int, planned_run int, planned_record int) without rowid;
  create table keyless (run int, record int, since_run int, primary key (run, record)) without rowid;`;

/**
 * Creates triggers that update the totals after changes through this connection. New plan items, requests, and changes
 * to or from the status `sending` are counted in bulk by the code that writes them.
 */
export function countChanges(database: SqliteDatabase): void {
  database.execute(TRIGGERS);
}

/** The triggers are temporary, so that the stored schema fits on one page and is rarely lost. */
const TRIGGERS = `
  create temp trigger count_status after update of status on items
  when old.status <> new.status and old.status <> 'sending' and new.status <> 'sending' begin
    ${add("values (old.run, 'status', old.status, -1)")}
    ${add("values (new.run, 'status', new.status, 1)")}
  end;
  create temp trigger count_problems_of_attempt after update of attempt on items
  when old.attempt is not null and old.attempt is not new.attempt begin
    ${add(problemsOf("old", "-"))}
    ${add(problemsOf("new", ""))}
  end;
  create temp trigger count_problem after insert on problems begin
    ${add(problemIn("new", ""))}
  end;
  create temp trigger count_problem_less after delete on problems begin
    ${add(problemIn("old", "-"))}
  end;`;

const COUNTED = `
  select run, 'status' as kind, status as name, count(*) as count from items group by run, status
  union all
  select problems.run, severity, code, sum(1 + ${unlisted("problem")})
  from problems cross join items on items.run = problems.run and items.record = problems.record
  where ${CURRENT_PROBLEM} group by problems.run, severity, code
  union all
  select run, 'requests', '', count(*) from attempts group by run`;

/** Selects the planned records of all runs, even if a repair has lost their items. */
export const PLANNED_RECORDS: string = `
  select identity, run from items where identity is not null
  union all
  select identity, planned_run from records
  where (select recoveries from ledger_state) is not null
    and not exists (select 1 from items where run = planned_run and record = planned_record)`;

/**
 * Counts planned and accepted records by destination. An accepted record stays on the platform even if its revision is
 * refused. If its accepted content is `x''`, the platform has different content.
 */
const COVERED = `
  select target, supplier, endpoint, count(*) as records, count(accepted) as accepted
  from (
    select runs.target, runs.supplier, runs.endpoint,
      (select 1 from records where records.identity = planned.identity and accepted_content <> x'') as accepted
    from (${PLANNED_RECORDS}) as planned cross join runs on runs.id = planned.run
    where ${PLANNED_PUSHES}
    group by planned.identity, runs.endpoint, runs.supplier
  )
  group by target, supplier, endpoint`;

const UNSENT = `
  select distinct identity from items
  where identity is not null and status in ('invalid', 'duplicate', 'blocked', 'excluded')
    and run in (select id from runs where ${PLANNED_PUSHES})
    and not exists (select 1 from records where records.identity = items.identity)`;

/** Recounts everything from zero, for a repaired ledger. */
export const RECOUNT: string = `
  delete from counts;
  insert into counts ${COUNTED};
  delete from coverage;
  insert into coverage ${COVERED};
  delete from unsent;
  insert into unsent (identity) ${UNSENT};
  ${NOTE_AGAIN}`;

/** Selects every total that differs from the actual count. */
export const MISCOUNTED: string = `
  select * from (select * from (${COUNTED}) except select * from counts)
  union all
  select * from (select * from counts where count <> 0 except select * from (${COUNTED}))
  union all
  select * from (select target, supplier, endpoint, records || ' ' || accepted from (${COVERED})
    except select target, supplier, endpoint, records || ' ' || accepted from coverage)`;

export function addToCounts(
  database: SqliteDatabase,
  run: number,
  kind: "status" | "requests",
  added: ReadonlyMap<string, number>,
): void {
  for (const [name, count] of added) if (count !== 0) database.run(ADD, run, kind, name, count);
}

const ADD = add("values (?, ?, ?, ?)");
