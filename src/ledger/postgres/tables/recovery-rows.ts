import {
  type JournaledRequest,
  type LedgerOrigin,
  type NotedOrigin,
  type Recovery,
  UNKNOWN_REQUEST,
} from "../../journal/recovery.ts";
import { hexOf } from "../../records/record-hashes.ts";
import { errorCode } from "../../../files/error-code.ts";
import type { Queries, Transaction } from "../queries.ts";
import { abandonedAt } from "../../tables/abandoned.ts";
import { statement } from "../../tables/tables.ts";

export async function unknownRequests(
  queries: Queries,
  requests: readonly JournaledRequest[],
): Promise<readonly JournaledRequest[]> {
  if (requests.length === 0) return [];
  const found = await queries.rows(
    SELECT_UNKNOWN,
    requests.map(({ identity }) => identity),
    requests.map(({ attempt }) => attempt),
  );
  const unknown = new Set(found.map(({ nth }) => nth));
  return requests.filter((_, index) => unknown.has(index + 1));
}

const SELECT_UNKNOWN = statement<{ nth: number }>(`
  select given.nth from unnest($1::bytea[], $2::int[]) with ordinality as given (identity, attempt, nth)
  left join migrate.records on records.identity = given.identity
  where coalesce(records.attempts, 0) < given.attempt`);

/** Adds the requests that the ledger lacks. Returns their number. */
export async function markPossiblySent(
  transaction: Transaction,
  requests: readonly JournaledRequest[],
  at: string,
): Promise<number> {
  const unknown = withoutRepetitions(await unknownRequests(transaction, requests));
  if (unknown.length === 0) return 0;
  await transaction.run(
    MARK_POSSIBLY_SENT,
    unknown.map(({ identity }) => identity),
    unknown.map(({ content }) => content),
    unknown.map(({ attempt }) => attempt),
    unknown.map(({ idempotent = false }) => idempotent),
    at,
    UNKNOWN_REQUEST,
    unknown.map(({ rowMark = null }) => rowMark),
    unknown.map(({ isPoll = false }) => isPoll),
  );
  return unknown.length;
}

/** Omits a request whose attempt number is not higher than that of an earlier request for the same record. */
function withoutRepetitions(requests: readonly JournaledRequest[]): readonly JournaledRequest[] {
  const last = new Map<string, number>();
  return requests.filter(({ identity, attempt }) => {
    const record = hexOf(identity);
    if (attempt <= (last.get(record) ?? 0)) return false;
    last.set(record, attempt);
    return true;
  });
}

/** SQL condition: neither the ledger nor the given requests contain the first request for the record. */
const LACKS_EARLIER = "known.identity is null and min(attempt) over of_record > 1";

/**
 * Adds attempts, and gives each record the content of its last request; a poll has the content of the request before
 * it. If this content differs from the known content, the record was revised between the requests. An accepted record
 * stays accepted if the added attempts directly follow its last attempt and repeat the accepted content.
 */
const MARK_POSSIBLY_SENT = `
  with added as (
    select *, max(nth) filter (where not is_poll) over (partition by identity order by nth) as last_sent
    from unnest($1::bytea[], $2::bytea[], $3::int[], $4::bool[], $7::bigint[], $8::bool[]) with ordinality
      as each (identity, content, attempt, harmless, row_mark, is_poll, nth)
  ), given as (
    select added.identity, coalesce(sent.content, known.content, added.content) as content, added.attempt,
      added.harmless, added.row_mark, added.is_poll, added.nth
    from added left join added as sent on sent.nth = added.last_sent
    left join migrate.records as known on known.identity = added.identity
  ), latest as (
    select distinct on (given.identity) given.identity, given.content, attempt,
      case when bool_and(harmless or is_poll) over of_record then known.step end as step,
      bool_and(harmless) over of_record and not (${LACKS_EARLIER}) as harmless,
      coalesce(known.state = 'accepted', false)
        and bool_and(harmless or coalesce(given.content = known.accepted_content, false)) over of_record
        and attempt - known.attempts = count(*) over of_record as is_repeat,
      (${LACKS_EARLIER} or exists (
        select from given as one
        where one.identity = given.identity and not one.harmless and one.content <> given.content
      ))::int as other_content
    from given left join migrate.records as known on known.identity = given.identity
    window of_record as (partition by given.identity)
    order by given.identity, attempt desc
  ), changed as (
    insert into migrate.records as known (identity, content, state, attempts, step, other_content)
    select identity, content,
      case when harmless then 'pending' when is_repeat then 'accepted' else 'ambiguous' end, attempt, step,
      other_content
    from latest
    on conflict (identity) do update set
      content = excluded.content, attempts = excluded.attempts, verified = null,
      step = case when known.content = excluded.content then excluded.step end,
      other_content = case
        when known.content <> excluded.content
          and (known.state in ('ambiguous', 'sending') or known.step is not null or known.resends > 0) then 1
        else greatest(known.other_content, excluded.other_content) end,
      state = case when excluded.state = 'pending' then known.state else excluded.state end
    returning identity, xmax = 0 as is_new
  ), uncovered as (
    insert into migrate.uncovered
    select identity from changed where is_new and identity not in (select identity from migrate.unsent)
    on conflict do nothing
  ), counted as (
    insert into migrate.counts (run, kind, name, count) select 0, 'requests', '', count(*) from given
  )
  insert into migrate.attempts
    (run, record, attempt, identity, intended_at, settled_at, status, reason, harmless, row_mark)
  select 0, (select coalesce(max(record), 0) from migrate.attempts where run = 0) + nth, attempt, identity, $5, ${abandonedAt("$5")},
    case when harmless then 'pending' else 'ambiguous' end, $6, harmless, row_mark
  from given`;

export async function noteRecovery(transaction: Transaction, { id, at, isUncertain }: Recovery): Promise<void> {
  await transaction.run(INSERT_RECOVERY, id, at, isUncertain);
  if (isUncertain) for (const sql of MARK_ALL_UNCERTAIN) await transaction.run(sql);
}

/** Has no effect if the statement is repeated because the reply from the database was lost. */
const INSERT_RECOVERY = "insert into migrate.recoveries values ($1, $2, $3) on conflict do nothing";

/** Records that were in flight or not sent yet may have had further requests. */
const MARK_ALL_UNCERTAIN: readonly string[] = [
  "update migrate.attempts set harmless = false where status = 'sending'",
  "update migrate.records set other_content = 1 where state <> 'accepted'",
  "update migrate.records set state = 'ambiguous' where state not in ('accepted', 'sending')",
];

export async function isRecoveryKnown(queries: Queries, id: string): Promise<boolean> {
  return (await queries.row(SELECT_RECOVERY, id)) !== undefined;
}

const SELECT_RECOVERY = statement<{ id: string }>("select id from migrate.recoveries where id = $1");

export function originOf(database: Queries): LedgerOrigin {
  return {
    noteMachine: async (machine) => {
      await database.run(INSERT_MACHINE, machine);
    },
    noteOrigin: async (origin, at) => {
      await database.run(UPSERT_ORIGIN, origin, at);
    },
    async facts() {
      const machines = (await database.rows(SELECT_MACHINES)).map(({ id }) => id);
      const noted = await database.row(SELECT_NOTED);
      return { machines, noted, ...(await serverOrigin(database)) };
    },
  };
}

const INSERT_MACHINE = "insert into migrate.machines values ($1, clock_timestamp()) on conflict do nothing";

const UPSERT_ORIGIN = `
  insert into migrate.origin values (1, $1, $2)
  on conflict (id) do update set origin = excluded.origin, noted_at = excluded.noted_at`;

interface Origin {
  readonly origin: string;
  readonly position: number;
  readonly startedAt?: string;
}

const SELECT_NOTED = statement<NotedOrigin>("select origin, noted_at as at from migrate.origin");

const SELECT_MACHINES = statement<{ id: string }>("select id from migrate.machines order by id");

/**
 * Identifies the database, its server and the server's timeline. Restoring a dump gives the table a different number. A
 * failover or a recovery to a point in time starts a new timeline. A restored copy of the server's files has an earlier
 * log position.
 */
const SELECT_ORIGIN = statement<Origin>(`
  select (select system_identifier from pg_control_system())::text || '/' ||
      (select oid from pg_database where datname = current_database())::text || '/' ||
      'migrate.ledger'::regclass::oid::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as origin,
    (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as position,
    pg_postmaster_start_time()::text as "startedAt"`);
/** Selects the origin on a server whose control data this database user may not read. */
const SELECT_DATABASE_ORIGIN = statement<Origin>(`
  select (select oid from pg_database where datname = current_database())::text || '/' ||
      'migrate.ledger'::regclass::oid::text as origin, 0::float8 as position, pg_postmaster_start_time()::text as "startedAt"`);
const INSUFFICIENT_PRIVILEGE = "42501";

async function serverOrigin(database: Queries): Promise<Origin> {
  const none: Origin = { origin: "", position: 0 };
  try {
    return (await database.row(SELECT_ORIGIN)) ?? none;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (errorCode(cause) !== INSUFFICIENT_PRIVILEGE) throw error;
    return (await database.row(SELECT_DATABASE_ORIGIN)) ?? none;
  }
}
