import { type ContradictionQueries, contradictionQueries } from "../../contradictions.ts";
import type { LedgerCheck } from "../../ledger-store.ts";
import type { Queries } from "../queries.ts";
import { MISCOUNTED } from "../tables/count-schema.ts";
import { serverFindings } from "./server-check.ts";
import { statement } from "../../tables/tables.ts";

/**
 * Checks every row for contradictions between the tables. The server itself detects corruption of its files
 * (`pg_amcheck`, page checksums).
 */
export async function checkTables(queries: Queries): Promise<LedgerCheck> {
  const findings = [...(await serverFindings(queries)), ...(await contradictions(queries))];
  const counts = await queries.row(COUNT_ROWS);
  return { findings, counts: counts ?? { runs: 0, records: 0, attempts: 0, decisions: 0 } };
}

const COUNT_ROWS = statement<LedgerCheck["counts"]>(`
  select (select count(*) from migrate.runs) as runs, (select count(*) from migrate.records) as records,
    (select count(*) from migrate.attempts) as attempts, (select count(*) from migrate.decisions) as decisions`);

async function contradictions(queries: Queries): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { sql, sentences } of contradictionQueries(VIOLATIONS)) {
    const { count = 0 } = (await queries.row(statement<{ count: number }>(sql))) ?? {};
    found.push(...sentences(count));
  }
  return found;
}

const VIOLATIONS: ContradictionQueries = {
  miscounted: MISCOUNTED,
  unconfirmedRecord: `select 1 from migrate.records where state = 'accepted'
    and not exists (select 1 from migrate.attempts where attempts.identity = records.identity and status = 'accepted')
    and not exists (select 1 from migrate.decisions
      where decisions.identity = records.identity and decision = 'accepted')`,
  wrongAttempts: `select 1 from migrate.records left join
    (select identity, max(attempt) as made from migrate.attempts group by identity) as sent using (identity)
    where records.attempts <> coalesce(made, 0)`,
  unknownState: `select 1 from migrate.records where state not in
    ('pending', 'sending', 'accepted', 'rejected', 'existing', 'ambiguous', 'blocked', 'valid')`,
  unconfirmedItem: `select 1 from migrate.items where status = 'accepted'
    and not exists (select 1 from migrate.attempts
      where attempts.run = items.run and attempts.record = items.record and status = 'accepted')
    and not exists (select 1 from migrate.decisions
      where decisions.run = items.run and decisions.record = items.record and decision = 'accepted')`,
  requestNotInFlight: `select 1 from migrate.attempts
    left join migrate.items on items.run = attempts.run and items.record = attempts.record
    where attempts.status = 'sending' and coalesce(items.status, '') <> 'sending'`,
  missingRecord: `select 1 from migrate.items
    where status in ('pending', 'sending', 'accepted', 'existing', 'ambiguous', 'skipped', 'blocked') and awaits is null
    and not exists (select 1 from migrate.records where records.identity = items.identity)
    and run in (select id from migrate.runs where command = 'push' and not dry_run and state <> 'planning')`,
};
