import type { LocalProblem } from "../../../model/problem.ts";
import type { PlanPolicy } from "../../ledger.ts";
import { keyProblem } from "../../records/key-place.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Statement, Transaction } from "../queries.ts";
import { readKey } from "../written-key.ts";
import { applyFindings } from "./plan-findings.ts";

/**
 * Makes a record `invalid` whose key is new, and almost that of a record which the platform has or may have from an
 * earlier run to the same address: a spreadsheet that dropped the zeros of a key would create its account a second time.
 */
export async function refuseNearKnownKeys(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  if ((await transaction.row(OTHER_RUN, run.number)) === undefined) return;
  await applyFindings(transaction, run, {
    statement: selectNearKnown(run),
    found: ({ record, key, known, file, line }) => {
      const problem: LocalProblem = {
        ...keyProblem("error", { file, line }, policy),
        code: "near_known_key",
        key: readKey(key),
        known: readKey(known),
      };
      return { record, status: "invalid", problems: [problem] };
    },
  });
}

const OTHER_RUN: Statement<{ id: number }> = {
  sql: `
  select other.id from migrate.runs as own
  join migrate.runs as other on other.id <> own.id and other.endpoint = own.endpoint and other.supplier = own.supplier
  where own.id = $1 limit 1`,
};

interface FindingRow {
  readonly record: number;
  readonly key: string;
  readonly known: string;
  readonly file: string;
  readonly line: number;
}

/** Of several near ones the least. */
function selectNearKnown({ number }: RunRow): Statement<FindingRow> {
  return {
    sql: `
    with new_keys as materialized (
      select coalesce(near, key) as match, record, key, file, line from migrate.items
      where run = ${number} and status in ('valid', 'pending') and key is not null
        and not exists (select 1 from migrate.records where records.identity = items.identity)
    ), near_known as (
      select new_keys.record, min(other.key) as known
      from migrate.runs as own
      join migrate.runs as earlier
        on earlier.endpoint = own.endpoint and earlier.supplier = own.supplier and earlier.id <> own.id
      join migrate.items as other on other.run = earlier.id
      join new_keys on new_keys.match = coalesce(other.near, other.key) and new_keys.key <> other.key
      join migrate.records on records.identity = other.identity
      where own.id = ${number}
        and (records.accepted_content is not null or records.state in ('ambiguous', 'sending'))
      group by new_keys.record
    )
    select new_keys.record, new_keys.key, near_known.known, files.name as file, new_keys.line
    from near_known join new_keys using (record) join migrate.files on files.id = new_keys.file
    order by new_keys.record`,
  };
}
