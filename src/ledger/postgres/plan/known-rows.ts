import type { LocalProblem } from "../../../model/problem.ts";
import type { PlanPolicy } from "../../ledger.ts";
import { requireOneDirection } from "../../records/circular-mappings.ts";
import { keyProblem } from "../../records/key-place.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Statement, Transaction } from "../queries.ts";
import { holdNewIfUncertain } from "../tables/recovery-rows.ts";
import { passOverCorrected } from "./corrected-rows.ts";
import { applyFindings, writeFindings } from "./plan-findings.ts";

/**
 * Compares the records of a run that are left to send with all runs, and sets their status:
 *
 * - `skipped`: accepted with this content, or with a corrected version of it
 * - `invalid`, code `unique`: accepted with other content, unless `revise`
 * - `ambiguous`: possibly processed, unless `resendAmbiguous`
 * - `blocked`, code `account_not_found`: belongs to a record that is not accepted yet
 *
 * All other records are sent: new, blocked and rejected records. Rejected records are sent even if they are unchanged,
 * because the cause may have been fixed on the platform, and a refusal creates nothing.
 */
export async function applyKnownRecords(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  if (policy.after !== undefined) await blockWaiting(transaction, run, policy, policy.after);
  if ((await transaction.row(ANY_RECORD)) !== undefined) await compareRecords(transaction, run, policy);
  if (!policy.resendAmbiguous) await holdNewIfUncertain(transaction, run);
}

async function compareRecords(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  await passOverCorrected(transaction, run, policy);
  await transaction.run(SKIP_ACCEPTED, run.number);
  if (!policy.revise) await refuseChanged(transaction, run, policy);
  if (!policy.resendAmbiguous) await transaction.run(HOLD_AMBIGUOUS, run.number);
}

const ANY_RECORD: Statement<{ readonly id: number }> = { sql: "select id from migrate.records limit 1" };

const TO_SEND = "items.status in ('valid', 'pending') and records.identity = items.identity";

const SKIP_ACCEPTED = `
  update migrate.items set status = 'skipped', account = records.account from migrate.records
  where items.run = $1 and ${TO_SEND} and records.state <> 'ambiguous' and records.accepted_content = items.content`;

const HOLD_AMBIGUOUS = `
  update migrate.items set status = 'ambiguous' from migrate.records
  where items.run = $1 and ${TO_SEND} and records.state = 'ambiguous'`;

interface WaitingRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
}

/** Problems of an earlier comparison are removed first, because they may be outdated. */
async function blockWaiting(transaction: Transaction, run: RunRow, policy: PlanPolicy, after: string): Promise<void> {
  await transaction.run(
    "delete from migrate.problems where run = $1 and attempt = 0 and code = 'account_not_found'",
    run.number,
  );
  const statement: Statement<WaitingRow> = {
    sql: `
    select items.record, items.line, files.name as file
    from migrate.items join migrate.files on files.id = items.file
    where items.run = ${run.number} and items.status in ('valid', 'pending') and items.awaits is not null
      and not exists (
        select 1 from migrate.records where identity = items.awaits and accepted_content is not null)
      and not exists (
        select 1 from migrate.records where identity = items.identity and accepted_content = items.content)
    order by items.record`,
  };
  await applyFindings(transaction, run, {
    statement,
    found: ({ record, file, line }) => {
      const problem: LocalProblem = {
        ...keyProblem("error", { file, line }, policy),
        code: "account_not_found",
        after,
      };
      return { record, status: "blocked", problems: [problem] };
    },
  });
  await refuseCircular(transaction, run, policy, after);
}

/** A record that waits for itself can never be sent. Records blocked by other runs also count. */
async function refuseCircular(transaction: Transaction, run: RunRow, policy: PlanPolicy, after: string): Promise<void> {
  const circular = await transaction.rows(SELECT_CIRCULAR, run.number);
  requireOneDirection(circular.length, policy);
  if (circular.length === 0) return;
  await transaction.run(
    `delete from migrate.problems
     where run = $1 and record = any($2::int[]) and attempt = 0 and code = 'account_not_found'`,
    run.number,
    circular.map(({ record }) => record),
  );
  const findings = circular.map(({ record, file, line }) => {
    const problem: LocalProblem = {
      ...keyProblem("error", { file, line }, policy),
      code: "circular_dependency",
      after,
    };
    return { record, status: "invalid", problems: [problem] } as const;
  });
  await writeFindings(transaction, run, findings);
}

const SELECT_CIRCULAR: Statement<WaitingRow> = {
  sql: `
  with recursive waits as materialized (
    select run, record, identity, awaits from migrate.items
    where status = 'blocked' and awaits is not null
      and not exists (
        select 1 from migrate.records where records.identity = items.identity and accepted_content is not null)
  ), walk (record, start, at) as (
    select record, identity, awaits from waits where run = $1 and identity in (select awaits from waits)
    union
    select walk.record, walk.start, waits.awaits from walk join waits on waits.identity = walk.at
    where walk.at <> walk.start
  )
  select items.record, items.line, files.name as file
  from migrate.items join migrate.files on files.id = items.file
  where items.run = $1 and items.record in (select record from walk where at = start)
  order by items.record`,
};

interface ChangedRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
  readonly acceptedAt: string;
}

async function refuseChanged(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  const statement: Statement<ChangedRow> = {
    sql: `
    select items.record, items.line, files.name as file, records.accepted_at as "acceptedAt"
    from migrate.items join migrate.files on files.id = items.file
    join migrate.records on ${TO_SEND}
    where items.run = ${run.number} and records.accepted_content <> items.content
      ${policy.resendAmbiguous ? "" : "and records.state <> 'ambiguous'"}
    order by items.record`,
  };
  await applyFindings(transaction, run, {
    statement,
    found: ({ record, file, line, acceptedAt }) => {
      const problem: LocalProblem = {
        ...keyProblem("error", { file, line }, policy),
        code: "unique",
        acceptedAt,
      };
      return { record, status: "invalid", problems: [problem] };
    },
  });
}
