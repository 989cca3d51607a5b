import { accountHolder } from "./account-holder.ts";
import { requireChanged } from "../../ledger-failures.ts";
import { addAccepted } from "./counts.ts";
import { applyKnownRecords, noteCompared } from "../plan/known-records.ts";
import type { Decision, RecordedDecision, AmbiguousItem, PlanPolicy, SharedAccount } from "../../ledger.ts";
import { appendPlanProblem } from "./problem-table.ts";
import { closeInterruptedAttempts, historyOf, reopen, reopenRejected } from "./run-log.ts";
import type { RunRow } from "../ledger-schema.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

interface RunUnderPolicy {
  readonly run: RunRow;
  readonly policy: PlanPolicy;
}

/** Returns the time when the last request without a reply was given up. */
export function refresh(
  database: SqliteDatabase,
  { run, policy, at }: RunUnderPolicy & { readonly at: string },
): string | undefined {
  return database.transaction(() => {
    closeInterruptedAttempts(database, at);
    reopen(database, run, "ambiguous");
    reopenRejected(database, run);
    reapplyKnownRecords(database, { run, policy });
    noteCompared(database, run);
    return historyOf(database).lastGivenUpAt;
  });
}

/** Ambiguous records stay ambiguous, even if the platform dedupes. */
function reapplyKnownRecords(database: SqliteDatabase, { run, policy }: RunUnderPolicy): void {
  applyKnownRecords(database, run, { ...policy, resendAmbiguous: false }, { of: "left" });
}

interface AmbiguousRow extends Omit<AmbiguousItem, "isAsSent" | "step"> {
  readonly isAsSent: number;
  readonly step: string | null;
}

const SELECT_AMBIGUOUS = `
  select items.record, items.key, items.identity, items.content = records.content as isAsSent, resends,
    records.attempts, records.step
  from items cross join records on records.identity = items.identity
  where items.run = ? and items.status = 'ambiguous' and records.state = 'ambiguous'`;

export function ambiguousItems(
  database: SqliteDatabase,
  run: RunRow,
  range: { readonly from: number; readonly to: number },
): readonly AmbiguousItem[] {
  const query: Query<AmbiguousRow> = { sql: `${SELECT_AMBIGUOUS} and record between ? and ? order by record` };
  return database.rows(query, run.number, range.from, range.to).map(toAmbiguousItem);
}

export function ambiguousItemsByKey(
  database: SqliteDatabase,
  run: RunRow,
  keys: readonly string[],
): readonly AmbiguousItem[] {
  const query: Query<AmbiguousRow> = { sql: `${SELECT_AMBIGUOUS} and key = ?` };
  return keys.flatMap((key) => database.rows(query, run.number, key.normalize("NFC")).map(toAmbiguousItem));
}

function toAmbiguousItem({ isAsSent, step, ...item }: AmbiguousRow): AmbiguousItem {
  return { ...item, isAsSent: isAsSent === 1, ...(step !== null && { step }) };
}

export function saveDecisions(
  database: SqliteDatabase,
  { run, policy, decisions }: RunUnderPolicy & { readonly decisions: readonly Decision[] },
): readonly SharedAccount[] {
  const withheld: SharedAccount[] = [];
  database.transaction(() => {
    for (const decision of decisions) {
      const { record, identity, account, isNewAccount = false } = decision;
      const isClaimed = isNewAccount && account !== undefined;
      const holder = isClaimed ? accountHolder(database, run, { account, identity }) : undefined;
      if (holder !== undefined) {
        withheld.push({ record, holder });
        continue;
      }
      const before = isOnPlatform(database, decision);
      saveDecision(database, run, decision);
      addAccepted(database, run.number, isOnPlatform(database, decision) - before);
    }
    reapplyKnownRecords(database, { run, policy });
  });
  return withheld;
}

function isOnPlatform(database: SqliteDatabase, { identity }: Decision): number {
  return database.row(SELECT_ON_PLATFORM, identity)?.found ?? 0;
}

const SELECT_ON_PLATFORM: Query<{ found: number }> = {
  sql: "select coalesce(accepted_content, x'') <> x'' as found from records where identity = ?",
};

function saveDecision(database: SqliteDatabase, run: RunRow, made: Decision): void {
  const { record, identity, decision, at, account = null, problems = [] } = made;
  const changed =
    decision === "resend"
      ? database.run(RESEND, identity)
      : database.run(UPDATE_RECORD[decision], identity, at, account);
  requireChanged(changed, 1, database.path);
  const status = decision === "resend" ? "pending" : decision;
  requireChanged(database.run(UPDATE_ITEM, run.number, record, status, account), 1, database.path);
  for (const problem of problems) appendPlanProblem(database, { run: run.number, record }, problem);
  database.run(INSERT_DECISION, run.number, record, identity, at, decision, made.by, made.who, made.reason, account);
}

/** The empty content never equals the content of a payload: no push sends the record again, except with `--revise`. */
const UPDATE_RECORD = {
  accepted: `
    update records set state = 'accepted', accepted_content = content, accepted_at = ?2, account = ?3
    where identity = ?1 and state = 'ambiguous'`,
  rejected: `
    update records set state = 'rejected', accepted_content = x'', accepted_at = ?2, account = ?3, step = null
    where identity = ?1 and state = 'ambiguous'`,
} as const;

/** A record that is sent again passes through all steps. */
const RESEND = `
  update records set state = 'pending', step = null, resends = resends + 1 where identity = ?1 and state = 'ambiguous'`;

/** A record that was accepted with other content than in this run stays `pending`: `applyKnownRecords` refuses it. */
const UPDATE_ITEM = `
  update items set account = ?4, status = iif(
    ?3 = 'accepted' and content <> (select content from records where records.identity = items.identity),
    'pending', ?3)
  where run = ?1 and record = ?2 and status = 'ambiguous'`;

const INSERT_DECISION = `
  insert into decisions (run, record, identity, decided_at, decision, decided_by, who, reason, account)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface DecisionRow extends Omit<RecordedDecision, "account"> {
  readonly account: string | null;
}

const SELECT_DECISIONS: Query<DecisionRow> = {
  sql: `
  select runs.name as run, decisions.record, decided_at as at, decision, decided_by as by, who, reason,
    decisions.account
  from decisions cross join runs on runs.id = decisions.run
  where identity in (select identity from items where key = ?) order by decisions.id`,
};

/** Every decision ever made about the records with this key. */
export function decisionsFor(database: SqliteDatabase, key: string): readonly RecordedDecision[] {
  return database
    .rows(SELECT_DECISIONS, key.normalize("NFC"))
    .map(({ account, ...made }) => ({ ...made, ...(account !== null && { account }) }));
}
