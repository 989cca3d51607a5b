/**
 * Returns SQL that selects another record that has the account, from a request or a decision of any run. The other
 * record has the same endpoint as the records of run `$1`. The columns are `record` and `run`.
 * @param given SQL for the account, and for the identity of the record that gets the account
 */
export function accountHolders({ account, identity }: { readonly account: string; readonly identity: string }): string {
  const holders = (table: string, condition: string): string => `
    select * from (
      select ${table}.record, runs.name as run
      from migrate.${table} join migrate.runs on runs.id = ${table}.run
      where ${table}.account = ${account} and ${table}.identity <> ${identity} and ${table}.${condition}
        and runs.endpoint = (select endpoint from migrate.runs where id = $1) limit 1
    ) as holders_in_${table}`;
  return `${holders("attempts", "status = 'accepted'")} union all ${holders("decisions", "decision <> 'resend'")}`;
}
