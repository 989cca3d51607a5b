import type { AcceptedDay, DestinationState, RecordState, TargetDestination } from "../migration-state.ts";
import type { SendingStatus } from "../runs/run-outcome.ts";
import { coverageOfEndpoints } from "./counts.ts";
import { IS_COMPLETED, isExcluded } from "./exclusions.ts";
import { heldOpen, PLANNED_PUSHES } from "./planned-records.ts";
import { exists, type Statement, statement, type Tables, type Work } from "./tables.ts";
import { verifiedCounts } from "./verifications.ts";

/**
 * Returns the latest destination first. Reads only the few records that may be open without being left to send. All
 * other records are pending, or accepted and counted in `coverage`.
 */
export function* migration(tables: Tables, sending: SendingStatus): Work<readonly DestinationState[]> {
  const rows = yield* tables.rows(countOpen(sending));
  const keyless = yield* tables.rows(COUNT_KEYLESS);
  const coverage = yield* coverageOfEndpoints(tables);
  const verifications = yield* verifiedCounts(tables);
  const destinations = yield* tables.rows(SELECT_DESTINATIONS);
  return destinations.map(({ target, supplier, operation, endpoint }) => {
    const where = { target, supplier, operation, endpoint };
    const { records = 0, accepted = 0 } = coverage.find(isIn(where)) ?? {};
    const counts = { ...NO_RECORDS, accepted, pending: records - accepted };
    for (const { state, count, isAccepted } of rows.filter(isIn(where))) {
      counts[isAccepted ? "accepted" : "pending"] -= count;
      counts[state] += count;
    }
    const verified = verifications.find(isIn(where))?.verified;
    const withoutKey = keyless.find(isIn(where))?.count ?? 0;
    return { ...where, records, counts, withoutKey, ...(verified !== undefined && { verified }) };
  });
}

const isIn =
  (where: TargetDestination) =>
  ({ target, supplier, endpoint }: TargetDestination): boolean =>
    target === where.target && supplier === where.supplier && endpoint === where.endpoint;

const NO_RECORDS: Readonly<Record<RecordState, number>> = {
  accepted: 0,
  outdated: 0,
  existing: 0,
  rejected: 0,
  invalid: 0,
  ambiguous: 0,
  pending: 0,
  excluded: 0,
};

const SELECT_DESTINATIONS = statement<TargetDestination & { readonly operation: string }>(`
  select runs.target, runs.supplier, runs.operation, runs.endpoint
  from migrate.runs where runs.id in (
    select max(id) from migrate.runs where ${PLANNED_PUSHES} group by target, supplier, endpoint)
  order by runs.id desc`);

const COUNT_KEYLESS = statement<TargetDestination & { readonly count: number }>(`
  select runs.target, runs.supplier, runs.endpoint, count(*) as count
  from migrate.keyless inner join migrate.runs on runs.id = keyless.run group by 1, 2, 3`);

interface OpenCount extends TargetDestination {
  readonly state: RecordState;
  readonly isAccepted: boolean | 0 | 1;
  readonly count: number;
}

const IS_ACCEPTED = "coalesce(records.accepted_content, ''::bytea) <> ''::bytea";

/**
 * Returns SQL for the state of a record. The status of the record's latest item may be outdated, because another run
 * may have sent the record again. A record without `planned_content` is in only one plan.
 * @param status SQL for the status of the latest item
 */
export const stateOf = (sending: SendingStatus, status: string): string => `case
  when ${isExcluded("records")} and records.state <> 'ambiguous' and not ${IS_ACCEPTED} and ${status} <> 'sending'
    then 'excluded'
  when records.state in ('ambiguous', 'existing') then records.state
  when ${status} = 'sending' then '${sending}'
  when ${IS_ACCEPTED} then case when ${IS_OUTDATED} then 'outdated' else 'accepted' end
  when ${status} = 'invalid' then 'invalid'
  when ${status} in ('rejected', 'existing', 'ambiguous') and records.state = 'rejected' then 'rejected'
  else 'pending' end`;

const IS_OUTDATED = "coalesce(records.accepted_content <> records.planned_content, false)";

/** Returns SQL for the state of a record that no plan could send. */
export const stateOfUnsent = (status: string): string =>
  `case when ${isExcluded("unsent")} then 'excluded' when ${status} in ('blocked', 'excluded') then 'pending'
    else 'invalid' end`;

/** SQL for the status of the latest item. Uses a subquery, because PostgreSQL would evaluate a join for all items. */
const LATEST_STATUS = "(select status from migrate.items where run = planned_run and record = planned_record)";

const countOpen = (sending: SendingStatus): Statement<OpenCount> => {
  const records = `select planned_run, ${stateOf(sending, LATEST_STATUS)} as state, ${IS_ACCEPTED} as "isAccepted"`;
  const inFlight = `
    ${records} from migrate.attempts /*+ indexed by attempts_in_flight */
    inner join migrate.records on records.identity = attempts.identity
    where attempts.status = 'sending' and records.state <> 'ambiguous' and (${heldOpen("records.")}) is not true`;
  const unsent = `
    select planned_run, ${stateOfUnsent(LATEST_STATUS)} as state, false as "isAccepted" from migrate.unsent`;
  const counted = (open: string): string => `
    select runs.target, runs.supplier, runs.endpoint, each.state, "isAccepted", sum(count)::bigint as count
    from (
      select planned_run, state, "isAccepted", count(*) as count
      from (${open} union all ${inFlight} union all ${unsent}) as open group by planned_run, state, "isAccepted"
    ) as each inner join migrate.runs on runs.id = planned_run group by 1, 2, 3, 4, 5`;
  return statement({
    sqlite: counted(`
      ${records} from records indexed by records_open
      where (${heldOpen("records.")}) and records.state <> 'ambiguous'
      union all ${records} from records indexed by records_ambiguous where records.state = 'ambiguous'`),
    // Reads the table only once.
    postgres: counted(`
      ${records} from migrate.records where ${heldOpen("records.")} or records.state = 'ambiguous'`),
  });
};

/** Reads all records. */
export function* acceptedByDay(tables: Tables): Work<readonly AcceptedDay[]> {
  return yield* tables.rows(SELECT_ACCEPTED_DAYS);
}

const SELECT_ACCEPTED_DAYS = statement<AcceptedDay>(`
  select day, runs.target, runs.supplier, runs.endpoint, sum(records)::bigint as records
  from (
    select planned_run, substr(accepted_at, 1, 10) as day, count(*) as records
    from migrate.records where ${IS_ACCEPTED} and accepted_at is not null group by 1, 2
  ) as each inner join migrate.runs on runs.id = planned_run group by 1, 2, 3, 4 order by 1`);

export function* unsettledRuns(tables: Tables): Work<readonly string[]> {
  const names: string[] = [];
  for (const { run, name } of yield* tables.rows(SELECT_WITH_LEFT)) {
    if (yield* exists(tables, ANY_LEFT, run)) names.push(name);
  }
  return names;
}

const LEFT = "('pending', 'sending', 'blocked', 'ambiguous')";

const SELECT_WITH_LEFT = statement<{ readonly run: number; readonly name: string }>(`
  select runs.id as run, runs.name from migrate.runs
  where ${PLANNED_PUSHES} and exists (
    select 1 from migrate.counts where counts.run = runs.id and kind = 'status' and name in ${LEFT}
    group by run having sum(count) > 0)
  order by runs.id desc`);

const IS_NOT_DONE = `(state in ('ambiguous', 'existing') or not (${IS_ACCEPTED}) or ${IS_OUTDATED})`;

/**
 * SQL condition: the platform may have received the record in this run, and a later push could not plan it, because its
 * row had become invalid. Only this run can find out what became of the record.
 */
const ONLY_HERE = `planned_run <> $1 and (
  (items.status = 'ambiguous' and records.state = 'ambiguous')
  or (items.status = 'pending' and records.state = 'pending' and records.step is not null and exists (
    select 1 from migrate.attempts where attempts.run = items.run and attempts.record = items.record
      and ${IS_COMPLETED} and not attempts.harmless)))
  and ${LATEST_STATUS} not in ${LEFT}`;

/**
 * Finds a record of the run that is left to send or ambiguous, unless a later push has planned it again. PostgreSQL
 * reads the tables until it finds such a record.
 */
const ANY_LEFT = {
  sqlite: ["records", "unsent"]
    .map(
      (table) => `
    select 1 as found from items indexed by items_open cross join ${table} on ${table}.identity = items.identity
    where items.run = $1 and (
        status = 'pending' or status = 'sending' or status = 'blocked' or status = 'ambiguous')
      and (planned_run = $1 and planned_record = items.record
      ${table === "records" ? `and ${IS_NOT_DONE} or ${ONLY_HERE}` : ""})`,
    )
    .join(" union all ")
    .concat(" limit 1"),
  postgres: `
    select 1 as found from migrate.records where planned_run = $1 and ${IS_NOT_DONE} and ${LATEST_STATUS} in ${LEFT}
    union all
    select 1 from migrate.unsent where planned_run = $1 and ${LATEST_STATUS} in ${LEFT}
    union all
    select 1 from migrate.items inner join migrate.records on records.identity = items.identity
    where items.run = $1 and ${ONLY_HERE}
    limit 1`,
};

export function* unplannedRecords(tables: Tables): Work<number> {
  return (yield* tables.row(COUNT_UNPLANNED))?.count ?? 0;
}

const COUNT_UNPLANNED = statement<{ readonly count: number }>(`
  select count(*) as count from migrate.records /*+ indexed by records_ambiguous */
  where state = 'ambiguous' and planned_run is null`);
