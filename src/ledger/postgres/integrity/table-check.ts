import { contradictionQueries, countRows, NO_ROWS } from "../../contradictions.ts";
import type { LedgerCheck } from "../../ledger-store.ts";
import type { Queries } from "../queries.ts";
import { PLANNED_PUSHES } from "../../tables/planned-records.ts";
import { MISCOUNTED } from "../tables/count-schema.ts";
import { statement } from "../../tables/tables.ts";

/**
 * Checks every row for contradictions between the tables, and the server for unsafe settings. Does not check the
 * server's files, which have their own tools (`pg_amcheck`, page checksums).
 */
export async function checkTables(queries: Queries): Promise<LedgerCheck> {
  const findings = [...(await serverFindings(queries)), ...(await contradictions(queries))];
  return { findings, counts: (await queries.row(countRows("migrate."))) ?? NO_ROWS };
}

async function contradictions(queries: Queries): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { sql, sentences } of contradictionQueries("migrate.", VIOLATIONS)) {
    const { count = 0 } = (await queries.row(statement<{ count: number }>(sql))) ?? {};
    found.push(...sentences(count));
  }
  return found;
}

const VIOLATIONS = {
  unconfirmedRecord: `select 1 from migrate.records where state = 'accepted'
    and not exists (select 1 from migrate.attempts where attempts.identity = records.identity and status = 'accepted')
    and not exists (select 1 from migrate.decisions
      where decisions.identity = records.identity and decision = 'accepted')`,
  missingRecord: `select 1 from migrate.items
    where status in ('pending', 'sending', 'accepted', 'existing', 'ambiguous', 'skipped', 'blocked') and awaits is null
    and not exists (select 1 from migrate.records where records.identity = items.identity)
    and run in (select id from migrate.runs where ${PLANNED_PUSHES})`,
  // The columns refuse null, and PostgreSQL 15 cannot check JSON.
  unreadableValue: "select 1 where false",
  miscounted: MISCOUNTED,
};

/** Selects server settings under which committed data can be lost in a power failure. */
const SELECT_UNSAFE = statement<{ name: string }>(
  "select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name",
);

/** Returns the reasons not to trust the server with a ledger, as sentences. */
async function serverFindings(queries: Queries): Promise<readonly string[]> {
  return (await queries.rows(SELECT_UNSAFE)).map(
    ({ name }) =>
      `The server runs with ${name} = off: after a power failure, the ledger may lack requests that were sent.`,
  );
}

/** Warns about unsafe settings of the server. Does not fail, because the server's operator chose these settings. */
export async function warnOfServer(queries: Queries, notice: ((message: string) => void) | undefined): Promise<void> {
  for (const finding of await serverFindings(queries)) notice?.(`${finding} Ledger: ${queries.name}`);
}
