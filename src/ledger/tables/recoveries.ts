import type { RunRow } from "../runs/recorded-run.ts";
import { ANY_UNCERTAIN } from "../records/prior-content.ts";
import { DELETE_MOVED } from "./planned-records.ts";
import { exists, type Sql, statement, type Tables, type Work } from "./tables.ts";

/**
 * Makes records that are new to the ledger `ambiguous` after an uncertain recovery, because they may have been sent.
 * `coverage` already counts records that an earlier plan could not send.
 */
export function* holdNewIfUncertain(tables: Tables, run: RunRow): Work<void> {
  if (!run.sends || !(yield* exists(tables, ANY_UNCERTAIN))) return;
  if (tables.dialect === "postgres") yield* tables.run(COVER_NEW, run.number);
  yield* tables.run(HOLD_NEW, run.number);
  yield* tables.run(INSERT_HELD, run.number);
}

/** PostgreSQL condition: a recovery may have made records ambiguous. Requests that it found belong to run 0. */
export const HAS_RECOVERY = `(exists (select from migrate.recoveries where uncertain)
  or exists (select from migrate.attempts where run = 0))`;

const IS_NEW = `
  run = $1 and status in ('valid', 'pending') and identity is not null and content is not null
  and not exists (select 1 from migrate.records where records.identity = items.identity)`;

const COVER_NEW = `
  insert into migrate.uncovered
  select distinct identity from migrate.items where ${IS_NEW} and identity not in (select identity from migrate.unsent)
  on conflict do nothing`;

const HOLD_NEW = `update migrate.items set status = 'ambiguous' where ${IS_NEW}`;

const insertHeld = (resends: string): string => `
  insert into migrate.records (identity, content, state, attempts, resends)
  select identity, content, 'ambiguous', 0, ${resends}
  from migrate.items where run = $1 and status = 'ambiguous' order by record
  on conflict (identity) do nothing`;

const INSERT_HELD: Sql = {
  sqlite: insertHeld("iif(identity in (select identity from unsent), 0, -1)"),
  postgres: insertHeld("0"),
};

/**
 * Moves the plans of records that no plan could send from `unsent` to `records`, if a recovery has found requests for
 * these records. Otherwise, the next plan would count the records twice.
 */
export function* adoptUnsent(tables: Tables): Work<void> {
  if (!(yield* exists(tables, ANY_ADOPTABLE))) return;
  yield* tables.run(ADOPT_UNSENT);
  yield* tables.run(DELETE_MOVED);
}

const anyAdoptable = (condition: string): string => `
  select 1 as found from migrate.unsent inner join migrate.records on records.identity = unsent.identity
  where ${condition} records.planned_run is null limit 1`;

const ANY_ADOPTABLE: Sql = {
  sqlite: anyAdoptable("(select recoveries from ledger_state) is not null and"),
  postgres: anyAdoptable(""),
};

const ADOPT_UNSENT = `
  update migrate.records set since_run = unsent.since_run, planned_run = unsent.planned_run,
    planned_record = unsent.planned_record, planned_content = coalesce(latest.content, ''::bytea),
    held = case when latest.status in ('invalid', 'excluded') then 1 end
  from migrate.unsent
  inner join migrate.items as latest on latest.run = unsent.planned_run and latest.record = unsent.planned_record
  where records.identity = unsent.identity and records.planned_run is null`;

/**
 * Marks records of this run as planned if they were known only from a recovery or a journal. Returns their number, and
 * the number of these records that are on the platform.
 */
export function* coverRecovered(
  tables: Tables,
  run: number,
): Work<{ readonly recovered: number; readonly accepted: number }> {
  // PostgreSQL lists only new records as recovered.
  const { accepted = 0 } = tables.dialect === "sqlite" ? ((yield* tables.row(COUNT_ACCEPTED, run)) ?? {}) : {};
  return { recovered: yield* tables.run(COVER_RECOVERED, run), accepted };
}

const COUNT_ACCEPTED = statement<{ accepted: number }>(`
  select count(*) as accepted from records
  where (select recoveries from ledger_state) is not null and resends < 0 and accepted_content <> x''
    and identity in (select identity from items where run = $1)`);

const COVER_RECOVERED: Sql = {
  sqlite: `
    update records set resends = 0
    where (select recoveries from ledger_state) is not null and resends < 0
      and identity in (select identity from items where run = $1)`,
  postgres: `
    delete from migrate.uncovered where exists (
      select from migrate.items where items.run = $1 and items.identity = uncovered.identity)`,
};
