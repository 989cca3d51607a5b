import {
  type DestinationState,
  isOpenState,
  type OpenFilter,
  type OpenRecord,
  type RecordState,
} from "../migration-state.ts";
import { problemsByRecord, type ProblemColumns, type SendingStatus } from "../runs/run-outcome.ts";
import { coverageOfEndpoints } from "./counts.ts";
import { PLANNED_PUSHES } from "./planned-pushes.ts";
import { openItems, OUTDATED } from "./planned-records.ts";
import type { Statement, Tables, Work } from "./tables.ts";

/** See `Ledger.migration`. Latest destination first. */
export function* migration(tables: Tables, sending: SendingStatus): Work<readonly DestinationState[]> {
  const rows = yield* tables.rows(countOpen(sending));
  const coverage = yield* coverageOfEndpoints(tables);
  const destinations = yield* tables.rows(SELECT_DESTINATIONS);
  return destinations.map(({ target, supplier, operation, endpoint }) => {
    const where = { target, supplier, operation, endpoint };
    const { records = 0, accepted = 0 } = coverage.find(isIn(where)) ?? {};
    const counts = { ...NO_RECORDS };
    const found = rows.filter(isIn(where));
    let covered = accepted;
    for (const { state, count, hasKey, isAccepted } of found) {
      if (!hasKey || state === "accepted") continue;
      counts[state] += count;
      if (isAccepted) covered -= count;
    }
    const withoutKey = found.reduce((sum, { hasKey, count }) => sum + (hasKey ? 0 : count), 0);
    return { ...where, records, counts: { ...counts, accepted: covered }, withoutKey };
  });
}

const isIn =
  (where: Destination) =>
  ({ target, supplier, endpoint }: Destination): boolean =>
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

type Destination = Pick<DestinationState, "target" | "supplier" | "endpoint">;

const SELECT_DESTINATIONS: Statement<Destination & Pick<DestinationState, "operation">> = {
  sql: `
  select runs.target, runs.supplier, runs.operation, runs.endpoint
  from migrate.runs where runs.id in (
    select max(id) from migrate.runs where ${PLANNED_PUSHES} group by target, supplier, endpoint)
  order by runs.id desc`,
};

interface OpenCount extends Destination {
  readonly state: RecordState;
  readonly hasKey: boolean | 0 | 1;
  readonly isAccepted: boolean | 0 | 1;
  readonly count: number;
}

/** An item that is not done, if it is the latest one of its record. */
const LATEST_OPEN = `
  left join migrate.records on records.identity = items.identity
  left join migrate.unsent on unsent.identity = items.identity and records.planned_run is null
  where ${PLANNED_PUSHES} and (${openItems("items.")}) and case
    when items.identity is null
      then exists (select 1 from migrate.keyless where keyless.run = items.run and keyless.record = items.record)
    else items.run = coalesce(records.planned_run, unsent.planned_run)
      and items.record = coalesce(records.planned_record, unsent.planned_record) end`;

/**
 * Records that are not done although their latest item is: a run that was resumed after a later plan has sent older
 * content.
 */
const LATEST_DONE = `
  inner join migrate.items on items.run = records.planned_run and items.record = records.planned_record
  inner join migrate.runs on runs.id = items.run
  where records.id in (
      select id from migrate.records /*+ indexed by records_outdated */ where ${OUTDATED}
      union all select id from migrate.records /*+ indexed by records_ambiguous */ where state = 'ambiguous')
    and not (${openItems("items.")})`;

const IS_ACCEPTED = "coalesce(records.accepted_content, ''::bytea) <> ''::bytea";

/** An ambiguous item whose record is not ambiguous any more was decided in another run. */
const stateOf = (sending: SendingStatus): string => `case
  when records.state in ('ambiguous', 'existing') then records.state
  when items.status = 'excluded' then 'excluded'
  when items.status = 'sending' then '${sending}'
  when ${IS_ACCEPTED} then case
    when records.accepted_content = coalesce(records.planned_content, items.content) then 'accepted' else 'outdated' end
  when items.status = 'ambiguous' and records.state = 'rejected' then 'rejected'
  when items.status in ('blocked', 'ambiguous') then 'pending'
  else items.status end`;

const countOpen = (sending: SendingStatus): Statement<OpenCount> => {
  const columns = `runs.target, runs.supplier, runs.endpoint, ${stateOf(sending)} as state,
    items.identity is not null as "hasKey", ${IS_ACCEPTED} as "isAccepted", count(*) as count`;
  return {
    sql: `
    select ${columns} from migrate.runs
    inner join migrate.items /*+ indexed by items_open */ on items.run = runs.id ${LATEST_OPEN} group by 1, 2, 3, 4, 5, 6
    union all
    select ${columns} from migrate.records ${LATEST_DONE} group by 1, 2, 3, 4, 5, 6`,
  };
};

/** See `Ledger.unsettledRuns`. */
export function* unsettledRuns(tables: Tables, sending: SendingStatus): Work<readonly string[]> {
  return (yield* tables.rows(selectUnsettled(sending))).map(({ name }) => name);
}

const selectUnsettled = (sending: SendingStatus): Statement<{ name: string }> => ({
  sql: `
  select runs.name from migrate.runs where exists (
    select 1 from migrate.items /*+ indexed by items_open */ ${LATEST_OPEN} and items.run = runs.id
      and items.status in ('pending', 'sending', 'blocked', 'ambiguous') and ${stateOf(sending)} <> 'accepted')
  order by runs.id desc`,
});

interface OpenRow {
  readonly number: number;
  readonly record: number;
  readonly status: string;
  readonly id: number | null;
  readonly key: string | null;
  readonly file: string;
  readonly line: number;
  readonly state: RecordState;
  readonly run: string;
  readonly target: string;
  readonly supplier: string;
  readonly since: string;
}

/** A position in the list of open records: after an item of a run, or after a record whose latest item is done. */
export type OpenCursor =
  | { readonly run: number; readonly status: string; readonly record: number }
  | { readonly id: number };

export const FIRST_OPEN: OpenCursor = { run: 2_147_483_647, status: "", record: 0 };

export interface OpenPage {
  readonly records: readonly OpenRecord[];
  /** Undefined at the end. */
  readonly next: OpenCursor | undefined;
}

/**
 * The next open records: by run, latest first. In each run, SQLite lists them by status and place, in the order of its
 * index, and PostgreSQL by place.
 */
export function* nextOpen(
  tables: Tables,
  sending: SendingStatus,
  { since = "" }: OpenFilter,
  after: OpenCursor,
): Work<OpenPage> {
  const columns = openColumns(sending);
  if ("id" in after) {
    const rows = yield* tables.rows(selectDone(columns), after.id);
    const last = rows.at(-1)?.id;
    const next = rows.length < BATCH || typeof last !== "number" ? undefined : { id: last };
    return { records: yield* toOpenRecords(tables, rows, since), next };
  }
  const { run, status, record } = after;
  const rows = yield* tables.rows(selectOpen(tables, columns), run, status, record);
  const records = yield* toOpenRecords(tables, rows, since);
  const last = rows.at(-1);
  if (last !== undefined && rows.length === BATCH) {
    return { records, next: { run: last.number, status: last.status, record: last.record } };
  }
  const { id: earlier } = (yield* tables.row(SELECT_EARLIER, run)) ?? {};
  return { records, next: earlier === undefined ? { id: 0 } : { run: earlier, status: "", record: 0 } };
}

const BATCH = 500;

const openColumns = (sending: SendingStatus): string => `
  items.run as number, items.record, items.status, items.key, files.name as file, items.line,
  ${stateOf(sending)} as state, runs.name as run, runs.target, runs.supplier`;

function selectOpen({ dialect }: Tables, columns: string): Statement<OpenRow> {
  const [position, order] =
    dialect === "sqlite"
      ? ["(items.status, items.record) > ($2, $3)", "items.status, items.record"]
      : ["$2::text is not null and items.record > $3", "items.record"];
  return {
    sql: `
  select ${columns}, null as id, (
    select started_at from migrate.runs as earliest where earliest.id = coalesce(records.first_run, unsent.first_run, (
      select first_run from migrate.keyless where keyless.run = items.run and keyless.record = items.record), items.run)
  ) as since
  from migrate.runs inner join migrate.items /*+ indexed by items_open */ on items.run = runs.id
  inner join migrate.files on files.id = items.file ${LATEST_OPEN}
    and items.run = $1 and ${position}
  order by ${order} limit ${BATCH}`,
  };
}

const selectDone = (columns: string): Statement<OpenRow> => ({
  sql: `
  select ${columns}, records.id, (
    select started_at from migrate.runs as earliest where earliest.id = coalesce(records.first_run, items.run)
  ) as since
  from migrate.records ${LATEST_DONE.replace("where", "inner join migrate.files on files.id = items.file where")}
    and records.id > $1
  order by records.id limit ${BATCH}`,
});

const SELECT_EARLIER: Statement<{ id: number }> = {
  sql: `select id from migrate.runs where ${PLANNED_PUSHES} and id < $1 order by id desc limit 1`,
};

function* toOpenRecords(tables: Tables, rows: readonly OpenRow[], since: string): Work<readonly OpenRecord[]> {
  const found = rows.filter((row) => row.since >= since);
  const problems = new Map<number, ReturnType<typeof problemsByRecord>>();
  for (const number of new Set(found.map((row) => row.number))) {
    const records = found.flatMap((row) => (row.number === number ? row.record : []));
    problems.set(number, problemsByRecord(yield* tables.rows(SELECT_PROBLEMS, number, records)));
  }
  return found.flatMap(({ number, record, key, file, line, state, ...known }) => {
    if (!isOpenState(state)) return [];
    const { run, target, supplier } = known;
    const listed = problems.get(number)?.get(record) ?? [];
    const row = { state, run, target, supplier, since: known.since, source: { file, line }, problems: listed };
    return key === null ? row : { ...row, key: tables.readKey(key) };
  });
}

/** The problems of the plan and of the latest attempt. */
const SELECT_PROBLEMS: Statement<ProblemColumns> = {
  sql: `
  select problems.record, problem
  from migrate.problems inner join migrate.items on items.run = problems.run and items.record = problems.record
  where problems.run = $1 and problems.record = any($2::int[])
    and (problems.attempt = 0 or problems.attempt = items.attempt)
  order by problems.record, problems.attempt, position`,
};
