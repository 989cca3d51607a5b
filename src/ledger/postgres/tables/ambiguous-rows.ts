import type { AmbiguousItem, Decision, PlanPolicy, RecordedDecision, SharedAccount } from "../../ledger.ts";
import { applyKnownRecords } from "../plan/known-rows.ts";
import { requireChanged } from "../../ledger-failures.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Queries, Statement, Transaction } from "../queries.ts";
import { readKey, writtenKey } from "../written-key.ts";
import { accountHolders } from "./account-holders.ts";
import { addAccepted } from "./coverage-rows.ts";
import { appendPlanProblems } from "./problem-rows.ts";
import { closeInterruptedAttempts, historyOf, reopenRejected } from "./run-rows.ts";

interface RunUnderPolicy {
  readonly run: RunRow;
  readonly policy: PlanPolicy;
}

/** Returns the time when the last request without a reply was given up. */
export async function refresh(
  transaction: Transaction,
  { run, policy, at }: RunUnderPolicy & { readonly at: string },
): Promise<string | undefined> {
  await closeInterruptedAttempts(transaction, at);
  await transaction.run(
    "update migrate.items set status = 'pending' where run = $1 and status = 'ambiguous'",
    run.number,
  );
  await reopenRejected(transaction, run);
  await reapplyKnownRecords(transaction, { run, policy });
  return (await historyOf(transaction)).lastGivenUpAt;
}

/** Ambiguous records stay ambiguous, even if the platform dedupes. */
async function reapplyKnownRecords(transaction: Transaction, { run, policy }: RunUnderPolicy): Promise<void> {
  await applyKnownRecords(transaction, run, { ...policy, resendAmbiguous: false });
}

const SELECT_AMBIGUOUS = `
  select items.record, items.key, items.identity, items.content = records.content as "isAsSent", resends,
    records.attempts, records.step
  from migrate.items join migrate.records on records.identity = items.identity
  where items.run = $1 and items.status = 'ambiguous' and records.state = 'ambiguous'`;

export async function ambiguousItems(
  queries: Queries,
  run: RunRow,
  range: { readonly from: number; readonly to: number },
): Promise<readonly AmbiguousItem[]> {
  const statement: Statement<AmbiguousRow> = {
    sql: `${SELECT_AMBIGUOUS} and record between $2 and $3 order by record`,
  };
  return (await queries.rows(statement, run.number, range.from, range.to)).map(withKey);
}

export async function ambiguousItemsByKey(
  queries: Queries,
  run: RunRow,
  keys: readonly string[],
): Promise<readonly AmbiguousItem[]> {
  const statement: Statement<AmbiguousRow> = { sql: `${SELECT_AMBIGUOUS} and key = any($2)` };
  const found = await queries.rows(statement, run.number, keys.map(writtenKey));
  const items = found.map(withKey);
  return keys.flatMap((key) => items.filter((item) => item.key === key.normalize("NFC")));
}

interface AmbiguousRow extends Omit<AmbiguousItem, "step"> {
  readonly step: string | null;
}

function withKey({ step, ...item }: AmbiguousRow): AmbiguousItem {
  return { ...item, key: readKey(item.key), ...(step !== null && { step }) };
}

export async function saveDecisions(
  transaction: Transaction,
  { run, policy, decisions }: RunUnderPolicy & { readonly decisions: readonly Decision[] },
): Promise<readonly SharedAccount[]> {
  const withheld: SharedAccount[] = [];
  for (const decision of decisions) {
    const { record, identity, account, isNewAccount = false } = decision;
    const isClaimed = isNewAccount && account !== undefined;
    const holder = isClaimed ? await transaction.row(SELECT_HOLDER, run.number, account, identity) : undefined;
    if (holder !== undefined) {
      withheld.push({ record, holder });
      continue;
    }
    const before = await onPlatform(transaction, decision);
    await saveDecision(transaction, run, decision);
    await addAccepted(transaction, run.number, (await onPlatform(transaction, decision)) - before);
  }
  await reapplyKnownRecords(transaction, { run, policy });
  return withheld;
}

/** Another record of the run's endpoint that has the account, from a request or a decision of any run. */
const SELECT_HOLDER: Statement<SharedAccount["holder"]> = {
  sql: accountHolders({ account: "$2", identity: "$3" }),
};

/** 1 if the platform is known to have the record, otherwise 0. */
async function onPlatform(queries: Queries, { identity }: Decision): Promise<number> {
  return (await queries.row(SELECT_ON_PLATFORM, identity))?.found ?? 0;
}

const SELECT_ON_PLATFORM: Statement<{ found: number }> = {
  sql: "select (coalesce(accepted_content, '') <> '')::int as found from migrate.records where identity = $1",
};

async function saveDecision(transaction: Transaction, run: RunRow, made: Decision): Promise<void> {
  const { record, identity, decision, at, account = null, problems = [] } = made;
  const changed =
    decision === "resend"
      ? await transaction.run(RESEND, identity)
      : await transaction.run(UPDATE_RECORD[decision], identity, at, account);
  requireChanged(changed, 1, transaction.name);
  const status = decision === "resend" ? "pending" : decision;
  requireChanged(await transaction.run(UPDATE_ITEM, run.number, record, status, account), 1, transaction.name);
  await appendPlanProblems(transaction, run.number, [{ record, problems }]);
  const { by, who, reason } = made;
  await transaction.run(INSERT_DECISION, run.number, record, identity, at, decision, by, who, reason, account);
}

/** The empty content never equals the content of a payload: no push sends the record again, except with `--revise`. */
const UPDATE_RECORD = {
  accepted: `
    update migrate.records set state = 'accepted', accepted_content = content, accepted_at = $2, account = $3
    where identity = $1 and state = 'ambiguous'`,
  rejected: `
    update migrate.records set state = 'rejected', accepted_content = '', accepted_at = $2, account = $3, step = null
    where identity = $1 and state = 'ambiguous'`,
} as const;

/** A record that is sent again passes through all steps. */
const RESEND = `
  update migrate.records set state = 'pending', step = null, resends = resends + 1 where identity = $1 and state = 'ambiguous'`;

/** A record that was accepted with other content than in this run stays `pending`: `applyKnownRecords` refuses it. */
const UPDATE_ITEM = `
  update migrate.items set account = $4, status = case
    when $3::text = 'accepted'
      and content <> (select content from migrate.records where records.identity = items.identity) then 'pending'
    else $3::text end
  where run = $1 and record = $2 and status = 'ambiguous'`;

const INSERT_DECISION = `
  insert into migrate.decisions (run, record, identity, decided_at, decision, decided_by, who, reason, account)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

interface DecisionRow extends Omit<RecordedDecision, "account"> {
  readonly account: string | null;
}

const SELECT_DECISIONS: Statement<DecisionRow> = {
  sql: `
  select runs.name as run, decisions.record, decided_at as at, decision, decided_by as by, who, reason,
    decisions.account
  from migrate.decisions join migrate.runs on runs.id = decisions.run
  where identity in (select identity from migrate.items where key = $1) order by decisions.id`,
};

/** Every decision ever made about the records with this key. */
export async function decisionsFor(queries: Queries, key: string): Promise<readonly RecordedDecision[]> {
  const rows = await queries.rows(SELECT_DECISIONS, writtenKey(key));
  return rows.map(({ account, ...made }) => ({ ...made, ...(account !== null && { account }) }));
}
