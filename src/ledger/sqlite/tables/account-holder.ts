import type { SharedAccount } from "../../ledger.ts";
import type { RunRow } from "../ledger-schema.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/** Another record of the run's endpoint that has the account, from a request or a decision of any run. */
export function accountHolder(
  database: SqliteDatabase,
  run: RunRow,
  { account, identity }: { readonly account: string; readonly identity: Uint8Array },
): SharedAccount["holder"] | undefined {
  return database.row(SELECT_HOLDER, account, identity, run.number);
}

const SELECT_HOLDER: Query<SharedAccount["holder"]> = {
  sql: `
  select attempts.record, runs.name as run from attempts join runs on runs.id = attempts.run
  where attempts.account = ?1 and attempts.identity <> ?2 and attempts.status = 'accepted'
    and runs.endpoint = (select endpoint from runs where id = ?3)
  union all
  select decisions.record, runs.name from decisions join runs on runs.id = decisions.run
  where decisions.account = ?1 and decisions.identity <> ?2 and decisions.decision <> 'resend'
    and runs.endpoint = (select endpoint from runs where id = ?3)
  limit 1`,
};
