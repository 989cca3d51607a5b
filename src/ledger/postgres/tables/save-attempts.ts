import type { AttemptOutcome, Intent } from "../../records/requests.ts";
import { requireChanged } from "../../ledger-failures.ts";
import { otherContentAfter } from "../../records/prior-content.ts";
import type { RunRow } from "../../runs/recorded-run.ts";
import { accountHolders } from "../../tables/reconciliation.ts";
import { columnsOf } from "../postgres-tables.ts";
import type { Queries } from "../queries.ts";
import { insertProblems } from "./insert-problems.ts";
import { abandonedAt } from "../../tables/abandoned.ts";
import { quickStatement, type Scalar } from "../../tables/tables.ts";

export async function saveIntents(
  queries: Queries,
  run: RunRow,
  intents: readonly Intent[],
  outcomes: readonly AttemptOutcome[],
): Promise<void> {
  await saveOutcomes(queries, run, outcomes);
  if (intents.length === 0) return;
  const claimed = await queries.row(CLAIM, run.number, ...columnsOf(intents.map(intentValues)));
  for (const count of [claimed?.records, claimed?.items, claimed?.attempts]) {
    requireChanged(count, intents.length, queries.name);
  }
}

export async function saveOutcomes(queries: Queries, run: RunRow, outcomes: readonly AttemptOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const settled = await queries.row(SETTLE, run.number, ...columnsOf(outcomes.map(outcomeValues)));
  for (const count of [settled?.records, settled?.items, settled?.attempts]) {
    requireChanged(count, outcomes.length, queries.name);
  }
  await insertProblems(queries, run.number, outcomes);
}

interface Changes {
  readonly records: number;
  readonly items: number;
  readonly attempts: number;
}

const COUNT_CHANGES = `
  select (select count(*) from changed_records) as records, (select count(*) from changed_items) as items,
    (select count(*) from changed_attempts) as attempts`;

/** A request that only polls keeps the content of the last request. */
const CLAIM = quickStatement<Changes>(`
  with intents as (
    select * from unnest($2::int[], $3::bytea[], $4::bytea[], $5::int[], $6::text[], $7::text[], $8::bool[],
        $9::bool[]) as each (record, identity, content, attempt, at, step, harmless, is_poll)
  ), changed_records as (
    insert into migrate.records as known (identity, content, state, attempts)
    select identity, coalesce(
        (select last.content from migrate.records as last where is_poll and last.identity = intents.identity), content),
      'sending', attempt
    from intents
    on conflict (identity) do update set
      content = excluded.content, state = 'sending', attempts = excluded.attempts,
      step = case when known.content = excluded.content then known.step end,
      other_content = ${otherContentAfter("known")}, verified = null
    where known.state <> 'sending' and known.attempts = excluded.attempts - 1
    returning 1
  ), changed_items as (
    update migrate.items set status = 'sending', attempt = intents.attempt, attempts = coalesce(attempts, 0) + 1
    from intents where items.run = $1 and items.record = intents.record and items.status = 'pending'
    returning 1
  ), changed_attempts as (
    insert into migrate.attempts (run, record, attempt, identity, intended_at, step, harmless, status)
    select $1, record, attempt, identity, at, step, harmless, 'sending' from intents
    on conflict do nothing returning 1
  ) ${COUNT_CHANGES}`);

function intentValues(intent: Intent): readonly Scalar[] {
  const { record, identity, content, attempt, at, step = null, idempotent = false, isPoll = false } = intent;
  return [record, identity, content, attempt, at, step, idempotent, isPoll];
}

/**
 * An accepted attempt becomes `ambiguous` if its new account already belongs to another record of the same endpoint, in
 * any run. Refused records, and records that the platform already had, restart at their first step. A record that the
 * platform has in part (`may_repeat` is not null) has no accepted version: its accepted content is null if any content
 * may be sent, otherwise empty. `counted` reads the accepted contents before this statement changes them.
 */
const SETTLE = quickStatement<Changes>(`
  with given as (
    select * from unnest($2::int[], $3::bytea[], $4::int[], $5::text[], $6::text[], $7::int[], $8::text[], $9::float8[],
        $10::text[], $11::text[], $12::bool[], $13::bool[], $14::bool[]) with ordinality
      as each (record, identity, attempt, status, at, http, account, duration_ms, reason, step, creates, holds_other,
        may_repeat, nth)
  ), checked as (
    select given.*, other.record as other_record, other.run as other_run
    from given left join lateral (
      select record, run from (${accountHolders({ account: "given.account", identity: "given.identity" })}) as holders
      where given.creates and given.status = 'accepted'
      union all
      select earlier.record, runs.name
      from given as earlier join migrate.runs on runs.id = $1
      where given.creates and given.status = 'accepted' and earlier.account = given.account
        and earlier.identity <> given.identity and earlier.status = 'accepted' and earlier.nth < given.nth
      limit 1
    ) as other on true
  ), outcomes as (
    select record, identity, attempt, at, http, account, duration_ms, step, holds_other, may_repeat,
      case when other_run is null then status else 'ambiguous' end as status,
      case when other_run is null then reason
        else 'HTTP ' || coalesce(http::text, 'reply') || ' with the account number of another record (record '
          || other_record || ' of run ' || other_run || ')' end as reason
    from checked
  ), changed_attempts as (
    update migrate.attempts set status = outcomes.status, http = outcomes.http,
      settled_at = case when outcomes.status in ('ambiguous', 'pending') then ${abandonedAt("at")} else at end,
      account = outcomes.account, duration_ms = outcomes.duration_ms, reason = outcomes.reason
    from outcomes
    where attempts.run = $1 and attempts.record = outcomes.record and attempts.attempt = outcomes.attempt
      and attempts.identity = outcomes.identity and attempts.status = 'sending'
    returning 1
  ), changed_records as (
    update migrate.records set state = outcomes.status,
      accepted_content = case when outcomes.status = 'accepted' then content
        when may_repeat is null or may_repeat and accepted_content is null then accepted_content else '' end,
      accepted_at = case when outcomes.status = 'accepted' or may_repeat is not null then at else accepted_at end,
      account = case when outcomes.status = 'accepted' then outcomes.account
        when may_repeat is not null then coalesce(outcomes.account, records.account) else records.account end,
      step = case outcomes.status when 'accepted' then records.step when 'rejected' then null
        when 'existing' then null else coalesce(outcomes.step, records.step) end,
      other_content = case when outcomes.status = 'existing' or holds_other or may_repeat is not null then 1
        else records.other_content end
    from outcomes
    where records.identity = outcomes.identity and records.attempts = outcomes.attempt and records.state = 'sending'
    returning 1
  ), changed_items as (
    update migrate.items set status = outcomes.status, http = outcomes.http, account = outcomes.account,
      duration_ms = outcomes.duration_ms
    from outcomes
    where items.run = $1 and items.record = outcomes.record and items.attempt = outcomes.attempt
      and items.status = 'sending'
    returning 1
  ), counted as (
    insert into migrate.counts (run, kind, name, count)
    select $1::int, 'accepted', '', sum(case outcomes.status when 'accepted' then 1 else -1 end)
    from outcomes join migrate.records on records.identity = outcomes.identity
    where outcomes.status = 'accepted' and coalesce(accepted_content, '') = ''
      or may_repeat is not null and accepted_content <> ''
    having count(*) > 0
  ) ${COUNT_CHANGES}`);

function outcomeValues(outcome: AttemptOutcome): readonly Scalar[] {
  const { record, identity, attempt, status, at, http = null, account, durationMs = null, reason } = outcome;
  const { step = null, isNewAccount = false, mayHoldOther = false, partial } = outcome;
  const reply = [http, writable(account), durationMs, writable(reason)];
  return [
    record,
    identity,
    attempt,
    status,
    at,
    ...reply,
    step,
    isNewAccount,
    mayHoldOther,
    partial?.mayRepeat ?? null,
  ];
}

/** Replaces U+0000, which PostgreSQL cannot store. Text from the platform may contain this character. */
function writable(text: string | undefined): string | null {
  return text?.replaceAll("\0", "\u{FFFD}") ?? null;
}
