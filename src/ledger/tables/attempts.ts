import type { Problem } from "../../model/problem.ts";
import type { InputPosition } from "../../model/record.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { WallClock } from "../../time/clock.ts";
import type { Attempt, NextSendable, RecordedAttempt, SendableItem } from "../records/requests.ts";
import { PRIOR_CONTENT } from "../records/prior-content.ts";
import { parseProblem } from "../records/stored-problem.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { sinceAbandoned } from "./abandoned.ts";
import { quickStatement, type Selected, statement, type Tables, type Work } from "./tables.ts";

/** Saves a position, unless the ledger contains no records from the position's file. */
export function* notePosition(tables: Tables, run: RunRow, { record, file, byte, line }: InputPosition): Work<void> {
  yield* tables.run(INSERT_POSITION, run.number, record, byte, line, file);
}

const INSERT_POSITION = `
  insert into migrate.positions (run, record, byte, line, file)
  select $1, $2, $3, $4, id from migrate.files where name = $5
  on conflict (run, record) do update set byte = excluded.byte, line = excluded.line, file = excluded.file`;

export function* nextSendable(tables: Tables, run: RunRow, from: number): Work<NextSendable | undefined> {
  const next = yield* tables.row(SELECT_NEXT, run.number, from);
  if (next === undefined) return undefined;
  const position = yield* tables.row(SELECT_POSITION, run.number, next.record);
  return { record: next.record, ...(position !== undefined && { position }) };
}

/** Uses the index of open records, because a run that was interrupted near its end has few open records. */
const SELECT_NEXT = statement<{ record: number }>(`
  select record from migrate.items /*+ indexed by items_open */
  where run = $1 and record >= $2 and status = 'pending' and identity is not null and content is not null
  order by record limit 1`);

const SELECT_POSITION = statement<InputPosition>(`
  select record, files.name as file, byte, line
  from migrate.positions inner join migrate.files on files.id = positions.file
  where run = $1 and record <= $2 order by record desc limit 1`);

export function* sendable(tables: Tables, run: RunRow, from: number, to: number): Work<readonly SendableItem[]> {
  return (yield* tables.rows(SELECT_SENDABLE, run.number, from, to)).map(toSendable);
}

/** Most records in the range are left to send, so `+` prevents SQLite from using the index of open records. */
const SELECT_SENDABLE = quickStatement<Selected<SendableItem>>(`
  select items.record, items.identity, items.content, coalesce(records.attempts, 0) as attempts,
    coalesce(records.state, '') = 'ambiguous' as "isAmbiguous", ${PRIOR_CONTENT} as prior,
    records.accepted_content is not null as "isOnPlatform",
    case when records.content = items.content then records.step end as step, items.row_hash as "rowHash", records.account
  from migrate.items left join migrate.records on records.identity = items.identity
  where run = $1 and record between $2 and $3 and /*++*/status = 'pending'
    and items.identity is not null and items.content is not null
  order by record`);

function toSendable({
  account,
  isAmbiguous,
  isOnPlatform,
  step,
  rowHash,
  ...given
}: Selected<SendableItem>): SendableItem {
  const known = definedMembers({ account: account ?? undefined, isOnPlatform: Boolean(isOnPlatform) || undefined });
  const item = { ...given, ...known, isAmbiguous: Boolean(isAmbiguous), rowHash: rowHash ?? undefined };
  return step === null ? item : { ...item, step };
}

export function msSinceOtherContent(clock: WallClock) {
  return function* since(tables: Tables, { number }: RunRow, hasStageFields = false): Work<number | undefined> {
    const found = yield* tables.row(SELECT_ABANDONED, number, hasStageFields);
    return yield* sinceAbandoned(tables, found?.at ?? null, clock);
  };
}

/**
 * SQL condition: the attempt had no reply, or a reply after which the platform may still process the request. The
 * reason of a reply that settles nothing begins with its HTTP status.
 */
const IS_UNANSWERED = "(http is null or http >= 500 or http in (408, 409) or http < 300 and reason like 'HTTP %')";

/**
 * SQL condition: the request of a `pending` attempt was sent. A run repeats every sent request that stays `pending`, so
 * a `pending` attempt without a later attempt was never sent. The exception is a step that may be repeated safely: its
 * requests always count as sent.
 */
const WAS_SENT = `(harmless or exists (select 1 from migrate.attempts as later where later.run = attempts.run
      and later.record = attempts.record and later.attempt > attempts.attempt))`;

const SELECT_ABANDONED = statement<{ at: string | null }>(`
  with repeated as materialized (
    select items.identity, records.content <> items.content as is_changed
    from migrate.items /*+ indexed by items_open */
    inner join migrate.records on records.identity = items.identity
    where items.run = $1 and items.status = 'pending' and records.attempts > 0
      and ($2 or records.content <> items.content)
  )
  select max(settled_at) as at from migrate.attempts
  where ${IS_UNANSWERED} and (status = 'ambiguous' or status = 'pending' and ${WAS_SENT})
    and (identity in (select identity from repeated where is_changed)
      or run <> $1 and identity in (select identity from repeated))`);

/** Returns every attempt for the records with this key, in any run. */
export function* attemptsOf(tables: Tables, key: string): Work<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  for (const row of yield* tables.rows(SELECT_ATTEMPTS, tables.writtenKey(key))) {
    const problems = yield* tables.rows(SELECT_PROBLEMS, row.runNumber, row.record, row.attempt);
    const parsed = problems.map(({ problem }) => parseProblem(problem));
    attempts.push(toAttempt(row, parsed));
  }
  return attempts;
}

interface AttemptRow extends Selected<RecordedAttempt> {
  readonly runNumber: number;
}

function toAttempt({ runNumber: _number, ...row }: AttemptRow, problems: readonly Problem[]): Attempt {
  const { identity, step, settledAt, http, account, durationMs, reason, ...known } = row;
  return {
    ...known,
    identity: new Uint8Array(identity),
    problems,
    ...(step !== null && { step }),
    ...(settledAt !== null && { settledAt }),
    ...(http !== null && { http }),
    ...(account !== null && { account }),
    ...(durationMs !== null && { durationMs }),
    ...(reason !== null && { reason }),
  };
}

const SELECT_ATTEMPTS = statement<AttemptRow>(`
  select attempts.run as "runNumber", runs.name as run, attempts.identity, attempts.attempt, attempts.record, attempts.step,
    intended_at as "intendedAt", settled_at as "settledAt", attempts.status, attempts.http, attempts.account,
    attempts.duration_ms as "durationMs", reason
  from migrate.items
  join migrate.attempts on attempts.run = items.run and attempts.record = items.record
  join migrate.runs on runs.id = items.run
  where items.key = $1 order by intended_at, attempts.run, attempts.attempt`);

const SELECT_PROBLEMS = statement<{ problem: string }>(
  "select problem from migrate.problems where run = $1 and record = $2 and attempt = $3 order by position",
);
