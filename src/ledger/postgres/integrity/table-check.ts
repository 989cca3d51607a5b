import { formatCount } from "../../../text/count.ts";
import type { LedgerCheck } from "../../ledger-store.ts";
import type { Queries, Statement } from "../queries.ts";
import { MISCOUNTED } from "../tables/count-schema.ts";
import { serverFindings } from "./server-check.ts";

/**
 * Checks every row for contradictions between the tables. Corruption of its files is detected by the server
 * (`pg_amcheck`, page checksums).
 */
export async function checkTables(queries: Queries): Promise<LedgerCheck> {
  const findings = [...(await serverFindings(queries)), ...(await contradictions(queries))];
  const counts = await queries.row(COUNT_ROWS);
  return { findings, counts: counts ?? { runs: 0, records: 0, attempts: 0, decisions: 0 } };
}

const COUNT_ROWS: Statement<LedgerCheck["counts"]> = {
  sql: `
  select (select count(*) from migrate.runs) as runs, (select count(*) from migrate.records) as records,
    (select count(*) from migrate.attempts) as attempts, (select count(*) from migrate.decisions) as decisions`,
};

async function contradictions(queries: Queries): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { words, sql } of INVARIANTS) {
    const statement: Statement<{ count: number }> = { sql: `select count(*) as count from (${sql}) as found` };
    const { count = 0 } = (await queries.row(statement)) ?? {};
    if (count > 0) found.push(`${formatCount(count)} ${words}.`);
  }
  return found;
}

/** Each query selects violations. */
const INVARIANTS: readonly { readonly words: string; readonly sql: string }[] = [
  { words: "stored counts differ from the rows", sql: MISCOUNTED },
  {
    words: "records are accepted without a request or decision",
    sql: `select 1 from migrate.records where state = 'accepted'
      and not exists (select 1 from migrate.attempts where attempts.identity = records.identity and status = 'accepted')
      and not exists (select 1 from migrate.decisions
        where decisions.identity = records.identity and decision = 'accepted')`,
  },
  {
    words: "records have a wrong number of requests",
    sql: `select 1 from migrate.records left join
      (select identity, max(attempt) as made from migrate.attempts group by identity) as sent using (identity)
      where records.attempts <> coalesce(made, 0)`,
  },
  {
    words: "records have an unknown state",
    sql: `select 1 from migrate.records where state not in
      ('pending', 'sending', 'accepted', 'rejected', 'ambiguous', 'blocked', 'valid')`,
  },
  {
    words: "records of a run are accepted without a request or decision",
    sql: `select 1 from migrate.items where status = 'accepted'
      and not exists (select 1 from migrate.attempts
        where attempts.run = items.run and attempts.record = items.record and status = 'accepted')
      and not exists (select 1 from migrate.decisions
        where decisions.run = items.run and decisions.record = items.record and decision = 'accepted')`,
  },
  {
    words: "requests are in flight for records that are not in flight",
    sql: `select 1 from migrate.attempts
      left join migrate.items on items.run = attempts.run and items.record = attempts.record
      where attempts.status = 'sending' and coalesce(items.status, '') <> 'sending'`,
  },
  {
    words: "records of a run that should have been sent are missing from the records table",
    sql: `select 1 from migrate.items
      where status in ('pending', 'sending', 'accepted', 'ambiguous', 'skipped', 'blocked') and awaits is null
      and not exists (select 1 from migrate.records where records.identity = items.identity)
      and run in (select id from migrate.runs where command = 'push' and not dry_run and state <> 'planning')`,
  },
];
