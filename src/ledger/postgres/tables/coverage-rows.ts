import type { Coverage } from "../../ledger.ts";
import type { Queries, Statement } from "../queries.ts";

/** See `Ledger.coverage`. The latest destination first. */
export async function coverage(queries: Queries): Promise<readonly Coverage[]> {
  return queries.rows(SELECT_COVERAGE);
}

/** A record that was accepted, and refused when it was revised, is on the platform still; `''`: another one is. */
const SELECT_COVERAGE: Statement<Coverage> = {
  sql: `
  select runs.target, runs.supplier, runs.operation, counted.records, counted.accepted
  from (
    select max(each.latest) as latest, count(*) as records, count(records.identity) as accepted
    from (
      select max(runs.id) as latest, min(runs.target) as target, runs.supplier,
        coalesce(runs.endpoint, runs.operation) as endpoint, items.identity
      from migrate.runs join migrate.items on items.run = runs.id
      where runs.command = 'push' and not runs.dry_run and runs.state <> 'planning'
        and items.identity is not null
      group by items.identity, coalesce(runs.endpoint, runs.operation), runs.supplier
    ) as each
    left join migrate.records on records.identity = each.identity and records.accepted_content <> ''
    group by each.target, each.supplier, each.endpoint
  ) as counted join migrate.runs on runs.id = counted.latest
  order by counted.latest desc`,
};
