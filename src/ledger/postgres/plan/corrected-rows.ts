import type { LocalProblem } from "../../../model/problem.ts";
import type { PlanPolicy } from "../../ledger.ts";
import { keyProblem } from "../../records/key-place.ts";
import { PLAN_ATTEMPT } from "../../records/stored-problem.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Statement, Transaction } from "../queries.ts";
import { writeFindings } from "./plan-findings.ts";

/**
 * Makes a record `skipped`, with a warning, if its row is an older version of an accepted record. An earlier run found
 * the same content invalid, or the platform refused it, and the record was accepted after that, from corrected
 * rejects. Content that is in no earlier run is treated as a change. The same applies to a record for which the
 * platform was found to have other content ('').
 */
export async function passOverCorrected(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  if ((await transaction.row(EARLIER_RUN, run.number)) === undefined) return;
  for await (const older of transaction.batches(selectOlder(run), BATCH)) {
    const records = older.map(({ record }) => record);
    await transaction.run(DELETE_ERRORS, run.number, records);
    await transaction.run(
      SKIP,
      run.number,
      records,
      older.map(({ account }) => account),
    );
    await writeFindings(
      transaction,
      run,
      older.map((row) => ({ record: row.record, problems: [problemOf(row, policy)] })),
    );
  }
}

const BATCH = 1000;

const EARLIER_RUN: Statement<{ readonly id: number }> = {
  sql: "select id from migrate.runs where id < $1 and command = 'push' limit 1",
};

interface OlderRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
  readonly acceptedAt: string;
  readonly account: string | null;
}

/** Most accepted records have the accepted content, so only the others are examined. */
function selectOlder({ number }: RunRow): Statement<OlderRow> {
  return {
    sql: `
    select items.record, files.name as file, items.line, records.accepted_at as "acceptedAt", records.account
    from migrate.items
    join migrate.records on records.identity = items.identity
    join migrate.files on files.id = items.file
    where items.run = ${number} and items.status in ('valid', 'pending', 'invalid') and items.content is not null
      and records.accepted_content <> '' and records.accepted_at is not null and records.state <> 'ambiguous'
      and (items.status = 'invalid' or records.accepted_content <> items.content)
      and (items.identity, items.content) in (
        select other.identity, other.content
        from migrate.items as other join migrate.runs as earlier on earlier.id = other.run
        where other.run < ${number} and other.status in ('invalid', 'rejected')
          and other.identity = items.identity and earlier.started_at < records.accepted_at)
    order by items.record`,
  };
}

function problemOf({ file, line, acceptedAt }: OlderRow, policy: PlanPolicy): LocalProblem {
  return {
    ...keyProblem("warning", { file, line }, policy),
    code: "corrected_since",
    acceptedAt,
  };
}

const DELETE_ERRORS = `
  delete from migrate.problems
  where run = $1 and record = any($2::int[]) and attempt = ${PLAN_ATTEMPT} and severity = 'error'`;

const SKIP = `
  update migrate.items set status = 'skipped', account = older.account
  from unnest($2::int[], $3::text[]) as older (record, account)
  where items.run = $1 and items.record = older.record`;
