import { definedMembers } from "../../json/defined-members.ts";
import type { Status } from "../../model/outcome.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import type { AmbiguousItem, Decision, RecordedDecision, SharedAccount, UndecidedStatus } from "../records/requests.ts";
import type { PlanPolicy } from "../records/planned-item.ts";
import { requireChanged } from "../ledger-failures.ts";
import { applyKnownRecords } from "../plan/known-records.ts";
import { MAY_HOLD_OTHER } from "../records/prior-content.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { addAccepted } from "./counts.ts";
import { appendPlanProblems } from "./problems.ts";
import { type Selected, statement, type Statement, type Tables, type Work } from "./tables.ts";

type AmbiguousRow = Selected<Omit<AmbiguousItem, "sentBy">>;

const SELECT_ITEM = `
  select items.record, items.key, items.identity, items.content = records.content as "isAsSent",
    ${MAY_HOLD_OTHER} as "mayHoldOther", case when resends > 0 then resends else 0 end as resends, records.attempts,
    records.step, records.account, records.verified_at as "comparedAt"
  from migrate.items inner join migrate.records on records.identity = items.identity
  where items.run = $1`;

const selectUndecided = (status: Status): string =>
  `${SELECT_ITEM} and items.status = '${status}' and records.state = '${status}'`;

/** SQL condition: the platform accepted the record, but the last comparison did not find it there. */
const IS_LOST = "records.state in ('accepted', 'rejected') and records.verified = 'absent'";

/**
 * Queries for undecided records. They omit an existing record that a later run has sent with different content, because
 * that run decides its status.
 */
const SELECT: Readonly<Record<UndecidedStatus, string>> = {
  ambiguous: selectUndecided("ambiguous"),
  existing: `${selectUndecided("existing")} and items.content = records.content`,
  lost: `${SELECT_ITEM} and items.status in ('accepted', 'skipped') and ${IS_LOST}
    and items.content = records.accepted_content and $1 in (select id from migrate.runs where not dry_run)`,
};

/** Returns the implementation of `Ledger.ambiguous`, `Ledger.existing` or `Ledger.lost`. */
export const undecidedItems = (status: UndecidedStatus) =>
  function* inRange(tables: Tables, run: RunRow, from: number, to: number): Work<readonly AmbiguousItem[]> {
    const rows = yield* tables.rows(IN_RANGE[status], run.number, from, to);
    return rows.map((row) => toAmbiguousItem(tables, row));
  };

const withNumbers = (query: string): Statement<AmbiguousRow> =>
  statement(`${query} and record between $2 and $3 order by record`);

const IN_RANGE = {
  ambiguous: withNumbers(SELECT.ambiguous),
  existing: withNumbers(SELECT.existing),
  lost: withNumbers(SELECT.lost),
};

export function* undecidedItemsByKey(
  tables: Tables,
  run: RunRow,
  status: UndecidedStatus,
  keys: readonly string[],
): Work<readonly AmbiguousItem[]> {
  const rows = yield* tables.rows(BY_KEY[status], run.number, keys.map(tables.writtenKey));
  const items: AmbiguousItem[] = [];
  for (const row of rows) {
    const item = toAmbiguousItem(tables, row);
    const sentBy = item.isAsSent ? undefined : (yield* tables.row(SELECT_SENDER, run.number, item.identity))?.name;
    items.push({ ...item, ...definedMembers({ sentBy }) });
  }
  return keys.flatMap((key) => items.filter((item) => item.key === canonicalKey(key)));
}

const withKeys = (query: string): Statement<AmbiguousRow> => statement(`${query} and key = any($2) order by record`);

const BY_KEY = {
  ambiguous: withKeys(SELECT.ambiguous),
  existing: withKeys(SELECT.existing),
  lost: withKeys(SELECT.lost),
};

/** Returns SQL for the items of record `$2`. SQLite uses its index of open records if there is only one status. */
const openItems = (status: "ambiguous" | "pending"): string => `
  select run, attempt, content from migrate.items /*+ indexed by items_open */ where status = '${status}' and identity = $2`;

/** Finds the latest other run that sent the content of a record, if the record can still be settled in that run. */
const SELECT_SENDER = statement<{ name: string }>(`
  select runs.name from (${openItems("ambiguous")} union all ${openItems("pending")}) as sent
  inner join migrate.runs on runs.id = sent.run
  where sent.run <> $1 and sent.attempt is not null
    and sent.content = (select content from migrate.records where identity = $2)
  order by sent.attempt desc limit 1`);

function toAmbiguousItem(
  tables: Tables,
  { isAsSent, mayHoldOther, step, account, comparedAt, ...item }: AmbiguousRow,
): AmbiguousItem {
  return {
    ...item,
    key: tables.readKey(item.key),
    isAsSent: Boolean(isAsSent),
    mayHoldOther: Boolean(mayHoldOther),
    ...definedMembers({
      step: step ?? undefined,
      account: account ?? undefined,
      comparedAt: comparedAt ?? undefined,
    }),
  };
}

export function* saveDecisions(
  tables: Tables,
  run: RunRow,
  decisions: readonly Decision[],
  policy: PlanPolicy,
): Work<readonly SharedAccount[]> {
  const unapplied: SharedAccount[] = [];
  for (const decision of decisions) {
    const { record, identity, account, isNewAccount = false } = decision;
    const isClaimed = isNewAccount && account !== undefined;
    const holder = isClaimed ? yield* accountHolder(tables, run, { account, identity }) : undefined;
    if (holder !== undefined) {
      unapplied.push({ record, holder });
      continue;
    }
    const before = yield* onPlatform(tables, decision);
    yield* saveDecision(tables, run, decision);
    yield* addAccepted(tables, run.number, (yield* onPlatform(tables, decision)) - before);
  }
  // Ambiguous records stay ambiguous, even if the platform deduplicates by business key.
  yield* applyKnownRecords(tables, run, { ...policy, resendAmbiguous: false }, "left");
  return unapplied;
}

/**
 * Returns SQL that selects another record that has the account, from a request or a decision of any run. The other
 * record has the same endpoint as the records of run `$1`. A record that the platform has lost no longer has its
 * account, which the platform may assign again. The columns are `record` and `run`.
 * @param given SQL for the account, and for the identity of the record that gets the account
 */
export function accountHolders({ account, identity }: { readonly account: string; readonly identity: string }): string {
  const holders = (table: string, condition: string, time: string): string => `
    select * from (
      select ${table}.record, runs.name as run
      from migrate.${table} join migrate.runs on runs.id = ${table}.run
      where ${table}.account = ${account} and ${table}.identity <> ${identity} and ${table}.${condition}
        and runs.endpoint = (select endpoint from migrate.runs where id = $1)
        and not exists (
          select 1 from migrate.decisions as later where later.identity = ${table}.identity
            and later.decision = 'resend' and later.account = ${account} and later.decided_at > ${table}.${time})
      limit 1
    ) as holders_in_${table}`;
  const sent = holders("attempts", "status = 'accepted'", "settled_at");
  return `${sent} union all ${holders("decisions", "decision <> 'resend'", "decided_at")}`;
}

/** Finds another record with the run's endpoint that has the account, from a request or a decision of any run. */
export function accountHolder(
  tables: Tables,
  run: RunRow,
  { account, identity }: { readonly account: string; readonly identity: Uint8Array },
): Work<SharedAccount["holder"] | undefined> {
  return tables.row(SELECT_HOLDER, run.number, account, identity);
}

const SELECT_HOLDER = statement<SharedAccount["holder"]>(accountHolders({ account: "$2", identity: "$3" }));

/** Returns 1 if the platform is known to have the record, otherwise 0. */
function* onPlatform(tables: Tables, { identity }: Decision): Work<number> {
  return Number((yield* tables.row(SELECT_ON_PLATFORM, identity))?.found ?? 0);
}

const SELECT_ON_PLATFORM = statement<{ found: number | boolean }>(
  "select coalesce(accepted_content <> ''::bytea, false) as found from migrate.records where identity = $1",
);

function* saveDecision(tables: Tables, run: RunRow, made: Decision): Work<void> {
  const { record, identity, decision, at, problems = [] } = made;
  const isResent = decision === "resend";
  const account =
    made.account ?? (isResent ? yield* lostAccount(tables, made) : yield* knownAccount(tables, run, made));
  const changed = isResent
    ? yield* tables.run(RESEND, identity)
    : yield* tables.run(UPDATE_RECORD[decision], identity, at, account);
  requireChanged(changed, 1, tables.name);
  const updated = isResent
    ? yield* tables.run(RESEND_ITEM, run.number, record)
    : yield* tables.run(UPDATE_ITEM, run.number, record, decision, account);
  requireChanged(updated, 1, tables.name);
  yield* tables.run(DELETE_ANSWERED, run.number, record);
  yield* appendPlanProblems(tables, run.number, [{ record, problems }]);
  const { by, who, reason } = made;
  yield* tables.run(INSERT_DECISION, run.number, record, identity, at, decision, by, who, reason, account);
}

/** Returns the account number that a lost record no longer has. */
function* lostAccount(tables: Tables, { identity }: Decision): Work<string | null> {
  return (yield* tables.row(SELECT_LOST_ACCOUNT, identity))?.account ?? null;
}

const SELECT_LOST_ACCOUNT = statement<{ account: string | null }>(
  `select account from migrate.records where identity = $1 and ${IS_LOST}`,
);

/** Returns the account number from an earlier reply about the record, unless another record has this number. */
function* knownAccount(tables: Tables, run: RunRow, { record, identity }: Decision): Work<string | null> {
  const { replied = null, accepted = null } = (yield* tables.row(SELECT_ACCOUNTS, run.number, record)) ?? {};
  if (replied === null) return accepted;
  const holder = yield* accountHolder(tables, run, { account: replied, identity });
  return holder === undefined ? replied : accepted;
}

const SELECT_ACCOUNTS = statement<{ replied: string | null; accepted: string | null }>(`
  select items.account as replied, records.account as accepted
  from migrate.items inner join migrate.records on records.identity = items.identity
  where items.run = $1 and items.record = $2`);

/**
 * A rejected `ambiguous` record keeps its accepted content. If it has none, it gets empty accepted content, which is
 * not equal to any payload. A push therefore sends the rejected content again only with `--revise`. A rejected
 * `existing` record may be sent again, because the platform refuses it and creates nothing.
 */
const UPDATE_RECORD = {
  accepted: `
    update migrate.records set state = 'accepted', accepted_content = content, accepted_at = $2, account = $3
    where identity = $1 and state in ('ambiguous', 'existing')`,
  rejected: `
    update migrate.records set state = 'rejected', account = $3, step = null,
      accepted_content = case when state = 'ambiguous' then coalesce(accepted_content, ''::bytea) else accepted_content end,
      accepted_at = case when state = 'ambiguous' then coalesce(accepted_at, $2) else accepted_at end
    where identity = $1 and state in ('ambiguous', 'existing')`,
} as const;

/**
 * Resets the step, because a record that is sent again passes through all steps. A record that the platform has lost
 * has no accepted content.
 */
const RESEND = `
  update migrate.records set state = 'pending', step = null, resends = resends + 1,
    accepted_content = case when state = 'ambiguous' then accepted_content end,
    accepted_at = case when state = 'ambiguous' then accepted_at end,
    account = case when state = 'ambiguous' then account end, verified = null, verified_at = null
  where identity = $1 and (state = 'ambiguous' or ${IS_LOST})`;

const RESEND_ITEM = `
  update migrate.items set account = null, status = 'pending'
  where run = $1 and record = $2 and status in ('ambiguous', 'accepted', 'skipped')`;

/**
 * Keeps a record `pending` if the platform has accepted different content. `applyKnownRecords` then refuses the record.
 */
const UPDATE_ITEM = `
  update migrate.items set account = $4, status = case
    when $3::text = 'accepted'
      and content <> (select content from migrate.records where records.identity = items.identity) then 'pending'
    else $3::text end
  where run = $1 and record = $2 and status in ('ambiguous', 'existing')`;

/** Deletes the problem that asks which content the platform has, because the decision answers it. */
const DELETE_ANSWERED = "delete from migrate.problems where run = $1 and record = $2 and code = 'version_unknown'";

const INSERT_DECISION = `
  insert into migrate.decisions (run, record, identity, decided_at, decision, decided_by, who, reason, account)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** Returns every decision ever made about the records with this key. */
export function* decisionsFor(tables: Tables, key: string): Work<readonly RecordedDecision[]> {
  const rows = yield* tables.rows(SELECT_DECISIONS, tables.writtenKey(key));
  return rows.map(({ account, identity, ...made }) => ({
    ...made,
    identity: new Uint8Array(identity),
    ...(account !== null && { account }),
  }));
}

const SELECT_DECISIONS = statement<Selected<RecordedDecision>>(`
  select runs.name as run, decisions.record, identity, decided_at as at, decision, decided_by as by, who,
    reason, decisions.account
  from migrate.decisions inner join migrate.runs on runs.id = decisions.run
  where identity in (select identity from migrate.items where key = $1) order by decisions.id`);
