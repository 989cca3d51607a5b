import { requireOne } from "./attempt-log.ts";
import { applyKnownRecords } from "./known-records.ts";
import type { Decision, DecisionMade, DoubtfulItem, PlanPolicy } from "./ledger.ts";
import { appendPlanProblem } from "./problem-table.ts";
import { settleInterrupted } from "./run-log.ts";
import type { RunRow } from "./run-row.ts";
import type { Query, SqliteDatabase } from "./sqlite-database.ts";

interface RunUnderPolicy {
  readonly run: RunRow;
  readonly policy: PlanPolicy;
}

/** Gives when the last request without an answer was given up. */
export function takeStock(
  database: SqliteDatabase,
  { run, policy, at }: RunUnderPolicy & { readonly at: string },
): string | undefined {
  return database.transaction(() => {
    settleInterrupted(database, at);
    database.run("update items set status = 'pending' where run = ? and status = 'ambiguous'", run.number);
    holdAnew(database, { run, policy });
    return database.row(LAST_GIVEN_UP)?.at ?? undefined;
  });
}

const LAST_GIVEN_UP: Query<{ at: string | null }> = {
  sql: "select max(settled_at) as at from attempts where status = 'ambiguous'",
};

/** What is in doubt stays so, whatever the platform does with repeats. */
function holdAnew(database: SqliteDatabase, { run, policy }: RunUnderPolicy): void {
  applyKnownRecords(database, run, { ...policy, resendAmbiguous: false });
}

interface DoubtfulRow extends Omit<DoubtfulItem, "isAsSent"> {
  readonly isAsSent: number;
}

const SELECT_IN_DOUBT = `
  select items.record, items.key, items.identity, items.content = records.content as isAsSent, resends
  from items cross join records on records.identity = items.identity
  where items.run = ? and items.status = 'ambiguous' and records.state = 'ambiguous'`;

export function inDoubt(
  database: SqliteDatabase,
  run: RunRow,
  range: { readonly from: number; readonly to: number },
): readonly DoubtfulItem[] {
  const query: Query<DoubtfulRow> = { sql: `${SELECT_IN_DOUBT} and record between ? and ? order by record` };
  return database.rows(query, run.number, range.from, range.to).map(toDoubtful);
}

export function inDoubtByKey(database: SqliteDatabase, run: RunRow, keys: readonly string[]): readonly DoubtfulItem[] {
  const query: Query<DoubtfulRow> = { sql: `${SELECT_IN_DOUBT} and key = ?` };
  return keys.flatMap((key) => database.rows(query, run.number, key.normalize("NFC")).map(toDoubtful));
}

function toDoubtful({ isAsSent, ...item }: DoubtfulRow): DoubtfulItem {
  return { ...item, isAsSent: isAsSent === 1 };
}

export function decide(
  database: SqliteDatabase,
  { run, policy, decisions }: RunUnderPolicy & { readonly decisions: readonly Decision[] },
): void {
  database.transaction(() => {
    for (const decision of decisions) decideOne(database, run, decision);
    holdAnew(database, { run, policy });
  });
}

function decideOne(database: SqliteDatabase, run: RunRow, made: Decision): void {
  const { record, identity, decision, at, account = null, problems = [] } = made;
  const changed =
    decision === "resend" ? database.run(RESEND, identity) : database.run(SETTLE[decision], identity, at, account);
  requireOne(changed, database.path);
  const status = decision === "resend" ? "pending" : decision;
  requireOne(database.run(SETTLE_ITEM, run.number, record, status, account), database.path);
  for (const problem of problems) appendPlanProblem(database, { run: run.number, record }, problem);
  database.run(INSERT_DECISION, run.number, record, identity, at, decision, made.by, made.who, made.reason, account);
}

/** What arrived with another content is unlike any that could be sent: no push sends it again unless asked to revise. */
const SETTLE = {
  accepted: `
    update records set state = 'accepted', accepted_content = content, accepted_at = ?2, account = ?3
    where identity = ?1 and state = 'ambiguous'`,
  rejected: `
    update records set state = 'rejected', accepted_content = x'', accepted_at = ?2, account = ?3, step = null
    where identity = ?1 and state = 'ambiguous'`,
} as const;

const RESEND = `
  update records set state = 'pending', resends = resends + 1 where identity = ?1 and state = 'ambiguous'`;

/** What was accepted with another content than this run has is not this run's to accept: `holdAnew` refuses it. */
const SETTLE_ITEM = `
  update items set account = ?4, status = iif(
    ?3 = 'accepted' and content <> (select content from records where records.identity = items.identity),
    'pending', ?3)
  where run = ?1 and record = ?2 and status = 'ambiguous'`;

const INSERT_DECISION = `
  insert into decisions (run, record, identity, decided_at, decision, decided_by, who, reason, account)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface DecisionRow extends Omit<DecisionMade, "account"> {
  readonly account: string | null;
}

const SELECT_DECISIONS: Query<DecisionRow> = {
  sql: `
  select runs.name as run, decisions.record, decided_at as at, decision, decided_by as by, who, reason,
    decisions.account
  from decisions cross join runs on runs.id = decisions.run
  where identity in (select identity from items where key = ?) order by decisions.id`,
};

/** Every doubt ever settled for the records of this key. */
export function decisionsFor(database: SqliteDatabase, key: string): readonly DecisionMade[] {
  return database
    .rows(SELECT_DECISIONS, key.normalize("NFC"))
    .map(({ account, ...made }) => ({ ...made, ...(account !== null && { account }) }));
}
